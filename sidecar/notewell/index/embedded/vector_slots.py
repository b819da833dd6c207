"""The slots of a vector matrix: which chunk and note each holds, and which may be found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from notewell.types import FloatArray, IdArray

GONE = -1  # the chunk id of a slot that was given up
NO_SLOTS: IdArray = np.empty(0, np.int64)

Rows = npt.NDArray[np.float32] | npt.NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class View:
    """What one search sees. Slots are only ever appended to the arrays it shares with later ones.

    `rows` is (capacity, dimensions); `bits` (words, capacity), None while the search is exact;
    `ids` and `notes` (used,), an id of -1 marking a slot that was given up.
    """

    rows: Rows
    bits: npt.NDArray[np.uint64] | None
    mean: FloatArray
    ids: IdArray
    notes: IdArray
    candidates: int
    alive: int  # slots that were not given up

    @property
    def used(self) -> int:
        """How many slots have been appended, those given up included."""
        return len(self.ids)


@dataclass(frozen=True, slots=True, eq=False)
class SlotsByNote:
    """Finds the slots of notes: `order` sorts the slots by note."""

    notes: IdArray  # of the slots of one view
    order: IdArray
    sorted: IdArray

    @classmethod
    def of(cls, notes: IdArray) -> SlotsByNote:
        """`notes` (used,) are the notes of a view's slots."""
        order = np.argsort(notes, kind="stable")  # nearly sorted, which makes it fast
        return cls(notes, order, notes[order])

    def slots(self, notes: IdArray) -> IdArray:
        """The slots of these notes, those given up included."""
        starts = np.searchsorted(self.sorted, notes)
        counts = np.searchsorted(self.sorted, notes, side="right") - starts
        ends = np.cumsum(counts)
        if not len(ends):
            return NO_SLOTS
        within = np.arange(ends[-1]) - np.repeat(ends - counts, counts)
        slots: IdArray = self.order[np.repeat(starts, counts) + within]
        return slots


def replaced(view: View, **changes: Any) -> View:
    """The view with some of its arrays exchanged, and its slots in use counted again."""
    fields = {name: getattr(view, name) for name in View.__slots__} | changes
    fields["alive"] = int(np.count_nonzero(fields["ids"] != GONE))
    return View(**fields)


def allowed_slots(view: View, notes: IdArray | None) -> npt.NDArray[np.bool_] | None:
    """Which slots may be found; None: every one."""
    alive = None if view.alive == view.used else view.ids != GONE
    if notes is None:
        return alive
    belonging = _belonging(view.notes, notes)
    return belonging if alive is None else belonging & alive


def _belonging(slots: IdArray, notes: IdArray) -> npt.NDArray[np.bool_]:
    """Which slots belong to one of the notes: by a table, which beats sorting."""
    table = np.zeros(int(max(slots.max(initial=0), notes.max(initial=0))) + 1, dtype=np.bool_)
    table[notes] = True
    return table[slots]
