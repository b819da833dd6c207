"""The postings of sets of notes, in arrays that are merged as notes change.

A `Segment` is one set of notes, never changed: for every stem, by hash, the notes that hold it. A
changed note goes into a new segment and is dead in its old one (`SegmentPart`); small segments are
merged into larger ones, as in a log-structured merge tree (O'Neil et al. 1996), so that there are
few.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray
from notewell.index.note_terms import TEMPLATE_BIT, UIntArray, unpack_terms

_MERGE_RATIO = 4  # a segment is merged with the next that has more than this share of its notes
_MOST_DEAD = 4  # a segment with more than this share of dead notes is made again
_FEW_DEAD = 16  # times as many pairs: then the dead ones are looked up among them
_COLUMNS = 64  # of common stems, for each segment: 150 KB each for 25,000 notes
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A stem in all notes of a segment, zero where a note has not got it: arrays (notes,)."""

    masks: npt.NDArray[np.uint16]
    frequencies: FloatArray


@dataclass(frozen=True, eq=False)
class Segment:
    """The postings of some notes; `n` notes, `v` stems, `p` pairs of both.

    `note_ids` (n,) ascending and `lengths` (n,) of the notes; `hashes` (v,) ascending, and
    `offsets` (v + 1,), where the pairs of each begin; `notes` (p,), places in `note_ids`,
    ascending for each stem, `masks` and `frequencies` (p,).
    """

    note_ids: IdArray
    lengths: npt.NDArray[np.uint32]
    hashes: npt.NDArray[np.uint32]
    offsets: npt.NDArray[np.uint32]
    notes: npt.NDArray[np.uint32]
    masks: npt.NDArray[np.uint16]
    frequencies: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, rows: Sequence[tuple[int, bytes]]) -> Segment:
        """The postings of notes, each with its packed terms.

        Raises:
            ValueError: the terms of one are damaged.

        """
        rows = sorted(rows)
        terms = unpack_terms([packed for _, packed in rows])
        places = np.repeat(np.arange(len(rows), dtype=np.uint64), terms.sizes)
        return _sort_segment(
            np.array([note_id for note_id, _ in rows], np.int64),
            terms.lengths,
            (terms.hashes.astype(np.uint64) << np.uint64(32)) | places,
            terms.masks,
            terms.frequencies,
            are_sorted_runs=False,
        )

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, UIntArray | IdArray], *, largest: int | None = None
    ) -> Segment:
        """A segment from the arrays of `arrays`, which may be mapped from a file.

        `largest` is the largest of the places in `notes`, where it is known: to look for it would
        bring half of the file into memory.

        Raises:
            KeyError: one is missing.
            ValueError: they do not fit each other.

        """
        named: dict[str, Any] = {field.name: arrays[field.name] for field in fields(cls)}
        segment = cls(**named)
        offsets, notes = segment.offsets, segment.notes
        if largest is None:
            largest = segment.largest
        fits = (
            len(segment.lengths) == len(segment.note_ids)
            and len(offsets) == len(segment.hashes) + 1
            and len(notes) == len(segment.masks) == len(segment.frequencies) == int(offsets[-1])
            and bool(np.all(offsets[1:] >= offsets[:-1]))
            and (not len(notes) or largest < len(segment.note_ids))
        )
        if not fits:
            raise ValueError("the arrays of the note postings do not fit each other")
        return segment

    @property
    def largest(self) -> int:
        """The largest of the places in `notes`; 0 where there are none."""
        return int(self.notes.max(initial=0))

    def arrays(self) -> dict[str, UIntArray | IdArray]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def pairs(self, hashes: npt.NDArray[np.uint32]) -> list[slice]:
        """The slice of the pairs of each stem; an empty one for a stem that no note holds."""
        if not len(self.hashes):
            return [slice(0, 0)] * len(hashes)
        at = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        known = self.hashes[at] == hashes
        starts, ends = self.offsets[at].tolist(), self.offsets[at + 1].tolist()
        return [
            slice(start, end) if here else slice(0, 0)
            for here, start, end in zip(known.tolist(), starts, ends, strict=True)
        ]

    def column(self, pairs: slice) -> Column:
        """A common stem, given by its pairs, in all notes: searched faster than pair by pair."""
        known = self._columns.get(pairs.start)
        if known is None:
            masks = np.zeros(len(self.note_ids), np.uint16)
            frequencies = np.zeros(len(self.note_ids), np.float32)
            masks[self.notes[pairs]] = self.masks[pairs]
            frequencies[self.notes[pairs]] = self.frequencies[pairs]
            known = Column(masks, frequencies)
            if len(self._columns) >= _COLUMNS:
                self._columns.clear()
            self._columns[pairs.start] = known
        return known

    @cached_property
    def _columns(self) -> dict[int, Column]:
        return {}


