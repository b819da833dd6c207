"""Approximate vectors in the database: they stand for passages that the model has yet to read.

They are stored below a key of their own (`ModelKey.approximate`), so that nothing which reads the
vectors of a model meets them. A search uses one only where its passage has no other vector.
"""

# ruff: noqa: S608 (only column and table names are put into SQL; values are bound)

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from notewell.base.types import APPROXIMATE, ModelKey, PendingText, VectorPut, embedded_text
from notewell.index.arrays import as_float16
from notewell.index.embedded.checksums import check_text, sound_rows, vector_sum
from notewell.index.embedded.store import Store, translate_errors
from notewell.index.embedded.vector_store import VectorRows, register_model, vector_model

_NUMBER = (
    "SELECT a.id FROM models m JOIN models a ON (a.name, a.weights_hash, a.quantisation)"
    f" = (m.name, m.weights_hash, m.quantisation || '{APPROXIMATE}') WHERE m.id = ?"
)
_ALL = f"SELECT id FROM models WHERE quantisation LIKE '%{APPROXIMATE}'"


def vectors_by_chunk(store: Store, number: int) -> Iterator[tuple[int, int, bytes]]:
    """(chunk id, note id, vector) of the chunks that have nothing but an approximate vector.

    `number` is the model's. Those that were damaged on disk are left out.
    """
    approximate = _approximate_number(store, number)
    if approximate is None:
        return
    holders: dict[bytes, list[tuple[int, int]]] = {}
    for text_hash, chunk_id, note_id in store.stream(
        "SELECT text_hash, id, note_id FROM chunks WHERE vector_hash IS NULL"
    ):
        holders.setdefault(text_hash, []).append((chunk_id, note_id))
    for text_hash, vector, checksum in store.stream(
        "SELECT text_hash, vector, checksum FROM vectors WHERE model_id = ?", (approximate,)
    ):
        if vector_sum(approximate, text_hash, vector) == checksum:
            for chunk_id, note_id in holders.get(text_hash, ()):
                yield chunk_id, note_id, vector


def vectors_of(store: Store, number: int, chunk_ids: Sequence[int]) -> list[tuple[int, int, bytes]]:
    """The same of some chunks."""
    approximate = _approximate_number(store, number)
    if approximate is None:
        return []
    return [
        (chunk_id, note_id, vector)
        for chunk_id, note_id, text_hash, vector, checksum in store.read_in(
            "SELECT c.id, c.note_id, v.text_hash, v.vector, v.checksum FROM chunks c"
            f" JOIN vectors v ON v.model_id = {int(approximate)} AND v.text_hash = c.text_hash"
            " WHERE c.vector_hash IS NULL AND c.id IN (?)",
            chunk_ids,
        )
        if vector_sum(approximate, text_hash, vector) == checksum
    ]


def is_stored(store: Store, number: int) -> bool:
    """True if approximate vectors of the model in use are stored; `number` is this model's."""
    return _approximate_number(store, number) is not None


def _approximate_number(store: Store, number: int) -> int | None:
    """The number of the approximate vectors of the model in use, if this is the one."""
    rows = store.read(_NUMBER, (number,))
    return int(rows[0][0]) if rows and number == vector_model(store) else None


class ApproximateRows(VectorRows):
    """The part of the port that reads the texts which approximate vectors are made for."""

    def texts_by_hash(self, after: bytes, limit: int) -> tuple[PendingText, ...]:
        """See `HoldsApproximations`."""
        rows = self._store.read(
            "SELECT c.text_hash, c.header, c.text, n.path FROM chunks c"
            " JOIN notes n ON n.id = c.note_id WHERE c.text_hash > ?"
            " GROUP BY c.text_hash ORDER BY c.text_hash LIMIT ?",
            (after, limit),
        )
        with translate_errors(self._store.directory), sound_rows("a passage"):
            for text_hash, header, text, _ in rows:
                check_text(header, text, text_hash)
        return tuple(
            PendingText(text_hash, embedded_text(header, text), path)
            for text_hash, header, text, path in rows
        )

    def has_approximate(self) -> bool:
        """See `HoldsApproximations`."""
        return bool(self._store.read(_ALL))


def insert(
    connection: sqlite3.Connection, model: ModelKey, puts: Sequence[VectorPut]
) -> tuple[int, ...]:
    """Store approximate vectors of texts; returns the chunks that have no other."""
    dimensions = len(puts[0].vector)
    number = register_model(connection, model.approximate, dimensions)
    vectors = [
        (put.text_hash, as_float16(put, dimensions, model.approximate).tobytes()) for put in puts
    ]
    connection.executemany(
        "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)",
        [(number, key, vector, vector_sum(number, key, vector)) for key, vector in vectors],
    )
    return tuple(
        chunk_id
        for key, _ in vectors
        for (chunk_id,) in connection.execute(
            "SELECT id FROM chunks WHERE text_hash = ? AND vector_hash IS NULL", (key,)
        )
    )


def delete_all(connection: sqlite3.Connection) -> None:
    """Delete the approximate vectors of every model."""
    for (number,) in connection.execute(_ALL).fetchall():
        connection.execute("DELETE FROM vectors WHERE model_id = ?", (number,))
        connection.execute("DELETE FROM models WHERE id = ?", (number,))
