"""Queries for what the properties of notes say: a value, or a value and the kind of note."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .notes import Note, Notes
from .query import DevQuery, draw
from .words import content, plain

KIND = "property"
_MOST_NOTES = 6
_LONGEST_VALUE = 60  # characters
_NOT_ASKED = frozenset({"aliases", "tags", "created", "last", "published", "start", "end", "date"})
_BARE = re.compile(r"^(?:https?://.*|[\d.,:-]+|true|false|.*\{\{.*)$", re.IGNORECASE | re.DOTALL)
_MAKERS = re.compile(r"^Developed by: \[\[([^\]|]+)", re.MULTILINE)
_MAKER_FORMS = ("plugins by {}", "{} plugins", "made by {}", "{}")


def values(notes: Notes) -> Iterator[DevQuery]:
    """Each value that up to six notes have, alone, and with the kind of the note ("jazz albums").

    The note that has the value as its name is relevant too, with grade 2.
    """
    holders: dict[str, set[str]] = {}
    of_kind: dict[str, set[str]] = {}
    for note in notes:
        kinds = {kind.lower() for kind in note.properties.get("categories", ())}
        for key, value in _asked(note):
            holders.setdefault(value, set()).add(note.path)
            for kind in kinds if key != "categories" else ():
                of_kind.setdefault(f"{value} {kind}", set()).add(note.path)
    for form, asked in (("value", holders), ("value and kind", of_kind)):
        for text, paths in asked.items():
            if len(paths) <= _MOST_NOTES and content(text, notes.lang):
                exact = notes.named.get(plain(text), set())
                relevant = {**dict.fromkeys(sorted(paths), 1), **dict.fromkeys(sorted(exact), 2)}
                yield DevQuery(notes.name, KIND, form, notes.lang, text, relevant)


def _asked(note: Note) -> list[tuple[str, str]]:
    """The properties of a note, each value in lower case; none of a template."""
    return [
        (key, value.lower())
        for key, found in note.properties.items()
        for value in found
        if key not in _NOT_ASKED
        and "Template" not in note.path
        and len(value) <= _LONGEST_VALUE
        and not _BARE.match(value)
    ]


def makers(notes: Notes) -> Iterator[DevQuery]:
    """The plugins of one developer, by the line `Developed by:` of their notes.

    The note about the developer has grade 2, unless only the plugins are asked for.
    """
    made: dict[str, set[str]] = {}
    for note in notes:
        for name in _MAKERS.findall(note.body):
            made.setdefault(name, set()).add(note.path)
    for name, paths in made.items():
        person = notes.resolve(name)
        if person is None or len(paths) > _MOST_NOTES or not content(name, notes.lang):
            continue
        form = _MAKER_FORMS[draw(len(_MAKER_FORMS), KIND, name)]
        grade = 1 if "plugins" in form else 2
        relevant = {**dict.fromkeys(sorted(paths), 1), person: grade}
        yield DevQuery(notes.name, KIND, form, notes.lang, form.format(name.lower()), relevant)
