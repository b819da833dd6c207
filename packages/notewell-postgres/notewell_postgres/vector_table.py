"""Reads of models and vectors in the database."""

# ruff: noqa: S608 (what is put into SQL are names and numbers of ours; values are bound)

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from notewell.api.vault import ModelKey
from notewell.base.types import IndexedModel, PendingText, StoredVectors, embedded_text
from notewell.index.arrays import check_dimensions
from notewell_postgres.connection import Row
from notewell_postgres.reads import VaultReads
from notewell_postgres.used_model import UsedModel

_HAS = (
    "EXISTS (SELECT FROM vectors v WHERE v.vault_id = $1 AND v.model_id = $2"
    " AND v.text_hash = c.text_hash)"
)
# Passages of a note that is still to be read anew may be others then.
_UNREAD = (
    "EXISTS (SELECT FROM ledger l WHERE l.vault_id = $1 AND l.path = n.path"
    " AND l.state = 'pending')"
)
_HEADER = 4  # bytes before the numbers of a halfvec in its binary form


def model_key(row: Row) -> ModelKey:
    """A model from its name, weights and quantisation."""
    name, weights_hash, quantisation = row
    return ModelKey(name, weights_hash, quantisation)


class VectorReads(VaultReads):
    """The part of the port that reads models and vectors of one vault too."""

    def _find(self, model: ModelKey) -> tuple[int, int] | None:
        """The number of a model and its dimensions; None: the vault never had it."""
        rows = self._rows(
            "SELECT m.id, m.dimensions FROM models m JOIN vault_models v ON v.model_id = m.id"
            " WHERE v.vault_id = $1 AND (m.name, m.weights_hash, m.quantisation) = ($2, $3, $4)",
            model.name, model.weights_hash, model.quantisation,
        )  # fmt: skip
        return (int(rows[0][0]), int(rows[0][1])) if rows else None

    def _in_use(self, model: ModelKey | None, dimensions: int) -> UsedModel | None:
        """A model to search with; None, where the vault never had it. Raises ModelError."""
        model_row = None if model is None else self._find(model)
        if model is None or model_row is None:
            return None
        check_dimensions(model, known=model_row[1], given=dimensions)
        return UsedModel(model_row[0], model, model_row[1], own=model_row[0] == self._used_last())

    def current_model(self) -> IndexedModel | None:
        rows = self._rows(
            "SELECT m.name, m.weights_hash, m.quantisation, m.dimensions, (SELECT count(*)"
            " FROM vectors x WHERE x.vault_id = $1 AND x.model_id = m.id AND EXISTS (SELECT FROM"
            " chunks c WHERE c.vault_id = $1 AND c.text_hash = x.text_hash))"
            " FROM vaults v JOIN models m ON m.id = v.model_vectors WHERE v.id = $1"
        )
        return IndexedModel(model_key(rows[0][:3]), rows[0][3], rows[0][4]) if rows else None

    def current_model_key(self) -> ModelKey | None:
        rows = self._rows(
            "SELECT m.name, m.weights_hash, m.quantisation FROM vaults v"
            " JOIN models m ON m.id = v.model_vectors WHERE v.id = $1"
        )
        return model_key(rows[0]) if rows else None

    def _kept(self) -> tuple[StoredVectors, ...]:
        """All models, oldest first."""
        last = self._used_last()
        return tuple(
            StoredVectors(model_key(key), dimensions, vectors, answering=number == last)
            for number, dimensions, vectors, *key in self._rows(
                "SELECT m.id, m.dimensions, (SELECT count(*) FROM vectors x WHERE x.vault_id = $1"
                " AND x.model_id = m.id), m.name, m.weights_hash, m.quantisation FROM models m"
                " JOIN vault_models v ON v.model_id = m.id WHERE v.vault_id = $1 ORDER BY v.place"
            )
        )

    def covered_chunks(self, model: ModelKey) -> int:
        model_row = self._find(model)
        if model_row is None or model_row[0] != self._used_last():
            return self._own_vectors(None if model_row is None else model_row[0])
        return self._count(
            "SELECT count(*) FROM chunks WHERE vault_id = $1 AND vector_hash IS NOT NULL"
        )

    def _own_vectors(self, number: int | None) -> int:
        """The number of chunks that have the vector of their own text."""
        if number is None:
            return 0
        return self._count(
            f"SELECT count(*) FROM chunks c WHERE c.vault_id = $1 AND {_HAS}", number
        )

    def stored_vector_count(self, model: ModelKey) -> int:
        model_row = self._find(model)
        if model_row is None:
            return 0
        sql = "SELECT count(*) FROM vectors WHERE vault_id = $1 AND model_id = $2"
        return self._count(sql, model_row[0])

    def pending_count(self, model: ModelKey) -> int:
        return self._count(
            "SELECT count(DISTINCT c.text_hash) FROM chunks c JOIN notes n ON n.vault_id = $1"
            f" AND n.id = c.note_id WHERE c.vault_id = $1 AND NOT {_HAS} AND NOT {_UNREAD}",
            self._number(model),
        )

    def pending_texts(
        self, model: ModelKey, limit: int, *, skip: Collection[bytes] = frozenset()
    ) -> tuple[PendingText, ...]:
        number, wanted = self._number(model), 2 * limit + 100
        awaiting = " AND n.awaiting" if number == self._used_last() else ""
        while True:
            rows = self._rows(
                "SELECT c.text_hash, c.header, c.text, n.path FROM notes n JOIN chunks c"
                " ON c.vault_id = $1 AND c.note_id = n.id WHERE n.vault_id = $1"
                f"{awaiting} AND NOT {_HAS} AND NOT c.text_hash = ANY($3) AND NOT {_UNREAD}"
                " ORDER BY n.modified DESC NULLS LAST, n.id DESC, c.ordinal LIMIT $4",
                number, list(skip), wanted,
            )  # fmt: skip
            texts: dict[bytes, PendingText] = {}
            for text_hash, header, text, path in rows:
                whole = embedded_text(header, text)
                texts.setdefault(text_hash, PendingText(text_hash, whole, path))
            if len(texts) >= limit or len(rows) < wanted:
                return tuple(texts.values())[:limit]
            wanted *= 4

    def vectors_in_use(
        self, model: ModelKey, batch_size: int
    ) -> Iterator[list[tuple[bytes, bytes]]]:
        return self._in_batches(model, batch_size, needed=True)

    def all_vectors(self, model: ModelKey, batch_size: int) -> Iterator[list[tuple[bytes, bytes]]]:
        return self._in_batches(model, batch_size, needed=False)

    def _in_batches(
        self, model: ModelKey, size: int, *, needed: bool
    ) -> Iterator[list[tuple[bytes, bytes]]]:
        """(text hash, float16 bytes) of a model, by hash; `needed`: of current chunks alone."""
        model_row = self._find(model)
        if model_row is None:
            return
        among = (
            " AND EXISTS (SELECT FROM chunks c WHERE c.vault_id = $1 AND c.text_hash = v.text_hash)"
        )
        after = b""
        while rows := self._rows(
            "SELECT v.text_hash, halfvec_send(v.vector) FROM vectors v WHERE v.vault_id = $1"
            f" AND v.model_id = $2 AND v.text_hash > $3{among if needed else ''}"
            " ORDER BY v.text_hash LIMIT $4",
            model_row[0], after, size,
        ):  # fmt: skip
            after = rows[-1][0]
            yield [(text_hash, as_float16_bytes(packed)) for text_hash, packed in rows]

    def stored_vectors(self, model: ModelKey, text_hashes: Collection[bytes]) -> dict[bytes, bytes]:
        model_row = self._find(model)
        if model_row is None:
            return {}
        rows = self._rows(
            "SELECT text_hash, halfvec_send(vector) FROM vectors"
            " WHERE vault_id = $1 AND model_id = $2 AND text_hash = ANY($3)",
            model_row[0], list(text_hashes),
        )  # fmt: skip
        return {text_hash: as_float16_bytes(packed) for text_hash, packed in rows}

    def _number(self, model: ModelKey) -> int:
        model_row = self._find(model)
        return -1 if model_row is None else model_row[0]

    def _used_last(self) -> int | None:
        rows = self._rows("SELECT model_vectors FROM vaults WHERE id = $1")
        return rows[0][0] if rows else None

    def _count(self, sql: str, *values: object) -> int:
        return int(self._rows(sql, *values)[0][0])


def as_float16_bytes(packed: bytes) -> bytes:
    """A halfvec from its binary form, which is big endian, as the other engines have vectors."""
    return np.frombuffer(packed, ">f2", offset=_HEADER).astype("<f2").tobytes()
