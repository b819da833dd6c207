"""Bounds the names, tags, links and properties of one note.

Searches, replies and the graph hold them in memory, note by note. No person writes so many, but a
file can; its text stays searchable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from notewell.base.types import Note

_TITLE_CHARACTERS = 1_000
_DESCRIPTION_CHARACTERS = 10_000
_ALIASES = 1_000
_TAGS = 10_000
_LINKS = 100_000
_PROPERTIES = 10_000


def cap_note(note: Note) -> Note:
    """Cap what a note may have of each, such as tags and links; each cut adds a warning."""
    warnings = tuple(_warnings(note))
    description = note.description
    if not warnings and len(description or "") <= _DESCRIPTION_CHARACTERS:
        return note
    return replace(
        note,
        title=note.title[:_TITLE_CHARACTERS],
        description=description and description[:_DESCRIPTION_CHARACTERS],
        aliases=tuple(alias[:_TITLE_CHARACTERS] for alias in note.aliases[:_ALIASES]),
        tags=note.tags[:_TAGS],
        links=note.links[:_LINKS],
        properties=dict(islice(note.properties.items(), _PROPERTIES)),
        warnings=(*note.warnings, *warnings),
    )


def _warnings(note: Note) -> Iterator[str]:
    counted = (
        ("aliases", len(note.aliases), _ALIASES),
        ("tags", len(note.tags), _TAGS),
        ("links", len(note.links), _LINKS),
        ("properties", len(note.properties), _PROPERTIES),
    )
    for what, count, most in counted:
        if count > most:
            yield f"Only the first {most:,} of {count:,} {what} count."
    if any(len(name) > _TITLE_CHARACTERS for name in (note.title, *note.aliases)):
        yield f"Only the first {_TITLE_CHARACTERS:,} characters of a title or alias count."
