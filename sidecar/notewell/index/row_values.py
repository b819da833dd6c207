"""Notes, chunks and links as columns that any database can hold, and back: text and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from notewell.base.types import (
    BlockMark,
    Chunk,
    InnerHeading,
    LedgerEntry,
    Link,
    Note,
    NotePut,
    StoredChunk,
    StoredNote,
)

Row = tuple[Any, ...]  # columns, typed by the schema of their table

NOTE_COLUMNS = (
    "id, path, title, aliases, tags, properties, description, created, modified, size, warnings,"
    " mtime_ns"
)
CHUNK_COLUMNS = (
    "c.id, c.note_id, c.ordinal, c.headings, c.block, c.parent, c.start, c.stop, c.lines, c.text,"
    " c.text_hash"
)
LINK_COLUMNS = "target, display, heading, block, embed, kind, line, start, stop"
LEDGER_COLUMNS = "path, state, rule, reason, warnings, attempts, size, mtime_ns, updated"
MANIFEST_COLUMNS = "id, path, size, mtime_ns, content_hash, title, kept_title"


def storable(text: str) -> str:
    """`text` without lone surrogates, which YAML escapes can make and UTF-8 cannot hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def is_storable(path: str) -> bool:
    """True if a database can hold a path as it is. No other can be the path of a note."""
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


def _load(packed: str) -> Any:
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
    known: dict[str, Any] = {} if packed == "{}" else _frozen(_load(packed))
    return known


def pack_lines(lines: Sequence[int]) -> bytes:
    """Line numbers as little-endian uint32."""
    return np.asarray(lines, dtype="<u4").tobytes()


def unpack_lines(packed: bytes) -> tuple[int, ...]:
    """Line numbers from `pack_lines`."""
    return tuple(np.frombuffer(packed, dtype="<u4").tolist())


def pack_block(chunk: Chunk | StoredChunk) -> str | None:
    """The id of a chunk's block; where it holds several, or other text too, all with their lines.

    Headings within its text follow, each as its depth and its row. No id begins as a JSON list
    does, so all of it stands in one column.
    """
    if not (chunk.marks or chunk.inner):
        return maybe(chunk.block)
    marks = [[mark.block, mark.first, mark.last] for mark in chunk.marks]
    return dump([*marks, *([heading.depth, heading.row] for heading in chunk.inner)])


def unpack_block(
    packed: str | None,
) -> tuple[str | None, tuple[BlockMark, ...], tuple[InnerHeading, ...]]:
    """The one block's id, if there is but one, where the blocks stand, and the inner headings."""
    if packed is None or not packed.startswith("["):
        return packed, (), ()
    entries = orjson.loads(packed)
    marks = tuple([BlockMark(*entry) for entry in entries if len(entry) == 3])
    inner = tuple([InnerHeading(*entry) for entry in entries[len(marks) :]])
    return (marks[0].block if len(marks) == 1 else None), marks, inner


def inner_headings(packed: str | None, text: str) -> tuple[str, ...]:
    """The headings within a chunk's text, of what `pack_block` made."""
    if packed is None or not packed.startswith("["):
        return ()
    rows = text.split("\n")
    return tuple([rows[heading.row] for heading in unpack_block(packed)[2]])


# --- rows ---------------------------------------------------------------------------------------


def note_row(put: NotePut) -> Row:
    """Columns of `notes` from title to warnings, in the order of the table; then kept_title."""
    note = put.note
    return (
        storable(note.title),
        dump(note.aliases),
        dump(note.tags),
        dump(note.properties),
        maybe(note.description),
        note.created,
        note.modified,
        put.size,
        put.mtime_ns,
        put.content_hash,
        dump(warnings_of(put)),
        maybe(put.kept_title),
    )


def warnings_of(put: NotePut) -> tuple[str, ...]:
    """The warnings of a note and of its reading, each once."""
    return tuple(dict.fromkeys((*put.note.warnings, *put.warnings)))


def note_of(columns: Sequence[Any]) -> StoredNote:
    """A note from NOTE_COLUMNS."""
    id_, path, title, aliases, tags, packed, *plain, warnings, mtime_ns = columns
    description, created, modified, size = plain
    return StoredNote(
        id_,
        path,
        title,
        strings(aliases),
        strings(tags),
        properties(packed),
        description,
        created,
        modified,
        size,
        strings(warnings),
        mtime_ns,
    )


def chunk_row(chunk: Chunk) -> Row:
    """Columns of `chunks`: ordinal, headings, block, parent, start, stop, lines, header, text."""
    return (
        chunk.ordinal,
        dump(chunk.headings),
        pack_block(chunk),
        maybe(chunk.parent),
        chunk.start,
        chunk.end,
        pack_lines(chunk.lines),
        storable(chunk.header),
        storable(chunk.text),
    )


def chunk_of(columns: Sequence[Any], shown: bytes | None = None) -> StoredChunk:
    """A chunk from CHUNK_COLUMNS, and its shown text where that is stored."""
    id_, note_id, ordinal, headings, packed, parent, start, stop, lines, text, text_hash = columns
    block, marks, inner = unpack_block(packed)
    return StoredChunk(
        id_,
        note_id,
        ordinal,
        strings(headings),
        block,
        parent,
        start,
        stop,
        text,
        unpack_lines(lines),
        text_hash,
        marks,
        inner,
        shown,
    )


def ledger_row(entry: LedgerEntry) -> Row:
    """LEDGER_COLUMNS of an entry."""
    return (
        entry.path,
        entry.state,
        entry.rule,
        maybe(entry.reason),
        dump(entry.warnings),
        entry.attempts,
        entry.size,
        entry.mtime_ns,
        entry.updated,
    )


def ledger_of(columns: Sequence[Any]) -> LedgerEntry:
    """An entry from LEDGER_COLUMNS."""
    path, state, rule, reason, warnings, attempts, size, mtime_ns, updated = columns
    return LedgerEntry(
        path, state, rule, reason, strings(warnings), attempts, size, mtime_ns, updated
    )


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
