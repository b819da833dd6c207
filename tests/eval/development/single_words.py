"""Queries of one word that the names of a few notes have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .notes import Note, Notes
from .query import DevQuery
from .words import content, plain

KIND = "word"
_MOST_NOTES = 5
_MOST_MENTIONS = 20  # notes with the word anywhere; a more frequent one does not say which is meant
_SHORTEST = 4  # letters; 2 characters in Chinese and Japanese


def single_words(notes: Notes, among: Sequence[Note] | None = None) -> Iterator[DevQuery]:
    """Each word of a name of up to five notes; the note with exactly this name has grade 2.

    Words are taken from the names of the notes `among`.
    """
    asked = {word for note in among or notes for word in content(" ".join(note.names), notes.lang)}
    shortest = 2 if notes.lang in ("zh", "ja") else _SHORTEST
    holders: dict[str, set[str]] = {}
    for note in notes:
        for word in content(" ".join(note.names), notes.lang):
            if len(word) >= shortest and not word.isdigit():
                holders.setdefault(word, set()).add(note.path)
    for word, paths in holders.items():
        if word in asked and len(paths) <= _MOST_NOTES and notes.counts[word] <= _MOST_MENTIONS:
            exact = notes.named.get(plain(word), set())
            relevant = {path: 2 if path in exact else 1 for path in sorted(paths)}
            form = "a whole name" if exact else "of a name"
            yield DevQuery(notes.name, KIND, form, notes.lang, word, relevant)
