"""A batch as rows of the tables: `notewell.index.batch` decides what it does.

PostgreSQL's text holds no NUL, which a note may: it is stored as the sign for an unreadable
character, which is one character as well, so that places in the text stay as they are.
"""

# ruff: noqa: S608 (what is put into SQL are names and numbers of ours; values are bound)

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from notewell.api.vault import ModelKey
from notewell.base.types import Batch, Chunk, Note, NotePut
from notewell.index.batch import (
    Before,
    Changes,
    ChunkBefore,
    NoteBefore,
    WrittenChunk,
    WrittenNote,
    decide,
    paths_before,
    paths_of,
)
from notewell.index.row_values import LEDGER_COLUMNS, ledger_of, ledger_row, link_rows, storable
from notewell.index.row_values import chunk_row as shared_chunk_row
from notewell.index.row_values import note_row as shared_note_row
from notewell_postgres.connection import Row, Session

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
        session.execute(sql, vault, *columns_of(some, len(columns)))


def columns_of(rows: Sequence[Sequence[object]], count: int) -> list[list[object]]:
    """Rows as so many columns, which one statement takes."""
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(count)]


# --- rows ---------------------------------------------------------------------------------------


def note_row(note_id: int, note: WrittenNote, generation: int) -> Row:
    """The columns of `NOTES`."""
    put = note.put
    return (note_id, put.note.path, *shared_note_row(put), generation, note.awaiting)


def chunk_row(note_id: int, written: WrittenChunk) -> Row:
    """The columns of `CHUNKS`."""
    *placed, header, text = shared_chunk_row(written.chunk)
    hashes = (written.chunk.text_hash, written.vector_hash)
    return (written.id, note_id, *placed, *hashes, header, text)


# --- what there is before a batch ---------------------------------------------------------------


def _before(session: Session, vault: int, batch: Batch) -> Before:
    ((generation, text_generation, next_note, next_chunk, active, used),) = session.read(
        "SELECT generation, text_generation, next_note, next_chunk, model_active, model_vectors"
        " FROM vaults WHERE id = $1",
        vault,
    )
    model = None if batch.model is None else _number(session, vault, batch.model)
    notes = _notes(session, vault, batch)
    hashes = {chunk.text_hash for put in batch.puts for chunk in put.chunks}
    hashes |= {chunk.text_hash for note in notes.values() for chunk in note.chunks}
    stored: dict[int | None, set[bytes]] = {model: set(), used: set()}
    for number, text_hash in session.read(
        "SELECT model_id, text_hash FROM vectors WHERE vault_id = $1 AND text_hash = ANY($2)",
        vault, list(hashes),
    ):  # fmt: skip
        stored.setdefault(number, set()).add(text_hash)
    entries = {move.old_path for move in batch.moves} | {touch.path for touch in batch.touches}
    ledger = session.read(
        f"SELECT {LEDGER_COLUMNS} FROM ledger WHERE vault_id = $1 AND path = ANY($2)",
        vault, paths_held(entries),
    )  # fmt: skip
    return Before(
        generation=generation,
        text_generation=text_generation,
        next_note=next_note,
        next_chunk=next_chunk,
        notes=notes,
        ledger={row[0]: ledger_of(row) for row in ledger},
        preparing=batch.model is not None and active is not None and active != model,
        stored=stored[model],
        standing=stored[used],
    )


def _number(session: Session, vault: int, model: ModelKey) -> int | None:
    """The number of a model that the vault has; None: it has not."""
    rows = session.read(
        "SELECT m.id FROM models m JOIN vault_models v ON v.model_id = m.id AND v.vault_id = $1"
        " WHERE (m.name, m.weights_hash, m.quantisation) = ($2, $3, $4)",
        vault, model.name, model.weights_hash, model.quantisation,
    )  # fmt: skip
    return int(rows[0][0]) if rows else None


