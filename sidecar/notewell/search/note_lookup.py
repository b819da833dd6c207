"""Finds a note by the path somebody typed."""

from __future__ import annotations

import difflib

from notewell.errors import NotFoundError
from notewell.index.port import IndexReader
from notewell.types import StoredNote
from notewell.vault.readers import spellings


def find_note(index: IndexReader, path: str) -> StoredNote:
    """The note at `path`, with or without its ending; NotFoundError names the nearest ones."""
    for candidate in spellings(path):
        note = index.note_at(candidate)
        if note is not None:
            return note
    raise NotFoundError(f"no note '{path}' in the index{nearest(index, path)}")


def nearest(index: IndexReader, path: str) -> str:
    """The end of a sentence that says there is no such note: what was perhaps meant."""
    paths = [note.path for note in index.all_notes()]
    near = difflib.get_close_matches(path, paths, n=3, cutoff=0.6)
    return f"; did you mean {', '.join(near)}?" if near else ""
