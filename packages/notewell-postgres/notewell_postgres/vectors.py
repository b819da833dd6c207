"""Dense search: exact and in memory where there are few vectors, else by pgvector's HNSW index.

Vectors are halfvec. The database scores what the index finds again, in single precision from the
stored vectors, so that scores are those of every engine; only which are found is approximate
(Malkov and Yashunin 2018, "Efficient and robust approximate nearest neighbor search using
Hierarchical Navigable Small World graphs"). Filters are applied while the index is scanned, which
goes on until there are enough (`hnsw.iterative_scan`).

Few vectors are read once, and after a change only those that are new: text of the same hash has the
same vector for ever.
"""

# ruff: noqa: S608 (what is put into SQL are names and numbers of ours; values are bound)

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from notewell.api.errors import ModelError
from notewell.api.types import FloatArray
from notewell.api.vault import ModelKey
from notewell.base.types import IdArray, VectorHits
from notewell_postgres.connection import Database, Row
from notewell_postgres.used_model import EXACT_LIMIT, UsedModel, as_text, index_name

Packed: TypeAlias = Sequence[tuple[bytes, npt.NDArray[np.float32]]]  # hashes with their vectors


@dataclass(frozen=True, eq=False)
class HeldVectors:
    """Never changed: chunk `ids` (n,) ascending, their `notes` (n,), and `rows` (n, dimensions).

    `places`: of each hash, a row that has its vector.
    """

    ids: IdArray
    notes: IdArray
    rows: FloatArray
    places: dict[bytes, int]

    @classmethod
    def none(cls, dimensions: int) -> HeldVectors:
        """Of a vault without vectors."""
        empty = np.empty(0, np.int64)
        return cls(empty, empty, np.empty((0, dimensions), np.float32), {})

    def updated(
        self, chunks: Sequence[Row], vectors_of: Callable[[list[bytes]], Packed]
    ) -> HeldVectors:
        """The vectors of these chunks (id, note, hash); `vectors_of` reads those not here yet.

        A chunk whose hash has no vector is left out.
        """
        missing = sorted({bytes(row[2]) for row in chunks} - self.places.keys())
        read = vectors_of(missing) if missing else ()
        every = np.concatenate(
            [self.rows, np.array([vector for _, vector in read], np.float32).reshape(len(read), -1)]
        ) if read else self.rows  # fmt: skip
        known = self.places | {
            text_hash: len(self.rows) + at for at, (text_hash, _) in enumerate(read)
        }
        having = sorted((row[0], row[1], bytes(row[2])) for row in chunks if row[2] in known)
        hashes = [text_hash for _, _, text_hash in having]
        taken = np.array([known[text_hash] for text_hash in hashes], np.int64)
        return HeldVectors(
            np.array([row[0] for row in having], np.int64),
            np.array([row[1] for row in having], np.int64),
            every[taken],
            {text_hash: at for at, text_hash in enumerate(hashes)},
        )

    def search(self, query: FloatArray, limit: int, notes: IdArray | None) -> VectorHits:
        """The best chunks, of some notes alone where given; with the spread of all compared."""
        if notes is None:
            ids, scores = self.ids, self.rows @ query
        else:
            inside = np.flatnonzero(np.isin(self.notes, notes))
            ids, scores = self.ids[inside], self.rows[inside] @ query
        if not len(scores):
            return VectorHits(ids, scores.astype(np.float32))
        kept = np.arange(len(scores))
        if len(scores) > limit:
            kept = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
        best = kept[np.lexsort((ids[kept], -scores[kept]))[:limit]]
        mean, deviation = float(scores.mean()), float(scores.std())
        return VectorHits(ids[best], scores[best], mean, deviation, len(scores))

    def of_notes(self, notes: IdArray) -> tuple[IdArray, FloatArray]:
        """The chunks of some notes, and their vectors."""
        inside = np.flatnonzero(np.isin(self.notes, notes))
        return self.ids[inside], self.rows[inside]

    def of_chunks(self, chunk_ids: IdArray) -> tuple[IdArray, FloatArray]:
        """The chunks among these that have a vector, in the order given, and their vectors."""
        if not len(self.ids):
            return chunk_ids[:0], self.rows
        at = np.minimum(np.searchsorted(self.ids, chunk_ids), len(self.ids) - 1)
        known = self.ids[at] == chunk_ids
        return chunk_ids[known], self.rows[at[known]]


