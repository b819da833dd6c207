"""Models and vectors in the database: which chunks have a vector, and which texts still need one.

Vectors are stored permanently by the hash of their text. A chunk's `text_hash` is that of its own
text; `vector_hash` is that of the text whose vector represents it: its own, or the one it replaced.
What reads may run in any thread; functions that take a connection are parts of the writer's
transaction.
"""

# ruff: noqa: S608 (only column and table names are put into SQL; values are bound)

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from notewell.base.types import (
    APPROXIMATE,
    IndexedModel,
    IndexFigures,
    ModelKey,
    PendingText,
    StoredVectors,
    embedded_text,
)
from notewell.index.arrays import check_dimensions
from notewell.index.embedded import tables
from notewell.index.embedded.checksums import check_text, discard_vectors, sound_rows, vector_sum
from notewell.index.embedded.reads import NoteRows, meta
from notewell.index.embedded.store import Store, translate_errors

logger = logging.getLogger(__name__)

_MODEL = "SELECT id, dimensions FROM models WHERE (name, weights_hash, quantisation) = (?, ?, ?)"
_OF_MODEL = "v.model_id = ? AND v.rowid > ?"  # vectors of one model, from a row on
# And those of them that a current chunk needs.
_NEEDED = f"{_OF_MODEL} AND EXISTS (SELECT 1 FROM chunks c WHERE c.text_hash = v.text_hash)"
# Passages of a note that is still to be read anew may be others then.
_READ = "c.note_id NOT IN (SELECT id FROM notes JOIN ledger USING (path) WHERE state = 'pending')"

_OWN = "SELECT count(*) FROM chunks WHERE vector_hash = text_hash"
# Where few notes wait for vectors, to count those without takes a tenth of the time.
_OWN_BY_NOTE = (
    "SELECT (SELECT count(*) FROM chunks) - (SELECT count(*) FROM notes n CROSS JOIN chunks c"
    " ON c.note_id = n.id WHERE n.awaiting = 1 AND c.vector_hash IS NOT c.text_hash)"
)
_FEW_NOTES = 500


def model_id(store: Store, model: ModelKey, dimensions: int | None = None) -> int | None:
    """The number a model has in the database; None: no vector of it was ever stored.

    Raises:
        ModelError: its vectors have other dimensions than those given.

    """
    rows = store.read(_MODEL, tables.model_columns(model))
    if rows and dimensions is not None:
        check_dimensions(model, known=rows[0][1], given=dimensions)
    with translate_errors(store.directory), sound_rows("a model"):
        return int(rows[0][0]) if rows else None


def dimensions_of(store: Store, model: ModelKey) -> int | None:
    """The dimensions of a model's vectors; None: none was ever stored."""
    rows = store.read(_MODEL, tables.model_columns(model))
    return int(rows[0][1]) if rows else None


def model_key(store: Store, number: int) -> ModelKey | None:
    """The model of a number."""
    rows = store.read("SELECT name, weights_hash, quantisation FROM models WHERE id=?", (number,))
    return ModelKey(*rows[0]) if rows else None


def vector_model(store: Store) -> int | None:
    """The model that the chunks' `vector_hash` refers to."""
    with translate_errors(store.directory):
        return tables.optional_number(meta(store, "model_vectors"))


def vectors_by_chunk(
    store: Store, number: int, damaged: list[bytes]
) -> Iterator[tuple[int, int, bytes]]:
    """(chunk id, note id, vector) of every chunk that has a vector of the model.

    Vectors come in their order on disk: following each chunk to its vector would read
    the whole table in random order. Those with a wrong checksum are left out, and their text
    hashes added to `damaged`, as are those that a chunk names and that are not there.
    """
    column = "vector_hash" if number == vector_model(store) else "text_hash"
    holders: dict[bytes, list[tuple[int, int]]] = {}
    for text_hash, chunk_id, note_id in store.stream(
        f"SELECT {column}, id, note_id FROM chunks WHERE {column} IS NOT NULL"
    ):
        holders.setdefault(text_hash, []).append((chunk_id, note_id))
    for text_hash, vector, stored in store.stream(
        "SELECT text_hash, vector, checksum FROM vectors WHERE model_id = ?", (number,)
    ):
        if vector_sum(number, text_hash, vector) != stored:
            damaged.append(text_hash)
            continue
        for chunk_id, note_id in holders.pop(text_hash, ()):
            yield chunk_id, note_id, vector
    if column == "vector_hash":  # each of these was stored when it was named
        damaged += holders.keys() - set(damaged)


def vectors_of(store: Store, number: int, chunk_ids: Sequence[int]) -> list[tuple[int, int, bytes]]:
    """(chunk id, note id, vector) of those of the chunks that have a sound one."""
    return [
        (chunk_id, note_id, vector)
        for chunk_id, note_id, text_hash, vector, stored in store.read_in(
            "SELECT c.id, c.note_id, v.text_hash, v.vector, v.checksum FROM chunks c JOIN vectors v"
            f" ON v.model_id = {int(number)} AND v.text_hash = c.vector_hash WHERE c.id IN (?)",
            chunk_ids,
        )
        if vector_sum(number, text_hash, vector) == stored
    ]


