"""What stands in for the passages of a note that has none, so that it is found all the same.

A note may hold nothing but properties, or nothing at all. It has no chunk, and one document in
the keyword index: title, aliases, tags, path, and the values of its properties for a body. The
document's chunk id is the note's, moved behind all that chunks will ever have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from notewell.types import PropertyValue, StoredChunk

FIRST = 1 << 48

_TOLD_APART = frozenset({"tags", "tag", "aliases", "alias", "title"})  # have fields of their own


def chunk_id(note_id: int) -> int:
    """The id of the chunk that a note without chunks is found by."""
    return FIRST + note_id


def stand_in(note_id: int) -> StoredChunk:
    """That chunk: no text, at the note's first line."""
    return StoredChunk(
        id=chunk_id(note_id),
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


def values(properties: Mapping[str, PropertyValue]) -> dict[str, tuple[str, ...]]:
    """Words and numbers of the properties, by name; those that are fields of their own left out."""
    found = {
        name: tuple(_words(value))
        for name, value in properties.items()
        if name.lower() not in _TOLD_APART
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
