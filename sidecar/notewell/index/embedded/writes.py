"""Writes a batch of notes as rows, inside one transaction of the store.

`notewell.index.batch` decides what it does; the structures in memory are changed after the commit.
"""

# ruff: noqa: S608 (what is put into SQL are names of columns and tables; values are bound)

from __future__ import annotations

import sqlite3
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

import orjson

from notewell.base.types import Batch, LedgerEntry, NoteMove
from notewell.index.batch import (
    Before,
    Changes,
    ChunkBefore,
    NoteBefore,
    WrittenNote,
    decide,
    paths_before,
    paths_of,
)
from notewell.index.embedded.checksums import (
    join_sums,
    link_sum,
    moved_sum,
    passage_sum,
    sound_rows,
    sum_of,
)
from notewell.index.embedded.tables import get_meta, next_generation, number, optional_number
from notewell.index.embedded.vector_store import find_model, sound_vectors
from notewell.index.row_values import (
    LEDGER_COLUMNS,
    chunk_row,
    is_storable,
    ledger_of,
    ledger_row,
    link_rows,
    note_row,
    storable,
)
from notewell.index.shown_text import names_above
from notewell.index.stored_text import pack_shown

_AMONG = "IN (SELECT value FROM json_each(?))"


def write_batch(connection: sqlite3.Connection, batch: Batch) -> Changes:
    """Apply a batch on an open transaction."""
    changes = decide(batch, _before(connection, batch), time.time())
    next_generation(connection, text=changes.in_text)
    connection.executemany(
        "DELETE FROM notes WHERE id = ?", [(note_id,) for note_id in changes.gone]
    )
    _move(connection, changes.moved, changes.generation)
    for note_id, note in changes.puts.items():
        _put(connection, note_id, note, changes)
    removed = [(chunk_id,) for chunk_id in changes.chunks_removed]
    connection.executemany("DELETE FROM chunks WHERE id = ?", removed)
    connection.executemany(
        "UPDATE notes SET size=?, mtime_ns=? WHERE path=?",
        [(touch.size, touch.mtime_ns, touch.path) for touch in changes.touched],
    )
    _write_ledger(connection, changes.ledger)
    return changes


# --- what is there before -----------------------------------------------------------------------


def _before(connection: sqlite3.Connection, batch: Batch) -> Before:
    """The rows that the batch concerns. Damaged vectors of its texts are dropped first."""
    touched = {touch.path for touch in batch.touches}
    standing = optional_number(get_meta(connection, "model_vectors"))
    model = None if batch.model is None else find_model(connection, batch.model)
    active = optional_number(get_meta(connection, "model_active"))
    texts = {chunk.text_hash for put in batch.puts for chunk in put.chunks}
    stored = {
        model_number: set()
        if model_number is None
        else sound_vectors(connection, model_number, texts)
        for model_number in {standing, model}
    }
    notes = _notes(connection, batch)
    waiting = {notes[path].id for path in paths_before(batch, touched) & notes.keys()}
    return Before(
        generation=number(get_meta(connection, "generation")),
        text_generation=number(get_meta(connection, "text_generation")),
        next_note=_next(connection, "notes"),
        next_chunk=_next(connection, "chunks"),
        notes=notes,
        ledger=_ledger(connection, {*touched, *(move.old_path for move in batch.moves)}),
        preparing=batch.model is not None and active not in {None, model},
        stored=stored[model] | _store(connection, model, waiting),
        standing=stored[standing],
    )


def _notes(connection: sqlite3.Connection, batch: Batch) -> dict[str, NoteBefore]:
    put = paths_before(batch, {put.note.path for put in batch.puts})
    known = connection.execute(
        f"SELECT path, id, content_hash FROM notes WHERE path {_AMONG}", (_json(paths_of(batch)),)
    ).fetchall()
    chunks: defaultdict[int, list[ChunkBefore]] = defaultdict(list)
    for text, is_put in (("text", True), ("''", False)):
        ids = [note_id for path, note_id, _ in known if (path in put) is is_put]
        if not ids:
            continue
        for note_id, *columns in connection.execute(
            f"SELECT note_id, id, text_hash, vector_hash, start, stop, {text} FROM chunks"
            f" WHERE note_id {_AMONG} ORDER BY note_id, ordinal",
            (_json(ids),),
        ):
            chunks[note_id].append(ChunkBefore(*columns))
    return {
        path: NoteBefore(note_id, content_hash, tuple(chunks[note_id]))
        for path, note_id, content_hash in known
    }


def _ledger(connection: sqlite3.Connection, paths: Collection[str]) -> dict[str, LedgerEntry]:
    if not paths:
        return {}
    rows = connection.execute(
        f"SELECT {LEDGER_COLUMNS} FROM ledger WHERE path {_AMONG}", (_json(paths),)
    )
    with sound_rows("an entry of the ledger"):
        return {row[0]: ledger_of(row) for row in rows}


