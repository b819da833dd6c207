"""Placeholder chunks: how a note without any text is found by its name, tags and properties.

A note may hold nothing but properties, or nothing at all. It has no chunk of its own, but every
engine indexes one document of words for it: title, aliases, tags, path, and the values of its
properties as body. That document's chunk id is derived from the note's id, above the ids that
real chunks can have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from notewell.types import PropertyValue, StoredChunk

FIRST_PLACEHOLDER = 1 << 48  # ids of real chunks are below

_INDEXED_AS_FIELDS = frozenset({"tags", "tag", "aliases", "alias", "title"})


def placeholder_id(note_id: int) -> int:
    """The id of the placeholder chunk of a note."""
    return FIRST_PLACEHOLDER + note_id


def placeholder(note_id: int) -> StoredChunk:
    """The placeholder chunk of a note: without text, at its first line."""
    return StoredChunk(
        id=placeholder_id(note_id),
        note_id=note_id,
        ordinal=0,
        headings=(),
        block=None,
        parent=None,
        start=0,
        end=0,
        text="",
        lines=(1,),
        text_hash=b"",
    )


def property_words(properties: Mapping[str, PropertyValue]) -> dict[str, tuple[str, ...]]:
    """Texts and numbers in the properties, by name, without title, tags and aliases."""
    found = {
        name: tuple(_words(value))
        for name, value in properties.items()
        if name.lower() not in _INDEXED_AS_FIELDS
    }
    return {name: words for name, words in found.items() if words}


def _words(value: PropertyValue) -> Iterator[str]:
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _words(part)
    elif isinstance(value, tuple):
        for part in value:
            yield from _words(part)
    elif value is not None and not isinstance(value, bool) and str(value).strip():
        yield str(value)
