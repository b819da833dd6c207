"""What was found and how well, before it is ranked: aligned arrays, one place per candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from notewell.types import ChunkHits, FloatArray, IdArray

WHOLE_SHARE = 0.5  # of a note's BM25: what the note as a whole has to say beside its best chunk


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Chunks, or notes, that a side found. A score is NaN where that side did not find it.

    For notes `ids` are note ids, ascending, and equal `note_ids`.
    """

    ids: IdArray
    note_ids: IdArray
    bm25: FloatArray
    cosine: FloatArray

    def __len__(self) -> int:
        return len(self.ids)


def merge(keyword: ChunkHits, semantic: ChunkHits) -> tuple[IdArray, FloatArray, FloatArray]:
    """Chunk ids that either side found, each once, with both scores (NaN: not found)."""
    ids = np.sort(np.concatenate((keyword.chunk_ids, semantic.chunk_ids)))
    ids = ids[_firsts(ids)]
    return ids, _placed(ids, keyword), _placed(ids, semantic)


def _firsts(ascending: IdArray) -> IdArray:
    """Where each number stands first. `np.unique` would sort once more, or hash."""
    starts = np.flatnonzero(ascending[1:] != ascending[:-1]) + 1
    return np.concatenate((np.zeros(min(len(ascending), 1), np.int64), starts))


def _placed(ids: IdArray, hits: ChunkHits) -> FloatArray:
    scores = np.full(len(ids), np.nan, np.float32)
    scores[np.searchsorted(ids, hits.chunk_ids)] = hits.scores
    return scores


def or_zero(scores: FloatArray) -> FloatArray:
    """Scores with 0 in place of NaN; `np.nan_to_num` looks for infinities too, which none is."""
    known: FloatArray = np.where(np.isnan(scores), np.float32(0.0), scores)
    return known


def by_note(chunks: Candidates) -> Candidates:
    """Notes, each with the best score of its chunks on either side."""
    if not len(chunks):
        return chunks
    order = np.argsort(chunks.note_ids, kind="stable")
    owners = chunks.note_ids[order]
    starts = _firsts(owners)
    notes = owners[starts]
    return Candidates(
        ids=notes,
        note_ids=notes,
        bm25=np.fmax.reduceat(chunks.bm25[order], starts),
        cosine=np.fmax.reduceat(chunks.cosine[order], starts),
    )


def with_whole(notes: Candidates, ids: IdArray, scores: FloatArray) -> Candidates:
    """Notes with BM25 as the mean of their best chunk's and that of the whole note.

    `ids` are the notes whose whole was scored: those with the best chunks. The others have a worse
    chunk, and get no more than the least of these.
    """
    if not len(notes) or not len(ids):
        return notes
    places = np.minimum(np.searchsorted(notes.ids, ids), len(notes) - 1)
    found = notes.ids[places] == ids
    places = places[found]
    if not len(places):
        return notes
    mixed = notes.bm25[places] * (1.0 - WHOLE_SHARE) + scores[found] * WHOLE_SHARE
    bm25 = np.minimum(notes.bm25, np.nanmin(mixed))
    bm25[places] = mixed
    return Candidates(notes.ids, notes.note_ids, bm25.astype(np.float32), notes.cosine)


def exclude(candidates: Candidates, note_ids: Sequence[int]) -> Candidates:
    """The candidates that belong to none of these notes."""
    kept = ~np.isin(candidates.note_ids, np.asarray(note_ids, np.int64))
    return Candidates(
        candidates.ids[kept],
        candidates.note_ids[kept],
        candidates.bm25[kept],
        candidates.cosine[kept],
    )
