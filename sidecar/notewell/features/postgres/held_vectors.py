"""The vectors of a vault in memory, where they are few: a search of them asks the database nothing.

They are read once, and after a change only those that are new: text of the same hash has the same
vector for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray, VectorHits
from notewell.features.postgres.connection import Row

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
        """Those of these chunks (id, note, hash); `vectors_of` reads what is not here yet.

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
        """Those of the chunks that have a vector, in the order given, and their vectors."""
        if not len(self.ids):
            return chunk_ids[:0], self.rows
        at = np.minimum(np.searchsorted(self.ids, chunk_ids), len(self.ids) - 1)
        known = self.ids[at] == chunk_ids
        return chunk_ids[known], self.rows[at[known]]
