"""Brings what a note says into one form: NFC, as queries are, and without soft hyphens.

Files from a Mac, and text pasted from a PDF, have letters in two parts, or words with hyphens that
only show at the end of a line. Offsets stay those of the file.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import replace

from notewell.base.types import Note, PropertyValue

SOFT_HYPHEN = "\u00ad"


def normal(note: Note, text: str) -> Note:
    """The note in its normal form; `text` is what it was read from."""
    if text.isascii() or (SOFT_HYPHEN not in text and unicodedata.is_normalized("NFC", text)):
        return note
    return replace(
        note,
        title=normal_text(note.title),
        aliases=tuple(map(normal_text, note.aliases)),
        tags=tuple(dict.fromkeys(map(normal_text, note.tags))),
        properties={normal_text(name): _value(value) for name, value in note.properties.items()},
        description=None if note.description is None else normal_text(note.description),
        headings=tuple(
            replace(heading, text=normal_text(heading.text)) for heading in note.headings
        ),
        links=tuple(
            replace(
                link,
                target=normal_text(link.target),
                display=_or_none(link.display),
                heading=_or_none(link.heading),
            )
            for link in note.links
        ),
        spans=tuple(replace(span, text=normal_text(span.text)) for span in note.spans),
    )


def normal_text(text: str) -> str:
    """A text in NFC, without soft hyphens."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text).replace(SOFT_HYPHEN, "")


def _or_none(text: str | None) -> str | None:
    return None if text is None else normal_text(text)


def _value(value: PropertyValue) -> PropertyValue:
    if isinstance(value, str):
        return normal_text(value)
    if isinstance(value, tuple):
        return tuple(map(_value, value))
    if isinstance(value, Mapping):
        return {normal_text(name): _value(part) for name, part in value.items()}
    return value
