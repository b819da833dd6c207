"""Candidates of a search with their raw scores, and cosines made comparable.

`CosineMap` maps the cosines of any model to the scale of the one that the ranking was fitted with:
the constants of evidence.py and relevance.py weigh cosines of all-MiniLM-L6-v2. Another model's are
shifted and stretched so that unrelated texts, and queries and their answers, have the same ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from notewell.base.types import (
    ChunkHits,
    CosineScale,
    Embedder,
    FloatArray,
    IdArray,
    VectorHits,
    knows_cosines,
)
from notewell.base.types.frozen import frozen
from notewell.index.arrays import firsts


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


def mean_cosines(chunks: Candidates) -> FloatArray:
    """The mean cosine of each note's chunks, in order of `by_note`; NaN where none has one."""
    order = np.argsort(chunks.note_ids, kind="stable")
    starts = firsts(chunks.note_ids[order])
    if not len(starts):
        return np.empty(0, np.float32)
    known = ~np.isnan(chunks.cosine[order])
    totals = np.add.reduceat(or_zero(chunks.cosine[order]), starts)
    counts = np.add.reduceat(known.astype(np.float32), starts)
    means: FloatArray = np.where(counts > 0, totals / np.maximum(counts, 1.0), np.nan)
    return means.astype(np.float32)


def exclude(candidates: Candidates, note_ids: Sequence[int]) -> Candidates:
    """The candidates outside these notes."""
    return candidates.at(~np.isin(candidates.note_ids, np.asarray(note_ids, np.int64)))


_PASSAGES, _DEVIATION = 0.0476, 0.0834
_SHRINKAGE = 10.0  # notes in a folder at which its mean weighs as much as the vault's
REFERENCE = CosineScale(0.032, 0.4355, passages=_PASSAGES, passages_deviation=_DEVIATION)


@frozen
class CosineMap:
    """`scale * cosine + shift`."""

    scale: float = 1.0
    shift: float = 0.0

    @classmethod
    def of(cls, embedder: Embedder | None) -> CosineMap:
        """The map for a model; cosines stay as they are if nothing is known of them."""
        model: object = embedder
        measured = model.cosines if knows_cosines(model) else None
        if measured is None or measured == REFERENCE:
            return SAME
        scale = (REFERENCE.related - REFERENCE.unrelated) / (measured.related - measured.unrelated)
        return cls(scale, REFERENCE.unrelated - scale * measured.unrelated)

    @classmethod
    def between_passages(cls, embedder: Embedder | None) -> CosineMap:
        """The map for cosines of two passages: by their mean and deviation where unrelated.

        They are not those of a query and a passage: with multilingual-e5, unrelated passages have
        0.80 and deviate by 0.027, a query and an unrelated passage have 0.78.
        """
        model: object = embedder
        measured = model.cosines if knows_cosines(model) else None
        if measured is None or not measured.passages_deviation or measured.passages is None:
            return cls.of(embedder)
        if measured == REFERENCE:
            return SAME
        scale = _DEVIATION / measured.passages_deviation
        return cls(scale, _PASSAGES - scale * measured.passages)

    def mapped(self, cosines: FloatArray) -> FloatArray:
        """The cosines on the reference scale; NaN stays NaN."""
        if self == SAME:
            return cosines
        mapped: FloatArray = np.float32(self.scale) * cosines + np.float32(self.shift)
        return mapped

    def mapped_chunks(self, chunks: Candidates) -> Candidates:
        """The candidates with their cosines on the reference scale."""
        return replace(chunks, cosine=self.mapped(chunks.cosine))

    def mapped_hits(self, hits: VectorHits) -> VectorHits:
        """The hits with cosines, mean and deviation on the reference scale."""
        return replace(
            hits,
            scores=self.mapped(hits.scores),
            mean=self.scale * hits.mean + self.shift,
            deviation=self.scale * hits.deviation,
        )


SAME = CosineMap()


def centred_vectors(means: FloatArray, folders: Sequence[Hashable]) -> FloatArray:
    """Unit vectors of what each note says beyond its folder: (notes, dimensions), like `means`.

    Notes made from one template are alike through what the template says, so what the notes of a
    folder have in common is taken out: each note's vector is centred on the mean of its folder,
    drawn towards the mean of the vault where the folder has few notes, and towards zero where the
    vault has few.
    """
    if not len(means):
        return means
    number = {folder: n for n, folder in enumerate(dict.fromkeys(folders))}
    folder_of = np.array([number[folder] for folder in folders])
    sums = np.zeros((len(number), means.shape[1]), np.float32)
    np.add.at(sums, folder_of, means)
    vault = means.sum(axis=0) / np.float32(len(means) + _SHRINKAGE)
    counts = np.bincount(folder_of).astype(np.float32)[:, np.newaxis]
    common = (sums + np.float32(_SHRINKAGE) * vault) / (counts + np.float32(_SHRINKAGE))
    centred = means - common[folder_of]
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    unit: FloatArray = centred / np.maximum(lengths, np.float32(1e-6))
    return unit
