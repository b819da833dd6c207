"""Candidates of a search with their raw scores, as aligned arrays, before fusion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from notewell.base.types import ChunkHits, FloatArray, IdArray


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Chunks or notes found by either half of the search; arrays of shape (n,), aligned.

    `ids` are ascending chunk ids or note ids (then equal to `note_ids`). `bm25` and `cosine` are
    NaN where that half did not find the candidate.
    """

    ids: IdArray
    note_ids: IdArray
    bm25: FloatArray
    cosine: FloatArray

    def __len__(self) -> int:
        return len(self.ids)

    def at(self, places: IdArray | npt.NDArray[np.bool_]) -> Candidates:
        """Some of the candidates, by their indices or a mask."""
        return Candidates(
            self.ids[places], self.note_ids[places], self.bm25[places], self.cosine[places]
        )


def merge(keyword: ChunkHits, semantic: ChunkHits) -> tuple[IdArray, FloatArray, FloatArray]:
    """Ids of the chunks found by either half, ascending, with BM25 and cosine (NaN: none)."""
    both = np.concatenate((keyword.chunk_ids, semantic.chunk_ids))
    order = np.argsort(both)
    ordered = both[order]
    starts = firsts(ordered)
    places = np.empty(len(both), np.int64)  # of each hit among the ids
    new = np.zeros(len(both), np.int64)
    new[starts] = 1
    places[order] = np.cumsum(new) - 1
    count = len(keyword.chunk_ids)
    bm25, cosine = np.full((2, len(starts)), np.nan, np.float32)
    bm25[places[:count]], cosine[places[count:]] = keyword.scores, semantic.scores
    return ordered[starts], bm25, cosine


def among(ids: IdArray, ascending: IdArray) -> npt.NDArray[np.bool_]:
    """Which of the ids are in `ascending`; a third of the time of `np.isin` for some hundreds."""
    if not len(ascending):
        return np.zeros(len(ids), np.bool_)
    at = np.searchsorted(ascending, ids)
    at[at == len(ascending)] = 0
    found: npt.NDArray[np.bool_] = ascending[at] == ids
    return found


def ascending(ids: IdArray) -> IdArray:
    """The ids, each once; `np.unique` hashes them, which takes ten times as long as sorting."""
    ordered: IdArray = np.sort(ids)
    return ordered[firsts(ordered)]


def firsts(ascending: IdArray) -> IdArray:
    """Index of the first occurrence of each number."""
    starts = np.flatnonzero(ascending[1:] != ascending[:-1]) + 1
    return np.concatenate((np.zeros(min(len(ascending), 1), np.int64), starts))


def or_zero(scores: FloatArray) -> FloatArray:
    """Scores with 0 for NaN; cheaper than `np.nan_to_num`, which looks for infinities too."""
    known: FloatArray = np.where(np.isnan(scores), np.float32(0.0), scores)
    return known


def by_note(chunks: Candidates) -> Candidates:
    """Candidate notes, each with the best BM25 and the best cosine of its chunks."""
    if not len(chunks):
        return chunks
    order = np.argsort(chunks.note_ids, kind="stable")
    owners = chunks.note_ids[order]
    starts = firsts(owners)
    notes = owners[starts]
    return Candidates(
        ids=notes,
        note_ids=notes,
        bm25=np.fmax.reduceat(chunks.bm25[order], starts),
        cosine=np.fmax.reduceat(chunks.cosine[order], starts),
    )


def exclude(candidates: Candidates, note_ids: Sequence[int]) -> Candidates:
    """The candidates outside these notes."""
    return candidates.at(~np.isin(candidates.note_ids, np.asarray(note_ids, np.int64)))