def _notes(session: Session, vault: int, batch: Batch) -> dict[str, NoteBefore]:
    put = paths_before(batch, {put.note.path for put in batch.puts})
    rows = session.read(
        "SELECT path, id, content_hash FROM notes WHERE vault_id = $1 AND path = ANY($2)",
        vault, paths_held(paths_of(batch)),
    )  # fmt: skip
    chunks: dict[int, list[ChunkBefore]] = {}
    for note_id, *columns in session.read(
        "SELECT note_id, id, text_hash, vector_hash, start, stop,"
        " CASE WHEN note_id = ANY($3) THEN text ELSE '' END FROM chunks"
        " WHERE vault_id = $1 AND note_id = ANY($2) ORDER BY note_id, ordinal",
        vault, [row[1] for row in rows], [row[1] for row in rows if row[0] in put],
    ):  # fmt: skip
        chunks.setdefault(note_id, []).append(ChunkBefore(*columns))
    return {
        path: NoteBefore(note_id, content_hash, tuple(chunks.get(note_id, ())))
        for path, note_id, content_hash in rows
    }


# --- what a batch writes ------------------------------------------------------------------------


def write_batch(session: Session, vault: int, batch: Batch) -> Changes:
    """Apply a batch inside a transaction. The vault's row is locked by it."""
    changes = decide(batch, _before(session, vault, batch), time.time())
    session.execute(
        "UPDATE vaults SET generation = $2, text_generation = $3, next_note = $4, next_chunk = $5"
        " WHERE id = $1",
        vault, changes.generation, changes.text_generation, changes.next_note, changes.next_chunk,
    )  # fmt: skip
    _delete(session, vault, changes)
    moves = [
        (note_id, move.new_path, move.size, move.mtime_ns)
        for note_id, move in changes.moved.items()
    ]
    session.execute(
        "UPDATE notes n SET path = g.path, size = g.size, mtime_ns = g.mtime_ns, generation = $6"
        " FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[])"
        " g (id, path, size, mtime_ns) WHERE n.vault_id = $1 AND n.id = g.id",
        vault, *columns_of(moves, 4), changes.generation,
    )  # fmt: skip
    touches = [(touch.path, touch.size, touch.mtime_ns) for touch in changes.touched]
    session.execute(
        "UPDATE notes n SET size = g.size, mtime_ns = g.mtime_ns"
        " FROM unnest($2::text[], $3::bigint[], $4::bigint[]) g (path, size, mtime_ns)"
        " WHERE n.vault_id = $1 AND n.path = g.path",
        vault, *columns_of(touches, 3),
    )  # fmt: skip
    _put(session, vault, changes)
    _write_ledger(session, vault, changes)
    return changes


def _delete(session: Session, vault: int, changes: Changes) -> None:
    """Delete notes that are gone, what they had, and what the notes had that are put."""
    gone = list(changes.gone)
    session.execute(
        "DELETE FROM chunks WHERE vault_id = $1 AND id = ANY($2)",
        vault, list(changes.chunks_removed),
    )  # fmt: skip
    session.execute(
        "DELETE FROM links WHERE vault_id = $1 AND note_id = ANY($2)", vault, [*gone, *changes.puts]
    )
    session.execute("DELETE FROM notes WHERE vault_id = $1 AND id = ANY($2)", vault, gone)
    session.execute(
        "INSERT INTO removed_notes SELECT $1, g.*, $3::bigint FROM unnest($2::bigint[]) g",
        vault, gone, changes.generation,
    )  # fmt: skip


def _put(session: Session, vault: int, changes: Changes) -> None:
    puts = changes.puts.items()
    notes = [note_row(note_id, note, changes.generation) for note_id, note in puts]
    upsert(session, "notes", vault, NOTES, notes, keys=("id",))
    chunks = [chunk_row(note_id, chunk) for note_id, note in puts for chunk in note.chunks]
    upsert(session, "chunks", vault, CHUNKS, chunks, keys=("id",))
    links = [
        tuple(map(_text, row))
        for note_id, note in puts
        for row in link_rows(note_id, note.put.note)
    ]
    upsert(session, "links", vault, LINKS, links)


def _write_ledger(session: Session, vault: int, changes: Changes) -> None:
    gone = [path for path, entry in changes.ledger.items() if entry is None]
    session.execute(
        "DELETE FROM ledger WHERE vault_id = $1 AND path = ANY($2)", vault, paths_held(gone)
    )
    entries = [entry for entry in changes.ledger.values() if entry is not None]
    rows = [tuple(map(_text, ledger_row(entry))) for entry in entries]
    upsert(session, "ledger", vault, LEDGER, rows, keys=("path",))


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


def paths_held(paths: Collection[str]) -> list[str]:
    """The paths among these that the database can hold."""
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
