"""The documents of a vault as arrays: which note each belongs to, and its lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from notewell.base.types import IdArray
from notewell.features.postgres.connection import Row
from notewell.features.postgres.documents import LENGTHS
from notewell.index.lexical import FIRST_PLACEHOLDER
from notewell.index.term_forms import FIELDS


@dataclass(frozen=True, eq=False)
class DocumentTable:
    """Never changed: `ids` (n,) ascending, `notes` (n,), `lengths` (n, fields) in tokens."""

    ids: IdArray
    notes: IdArray
    lengths: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> DocumentTable:
        """Of rows (chunk id, note id, packed lengths) in any order."""
        ids = np.array([row[0] for row in rows], np.int64)
        packed = b"".join(row[2] for row in rows)
        order = np.argsort(ids)
        return cls(
            ids[order],
            np.array([row[1] for row in rows], np.int64)[order],
            np.frombuffer(packed, LENGTHS).reshape(len(rows), len(FIELDS))[order],
        )

    def changed(self, rows: Sequence[Row], notes: Sequence[int]) -> DocumentTable:
        """The table after the documents of some notes were replaced by these rows."""
        kept = ~np.isin(self.notes, np.array(notes, np.int64))
        new = DocumentTable.of(rows)
        ids = np.concatenate([self.ids[kept], new.ids])
        order = np.argsort(ids, kind="stable")
        return DocumentTable(
            ids[order],
            np.concatenate([self.notes[kept], new.notes])[order],
            np.concatenate([self.lengths[kept], new.lengths])[order],
        )

    @property
    def count(self) -> int:
        """The number of documents."""
        return len(self.ids)

    @cached_property
    def chunk_count(self) -> int:
        """The number of chunks: documents that are no placeholder."""
        return int(np.searchsorted(self.ids, FIRST_PLACEHOLDER))

    @property
    def counted(self) -> int:
        """The number of documents for BM25: one more than there are, of one token in each field.

        The embedded engine has such a document (its marker), and both are to rank alike.
        """
        return self.count + 1

    @cached_property
    def _means(self) -> list[float]:
        sums = self.lengths.sum(axis=0, dtype=np.int64)
        return [(each + 1) / self.counted for each in sums.tolist()]

    def mean_length(self, field: int) -> float:
        """The mean length of a field over all documents that BM25 counts."""
        return self._means[field]

    def rows(self, chunk_ids: IdArray) -> tuple[IdArray, npt.NDArray[np.bool_]]:
        """The place of each chunk, and whether it is there at all."""
        if not self.count:
            return np.zeros(len(chunk_ids), np.int64), np.zeros(len(chunk_ids), np.bool_)
        at = np.minimum(np.searchsorted(self.ids, chunk_ids), self.count - 1)
        return at.astype(np.int64), self.ids[at] == chunk_ids

    def note_ids_of(self, chunk_ids: IdArray) -> IdArray:
        """The note of each chunk; -1 for one that is gone."""
        at, known = self.rows(chunk_ids)
        return np.where(known, self.notes[at], -1) if self.count else np.full(len(at), -1)

    def notes_of(self, chunk_ids: IdArray) -> IdArray:
        """The different notes of the chunks that are there, ascending."""
        found = np.unique(self.note_ids_of(chunk_ids))
        return found[found >= 0]