def discard_damaged(store: Store, number: int, text_hashes: Collection[bytes]) -> None:
    """Delete vectors of a model whose checksum is wrong, so that their texts are embedded again.

    Where the index was opened for reading, they stay until a writer finds them.
    """
    if not text_hashes:
        return
    logger.warning(
        "%d vectors in %s were damaged on disk. Their passages are found by keywords alone until"
        " they are embedded again.",
        len(text_hashes),
        store.directory,
    )
    if store.writable:
        with store.transaction() as connection:
            discard_vectors(connection, [(number, text_hash) for text_hash in text_hashes])
            tables.next_generation(connection, text=False)


class VectorRows(NoteRows):
    """The part of the port that reads models and vectors too. Damaged vectors are left out."""

    def current_model_key(self) -> ModelKey | None:
        number = vector_model(self._store)
        return None if number is None else model_key(self._store, number)

    def current_model(self) -> IndexedModel | None:
        number = vector_model(self._store)
        rows = self._store.read(
            "SELECT name, weights_hash, quantisation, dimensions FROM models WHERE id IS ?",
            (number,),
        )
        if not rows:
            return None
        *key, dimensions = rows[0]
        ((needed,),) = self._store.read(
            f"SELECT count(*) FROM vectors v WHERE {_NEEDED}", (number, 0)
        )
        return IndexedModel(ModelKey(*key), dimensions, needed)

    def stored_vector_count(self, model: ModelKey) -> int:
        rows = self._store.read(
            "SELECT count(*) FROM vectors WHERE model_id IS ?", (model_id(self._store, model),)
        )
        return int(rows[0][0])

    def vectors_in_use(
        self, model: ModelKey, batch_size: int
    ) -> Iterator[list[tuple[bytes, bytes]]]:
        return self._in_batches(model, batch_size, _NEEDED)

    def all_vectors(self, model: ModelKey, batch_size: int) -> Iterator[list[tuple[bytes, bytes]]]:
        return self._in_batches(model, batch_size, _OF_MODEL)

    def _in_batches(
        self, model: ModelKey, batch_size: int, where: str
    ) -> Iterator[list[tuple[bytes, bytes]]]:
        """Read batch by batch, so that nothing stays open while the caller writes.

        Damaged vectors are left out.
        """
        number = model_id(self._store, model)
        if number is None:
            return
        after = 0
        while rows_read := self._store.read(
            "SELECT v.rowid, v.text_hash, v.vector, v.checksum FROM vectors v NOT INDEXED"
            f" WHERE {where} ORDER BY v.rowid LIMIT {int(batch_size)}",
            (number, after),
        ):
            after = rows_read[-1][0]
            sound = [
                (text_hash, vector)
                for _, text_hash, vector, stored in rows_read
                if vector_sum(number, text_hash, vector) == stored
            ]
            if sound:
                yield sound

    def stored_vectors(self, model: ModelKey, text_hashes: Collection[bytes]) -> dict[bytes, bytes]:
        number = model_id(self._store, model)
        if number is None:
            return {}
        rows = self._store.read_in(
            "SELECT text_hash, vector, checksum FROM vectors"
            f" WHERE model_id = {int(number)} AND text_hash IN (?)",
            list(text_hashes),
        )
        return {
            text_hash: vector
            for text_hash, vector, stored in rows
            if vector_sum(number, text_hash, vector) == stored
        }

    def _own_vectors(self, number: int | None) -> int:
        """The number of chunks with the vector of their own text."""
        if number is None:
            return 0
        if number == vector_model(self._store):
            ((awaiting,),) = self._store.read("SELECT count(*) FROM notes WHERE awaiting = 1")
            rows = self._store.read(_OWN_BY_NOTE if awaiting <= _FEW_NOTES else _OWN)
        else:
            rows = self._store.read(
                "SELECT count(*) FROM chunks c JOIN vectors v"
                " ON v.model_id = ? AND v.text_hash = c.text_hash",
                (number,),
            )
        return int(rows[0][0])

    def covered_chunks(self, model: ModelKey) -> int:
        number = model_id(self._store, model)
        if number is None or number != vector_model(self._store):
            return self._own_vectors(number)
        rows = self._store.read("SELECT count(*) FROM chunks WHERE vector_hash IS NOT NULL")
        return int(rows[0][0])

    def pending_count(self, model: ModelKey) -> int:
        where, values = self._lacking(model)
        rows = self._store.read(
            f"SELECT count(DISTINCT c.text_hash) FROM chunks c WHERE {where}", values
        )
        return int(rows[0][0])

    def pending_texts(
        self, model: ModelKey, limit: int, *, skip: Collection[bytes] = frozenset()
    ) -> tuple[PendingText, ...]:
        where, values = self._lacking(model)
        awaiting = "n.awaiting = 1 AND " if where.startswith("c.vector_hash") else ""
        texts: dict[bytes, PendingText] = {}
        for text_hash, header, text, path in self._store.stream(
            "SELECT c.text_hash, c.header, c.text, n.path FROM notes n"
            " CROSS JOIN chunks c ON c.note_id = n.id"
            f" WHERE {awaiting}{where} ORDER BY n.modified DESC, n.id DESC, c.ordinal",
            values,
        ):
            if len(texts) >= limit:
                break
            if text_hash not in texts and text_hash not in skip:
                # The vector of another text would be kept as that of this one.
                with translate_errors(self._store.directory), sound_rows("a passage"):
                    check_text(header, text, text_hash)
                texts[text_hash] = PendingText(text_hash, embedded_text(header, text), path)
        return tuple(texts.values())

    def _lacking(self, model: ModelKey) -> tuple[str, tuple[int, ...]]:
        """The condition on a chunk `c` that its own text has no vector of the model.

        A note that is still to be read anew does not count: its passages may be others then.
        """
        number = model_id(self._store, model)
        if number is None:
            return _READ, ()
        if number == vector_model(self._store):
            return f"c.vector_hash IS NOT c.text_hash AND {_READ}", ()
        lacking = "SELECT 1 FROM vectors v WHERE v.model_id = ? AND v.text_hash = c.text_hash"
        return f"NOT EXISTS ({lacking}) AND {_READ}", (number,)

    def stats(self) -> IndexFigures:
        return IndexFigures(models=self._models(), bytes_on_disk=self._bytes())

    def _models(self) -> tuple[StoredVectors, ...]:
        answering = vector_model(self._store)
        rows = self._store.read(
            "SELECT m.id, m.name, m.weights_hash, m.quantisation, m.dimensions,"
            " (SELECT count(*) FROM vectors v WHERE v.model_id = m.id) FROM models m"
            f" WHERE m.quantisation NOT LIKE '%{APPROXIMATE}' ORDER BY m.id"
        )
        return tuple(
            StoredVectors(ModelKey(*key), dimensions, vectors, answering=number == answering)
            for number, *key, dimensions, vectors in rows
        )

    def _bytes(self) -> int:
        total = 0
        for file in self._store.directory.rglob("*"):
            try:
                total += file.stat().st_size if file.is_file() else 0
            except OSError:
                continue  # a segment or a log that was merged away meanwhile
        return total


