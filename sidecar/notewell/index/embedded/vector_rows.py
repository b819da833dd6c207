"""Models and vectors as rows: kept for good, and chosen to answer for chunks."""

# ruff: noqa: S608 (what is put into SQL are names of columns and tables; values are bound)

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from notewell.index.embedded import meta, rows
from notewell.index.vector_checks import check_dimensions
from notewell.types import ModelKey


def find_model(connection: sqlite3.Connection, model: ModelKey) -> int | None:
    """The number of a model the database knows."""
    found = connection.execute(
        "SELECT id FROM models WHERE (name, weights_hash, quantisation) = (?, ?, ?)",
        rows.model_columns(model),
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
            (*rows.model_columns(model), dimensions),
        )
        return int(cursor.lastrowid or 0)
    known = connection.execute("SELECT dimensions FROM models WHERE id=?", (found,)).fetchone()[0]
    check_dimensions(model, known=known, given=dimensions)
    return found


def choose_model(connection: sqlite3.Connection, number: int | None) -> bool:
    """Let a model's vectors answer; returns whether anything had to change.

    Without a model, which vector stands for which chunk is kept as it is, for its return.
    """
    chosen = "" if number is None else str(number)
    before = meta.get(connection, "model_vectors")
    if meta.get(connection, "model_active") == chosen and before == (chosen or before):
        return False
    meta.put(connection, "model_active", chosen)
    if number is None:
        connection.execute(
            "UPDATE ledger SET state='keyword_only' WHERE state='indexed' AND path IN"
            " (SELECT path FROM notes WHERE id IN (SELECT note_id FROM chunks))"
        )
        return True
    meta.put(connection, "model_vectors", chosen)
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


def keep_vectors(
    connection: sqlite3.Connection, number: int, vectors: Sequence[tuple[bytes, bytes]]
) -> list[int]:
    """Keep (text hash, float16 bytes); returns the chunks that are now answered by their own."""
    connection.executemany(
        "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)",
        [(number, text_hash, vector) for text_hash, vector in vectors],
    )
    if meta.number(meta.get(connection, "model_vectors")) != number:
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
    active = meta.number(meta.get(connection, "model_active")) == number
    for note_id in touched:
        _complete(connection, note_id, active=active)
    return answered


def _complete(connection: sqlite3.Connection, note_id: int, *, active: bool) -> None:
    """Let a note whose last vector came be `indexed`."""
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