def _store(
    connection: sqlite3.Connection, model: int | None, note_ids: Collection[int]
) -> set[bytes]:
    """The texts of some notes that have a vector of the model."""
    if not note_ids:
        return set()
    # A cross join, so that SQLite begins with the passages of these few notes.
    rows = connection.execute(
        "SELECT c.text_hash FROM chunks c CROSS JOIN vectors v ON v.model_id = ?"
        f" AND v.text_hash = c.text_hash WHERE c.note_id {_AMONG}",
        (model, _json(note_ids)),
    )
    return {text_hash for (text_hash,) in rows}


def _next(connection: sqlite3.Connection, table: str) -> int:
    """The id that SQLite would give next: one that was never used."""
    ((last, used),) = connection.execute(
        f"SELECT (SELECT max(id) FROM {table}), (SELECT seq FROM sqlite_sequence WHERE name = ?)",
        (table,),
    )
    return max(last or 0, used or 0) + 1


def _json(values: Iterable[str | int]) -> str:
    """Paths and ids for `_AMONG`; a path that no database can hold names nothing."""
    return orjson.dumps(
        [value for value in values if not isinstance(value, str) or is_storable(value)]
    ).decode()


# --- what is written ----------------------------------------------------------------------------


def _move(connection: sqlite3.Connection, moved: Mapping[int, NoteMove], generation: int) -> None:
    """Names are taken in a second pass, so that notes can swap or shift along a chain."""
    if not moved:
        return
    checksums = dict(
        connection.execute(f"SELECT id, checksum FROM notes WHERE id {_AMONG}", (_json(moved),))
    )
    connection.executemany(
        "UPDATE notes SET path=? WHERE id=?",
        [(f"\x00moving/{note_id}", note_id) for note_id in moved],
    )
    connection.executemany(
        "UPDATE notes SET path=?, size=?, mtime_ns=?, checksum=?, generation=? WHERE id=?",
        [
            (
                move.new_path,
                move.size,
                move.mtime_ns,
                moved_sum(checksums[note_id], move.old_path, move.new_path),
                generation,
                note_id,
            )
            for note_id, move in moved.items()
        ],
    )


def _put(connection: sqlite3.Connection, note_id: int, note: WrittenNote, changes: Changes) -> None:
    columns = (*note_row(note.put), changes.generation)
    if note_id >= changes.first_note:
        connection.execute(
            "INSERT INTO notes (id, path, title, aliases, tags, properties, description, created,"
            " modified, size, mtime_ns, content_hash, warnings, kept_title, generation)"
            f" VALUES ({','.join('?' * 15)})",
            (note_id, note.put.note.path, *columns),
        )
    else:
        connection.execute(
            "UPDATE notes SET title=?, aliases=?, tags=?, properties=?, description=?,"
            " created=?, modified=?, size=?, mtime_ns=?, content_hash=?, warnings=?,"
            " kept_title=?, generation=? WHERE id=?",
            (*columns, note_id),
        )
        connection.execute("DELETE FROM links WHERE note_id = ?", (note_id,))
    links = link_rows(note_id, note.put.note)
    connection.executemany(f"INSERT INTO links VALUES ({','.join('?' * 11)})", links)
    passages = _put_chunks(connection, note_id, note, changes.first_chunk)
    links_sum = join_sums(link_sum(owner, ordinal, rest) for owner, ordinal, *rest in links)
    connection.execute(
        "UPDATE notes SET awaiting=?, checksum=?, passages_sum=?, links_sum=? WHERE id=?",
        (note.awaiting, sum_of(connection, note_id), join_sums(passages), links_sum, note_id),
    )


def _put_chunks(
    connection: sqlite3.Connection, note_id: int, note: WrittenNote, first_new: int
) -> list[int]:
    """Write a note's passages; returns their checksums."""
    new, kept, checksums = [], [], []
    title = storable(note.put.note.title)
    for entry in note.chunks:
        columns = chunk_row(entry.chunk)
        *placed, _header, text = columns
        names = names_above(title, entry.chunk.headings)
        row = (*columns, pack_shown(text, names, entry.chunk.lines))
        checksum = passage_sum((note_id, *placed))
        checksums.append(checksum)
        if entry.id >= first_new:
            vectors = (entry.chunk.text_hash, entry.vector_hash)
            new.append((entry.id, note_id, *row, checksum, *vectors))
        else:
            kept.append((*row, checksum, entry.id))
    connection.executemany(
        "UPDATE chunks SET ordinal=?, headings=?, block=?, parent=?, start=?, stop=?,"
        " lines=?, header=?, text=?, shown=?, checksum=? WHERE id=?",
        kept,
    )
    connection.executemany(
        "INSERT INTO chunks (id, note_id, ordinal, headings, block, parent, start, stop, lines,"
        f" header, text, shown, checksum, text_hash, vector_hash) VALUES ({','.join('?' * 15)})",
        new,
    )
    return checksums


def _write_ledger(connection: sqlite3.Connection, ledger: Mapping[str, LedgerEntry | None]) -> None:
    gone = [(path,) for path, entry in ledger.items() if entry is None]
    connection.executemany("DELETE FROM ledger WHERE path = ?", gone)
    connection.executemany(
        "INSERT OR REPLACE INTO ledger VALUES (?,?,?,?,?,?,?,?,?)",
        [ledger_row(entry) for entry in ledger.values() if entry is not None],
    )
