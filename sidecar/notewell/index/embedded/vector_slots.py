"""The slots of a vector matrix: their chunks and notes, and the two ways to compare them.

A scan counts how many sign bits differ from a query's; exact cosines decide among the nearest.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray, VectorHits
from notewell.index.arrays import highest

GONE = -1  # the chunk id of a slot that was given up
NO_SLOTS: IdArray = np.empty(0, np.int64)

_FEW_SHARE, _FEW_LEAST = 16, 4096  # slots that were appended since they were sorted by note
_ROOM_SHARE, _ROOM_LEAST = 32, 256  # for more slots behind those there are

Rows = npt.NDArray[np.float32] | npt.NDArray[np.float16]
Bits = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Vectors (capacity, dimensions), and their signs (words, capacity): None in exact search."""

    rows: Rows
    bits: Bits | None

    @classmethod
    def nothing(cls, dimensions: int, *, words: int | None = None) -> Held:
        """No vectors: for exact search, or with so many words of signs each."""
        if words is None:
            return cls(np.empty((0, dimensions), np.float32), None)
        return cls(np.empty((0, dimensions), np.float16), np.empty((words, 0), np.uint64))


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The vectors as one search sees them. Slots are only appended to arrays that views share.

    The vectors of the slots are those of `first`, which may be mapped from a snapshot and is never
    changed, and behind them those of `later`, which has room for more. `ids` and `notes` (used,),
    an id of -1 marking a slot that was given up. Views of the same `layout` have the same vectors
    in the slots that both have.
    """

    first: Held
    later: Held
    mean: FloatArray
    ids: IdArray
    notes: IdArray
    candidates: int
    alive: int  # slots that were not given up
    layout: int = 0

    @property
    def used(self) -> int:
        """The number of slots, those given up included."""
        return len(self.ids)

    @property
    def is_exact(self) -> bool:
        """True if a search compares with all, as there are no signs."""
        return self.later.bits is None

    def rows_of(self, slots: IdArray) -> Rows:
        """The vectors of some slots (slots, dimensions)."""
        begin = len(self.first.rows)
        inside = slots < begin
        if inside.all():
            return self.first.rows[slots]
        if not inside.any():
            return self.later.rows[slots - begin]
        rows: Rows = self.first.rows[np.where(inside, slots, 0)]
        rows[~inside] = self.later.rows[slots[~inside] - begin]
        return rows

    def rows_between(self, start: int, stop: int) -> Rows:
        """The vectors of neighbouring slots, without a copy unless they are in both parts."""
        begin = len(self.first.rows)
        if stop <= begin:
            return self.first.rows[start:stop]
        if start >= begin:
            return self.later.rows[start - begin : stop - begin]
        return self.rows_of(np.arange(start, stop))

    def cosines(self, query: FloatArray) -> FloatArray:
        """The cosines of the vectors of all slots (used,); for exact search."""
        begin = len(self.first.rows)
        if not begin:
            return cosines(self.later.rows[: self.used], query)
        scores = cosines(self.first.rows, query)
        if self.used == begin:
            return scores
        return np.concatenate((scores, cosines(self.later.rows[: self.used - begin], query)))

    def bits_of(self, slots: IdArray) -> Bits | None:
        """The signs of some slots (words, slots); None in exact search."""
        if self.later.bits is None:
            return None
        begin = len(self.first.rows)
        signs = [] if self.first.bits is None else [self.first.bits[:, slots[slots < begin]]]
        found: Bits = np.hstack([*signs, self.later.bits[:, slots[slots >= begin] - begin]])
        return found

    def differing(self, signs: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint16]:
        """The number of signs of each slot that differ from a query's; not for exact search."""
        begin = len(self.first.rows)
        of_parts = [
            differing_bits(bits, count, signs)
            for bits, count in ((self.first.bits, begin), (self.later.bits, self.used - begin))
            if bits is not None and count
        ]
        return of_parts[0] if len(of_parts) == 1 else np.concatenate(of_parts)