_ROOM = 32  # more are scored again than are wanted, so that rounding the query loses none
_SAMPLED = 2_000  # vectors from which the spread of cosines is estimated
_HEADER = 4  # bytes before the numbers of a vector in the binary form
_SCORE = "(-(v.vector::vector <#> $3::text::vector))::float4"  # in single precision
_CHUNK_VECTORS = (
    "FROM chunks c JOIN vectors v ON v.vault_id = $1 AND v.model_id = $2"
    " AND v.text_hash = c.vector_hash WHERE c.vault_id = $1"
)


class PostgresVectors:
    """Implements the port's `VectorIndex` for one generation."""

    def __init__(
        self,
        database: Database,
        vault: int,
        used: UsedModel | None,
        earlier: PostgresVectors | None = None,
    ) -> None:
        """Search the vectors of a model in a vault; None: none.

        What `earlier`, of another generation, holds of the same model is not read again.
        """
        self._database = database
        self._vault = vault
        self._used = used
        self._reading = threading.Lock()
        self._known: HeldVectors | None = None  # of an earlier generation, or of this one
        if earlier is not None and used is not None and earlier.model == used.key:
            self._known = earlier.held

    @property
    def model(self) -> ModelKey | None:
        return None if self._used is None else self._used.key

    @property
    def has_approximate(self) -> bool:
        return False

    @cached_property
    def count(self) -> int:
        if self._held is not None:
            return len(self._held.ids)
        rows = self._read("SELECT count(*) {chunks}")
        return int(rows[0][0]) if rows else 0

    def search(
        self,
        query: FloatArray,
        *,
        limit: int,
        notes: IdArray | None = None,
        also: IdArray | None = None,
    ) -> VectorHits:
        used = self._used
        if used is None or limit < 1 or not self.count:
            return VectorHits(np.empty(0, np.int64), np.empty(0, np.float32))
        if query.shape != (used.dimensions,) or not np.isfinite(query).all():
            raise ModelError(
                f"The query's vector has shape {query.shape} or is not finite; the index holds"
                f" vectors of {used.dimensions} dimensions. Index again with the model in use."
            )
        query = query.astype(np.float32)
        if self._held is not None:
            hits = self._held.search(query, limit, notes)
        elif self.is_approximate:
            hits = self._approximate(query, limit, notes)
        else:
            hits = self._exact(query, limit, notes)
        if also is None or not len(also):
            return hits
        return self._with(hits, query, also)

    def of_chunks(self, chunk_ids: IdArray) -> tuple[IdArray, FloatArray]:
        if self._held is not None:
            return self._held.of_chunks(chunk_ids)
        ids, vectors = self._vectors_of("c.id = ANY($3)", chunk_ids.tolist())
        order = np.argsort(ids)
        at = np.searchsorted(ids, chunk_ids, sorter=order)
        known = np.isin(chunk_ids, ids)
        return chunk_ids[known], vectors[order[at[known]]]

    def note_means(self) -> tuple[IdArray, FloatArray]:
        mean_rows = self._read(
            "SELECT c.note_id, vector_send(avg(v.vector::vector)) {chunks}"
            " GROUP BY c.note_id ORDER BY c.note_id"
        )
        notes = np.array([row[0] for row in mean_rows], np.int64)
        means = [
            np.frombuffer(row[1], ">f4", offset=_HEADER).astype(np.float32) for row in mean_rows
        ]
        rows = self._stack(means)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return notes, rows / np.maximum(lengths, np.finfo(np.float32).tiny)

    # --- in memory ---

    @property
    def held(self) -> HeldVectors | None:
        """The vectors that were read into memory until now, for the next generation."""
        return self._known

    @cached_property
    def _held(self) -> HeldVectors | None:
        """All vectors, where they are few; read at the first search of a generation."""
        used, column = self._used, self._column
        if used is None:
            return None
        with self._reading:
            ((number,),) = self._database.read(
                f"SELECT count(*) FROM chunks WHERE vault_id = $1 AND {column} IS NOT NULL",
                self._vault,
            )
            if number > EXACT_LIMIT:
                self._known = None
                return None
            chunks = self._database.read(
                f"SELECT id, note_id, {column} FROM chunks WHERE vault_id = $1"
                f" AND {column} IS NOT NULL",
                self._vault,
            )
            known = self._known or HeldVectors.none(used.dimensions)
            self._known = known.updated(chunks, self._of_hashes)
            return self._known

    def _of_hashes(self, hashes: list[bytes]) -> list[tuple[bytes, FloatArray]]:
        used = self._used
        if used is None:
            return []
        rows = self._database.read(
            "SELECT text_hash, halfvec_send(vector) FROM vectors WHERE vault_id = $1"
            " AND model_id = $2 AND text_hash = ANY($3)",
            self._vault, used.number, hashes,
        )  # fmt: skip
        # A halfvec in binary form: two numbers of 16 bits, then the halves, all big endian.
        return [
            (bytes(text_hash), np.frombuffer(packed, ">f2", offset=_HEADER).astype(np.float32))
            for text_hash, packed in rows
        ]

    # --- exact ---

    @cached_property
    def is_approximate(self) -> bool:
        """True if there is an index, and so many vectors that it is worth its loss."""
        if self._used is None or self._database.address.exact or self.count <= EXACT_LIMIT:
            return False
        name = index_name(self._used.number)
        rows = self._database.read(
            "SELECT i.indisvalid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid"
            " JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE c.relname = $1 AND n.nspname = $2",
            name, self._database.address.schema,
        )  # fmt: skip
        return bool(rows and rows[0][0])

    def _exact(self, query: FloatArray, limit: int, notes: IdArray | None) -> VectorHits:
        """The cosines of all chunks that may be found."""
        chunk_ids, scores = self._score("{chunks}", query, notes)
        mean, deviation = (float(scores.mean()), float(scores.std())) if len(scores) else (0.0, 0.0)
        best = _best(chunk_ids, scores, limit)
        return VectorHits(chunk_ids[best], scores[best], mean, deviation, len(scores))

    # --- approximate ---

    def _approximate(self, query: FloatArray, limit: int, notes: IdArray | None) -> VectorHits:
        chunk_ids, scores = self._nearest(query, limit + _ROOM, notes)
        best = _best(chunk_ids, scores, limit)
        cosines = self._sample @ query
        return VectorHits(
            chunk_ids[best],
            scores[best],
            float(cosines.mean()),
            float(cosines.std()),
            self.count if notes is None else self._count_of(notes),
        )

    def _nearest(
        self, query: FloatArray, wanted: int, notes: IdArray | None
    ) -> tuple[IdArray, FloatArray]:
        """The chunks that the index finds, and their cosines. See `SCAN` for how far it looks."""
        used = self._used
        if used is None:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        # The number of the model is written out: the index is of this model alone.
        return self._score(
            f"FROM vectors v JOIN chunks c ON c.vault_id = $1 AND c.{self._column} = v.text_hash"
            f" WHERE v.vault_id = $1 AND v.model_id = {int(used.number)} AND $2::int IS NOT NULL",
            query,
            notes,
            f" ORDER BY v.vector::halfvec({int(used.dimensions)}) <#> $3::text::halfvec"
            f" LIMIT {int(wanted)}",
        )

    @cached_property
    def _sample(self) -> FloatArray:
        """Some vectors of the vault. Hashes of texts are as good as chance."""
        rows = self._read(
            f"SELECT halfvec_send(v.vector) {{chunks}} ORDER BY v.text_hash LIMIT {_SAMPLED}"
        )
        return self._unpack([row[0] for row in rows])

    def _count_of(self, notes: IdArray) -> int:
        rows = self._read("SELECT count(*) {chunks} AND c.note_id = ANY($3)", notes.tolist())
        return int(rows[0][0])

    # --- both ---

    def _with(self, hits: VectorHits, query: FloatArray, also: IdArray) -> VectorHits:
        """The hits, and every chunk of some further notes."""
        if self._held is not None:
            ids, vectors = self._held.of_notes(also)
            more: FloatArray = vectors @ query
        else:
            ids, more = self._score("{chunks}", query, also)
        new = ~np.isin(ids, hits.chunk_ids)
        chunk_ids = np.concatenate([hits.chunk_ids, ids[new]])
        scores = np.concatenate([hits.scores, more[new]]).astype(np.float32)
        order = np.lexsort((chunk_ids, -scores))
        return VectorHits(chunk_ids[order], scores[order], hits.mean, hits.deviation, hits.searched)

    def _score(
        self, chunks: str, query: FloatArray, notes: IdArray | None, order: str = ""
    ) -> tuple[IdArray, FloatArray]:
        """The chunks (n,) of a part of a query, of some notes alone where given; their cosines."""
        among = "" if notes is None else " AND c.note_id = ANY($4)"
        values = [] if notes is None else [notes.tolist()]
        # Two values in binary form take less than as many rows.
        ((ids, scores),) = self._read(
            "SELECT string_agg(int8send(id), ''::bytea), string_agg(float4send(score), ''::bytea)"
            f" FROM (SELECT c.id, {_SCORE} {chunks}{among}{order}) found (id, score)",
            as_text(query),
            *values,
        )
        return (
            np.frombuffer(ids or b"", ">i8").astype(np.int64),
            np.frombuffer(scores or b"", ">f4").astype(np.float32),
        )

    def _vectors_of(self, where: str, ids: Sequence[int]) -> tuple[IdArray, FloatArray]:
        rows = self._read(f"SELECT c.id, halfvec_send(v.vector) {{chunks}} AND {where}", ids)
        return (
            np.array([row[0] for row in rows], np.int64),
            self._unpack([row[1] for row in rows]),
        )

    @property
    def _column(self) -> str:
        return "vector_hash" if self._used is not None and self._used.own else "text_hash"

    def _read(self, sql: str, *values: object) -> list[Row]:
        """Rows of a query; `{chunks}` in it stands for the chunks with their vectors."""
        if self._used is None:
            return []
        chunks = _CHUNK_VECTORS.replace("c.vector_hash", f"c.{self._column}")
        sql = sql.replace("{chunks}", chunks)
        return self._database.read(sql, self._vault, self._used.number, *values)

    def _unpack(self, packed: Sequence[bytes]) -> FloatArray:
        """The vectors (n, dimensions) of halfvecs in their binary form."""
        dimensions = 0 if self._used is None else self._used.dimensions
        size = _HEADER + 2 * dimensions
        rows = np.frombuffer(b"".join(packed), np.uint8).reshape(len(packed), size)
        halves = np.ascontiguousarray(rows[:, _HEADER:]).view(">f2")
        return halves.reshape(len(packed), dimensions).astype(np.float32)

    def _stack(self, rows: Sequence[npt.NDArray[np.float32]]) -> FloatArray:
        dimensions = 0 if self._used is None else self._used.dimensions
        return np.array(rows, np.float32).reshape(len(rows), dimensions)


def _best(chunk_ids: IdArray, scores: FloatArray, limit: int) -> npt.NDArray[np.intp]:
    return np.lexsort((chunk_ids, -scores))[:limit]
