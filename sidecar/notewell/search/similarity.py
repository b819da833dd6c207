"""How alike a source and the notes of a vault are, where what many notes say counts little.

Notes made from one template are near each other through what the template says, and notes of one
field through its commonplaces. So each passage of the source is compared without what it has in
common with its surroundings: a share of the mean of the passages of other notes nearest to it is
taken out, of it and of what it is compared with (after Hara et al. 2015, "Localized Centering:
Reducing Hubness in Large-Sample Data"). A passage that recurs in many notes counts little beside
the others of its note.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from notewell.index.port import IndexReader
from notewell.search.candidates import Candidates
from notewell.types import ChunkHits, FloatArray, IdArray

NEIGHBOURS = 50  # the surroundings of a passage
# The share of their mean that is taken out: the larger, the nearer the surroundings are, from this
# least up to all of it, at these mean cosines. Chosen on the links of two vaults (docs/search.md).
LEAST_SHARE = 0.6
SHARE_GROWS, SHARE_FULL = 0.5, 0.8
MAX_PASSAGES = 16  # of a source; more change nothing that matters
_LEAST_DEPTH = 200  # passages looked at for each one of the source
_LEAST_WEIGHT = np.float32(0.02)  # of a passage that every neighbour repeats
_TINY = np.float32(1e-6)


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Passages to compare with: `vectors` and what they have in `common`, both (n, dimensions).

    `weights` (n,), 0..1: how unusual each is.
    """

    vectors: FloatArray
    common: FloatArray
    weights: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Alike:
    """What is like a source. `chunks` and `notes` have the cosines; the rest aligns with `chunks`.

    `nearest`: which passage of the source each is like; `plain`: their cosine, nothing taken out.
    """

    chunks: Candidates
    notes: Candidates
    nearest: IdArray
    plain: FloatArray


def look_around(index: IndexReader, vectors: FloatArray, own: IdArray) -> Source:
    """A source of unit vectors (n, dimensions), with what stands around each in other notes.

    `own` are the chunks of the note it comes from.
    """
    around = [_around(index, vector, own) for vector in vectors]
    chunk_ids = np.unique(np.concatenate([hits.chunk_ids for hits in around]))
    there, rows = index.vectors.of_chunks(chunk_ids)
    common = np.zeros_like(vectors)
    usual = np.zeros(len(vectors), np.float32)
    for place, hits in enumerate(around):
        # Divided by all that were looked for: a small vault does not tell what is common.
        usual[place] = hits.scores.sum() / np.float32(NEIGHBOURS)
        share = np.float32(_share(float(usual[place])))
        mine = rows[np.isin(there, hits.chunk_ids)]
        common[place] = share * mine.sum(axis=0) / np.float32(NEIGHBOURS)
    return Source(vectors, common, np.maximum(np.float32(1.0) - usual, _LEAST_WEIGHT))


def _around(index: IndexReader, vector: FloatArray, own: IdArray) -> ChunkHits:
    """The passages of other notes that are nearest to one."""
    hits = index.vectors.search(vector, limit=NEIGHBOURS + len(own))
    others = np.flatnonzero(~np.isin(hits.chunk_ids, own))[:NEIGHBOURS]
    return ChunkHits(hits.chunk_ids[others], hits.scores[others])


def _share(usual: float) -> float:
    """How much of its surroundings is taken out of a passage, by their mean cosine with it."""
    grown = (usual - SHARE_GROWS) / (SHARE_FULL - SHARE_GROWS)
    return LEAST_SHARE + (1.0 - LEAST_SHARE) * min(1.0, max(0.0, grown))


def alike(index: IndexReader, source: Source, *, limit: int, near: IdArray | None = None) -> Alike:
    """Passages and notes like the source, with those of the notes `near` among them.

    A note has the weighted mean, over the source's passages, of its best cosine with each.
    """
    ids, rows = index.vectors.of_chunks(_found(index, source, limit, near))
    owners = index.note_ids_of(ids)
    there = owners >= 0  # a chunk may go between the search and this look-up
    ids, owners, rows = ids[there], owners[there], rows[there]
    cosines = compare(source, rows)
    nearest = (cosines * source.weights[:, np.newaxis]).argmax(axis=0)
    best = cosines.max(axis=0)
    plain = np.vecdot(source.vectors[nearest], rows)
    notes, scores = _by_note(owners, cosines, source.weights)
    return Alike(
        chunks=_candidates(ids, owners, best),
        notes=_candidates(notes, notes, scores),
        nearest=nearest,
        plain=plain,
    )


def compare(source: Source, rows: FloatArray) -> FloatArray:
    """Cosines, without what is common, of the source's passages and `rows`: (n, len(rows))."""
    vectors, common = source.vectors, source.common
    squares = np.vecdot(common, common)[:, np.newaxis]
    shadows = common @ rows.T
    products = vectors @ rows.T - shadows - np.vecdot(vectors, common)[:, np.newaxis] + squares
    theirs = np.sqrt(np.maximum(np.float32(1.0) - 2 * shadows + squares, _TINY))
    ours = np.linalg.norm(vectors - common, axis=1, keepdims=True)
    cosines: FloatArray = products / (theirs * np.maximum(ours, _TINY))
    return cosines


def _found(index: IndexReader, source: Source, limit: int, near: IdArray | None) -> IdArray:
    """Chunks worth comparing, ascending: those in the direction that is each passage's own."""
    depth = max(_LEAST_DEPTH, limit)
    own = source.vectors - source.common
    own /= np.maximum(np.linalg.norm(own, axis=1, keepdims=True), _TINY)
    found = [index.vectors.search(vector, limit=depth).chunk_ids for vector in own]
    if near is not None and len(near):
        found += [index.vectors.search(vector, limit=depth, notes=near).chunk_ids for vector in own]
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)


def _by_note(
    owners: IdArray, cosines: FloatArray, weights: FloatArray
) -> tuple[IdArray, FloatArray]:
    if not len(owners):
        return owners, np.empty(0, np.float32)
    order = np.argsort(owners, kind="stable")
    notes, starts = np.unique(owners[order], return_index=True)
    best = np.maximum.reduceat(cosines[:, order], starts, axis=1)
    scores: FloatArray = (weights @ best / weights.sum()).astype(np.float32)
    return notes, scores


def _candidates(ids: IdArray, note_ids: IdArray, cosines: FloatArray) -> Candidates:
    unknown = np.full(len(ids), np.nan, np.float32)
    return Candidates(ids, note_ids, unknown, cosines)
