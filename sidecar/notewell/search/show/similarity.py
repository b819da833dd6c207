"""Similarity of a source (a note, a part of it, or a text) and notes.

Notes made from one template have similar vectors because of the template, and notes of one field
because of its common phrases. So each passage of the source is compared without what it has in
common with its neighbours: a share of the mean of the nearest passages of other notes is
subtracted from it and from what it is compared with (after Hara et al. 2015, "Localized Centering:
Reducing Hubness in Large-Sample Data"). A passage that recurs in many notes has little weight.

All constants are for cosines of the reference model. The texts of other models have a large part in
common, whatever they say, so products of vectors are mapped to the reference scale (candidates.py):
a product of two sums of passages by `scale * product + shift * n * m`, where n and m are the
numbers of passages in the sums. This takes the common part out of every passage and every mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from notewell.base.types import ChunkHits, FloatArray, IdArray
from notewell.index.arrays import ascending
from notewell.index.port import IndexReader
from notewell.search.rank.candidates import SAME, Candidates, CosineMap

NEIGHBOURS = 50  # nearest passages of other notes that tell what a passage has in common
# In a small vault fewer: this share of its passages. More would be most of the vault, and what
# they have in common no template, as in fifty of the two hundred passages of a personal vault.
_NEIGHBOUR_SHARE, _LEAST_NEIGHBOURS = 0.075, 10
# Notes of one template that are fewer than that stand apart from all else: so many of them at
# least, so near, and the next passage so much farther. Their mean alone is then what is common.
_LEAST_GROUP, _GROUP_COSINE, _GROUP_GAP = 5, 0.5, 0.15
# The share that the mean over the other note's passages has in a score. A long note always has some
# passage that is like one of the source.
_THEIR_SHARE = np.float32(0.2)
# The share of their mean that is subtracted: it grows from MIN_SHARE to 1 between two mean cosines
# of the neighbours. Chosen on the links of two vaults (docs/search.md).
MIN_SHARE = 0.6
SHARE_GROWS, SHARE_FULL = 0.5, 0.8
_MIN_DEPTH = 200  # candidates per passage of the source
_MIN_WEIGHT = np.float32(0.02)  # of a passage that all neighbours repeat
_TINY = np.float32(1e-6)


@dataclass(frozen=True, slots=True, eq=False)
class CenteredPassages:
    """Passages of a source: `vectors` and the `common` part to subtract, both (n, dimensions).

    `weights` (n,), 0..1: how unusual each passage is. `kept` (n,): what the difference of a passage
    and its common part keeps of what all texts have in common; 1 where nothing is subtracted.
    `cosines` maps the model's cosines to the reference scale.
    """

    vectors: FloatArray
    common: FloatArray
    weights: FloatArray
    kept: FloatArray
    cosines: CosineMap = SAME


@dataclass(frozen=True, slots=True, eq=False)
class SimilarCandidates:
    """Candidates similar to a source, with their centered cosines.

    Aligned with `chunks`: `nearest`, the index of the most similar passage of the source, and
    `plain`, the plain cosine with it, on the reference scale.
    """

    chunks: Candidates
    notes: Candidates
    nearest: IdArray
    plain: FloatArray

    def best_plain(self, ids: IdArray) -> FloatArray:
        """The best plain cosine of the chunks of each note (n,); `ids` are ascending."""
        owners, plain = self.chunks.note_ids, self.plain
        kept = np.isin(owners, ids)
        best = np.zeros(len(ids), np.float32)
        np.maximum.at(best, np.searchsorted(ids, owners[kept]), plain[kept])
        return best


def center(
    index: IndexReader, vectors: FloatArray, own: IdArray, cosines: CosineMap = SAME
) -> CenteredPassages:
    """Passages by their unit vectors (n, dimensions), with the part common to other notes.

    `own` are the ids of all chunks of the source note; `cosines` maps the model's to the reference.
    """
    count = neighbour_count(index.vectors.count)
    around = [_neighbours(index, vector, own, count) for vector in vectors]
    chunk_ids = ascending(np.concatenate([hits.chunk_ids for hits in around]))
    known, rows = index.vectors.of_chunks(chunk_ids)
    common = np.zeros_like(vectors)
    usual, kept = np.zeros((2, len(vectors)), np.float32)
    for place, hits in enumerate(around):
        near = cosines.mapped(hits.scores)
        wanted = _group(near) or count
        # Divided by the wanted number, not theirs: few passages do not show what is common.
        usual[place] = near[:wanted].sum() / np.float32(wanted)
        share = np.float32(_share(float(usual[place])))
        mine = rows[np.isin(known, hits.chunk_ids[:wanted])]
        common[place] = share * mine.sum(axis=0) / np.float32(wanted)
        kept[place] = np.float32(1.0) - share * len(mine) / np.float32(wanted)
    weights = np.maximum(np.float32(1.0) - usual, _MIN_WEIGHT)
    return CenteredPassages(vectors, common, weights, kept, cosines)


def neighbour_count(passages: int) -> int:
    """The number of neighbours of a passage in a vault of so many."""
    return min(NEIGHBOURS, max(_LEAST_NEIGHBOURS, round(_NEIGHBOUR_SHARE * passages)))


def _neighbours(index: IndexReader, vector: FloatArray, own: IdArray, count: int) -> ChunkHits:
    """The `count` passages of other notes nearest to a vector."""
    hits = index.vectors.search(vector, limit=count + len(own))
    others = np.flatnonzero(~np.isin(hits.chunk_ids, own))[:count]
    return ChunkHits(hits.chunk_ids[others], hits.scores[others])


def _group(cosines: FloatArray) -> int:
    """The number of the nearest passages that stand apart from all others; 0 where none do.

    `cosines` (n,) of the neighbours, on the reference scale, descending.
    """
    near = cosines[_LEAST_GROUP - 1 :]
    apart = np.flatnonzero((near[:-1] >= _GROUP_COSINE) & (near[:-1] - near[1:] >= _GROUP_GAP))
    return _LEAST_GROUP + int(apart[0]) if len(apart) else 0


def _share(usual: float) -> float:
    """The share of the neighbours' mean to subtract, by their mean cosine with the passage."""
    grown = (usual - SHARE_GROWS) / (SHARE_FULL - SHARE_GROWS)
    return MIN_SHARE + (1.0 - MIN_SHARE) * min(1.0, max(0.0, grown))


