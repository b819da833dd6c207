"""A choice that fits into a phone's memory: which notes and passages, with how many dimensions.

The shares of dimensions were chosen on two vaults (docs/phone.md): with two thirds of them, on the
axes along which the vault's passages differ most, similar notes stay nearly the same; without
passages they suffer more than with half of the dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass

from notewell.features.phone import layout

_SHARES = (1.0, 2 / 3, 1 / 2, 1 / 3)
_SURELY = 0.95  # of the room, where only some notes fit: their paths may be longer than others


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount, there or written: notes with their passages and paths."""

    notes: int
    passages: int
    path_bytes: int
    dimensions: int

    @property
    def file_bytes(self) -> int:
        """The size of the file, which is also what it takes in a phone's memory."""
        return layout.size(self.notes, self.passages, self.dimensions, self.path_bytes)


def fitting(there: Amount, limit: int) -> Amount:
    """As much as fits into `limit` bytes.

    Everything; else with fewer dimensions; else without passages; else fewer notes.
    """
    for passages in (there.passages, 0):
        for share in _SHARES:
            kept = Amount(
                there.notes, passages, there.path_bytes, max(1, round(there.dimensions * share))
            )
            if kept.file_bytes <= limit:
                return kept
    smallest = Amount(
        there.notes, 0, there.path_bytes, max(1, round(there.dimensions * _SHARES[-1]))
    )
    share = _SURELY * limit / smallest.file_bytes
    notes = int(there.notes * share)
    return Amount(notes, 0, int(there.path_bytes * share), smallest.dimensions)


def shortened(there: Amount, kept: Amount) -> str | None:
    """A sentence for people about what is left out; None: nothing is."""
    missing = []
    if kept.dimensions < there.dimensions:
        missing.append(f"vectors have {kept.dimensions} of {there.dimensions} dimensions")
    if there.passages and not kept.passages:
        missing.append("notes have one vector each and none for their passages")
    if kept.notes < there.notes:
        missing.append(f"only the newest {kept.notes:,} of {there.notes:,} notes are in it")
    if not missing:
        return None
    return f"To fit into a phone's memory, {', '.join(missing)}."
