"""Queries that name a note, alone or with a word for what it is ("X plugin", "obsidian x")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .notes import Note, Notes
from .query import DevQuery, draw
from .words import content, plain

KIND = "name"


def names(notes: Notes, among: Sequence[Note], forms: Sequence[str]) -> Iterator[DevQuery]:
    """One query for each note, in one of the `forms`; `{}` is the name, in lower case.

    A name that two notes have is left out, as is one that has no word of its own.
    """
    for note in among:
        name = own_name(notes, note)
        if name is None:
            continue
        form = forms[draw(len(forms), KIND, note.path)]
        text = form.format(name.lower())
        # "kanban plugin" asks for the note of that name, not for "Kanban".
        others = notes.named.get(plain(text), set()) - {note.path}
        if not others:
            yield DevQuery(notes.name, KIND, form, notes.lang, text, {note.path: 1})


def aliases(notes: Notes, among: Sequence[Note]) -> Iterator[DevQuery]:
    """One alias of each note that has one; in translated notes these are the English names."""
    for note in among:
        found = [name for name in _aliases(note) if _is_own(notes, note, name)]
        if found:
            text = found[draw(len(found), "alias", note.path)].lower()
            yield DevQuery(notes.name, "alias", "{}", notes.lang, text, {note.path: 1})


def own_name(notes: Notes, note: Note) -> str | None:
    """A name that only this note has.

    The file name, but first the alias where files are named by an id, as the hub's plugins are.
    """
    found = [*_aliases(note)[:1], note.name] if "plugin-id" in note.properties else [note.name]
    return next((name for name in found if _is_own(notes, note, name)), None)


def _aliases(note: Note) -> list[str]:
    return [name for name in note.names[1:] if "/" not in name and "+" not in name]


def _is_own(notes: Notes, note: Note, name: str) -> bool:
    return bool(content(name, "en")) and notes.named.get(plain(name)) == {note.path}
