"""What every search needs to know of every note: its dates, and whether it is left out by default.

Kept as arrays and followed note by note, so that a search after a save reads one note and not all.
For the next start they are kept beside the index.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from notewell.index.port import IndexReader, NoteBasics
from notewell.types import FloatArray, IdArray, PropertyValue
from notewell.vault.daily import SETTINGS, DailyNotes

_CREATED, _MODIFIED, _DAILY, _SHELVED = range(4)
_SNAPSHOT = "facts"
_ABSENT = -1  # in place of when a file changed
_MANY = 1000  # notes that take longer to read than arrays to write


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Of all notes of one moment, in order of id. Times are POSIX seconds, NaN where unknown."""

    ids: IdArray
    table: npt.NDArray[np.float64]  # (notes, 4)

    @property
    def daily(self) -> IdArray:
        """The daily notes."""
        return self.ids[self.table[:, _DAILY] > 0]

    @property
    def shelved(self) -> IdArray:
        """The notes whose status says that they are not in use."""
        return self.ids[self.table[:, _SHELVED] > 0]

    def times(self, note_ids: IdArray, *, created: bool) -> FloatArray:
        """When notes were created, or else modified; NaN for a note that is gone."""
        if not len(self.ids):
            return np.full(len(note_ids), np.nan, np.float32)
        at = np.minimum(np.searchsorted(self.ids, note_ids), len(self.ids) - 1)
        times = self.table[at, _CREATED if created else _MODIFIED]
        return np.where(self.ids[at] == note_ids, times, np.nan)


class FactsBook:
    """The facts of one index, brought up to date when asked for. Any thread may ask."""

    def __init__(self, root: Path, shelved: Collection[str]) -> None:
        """`root` is the vault, which says what its daily notes are; `shelved` are statuses."""
        self._root = root
        self._words = frozenset(status.casefold() for status in shelved)
        self._content = f"facts, shelved: {sorted(self._words)}"
        self._making = threading.Lock()
        self._generation = -1
        self._settings = _ABSENT
        self._facts = Facts(np.empty(0, np.int64), np.empty((0, 4)))

    def of(self, index: IndexReader) -> Facts:
        """The facts as they are now."""
        with self._making:
            if index.text_generation != self._generation:
                self._update(index)
            return self._facts

    def _update(self, index: IndexReader) -> None:
        settings = _changed_at(self._root / SETTINGS)
        generation = index.text_generation
        if self._generation < 0:
            self._recall(index, generation)
        since = self._generation if settings == self._settings else -1
        if since < generation:
            read = self._read(index, since)
            self._generation, self._settings = generation, settings
            if read > _MANY:
                self._keep(index)

    def _read(self, index: IndexReader, since: int) -> int:
        """Bring the facts up to date; returns how many notes changed."""
        ids, changed = index.notes_changed_since(since)
        table = np.full((len(ids), 4), np.nan)
        old = self._facts
        kept = np.flatnonzero(np.isin(old.ids, ids))
        table[np.searchsorted(ids, old.ids[kept])] = old.table[kept]
        daily = DailyNotes.read(self._root)
        read = [note.id for note in changed]
        there = np.isin(read, ids)  # a note may come between the two readings
        told = [self._row(note, daily) for note in changed]
        if there.any():
            table[np.searchsorted(ids, np.array(read)[there])] = np.array(told)[there]
        self._facts = Facts(ids, table)
        return len(changed)

    def _recall(self, index: IndexReader, latest: int) -> None:
        """Begin with what an earlier process kept; notes that changed since are read again."""
        kept = index.array_cache.load(_SNAPSHOT, self._content)
        if kept is None or not {"ids", "table", "made"} <= kept.keys():
            return
        generation, settings = kept["made"].tolist()
        if generation <= latest:  # else the database is an older copy of itself
            self._facts = Facts(kept["ids"], kept["table"])
            self._generation, self._settings = generation, settings

    def _keep(self, index: IndexReader) -> None:
        made = np.array([self._generation, self._settings], np.int64)
        facts = self._facts
        arrays = {"ids": facts.ids, "table": facts.table, "made": made}
        index.array_cache.save(_SNAPSHOT, self._content, arrays)

    def _row(self, note: NoteBasics, daily: DailyNotes) -> tuple[float, float, float, float]:
        unknown = float("nan")
        return (
            unknown if note.created is None else note.created,
            unknown if note.modified is None else note.modified,
            float(daily.holds(note.path, note.properties)),
            float(not self._words.isdisjoint(_statuses(note.properties))),
        )


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