def find_similar(
    index: IndexReader, source: CenteredPassages, *, limit: int, linked: IdArray | None = None
) -> SimilarCandidates:
    """Passages and notes similar to the source; passages of the notes `linked` are included.

    The score of a note is the weighted mean, over the passages of the source, of its best cosine,
    and for a fifth the mean over its own passages of theirs.
    """
    ids, rows = index.vectors.of_chunks(_find(index, source, limit, linked))
    owners = index.note_ids_of(ids)
    exists = owners >= 0  # a chunk may be deleted between the search and this look-up
    ids, owners, rows = ids[exists], owners[exists], rows[exists]
    cosines = compare(source, rows)
    nearest = (cosines * source.weights[:, np.newaxis]).argmax(axis=0)
    best = cosines.max(axis=0)
    plain = source.cosines.mapped(np.vecdot(source.vectors[nearest], rows))
    notes, scores = _by_note(owners, cosines, source.weights)
    return SimilarCandidates(
        chunks=_candidates(ids, owners, best),
        notes=_candidates(notes, notes, scores),
        nearest=nearest,
        plain=plain,
    )


def compare(source: CenteredPassages, rows: FloatArray) -> FloatArray:
    """Centered cosines of the source's passages (n,) with `rows` (m, dimensions): (n, m)."""
    vectors, common = source.vectors, source.common
    squares = np.vecdot(common, common)[:, np.newaxis]
    projections = common @ rows.T
    products = vectors @ rows.T - projections - np.vecdot(vectors, common)[:, np.newaxis] + squares
    theirs = np.float32(1.0) - 2 * projections + squares
    ours = np.vecdot(vectors - common, vectors - common)[:, np.newaxis]
    scale = np.float32(source.cosines.scale)
    shift = np.float32(source.cosines.shift) * source.kept[:, np.newaxis] ** 2
    lengths = np.maximum(scale * theirs + shift, _TINY) * np.maximum(scale * ours + shift, _TINY)
    cosines: FloatArray = (scale * products + shift) / np.sqrt(lengths)
    return cosines


def _find(
    index: IndexReader, source: CenteredPassages, limit: int, linked: IdArray | None
) -> IdArray:
    """Ids of chunks to compare, ascending: those nearest to each centered passage."""
    depth = max(_MIN_DEPTH, limit)
    own = source.vectors - source.common
    own /= np.maximum(np.linalg.norm(own, axis=1, keepdims=True), _TINY)
    hits = [index.vectors.search(vector, limit=depth).chunk_ids for vector in own]
    if linked is not None and len(linked):
        hits += [
            index.vectors.search(vector, limit=depth, notes=linked).chunk_ids for vector in own
        ]
    return ascending(np.concatenate(hits)) if hits else np.empty(0, np.int64)


def _by_note(
    owners: IdArray, cosines: FloatArray, weights: FloatArray
) -> tuple[IdArray, FloatArray]:
    if not len(owners):
        return owners, np.empty(0, np.float32)
    order = np.argsort(owners, kind="stable")
    notes, starts = np.unique(owners[order], return_index=True)
    best = np.maximum.reduceat(cosines[:, order], starts, axis=1)
    of_source = weights @ best / weights.sum()
    counts = np.diff(np.append(starts, len(order)))
    of_others = np.add.reduceat(cosines.max(axis=0)[order], starts) / counts
    mixed = (np.float32(1.0) - _THEIR_SHARE) * of_source + _THEIR_SHARE * of_others
    return notes, mixed.astype(np.float32)


def _candidates(ids: IdArray, note_ids: IdArray, cosines: FloatArray) -> Candidates:
    unknown = np.full(len(ids), np.nan, np.float32)
    return Candidates(ids, note_ids, unknown, cosines)
