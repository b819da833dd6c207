"""Rows of the tables as records, and back, and how many rows are written in one statement.

PostgreSQL's text holds no NUL, which a note may: it is stored as the sign for an unreadable
character, which is one character as well, so that places in the text stay as they are.
"""

# ruff: noqa: S608 (what is put into SQL are names and numbers of ours; values are bound)

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from notewell.base.types import (
    Batch,
    Chunk,
    LedgerEntry,
    Link,
    ManifestEntry,
    ModelKey,
    Note,
    NotePut,
    StoredChunk,
    StoredNote,
)
from notewell.features.postgres.connection import Row, Session
from notewell.index.in_memory.state import ChunkRecord, NoteRecord
from notewell.index.row_values import (
    dump,
    link_columns,
    link_of,
    maybe,
    pack_block,
    pack_lines,
    properties,
    storable,
    strings,
    unpack_block,
    unpack_lines,
)

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

# The columns that are written, with their types; all but the first keys are replaced.
NOTES = {
    "id": "bigint", "path": "text", "title": "text", "aliases": "text", "tags": "text",
    "properties": "text", "description": "text", "created": "float8", "modified": "float8",
    "size": "bigint", "mtime_ns": "bigint", "content_hash": "bytea", "warnings": "text",
    "kept_title": "text", "generation": "bigint", "awaiting": "boolean",
}  # fmt: skip
CHUNKS = {
    "id": "bigint", "note_id": "bigint", "ordinal": "integer", "headings": "text",
    "block": "text", "parent": "text", "start": "bigint", "stop": "bigint", "lines": "bytea",
    "text_hash": "bytea", "vector_hash": "bytea", "header": "text", "text": "text",
}  # fmt: skip
LINKS = {
    "note_id": "bigint", "ordinal": "integer", "target": "text", "display": "text",
    "heading": "text", "block": "text", "embed": "integer", "kind": "text", "line": "bigint",
    "start": "bigint", "stop": "bigint",
}  # fmt: skip
LEDGER = {
    "path": "text", "state": "text", "rule": "text", "reason": "text", "warnings": "text",
    "attempts": "integer", "size": "bigint", "mtime_ns": "bigint", "updated": "float8",
}  # fmt: skip
_ROWS_AT_ONCE = 20_000

_NUL, _UNREADABLE = "\x00", "\ufffd"


def upsert(
    session: Session,
    table: str,
    vault: int,
    columns: dict[str, str],
    rows: Sequence[Sequence[object]],
    *,
    keys: Sequence[str] = (),
) -> None:
    """Write rows of a vault, `columns` with their types in order; one of the same keys goes."""
    names, places = ", ".join(columns), range(2, len(columns) + 2)
    given = ", ".join(f"${at}::{of}[]" for at, of in zip(places, columns.values(), strict=True))
    changes = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in keys)
    conflict = f" ON CONFLICT (vault_id, {', '.join(keys)}) DO UPDATE SET {changes}" if keys else ""
    sql = (
        f"INSERT INTO {table} (vault_id, {names}) SELECT $1, given.* FROM unnest({given}) given"
        f"{conflict}"
    )
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        some = rows[first : first + _ROWS_AT_ONCE]
        session.execute(sql, vault, *(list(column) for column in zip(*some, strict=True)))


# --- notes and chunks ---------------------------------------------------------------------------


def note_row(record: NoteRecord) -> Row:
    """The columns of `NOTES`."""
    note = record.stored
    return (
        note.id, note.path, note.title, dump(note.aliases), dump(note.tags),
        dump(note.properties), note.description, note.created, note.modified, note.size,
        record.mtime_ns, record.content_hash, dump(note.warnings), record.kept_title,
        record.generation, record.awaits_vectors,
    )  # fmt: skip


def stored_note(row: Row) -> StoredNote:
    """A note from NOTE_COLUMNS."""
    id_, path, title, aliases, tags, packed, *plain, warnings, mtime_ns = row
    description, created, modified, size = plain
    return StoredNote(
        id_, path, title, strings(aliases), strings(tags), properties(packed), description,
        created, modified, size, strings(warnings), mtime_ns,
    )  # fmt: skip