def find_model(connection: sqlite3.Connection, model: ModelKey) -> int | None:
    """The number of a model in the database; None: it is not there."""
    row = connection.execute(
        "SELECT id FROM models WHERE (name, weights_hash, quantisation) = (?, ?, ?)",
        tables.model_columns(model),
    ).fetchone()
    return None if row is None else int(row[0])


def register_model(connection: sqlite3.Connection, model: ModelKey, dimensions: int) -> int:
    """The number of a model, given on first sight.

    Raises:
        ModelError: its vectors were of another dimension before.

    """
    number = find_model(connection, model)
    if number is None:
        cursor = connection.execute(
            "INSERT INTO models (name, weights_hash, quantisation, dimensions) VALUES (?,?,?,?)",
            (*tables.model_columns(model), dimensions),
        )
        return int(cursor.lastrowid or 0)
    known = connection.execute("SELECT dimensions FROM models WHERE id=?", (number,)).fetchone()[0]
    check_dimensions(model, known=known, given=dimensions)
    return number


def sound_vectors(
    connection: sqlite3.Connection, number: int, text_hashes: Collection[bytes]
) -> set[bytes]:
    """The texts among these that have a vector of the model; damaged vectors are deleted."""
    sound, damaged = set(), []
    for text_hash in text_hashes:
        row = connection.execute(
            "SELECT vector, checksum FROM vectors WHERE model_id = ? AND text_hash = ?",
            (number, text_hash),
        ).fetchone()
        if row is None:
            continue
        if vector_sum(number, text_hash, row[0]) == row[1]:
            sound.add(text_hash)
        else:
            damaged.append((number, text_hash))
    discard_vectors(connection, damaged)
    return sound


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
            (number, text_hash, vector, vector_sum(number, text_hash, vector))
            for text_hash, vector in vectors
        ],
    )
    if tables.optional_number(tables.get_meta(connection, "model_vectors")) != number:
        return []
    answered: list[int] = []
    touched: set[int] = set()
    for text_hash, _ in vectors:
        rows: list[Any] = connection.execute(
            "SELECT id, note_id FROM chunks WHERE text_hash=? AND vector_hash IS NOT text_hash",
            (text_hash,),
        ).fetchall()
        answered += [chunk_id for chunk_id, _ in rows]
        touched.update(note_id for _, note_id in rows)
    connection.executemany(
        "UPDATE chunks SET vector_hash = text_hash WHERE id = ?",
        [(chunk_id,) for chunk_id in answered],
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