@dataclass(frozen=True, slots=True, eq=False)
class SlotsByNote:
    """Finds the slots of notes: `order` sorts the slots that a view had by note.

    In a view of the same layout with some more slots, these are looked through.
    """

    layout: int
    order: IdArray
    sorted: IdArray

    @classmethod
    def of(cls, view: View) -> SlotsByNote:
        order = np.argsort(view.notes, kind="stable")  # nearly sorted, which makes it fast
        return cls(view.layout, order, view.notes[order])

    def fits(self, view: View) -> bool:
        """True if few slots of a view are not among those sorted."""
        further = view.used - len(self.order)
        few = max(_FEW_LEAST, len(self.order) // _FEW_SHARE)
        return self.layout == view.layout and 0 <= further <= few

    def slots(self, view: View, notes: IdArray) -> IdArray:
        """The slots of these notes, those given up included."""
        known = len(self.order)
        sorted_ = self._slots(notes)
        if known == view.used:
            return sorted_
        return np.concatenate((sorted_, known + np.flatnonzero(np.isin(view.notes[known:], notes))))

    def _slots(self, notes: IdArray) -> IdArray:
        starts = np.searchsorted(self.sorted, notes)
        counts = np.searchsorted(self.sorted, notes, side="right") - starts
        ends = np.cumsum(counts)
        if not len(ends):
            return NO_SLOTS
        within = np.arange(ends[-1]) - np.repeat(ends - counts, counts)
        slots: IdArray = self.order[np.repeat(starts, counts) + within]
        return slots


def replaced(view: View, **changes: Any) -> View:
    """The view with some of its arrays exchanged; its slots in use are counted unless given."""
    fields = {name: getattr(view, name) for name in View.__slots__} | changes
    if "alive" not in changes:
        fields["alive"] = int(np.count_nonzero(fields["ids"] != GONE))
    return View(**fields)


def with_room(array: IdArray) -> IdArray:
    """A copy that is the beginning of a longer array, so that `appended` need not copy it."""
    room = np.empty(len(array) + max(_ROOM_LEAST, len(array) // _ROOM_SHARE), array.dtype)
    room[: len(array)] = array
    return room[: len(array)]


def appended(array: IdArray, values: IdArray) -> IdArray:
    """`array` with more values at its end: behind it, where it is the beginning of a longer one.

    Of arrays that begin alike, only the longest may be given. The shorter ones stay as they are.
    """
    used, needed = len(array), len(array) + len(values)
    room = array.base
    if room is None or len(room) < needed or room.ctypes.data != array.ctypes.data:
        longer = np.concatenate((array, values))
        return with_room(longer) if used else longer
    room[used:needed] = values
    return room[:needed]


def allowed_slots(view: View, notes: IdArray | None) -> npt.NDArray[np.bool_] | None:
    """A mask of the slots that may be found; None: all."""
    alive = None if view.alive == view.used else view.ids != GONE
    if notes is None:
        return alive
    belonging = _belonging(view.notes, notes)
    return belonging if alive is None else belonging & alive


def _belonging(slots: IdArray, notes: IdArray) -> npt.NDArray[np.bool_]:
    """A mask of the slots of some notes: by a table, which is faster than sorting."""
    table = np.zeros(int(max(slots.max(initial=0), notes.max(initial=0))) + 1, dtype=np.bool_)
    table[notes] = True
    return table[slots]


_WORD = 64
_SAMPLED, _ROOM = 16, 1.3  # every so many slots are a sample; it is read somewhat generously
_BLOCK = 65_536  # slots at a time: the three scratch arrays stay in the processor's cache
_SHARED = 500_000  # slots; with fewer, a second thread is not worth its start


def sign_bits(rows: npt.NDArray[np.floating[Any]], mean: FloatArray) -> npt.NDArray[np.uint64]:
    """One bit a component, set where it lies above the mean: (words, len(rows)).

    Word-major, because a scan reads one word of all vectors at a time. Dimensions that do not
    fill the last word leave zeros, which never differ.
    """
    packed = np.packbits(rows > mean, axis=1)
    words = -(-len(mean) // _WORD)
    padded = np.zeros((len(rows), words * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(padded.view(np.uint64).T)


def differing_bits(
    bits: npt.NDArray[np.uint64], used: int, signs: npt.NDArray[np.uint64]
) -> npt.NDArray[np.uint16]:
    """The number of signs that differ from a query's (words,), for the first `used` slots.

    Two threads share many slots: numpy does not hold the interpreter's lock while it counts.
    """
    distance = np.empty(used, np.uint16)
    if used < _SHARED:
        _count(bits, signs, distance, 0)
        return distance
    half = used // 2
    other = threading.Thread(target=_count, args=(bits, signs, distance[:half], 0))
    other.start()
    _count(bits, signs, distance[half:], half)
    other.join()
    return distance


def _count(
    bits: npt.NDArray[np.uint64],
    signs: npt.NDArray[np.uint64],
    distance: npt.NDArray[np.uint16],
    first: int,
) -> None:
    """Write into `distance` how many signs differ, from the slot `first` on."""
    block = min(_BLOCK, len(distance))
    scratch = np.empty(block, np.uint64)
    counted = np.empty(block, np.uint8)
    for start in range(0, len(distance), _BLOCK):
        total = distance[start : start + _BLOCK]
        unlike, count = scratch[: len(total)], counted[: len(total)]
        at = slice(first + start, first + start + len(total))
        for word, sign in enumerate(signs):
            np.bitwise_xor(bits[word, at], sign, out=unlike)
            np.bitwise_count(unlike, out=count)
            if word:
                total += count
            else:
                total[:] = count


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
_HALF_BITS = np.int32(0x8FFFE000 - (1 << 32))  # sign, exponent and fraction of a widened half float
HALF_SCALE = np.float32(2.0**112)  # the difference of the exponents' biases


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
        found = Spread.of(cosines(self.rows, query))
        return Spread(found.mean, found.deviation, searched)


def cosines(rows: Rows, query: FloatArray) -> FloatArray:
    """Cosines of unit vectors, in one thread.

    `@` would share the work between threads, which wait for each other for ten milliseconds when
    the machine is busy, a hundred times longer than the work takes.
    """
    if rows.dtype == np.float16:
        rows, query = widened(rows), query * HALF_SCALE
    scores: FloatArray = np.vecdot(rows, query)
    return scores


def widened(rows: Rows) -> FloatArray:
    """Half floats as floats, each 2**-112 of its value, four times as fast as `astype`.

    IEEE 754: with its exponent and fraction moved to where binary32 has them, a binary16 number is
    read as itself times 2**(15 - 127). Infinities and NaN, which no vector has, would not be.
    """
    bits = rows.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= _HALF_BITS
    return bits.view(np.float32)


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
