"""The slots of a vector matrix: the chunk and note of each, and the vectors themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray
from notewell.index.embedded.vector_math import Bits, Rows, cosines, differing_bits

GONE = -1  # the chunk id of a slot that was given up
NO_SLOTS: IdArray = np.empty(0, np.int64)

_FEW_SHARE, _FEW_LEAST = 16, 4096  # slots that were appended since they were sorted by note
_ROOM_SHARE, _ROOM_LEAST = 32, 256  # for more slots behind those there are


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
        bits: Bits = np.hstack([*signs, self.later.bits[:, slots[slots >= begin] - begin]])
        return bits

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


def replace_arrays(view: View, **changes: Any) -> View:
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


def append_values(array: IdArray, values: IdArray) -> IdArray:
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