def chunk_row(record: ChunkRecord) -> Row:
    """The columns of `CHUNKS`."""
    chunk = record.stored
    return (
        chunk.id, chunk.note_id, chunk.ordinal, dump(chunk.headings), pack_block(chunk),
        chunk.parent, chunk.start, chunk.end, pack_lines(chunk.lines), chunk.text_hash,
        record.vector_hash, record.header, chunk.text,
    )  # fmt: skip


def stored_chunk(row: Row) -> StoredChunk:
    """A chunk from CHUNK_COLUMNS."""
    id_, note_id, ordinal, headings, packed, parent, start, stop, lines, text, text_hash = row
    block, marks = unpack_block(packed)
    return StoredChunk(
        id_, note_id, ordinal, strings(headings), block, parent, start, stop, text,
        unpack_lines(lines), text_hash, marks,
    )  # fmt: skip


def link_row(note_id: int, ordinal: int, link: Link) -> Row:
    """The columns of `LINKS`."""
    return (note_id, ordinal, *(_text(each) for each in link_columns(link)))


def stored_link(columns: Row) -> Link:
    """A link from LINK_COLUMNS."""
    return link_of(columns)


def ledger_row(entry: LedgerEntry) -> Row:
    """The columns of `LEDGER`."""
    return (
        entry.path, entry.state, entry.rule, _text(maybe(entry.reason)), dump(entry.warnings),
        entry.attempts, entry.size, entry.mtime_ns, entry.updated,
    )  # fmt: skip


def ledger_entry(row: Row) -> LedgerEntry:
    """An entry from LEDGER_COLUMNS."""
    path, state, rule, reason, warnings, attempts, size, mtime_ns, updated = row
    return LedgerEntry(
        path, state, rule, reason, strings(warnings), attempts, size, mtime_ns, updated
    )


def manifest_entry(row: Row) -> ManifestEntry:
    """An entry from MANIFEST_COLUMNS."""
    return ManifestEntry(*row)


def model_key(row: Row) -> ModelKey:
    """A model from its name, weights and quantisation."""
    name, weights_hash, quantisation = row
    return ModelKey(name, weights_hash, quantisation)


# --- text that the database can hold ------------------------------------------------------------


def clean(batch: Batch) -> Batch:
    """The batch with texts that PostgreSQL can hold; notes of paths that it cannot are left out."""
    puts = tuple(_clean_put(put) for put in batch.puts if is_path(put.note.path))
    moves = tuple(move for move in batch.moves if is_path(move.new_path))
    ledger = tuple(entry for entry in batch.ledger if is_path(entry.path))
    return replace(batch, puts=puts, moves=moves, ledger=ledger)


def is_path(path: str) -> bool:
    """True if the database can hold a path as it is."""
    return bool(_text(path) == path)


def paths_of(paths: Collection[str]) -> list[str]:
    """Those of the paths that the database can hold."""
    return [path for path in paths if is_path(path)]


def _clean_put(put: NotePut) -> NotePut:
    note = put.note
    cleaned: Note = replace(
        note,
        title=_text(note.title),
        aliases=_texts(note.aliases),
        tags=_texts(note.tags),
        description=_text(note.description),
        warnings=_texts(note.warnings),
    )
    return replace(
        put,
        note=cleaned,
        chunks=tuple(map(_clean_chunk, put.chunks)),
        warnings=_texts(put.warnings),
        kept_title=_text(put.kept_title),
    )


def _clean_chunk(chunk: Chunk) -> Chunk:
    text, header = _text(chunk.text), _text(chunk.header)
    headings, parent = _texts(chunk.headings), _text(chunk.parent)
    same = (text, header, headings, parent)
    if same == (chunk.text, chunk.header, chunk.headings, chunk.parent):
        return chunk
    return replace(chunk, text=text, header=header, headings=headings, parent=parent)


def _text(value: Any) -> Any:
    """A text without what the database cannot hold; anything else as it is."""
    return storable(value).replace(_NUL, _UNREADABLE) if isinstance(value, str) else value


def _texts(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(_text(value) for value in values)
