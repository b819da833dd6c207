"""A cache of facts about every note that searches need: times, daily notes, shelved notes.

The facts are arrays that are updated note by note, so that a search after a change reads only the
changed note. A snapshot next to the index serves the next start.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray, PropertyValue
from notewell.index.port import IndexReader, NoteBasics
from notewell.search.note_dates import (
    by_date,
    local_offset,
    modified_time,
    recency_strength,
    stated_time,
)
from notewell.vault.daily import SETTINGS, DailyNotes

_CREATED, _MODIFIED, _DAILY, _SHELVED, _STATED = range(5)
_COLUMNS = 5
_SNAPSHOT = "facts"
_ABSENT = -1  # stands for the modification time of a missing file
_MIN_CHANGED = 1000  # changed notes from which a new snapshot is written


@dataclass(frozen=True, eq=False)
class Facts:
    """Facts about all notes at one generation, in order of id.

    The columns of `table` are created, modified (POSIX seconds, NaN if unknown), daily and shelved
    (0 or 1), and the time that the note states for itself (POSIX seconds, NaN if it states none).
    """

    ids: IdArray
    table: npt.NDArray[np.float64]  # (notes, 5)

    @cached_property
    def daily(self) -> IdArray:
        """Ids of the daily notes."""
        return self.ids[self.table[:, _DAILY] > 0]

    @cached_property
    def shelved(self) -> IdArray:
        """Ids of the notes whose status is one of the shelved statuses."""
        return self.ids[self.table[:, _SHELVED] > 0]

    def times(self, note_ids: IdArray, *, created: bool) -> FloatArray:
        """Times of creation, or else of modification, of the notes (n,); NaN for a deleted note.

        The time of creation is the one that a note states, or else that of its file; where this is
        unknown, the time of modification.
        """
        rows = self._rows(note_ids)
        if not created:
            return np.asarray(rows[:, _MODIFIED])
        of_file = np.where(np.isnan(rows[:, _CREATED]), rows[:, _MODIFIED], rows[:, _CREATED])
        return np.where(np.isnan(rows[:, _STATED]), of_file, rows[:, _STATED])

    def by_date(self, note_ids: IdArray, start: float, end: float) -> FloatArray:
        """How near the notes are to the period [start, end) (n,); see `note_dates.by_date`."""
        rows = self._rows(note_ids)
        return by_date(rows[:, _STATED], rows[:, [_CREATED, _MODIFIED]], start, end)

    def recency_strength(self) -> float:
        """The strength of the recency boost for this vault where it is not set."""
        offset = local_offset()
        if offset not in self._strengths:
            self._strengths[offset] = recency_strength(self.table[:, _MODIFIED], offset)
        return self._strengths[offset]

    @cached_property
    def _strengths(self) -> dict[timedelta, float]:
        """By the offset of local time, which changes twice a year."""
        return {}

    def _rows(self, note_ids: IdArray) -> npt.NDArray[np.float64]:
        """The rows of the notes (n, 5); NaN for a deleted note."""
        if not len(self.ids):
            return np.full((len(note_ids), _COLUMNS), np.nan)
        at = np.minimum(np.searchsorted(self.ids, note_ids), len(self.ids) - 1)
        return np.where((self.ids[at] == note_ids)[:, None], self.table[at], np.nan)


class FactsCache:
    """Caches the facts of one index and updates them on access. Thread-safe."""

    def __init__(self, root: Path, shelved: Collection[str]) -> None:
        """`root` is the folder of the vault; `shelved` are the statuses of shelved notes."""
        self.shelved = frozenset(shelved)
        self._root = root
        self._shelved_statuses = frozenset(status.casefold() for status in shelved)
        # Stated days are local days, so the facts of another time zone are others.
        self._content = f"facts 3, {time.tzname}, shelved: {sorted(self._shelved_statuses)}"
        self._lock = threading.Lock()
        self._generation = -1
        self._settings = _ABSENT
        self._facts = Facts(np.empty(0, np.int64), np.empty((0, _COLUMNS)))

    def current(self, index: IndexReader) -> Facts:
        """The facts at the current generation of the index."""
        with self._lock:
            if index.text_generation != self._generation:
                self._update(index)
            return self._facts

    def _update(self, index: IndexReader) -> None:
        settings = _changed_at(self._root / SETTINGS)
        generation = index.text_generation
        if self._generation < 0:
            self._load(index, generation)
        since = self._generation if settings == self._settings else -1
        if since < generation:
            read = self._read(index, since)
            self._generation, self._settings = generation, settings
            if read > _MIN_CHANGED:
                self._save(index)

    def _read(self, index: IndexReader, since: int) -> int:
        """Update the facts; returns how many notes changed since that generation."""
        ids, changed = index.notes_changed_since(since)
        table = np.full((len(ids), _COLUMNS), np.nan)
        old = self._facts
        places, kept = _places(ids, old.ids)
        table[places[kept]] = old.table[kept]
        daily = DailyNotes.read(self._root)
        rows = [self._row(note, daily) for note in changed]
        read = np.array([note.id for note in changed], np.int64)
        places, known = _places(ids, read)  # a note may be added between the two reads
        if known.any():
            table[places[known]] = np.array(rows)[known]
        self._facts = Facts(ids, table)
        return len(changed)

    def _load(self, index: IndexReader, latest: int) -> None:
        """Load the snapshot of an earlier process; notes that changed since are read again."""
        saved = index.array_cache.load(_SNAPSHOT, self._content)
        if saved is None or not {"ids", "table", "made"} <= saved.keys():
            return
        generation, settings = saved["made"].tolist()
        if generation <= latest:  # otherwise the database was replaced by an older copy
            self._facts = Facts(saved["ids"], saved["table"])
            self._generation, self._settings = generation, settings

    def _save(self, index: IndexReader) -> None:
        made = np.array([self._generation, self._settings], np.int64)
        facts = self._facts
        arrays = {"ids": facts.ids, "table": facts.table, "made": made}
        index.array_cache.save(_SNAPSHOT, self._content, arrays)

    def _row(self, note: NoteBasics, daily: DailyNotes) -> tuple[float, ...]:
        unknown = float("nan")
        stated = stated_time(note.path, note.properties, daily)
        modified = modified_time(note.properties, note.modified)
        return (
            unknown if note.created is None else note.created,
            unknown if modified is None else modified,
            float(daily.holds(note.path, note.properties)),
            float(not self._shelved_statuses.isdisjoint(_statuses(note.properties))),
            unknown if stated is None else stated,
        )


def _places(ids: IdArray, wanted: IdArray) -> tuple[IdArray, npt.NDArray[np.bool_]]:
    """Where each of the wanted ids would be in `ids`, which ascend, and whether it is there."""
    if not len(ids):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return at, ids[at] == wanted


def _changed_at(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return _ABSENT


def _statuses(properties: Mapping[str, PropertyValue]) -> Collection[str]:
    for name, value in properties.items():
        if name.casefold() == "status":
            values = value if isinstance(value, tuple) else (value,)
            return {one.strip().casefold() for one in values if isinstance(one, str)}
    return ()