@dataclass(frozen=True, eq=False)
class SegmentPart:
    """A segment and which of its notes count; None: all of them."""

    segment: Segment
    alive: BoolArray | None = None

    @cached_property
    def dead(self) -> npt.NDArray[np.uint32]:
        """The places of the notes that do not count, ascending."""
        places = np.empty(0) if self.alive is None else np.flatnonzero(~self.alive)
        return places.astype(np.uint32)

    @property
    def count(self) -> int:
        """The number of living notes."""
        return len(self.segment.note_ids) - len(self.dead)

    @property
    def total_length(self) -> int:
        """The tokens of all notes that count."""
        lengths = self.segment.lengths
        return int((lengths if self.alive is None else lengths[self.alive]).sum(dtype=np.int64))

    @property
    def needs_merging(self) -> bool:
        """True if too many of its notes are dead."""
        return self.count * _MOST_DEAD < len(self.segment.note_ids) * (_MOST_DEAD - 1)

    def without(self, note_ids: IdArray) -> SegmentPart:
        """The part after these notes have died."""
        places = _places(self.segment.note_ids, note_ids)
        if not len(places):
            return self
        alive = (
            np.ones(len(self.segment.note_ids), np.bool_)
            if self.alive is None
            else self.alive.copy()
        )
        alive[places] = False
        return SegmentPart(self.segment, None if alive.all() else alive)

    def alive_among(self, pairs: slice) -> int:
        """The number of living notes of a stem."""
        size = int(pairs.stop - pairs.start)
        if self.alive is None or not size:
            return size
        notes = self.segment.notes[pairs]
        if len(self.dead) * _FEW_DEAD < size:
            return size - int(np.count_nonzero(found_among(notes, self.dead)[1]))
        return int(np.count_nonzero(self.alive.take(notes)))

    def own_among(self, pairs: slice) -> int:
        """The number of living notes of a stem that have it outside template lines."""
        outside = self.segment.masks[pairs] != TEMPLATE_BIT
        if outside.all():
            return self.alive_among(pairs)
        if self.alive is not None:
            outside &= self.alive.take(self.segment.notes[pairs])
        return int(np.count_nonzero(outside))


def tidy_parts(parts: list[SegmentPart]) -> list[SegmentPart]:
    """Few parts, the largest first: small ones are merged, and those with many dead notes."""
    parts = [part for part in parts if part.count]
    at = len(parts) - 1
    while at > 0:
        if parts[at - 1].count < _MERGE_RATIO * parts[at].count:
            parts[at - 1 : at + 1] = [SegmentPart(merge_parts(parts[at - 1 : at + 1]))]
            at = len(parts)
        at -= 1
    return [SegmentPart(merge_parts([part])) if part.needs_merging else part for part in parts]


def merge_parts(parts: Sequence[SegmentPart]) -> Segment:
    """The living notes of all parts in one segment."""
    ids, lengths, keys, masks, often = [], [], [], [], []
    living = [_living(part) for part in parts]
    order = np.argsort(np.concatenate([part.segment.note_ids[own] for part, own in living]))
    places = np.empty(len(order), np.uint64)
    places[order] = np.arange(len(order), dtype=np.uint64)
    at = 0
    for part, own in living:
        segment = part.segment
        new_places = np.zeros(len(segment.note_ids), np.uint64)
        new_places[own] = places[at : at + len(own)]
        at += len(own)
        hashes = np.repeat(segment.hashes.astype(np.uint64), np.diff(segment.offsets))
        key = (hashes << np.uint64(32)) | new_places[segment.notes]
        kept = slice(None) if part.alive is None else part.alive[segment.notes]
        ids.append(segment.note_ids[own])
        lengths.append(segment.lengths[own])
        keys.append(key[kept])
        masks.append(segment.masks[kept])
        often.append(segment.frequencies[kept])
    return _sort_segment(
        np.concatenate(ids)[order],
        np.concatenate(lengths)[order],
        np.concatenate(keys),
        np.concatenate(masks),
        np.concatenate(often),
        are_sorted_runs=True,
    )


def _living(part: SegmentPart) -> tuple[SegmentPart, npt.NDArray[np.intp]]:
    everything = np.arange(len(part.segment.note_ids))
    return part, everything if part.alive is None else everything[part.alive]


def _sort_segment(
    note_ids: IdArray,
    lengths: npt.NDArray[np.uint32],
    keys: npt.NDArray[np.uint64],
    masks: npt.NDArray[np.uint16],
    frequencies: npt.NDArray[np.uint8],
    *,
    are_sorted_runs: bool,
) -> Segment:
    """A segment of unordered pairs; a key is a stem's hash and, in the low half, a note's place."""
    order = np.argsort(keys, kind="stable" if are_sorted_runs else None)
    keys = keys[order]
    stems = (keys >> np.uint64(32)).astype(np.uint32)
    first = np.flatnonzero(np.diff(stems, prepend=~stems[:1]))
    return Segment(
        note_ids=note_ids,
        lengths=lengths,
        hashes=stems[first],
        offsets=np.append(first, len(stems)).astype(np.uint32),
        notes=keys.astype(np.uint32),  # the low half
        masks=masks[order],
        frequencies=frequencies[order],
    )


def _places(among: IdArray, note_ids: IdArray) -> npt.NDArray[np.intp]:
    """The places in `among`, which ascends, of the ids that are in it."""
    if not len(among):
        return np.empty(0, np.intp)
    at = np.minimum(np.searchsorted(among, note_ids), len(among) - 1)
    return np.asarray(at[among[at] == note_ids])


def found_among(
    notes: npt.NDArray[np.uint32], places: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.intp], BoolArray]:
    """The positions of places among the ascending notes of a stem, and a mask of those found."""
    if not len(notes):
        return np.empty(0, np.intp), np.zeros(len(places), np.bool_)
    at = np.minimum(np.searchsorted(notes, places), len(notes) - 1)
    inside = notes[at] == places
    return at[inside], inside
