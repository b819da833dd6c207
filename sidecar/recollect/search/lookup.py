"""Finds a note by the path somebody typed."""

from __future__ import annotations

import difflib

from recollect.errors import NotFoundError
from recollect.index.index import Index
from recollect.types import StoredNote


def find_note(index: Index, path: str) -> StoredNote:
    """The note at `path`, with or without its ending.

    Raises:
        NotFoundError: there is none; the message names the nearest ones.

    """
    for candidate in (path, f"{path}.md"):
        note = index.note_at(candidate)
        if note is not None:
            return note
    near = difflib.get_close_matches(path, [note.path for note in index.all_notes()], n=3)
    hint = f" Did you mean {', '.join(near)}?" if near else " Paths are relative to the vault."
    raise NotFoundError(f"There is no note '{path}' in the index.{hint}")
