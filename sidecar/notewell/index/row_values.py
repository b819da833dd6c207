"""Notes, chunks and links as columns that any database can hold, and back: text and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from notewell.base.types import BlockMark, Chunk, Link, Note, StoredChunk

Row = tuple[Any, ...]  # columns, typed by the schema of their table


def storable(text: str) -> str:
    """`text` without lone surrogates, which YAML escapes can make and UTF-8 cannot hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def is_storable(path: str) -> bool:
    """Whether a database can hold a path as it is. No other can be the path of a note."""
    return path.isascii() or storable(path) == path


def maybe(text: str | None) -> str | None:
    """`storable`, if there is a text."""
    return None if text is None else storable(text)


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)


_encode = json.JSONEncoder(default=_plain, separators=(",", ":"), ensure_ascii=False).encode


def dump(value: object) -> str:
    """JSON of a property value or a list of words; tuples become lists."""
    return storable(_encode(value)) if value != () else "[]"


def strings(packed: str) -> tuple[str, ...]:
    """A list of words from its JSON."""
    return tuple(orjson.loads(packed)) if packed != "[]" else ()


def _loaded(packed: str) -> Any:
    """JSON as `dump` writes it: fast, but for what only Python reads (NaN, huge numbers)."""
    try:
        return orjson.loads(packed)
    except orjson.JSONDecodeError:
        return json.loads(packed)


def _frozen(value: Any) -> Any:
    """`value` with tuples for lists. Most values are neither list nor mapping, or hold none."""
    if isinstance(value, list):
        return tuple([_frozen(item) if isinstance(item, (list, dict)) else item for item in value])
    if isinstance(value, dict):
        return {
            key: _frozen(item) if isinstance(item, (list, dict)) else item
            for key, item in value.items()
        }
    return value


def properties(packed: str) -> dict[str, Any]:
    """Properties from their JSON; lists become tuples."""
    known: dict[str, Any] = {} if packed == "{}" else _frozen(_loaded(packed))
    return known


def pack_lines(lines: Sequence[int]) -> bytes:
    """Line numbers as little-endian uint32."""
    return np.asarray(lines, dtype="<u4").tobytes()


def unpack_lines(packed: bytes) -> tuple[int, ...]:
    """Line numbers from `pack_lines`."""
    return tuple(np.frombuffer(packed, dtype="<u4").tolist())


def pack_block(chunk: Chunk | StoredChunk) -> str | None:
    """The id of a chunk's block; where it holds several, or other text too, all with their lines.

    No id begins as a JSON list does, so both stand in one column.
    """
    if not chunk.marks:
        return maybe(chunk.block)
    return dump([[mark.block, mark.first, mark.last] for mark in chunk.marks])


def unpack_block(packed: str | None) -> tuple[str | None, tuple[BlockMark, ...]]:
    """The one block's id, if there is but one, and where the blocks stand, if that is known."""
    if packed is None or not packed.startswith("["):
        return packed, ()
    marks = tuple(BlockMark(*mark) for mark in orjson.loads(packed))
    return (marks[0].block if len(marks) == 1 else None), marks


LINK_COLUMNS = "target, display, heading, block, embed, kind, line, start, stop"


def link_rows(note_id: int, note: Note) -> list[Row]:
    """Rows of `links`."""
    return [(note_id, ordinal, *link_columns(link)) for ordinal, link in enumerate(note.links)]


def link_columns(link: Link) -> Row:
    """LINK_COLUMNS of a link, in the order of its fields."""
    return (
        storable(link.target),
        maybe(link.display),
        maybe(link.heading),
        maybe(link.block),
        int(link.embed),
        link.kind,
        link.line,
        link.start,
        link.end,
    )


def link_of(columns: Sequence[Any]) -> Link:
    """A link from LINK_COLUMNS."""
    target, display, heading, block, embed, kind, line, start, stop = columns
    return Link(target, display, heading, block, bool(embed), kind, line, start, stop)
