"""Changes of models and vectors in the database, inside the writer's transaction.

`vector_store` says what the columns mean, and reads them.
"""

# ruff: noqa: S608 (only column and table names are put into SQL; values are bound)

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from typing import Any

from notewell.base.types import ModelKey
from notewell.index.embedded import tables
from notewell.index.embedded.checksums import checksum, discard
from notewell.index.vector_checks import check_dimensions


def find_model(connection: sqlite3.Connection, model: ModelKey) -> int | None:
    """The number of a model in the database; None: it is not there."""
    found = connection.execute(
        "SELECT id FROM models WHERE (name, weights_hash, quantisation) = (?, ?, ?)",
        tables.model_columns(model),
    ).fetchone()
    return None if found is None else int(found[0])


def register_model(connection: sqlite3.Connection, model: ModelKey, dimensions: int) -> int:
    """The number of a model, given on first sight.

    Raises:
        ModelError: its vectors were of another dimension before.

    """
    found = find_model(connection, model)
    if found is None:
        cursor = connection.execute(
            "INSERT INTO models (name, weights_hash, quantisation, dimensions) VALUES (?,?,?,?)",
            (*tables.model_columns(model), dimensions),
        )
        return int(cursor.lastrowid or 0)
    known = connection.execute("SELECT dimensions FROM models WHERE id=?", (found,)).fetchone()[0]
    check_dimensions(model, known=known, given=dimensions)
    return found


def sound_vectors(
    connection: sqlite3.Connection, number: int, text_hashes: Collection[bytes]
) -> set[bytes]:
    """Those of the texts whose vectors of the model are stored; damaged ones are deleted."""
    found, damaged = set(), []
    for text_hash in text_hashes:
        row = connection.execute(
            "SELECT vector, checksum FROM vectors WHERE model_id = ? AND text_hash = ?",
            (number, text_hash),
        ).fetchone()
        if row is None:
            continue
        if checksum(number, text_hash, row[0]) == row[1]:
            found.add(text_hash)
        else:
            damaged.append((number, text_hash))
    discard(connection, damaged)
    return found


def use_model(connection: sqlite3.Connection, number: int | None) -> bool:
    """Search with a model's vectors; returns whether anything changed.

    Without a model, which vector stands for which chunk is kept as it is, for its return.
    """
    chosen = "" if number is None else str(number)
    before = tables.get_meta(connection, "model_vectors")
    if tables.get_meta(connection, "model_active") == chosen and before == (chosen or before):
        return False
    tables.put_meta(connection, "model_active", chosen)
    if number is None:
        connection.execute(
            "UPDATE ledger SET state='keyword_only' WHERE state='indexed' AND path IN"
            " (SELECT path FROM notes WHERE id IN (SELECT note_id FROM chunks))"
        )
        return True
    tables.put_meta(connection, "model_vectors", chosen)
    narrowed = "WHERE vector_hash IS NOT text_hash" if before == chosen else ""
    kept = "EXISTS (SELECT 1 FROM vectors WHERE model_id = {} AND text_hash = chunks.{})"
    connection.execute(
        f"UPDATE chunks SET vector_hash = CASE WHEN {kept.format(number, 'text_hash')}"
        f" THEN text_hash WHEN {kept.format(number, 'vector_hash')} THEN vector_hash END {narrowed}"
    )
    connection.execute(
        "UPDATE notes SET awaiting = id IN"
        " (SELECT note_id FROM chunks WHERE vector_hash IS NOT text_hash)"
    )
    connection.execute(
        "UPDATE ledger SET state = iif(path IN (SELECT path FROM notes WHERE awaiting),"
        " 'keyword_only', 'indexed') WHERE state IN ('indexed', 'keyword_only')"
    )
    return True


def store_vectors(
    connection: sqlite3.Connection, number: int, vectors: Sequence[tuple[bytes, bytes]]
) -> list[int]:
    """Store (text hash, float16 bytes); returns the chunks that now have their own vector."""
    connection.executemany(
        "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)",
        [
            (number, text_hash, vector, checksum(number, text_hash, vector))
            for text_hash, vector in vectors
        ],
    )
    if tables.optional_number(tables.get_meta(connection, "model_vectors")) != number:
        return []
    answered: list[int] = []
    touched: set[int] = set()
    for text_hash, _ in vectors:
        found: list[Any] = connection.execute(
            "SELECT id, note_id FROM chunks WHERE text_hash=? AND vector_hash IS NOT text_hash",
            (text_hash,),
        ).fetchall()
        answered += [chunk_id for chunk_id, _ in found]
        touched.update(note_id for _, note_id in found)
    connection.executemany(
        "UPDATE chunks SET vector_hash = text_hash WHERE id = ?", [(each,) for each in answered]
    )
    active = tables.optional_number(tables.get_meta(connection, "model_active")) == number
    for note_id in touched:
        _complete(connection, note_id, active=active)
    return answered


def _complete(connection: sqlite3.Connection, note_id: int, *, active: bool) -> None:
    """Mark a note whose last vector was stored as `indexed`."""
    done = connection.execute(
        "UPDATE notes SET awaiting = 0 WHERE id = ? AND NOT EXISTS (SELECT 1 FROM chunks c"
        " WHERE c.note_id = notes.id AND c.vector_hash IS NOT c.text_hash)",
        (note_id,),
    )
    if done.rowcount and active:
        connection.execute(
            "UPDATE ledger SET state = 'indexed' WHERE state = 'keyword_only'"
            " AND path = (SELECT path FROM notes WHERE id = ?)",
            (note_id,),
        )
