"""Conflict copies that a synchroniser left beside a note.

The suggestion shows what each of the two has alone. It has no edit: where both were changed, which
version is right only a person knows. The feature `conflicts` makes one note of the two.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator

from notewell.features.gardener.garden import Garden, NoteBody, NoteFacts
from notewell.features.gardener.plans import diff_of, suggestion
from notewell.features.gardener.requests import GardenCheck, SuggestionView

NAME: GardenCheck = "conflict_copy"


def find(garden: Garden) -> Iterator[SuggestionView]:
    """Show each conflict copy beside its note."""
    for note in garden.tended_notes():
        copies = garden.copies.get(note.path, ())
        body = garden.read(note.path) if copies else None
        for path in copies if body is not None else ():
            copy = garden.read_copy(path)
            if body is not None and copy is not None:
                yield _suggest(note, body, path, copy)


def _suggest(note: NoteFacts, body: NoteBody, path: str, copy: NoteBody) -> SuggestionView:
    only_note, only_copy = _lines_alone(body.text, copy.text)
    name = path.rpartition("/")[2]
    return suggestion(
        NAME,
        note.path,
        f"{name} is a conflict copy of {note.name}",
        f"{_tell(only_note, only_copy)} `notewell conflicts heal` makes one note of the two; so"
        " does the page Care, under “Conflict copies”.",
        1.0,
        edits=(),
        subject=f"{path}\n{note.hash}\n{_hash_of(copy)}",
        diff=diff_of(f"{note.path} → {path}", body.text, copy.text),
    )


def _hash_of(body: NoteBody) -> str:
    """A short hash of a text, by which a rejected suggestion is known until the text changes."""
    return hashlib.blake2b(body.text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _lines_alone(one: str, other: str) -> tuple[int, int]:
    """Count the lines with text that each of two notes has and the other has not."""
    mine, theirs = (
        Counter(line.strip() for line in text.split("\n") if line.strip()) for text in (one, other)
    )
    return (mine - theirs).total(), (theirs - mine).total()


def _tell(only_note: int, only_copy: int) -> str:
    if not only_note and not only_copy:
        return "Both have the same lines."
    return f"Lines in the copy alone: {only_copy}. Lines in the note alone: {only_note}."
