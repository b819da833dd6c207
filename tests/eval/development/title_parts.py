"""Queries that are a part of a note's name, its words in any order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .notes import Note, Notes
from .query import DevQuery, draw
from .words import content, words

KIND = "title-part"


def title_parts(notes: Notes, among: Sequence[Note]) -> Iterator[DevQuery]:
    """Two or three words of each name with at least three (two in Chinese and Japanese).

    A part that is a whole name is left out, and one that occurs in the names of three notes or
    more, which does not say which of them is meant. Shorter bodies than 80 characters do not count.
    """
    cjk = notes.lang in ("zh", "ja")
    holders = {note.path: set(words(" ".join(note.names), notes.lang)) for note in notes}
    for note in among:
        found = content(note.name, notes.lang)
        if len(found) < (2 if cjk else 3) or len(note.body.strip()) < 80:
            continue
        size = 2 if len(found) < 4 else 2 + draw(2, "size", note.path)
        picked = sorted(found, key=lambda word: draw(1 << 30, word, note.path))[:size]
        in_order = draw(5, "order", note.path) < 3
        if in_order:
            picked = [word for word in found if word in picked]
        text = " ".join(picked)
        meant = [path for path, held in holders.items() if set(picked) <= held]
        if len(meant) > 2 or notes.is_name(text):
            continue
        form = "in order" if in_order else "any order"
        grades = {path: 2 if path == note.path else 1 for path in meant}
        grades.setdefault(note.path, 2)
        relevant = grades if len(grades) > 1 else {note.path: 1}
        yield DevQuery(notes.name, KIND, form, notes.lang, text, relevant)
