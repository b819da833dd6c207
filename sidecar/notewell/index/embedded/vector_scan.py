"""Finds the nearest vectors of all slots: by sign bits first, or exactly.

A scan counts how many sign bits differ from a query's; exact cosines decide among the nearest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray, VectorHits
from notewell.index.arrays import highest
from notewell.index.embedded.vector_math import cosines
from notewell.index.embedded.vector_slots import GONE, View

_SAMPLED, _ROOM = 16, 1.3  # every so many slots are a sample; it is read somewhat generously


def nearest(distance: npt.NDArray[np.uint16], at_least: int, *, ceiling: int) -> IdArray:
    """Slots of the smallest distances, all ties of the last one included, in slot order.

    Distances above `ceiling` are never taken. Counting how often each distance occurs finds the
    cut without sorting; a sample says below which distance it is enough to count.
    """
    sample = distance[::_SAMPLED]
    rank = int(_ROOM * at_least) // _SAMPLED + _SAMPLED
    if rank < len(sample):
        guess = min(int(np.partition(sample, rank)[rank]), ceiling)
        slots = np.flatnonzero(distance <= guess)
        if len(slots) >= at_least:
            near = distance[slots]
            return slots[near <= _cut(near, at_least, guess)]
    return np.flatnonzero(distance <= _cut(distance, at_least, ceiling))


def _cut(distance: npt.NDArray[np.uint16], at_least: int, ceiling: int) -> int:
    """The least distance that so many slots do not exceed; `ceiling` where there are fewer."""
    counts = np.bincount(np.minimum(distance, ceiling + 1), minlength=ceiling + 2)[: ceiling + 1]
    return min(int(np.searchsorted(np.cumsum(counts), at_least)), ceiling)


BLOCK = 16_384  # rows scored at a time where all are needed
_GATHERED = 256  # rows fetched at a time: they stay in the processor's cache until scored
_SPREAD_SAMPLE = 1024  # vectors whose cosines estimate the mean and the deviation of all


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation of a query's cosines, and of how many chunks they are."""

    mean: float
    deviation: float
    searched: int

    @classmethod
    def of(cls, scores: FloatArray) -> Spread:
        """The spread of the cosines of all chunks that were searched."""
        if not len(scores):
            return NO_SPREAD
        return cls(float(scores.mean()), float(scores.std()), len(scores))


NO_SPREAD = Spread(0.0, 0.0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Evenly spaced vectors of a view; given up slots are as good as others."""

    view: View
    rows: FloatArray

    @classmethod
    def of(cls, view: View) -> Sample:
        """About a thousand vectors, in float32."""
        step = max(1, view.used // _SPREAD_SAMPLE)
        return cls(view, view.rows_of(np.arange(0, view.used, step)).astype(np.float32))

    def spread(self, query: FloatArray, searched: int) -> Spread:
        """An estimate of the spread of the cosines of all vectors."""
        sampled = Spread.of(cosines(self.rows, query))
        return Spread(sampled.mean, sampled.deviation, searched)


def cosines_of(view: View, slots: IdArray, query: FloatArray) -> FloatArray:
    """Cosines of some slots, gathered in blocks that stay in the processor's cache."""
    scores = np.empty(len(slots), np.float32)
    for start in range(0, len(slots), _GATHERED):
        block = slice(start, start + _GATHERED)
        scores[block] = cosines(view.rows_of(slots[block]), query)
    return scores


def exact_top(view: View, queries: FloatArray, top: int) -> IdArray:
    """Slots of the `top` nearest for each query: (queries, top)."""
    scores = np.empty((len(queries), view.used), np.float32)
    for start in range(0, view.used, BLOCK):
        stop = min(start + BLOCK, view.used)
        scores[:, start:stop] = queries @ view.rows_between(start, stop).astype(np.float32).T
    scores[:, view.ids == GONE] = -np.inf
    best: IdArray = np.argpartition(scores, -top, axis=1)[:, -top:]
    return best


def top_indices(ids: IdArray, scores: FloatArray, limit: int) -> IdArray:
    """Indices of the best `limit` scores, ascending; of equal ones, those with lower chunk ids."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    cut = highest(scores, limit)
    best = np.flatnonzero(scores >= cut)
    if len(best) == limit:
        return best
    equal = best[scores[best] == cut]
    kept = limit - (len(best) - len(equal))
    dropped = equal[np.argsort(ids[equal])[kept:]]
    return np.setdiff1d(best, dropped, assume_unique=True)


def others(slots: IdArray, known: IdArray, used: int) -> IdArray:
    """The slots that are not among those known: by a table, which beats sorting."""
    table = np.ones(used, np.bool_)
    table[known] = False
    return slots[table[slots]]


def exact_hits(
    view: View,
    scores: FloatArray,
    allowed: npt.NDArray[np.bool_] | None,
    added: IdArray,
    limit: int,
) -> VectorHits:
    """The best of the allowed slots, and those added, from the scores of all."""
    if allowed is None:
        spread = Spread.of(scores)
        slots = top_indices(view.ids, scores, limit)
    else:
        slots = np.flatnonzero(allowed)
        spread = Spread.of(scores[slots])
        slots = slots[top_indices(view.ids[slots], scores[slots], limit)]
    if len(added):
        slots = np.concatenate((slots, others(added, slots, view.used)))
    return hits(view, slots, scores[slots], spread)


def hits(view: View, slots: IdArray, scores: FloatArray, spread: Spread) -> VectorHits:
    """Some slots as hits, by score, then by chunk id."""
    order = np.argsort(-scores)
    ordered = scores[order]
    if (ordered[1:] == ordered[:-1]).any():  # seldom; sorting by two keys takes six times as long
        order = np.lexsort((view.ids[slots], -scores))
        ordered = scores[order]
    ids = view.ids[slots[order]]
    return VectorHits(ids, ordered, spread.mean, spread.deviation, spread.searched)
