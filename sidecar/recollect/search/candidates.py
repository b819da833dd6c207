"""What was found and how well, before it is ranked: aligned arrays, one place per candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recollect.types import ChunkHits, FloatArray, IdArray


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Chunks, or notes, that a side found. A score is NaN where that side did not find it.

    For notes `ids` are note ids and equal `note_ids`.
    """

    ids: IdArray
    note_ids: IdArray
    bm25: FloatArray
    cosine: FloatArray

    def __len__(self) -> int:
        return len(self.ids)


def merge(keyword: ChunkHits, semantic: ChunkHits) -> tuple[IdArray, FloatArray, FloatArray]:
    """Chunk ids that either side found, each once, with both scores (NaN: not found)."""
    ids = np.union1d(keyword.chunk_ids, semantic.chunk_ids)
    return ids, _placed(ids, keyword), _placed(ids, semantic)


def _placed(ids: IdArray, hits: ChunkHits) -> FloatArray:
    scores = np.full(len(ids), np.nan, np.float32)
    scores[np.searchsorted(ids, hits.chunk_ids)] = hits.scores
    return scores


def by_note(chunks: Candidates) -> Candidates:
    """Notes, each with the best score of its chunks on either side."""
    if not len(chunks):
        return chunks
    order = np.argsort(chunks.note_ids, kind="stable")
    notes, starts = np.unique(chunks.note_ids[order], return_index=True)
    return Candidates(
        ids=notes,
        note_ids=notes,
        bm25=np.fmax.reduceat(chunks.bm25[order], starts),
        cosine=np.fmax.reduceat(chunks.cosine[order], starts),
    )


def exclude(candidates: Candidates, note_ids: Sequence[int]) -> Candidates:
    """The candidates that belong to none of these notes."""
    kept = ~np.isin(candidates.note_ids, np.asarray(note_ids, np.int64))
    return Candidates(
        candidates.ids[kept],
        candidates.note_ids[kept],
        candidates.bm25[kept],
        candidates.cosine[kept],
    )
