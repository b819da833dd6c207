"""Facts about notes that searches need: their dates, and which are daily, shelved or templates.

A note's date has one order of sources for conditions, timelines and boosts: the day of a daily
note, a property, a date in the file name. The times of a file come last: a copy or a checkout of a
vault sets them all anew. Of them the time of the last change is used, which copies keep more often
than that of creation.

The facts of all notes are cached as arrays that are updated note by note, so that a search after a
change reads only the changed note; a snapshot beside the index serves the next start.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from notewell.base.types import DateSource, FloatArray, IdArray, PropertyValue
from notewell.index.port import IndexReader, NoteBasics
from notewell.search.facts import periods
from notewell.vault.daily import (
    PERIODIC,
    SETTINGS,
    TEMPLATES,
    DailyNotes,
    day_in_name,
    template_folder,
)
from notewell.vault.properties import CREATED_KEYS, MODIFIED_KEYS, date_of, fold, link_label

PROPERTIES = (*CREATED_KEYS, "day")
FILE_TIMES = 0.5  # what a file's time counts, compared with a date that the note states
OUTSIDE = 0.5  # what a time just outside of the period counts, compared with one within it
_ZONE = re.compile(r":\d{2}(?:[.,]\d+)?\s?(?:Z|[+-]\d{2}:?\d{2})", re.IGNORECASE)
_MAY_BE_DATE = re.compile("creat|date|day", re.IGNORECASE)  # quicker than to fold all names
_MAY_BE_CHANGE = re.compile("modif|update|lastmod", re.IGNORECASE)
_DAY = 86_400.0
_LEAST = 0.05  # a smaller lift is left out

# The strength of the recency boost where the setting is "auto".
AUTO_RECENCY = 0.05
_SHARED_DAY = 0.5  # share of the notes with one modification day from which times mean nothing

_Floats = npt.NDArray[np.float64]


def stated_day(
    path: str, properties: Mapping[str, PropertyValue], daily: DailyNotes
) -> tuple[date, DateSource] | None:
    """The day that a note states for itself, and where; None if it states none.

    A date without a time zone is taken as it is.
    """
    tries: tuple[tuple[DateSource, Callable[[], date | None]], ...] = (
        ("daily", lambda: daily.day(path, properties)),
        ("created", lambda: _day_in_properties(properties)),
        ("name", lambda: day_in_name(path)),
    )
    for source, find in tries:
        day = find()
        if day is not None:
            return day, source
    return None


def stated_time(
    path: str, properties: Mapping[str, PropertyValue], daily: DailyNotes
) -> float | None:
    """The time that a note states for itself, in POSIX seconds; None if it states none.

    A property may have a time of day; what it says without a time zone is local time. A day begins
    at its local midnight.
    """
    stated = stated_day(path, properties, daily)
    if stated is None:
        return None
    day, source = stated
    moment = _moment(properties, PROPERTIES) if source == "created" else None
    try:
        if moment is None:
            return periods.days(day, day + timedelta(days=1)).start
        return moment.timestamp()  # of local time, where it has no zone
    except (ValueError, OverflowError, OSError):  # out of the range of the system
        return None


def modified_time(properties: Mapping[str, PropertyValue], of_file: float | None) -> float | None:
    """When a note was modified, as a property says, or else its file; in POSIX seconds."""
    if not any(_MAY_BE_CHANGE.search(name) for name in properties):
        return of_file
    try:
        moment = _moment(properties, MODIFIED_KEYS)
        return of_file if moment is None else moment.timestamp()
    except (ValueError, OverflowError, OSError):  # out of the range of the system
        return of_file


def _moment(properties: Mapping[str, PropertyValue], names: tuple[str, ...]) -> datetime | None:
    """The date and time in a property, without a time zone where none is written."""
    folded = fold(properties)
    for name in names:
        seconds = date_of(folded, (name,))
        if seconds is not None:
            value = folded[name]
            first = value[0] if isinstance(value, tuple) else value
            moment = datetime.fromtimestamp(seconds, UTC)
            has_zone = not isinstance(first, str) or _ZONE.search(first)
            return moment if has_zone else moment.replace(tzinfo=None)
    return None


def _day_in_properties(properties: Mapping[str, PropertyValue]) -> date | None:
    if not any(_MAY_BE_DATE.search(name) for name in properties):
        return None
    moment = date_of(fold(properties), PROPERTIES)
    try:
        return None if moment is None else datetime.fromtimestamp(moment, UTC).date()
    except (OverflowError, OSError, ValueError):
        return None


def by_date(stated: _Floats, file_times: _Floats, start: float, end: float) -> FloatArray:
    """Nearness of notes (n,) to the period [start, end): 1 within it, 0 far from it or unknown.

    `stated` (n,) are the times that notes state, `file_times` (n, k) those of their files, used at
    `FILE_TIMES` where none is stated; all in POSIX seconds, NaN where unknown. Outside the period
    the lift is `OUTSIDE` at most, and halves with each length of the period, at least a day.
    """
    half = max(end - start, _DAY)

    def near(times: _Floats) -> _Floats:
        away = np.maximum(np.maximum(start - times, times - end), 0.0)
        lift = np.exp2(-np.nan_to_num(away, nan=np.inf) / half)
        lift = np.where((start <= times) & (times < end), lift, OUTSIDE * lift)
        return np.where(lift < _LEAST, 0.0, lift)

    by_file = FILE_TIMES * near(file_times).max(axis=1, initial=0.0)
    lift: FloatArray = np.where(np.isnan(stated), by_file, near(stated)).astype(np.float32)
    return lift


def local_offset() -> timedelta:
    """The difference of local time from UTC now."""
    return datetime.now().astimezone().utcoffset() or timedelta()


def recency_strength(times: _Floats, offset: timedelta) -> float:
    """The strength of the recency boost for the setting "auto", 0..1.

    0 where over half of the notes were modified on one (local) day, as after a copy or a checkout:
    then the times say nothing about the notes. `times` (n,) are POSIX seconds, NaN if unknown;
    `offset` is `local_offset`.
    """
    known = times[~np.isnan(times)]
    if not len(known):
        return 0.0
    days = np.floor((known + offset.total_seconds()) / _DAY)
    most = int(np.unique(days, return_counts=True)[1].max())
    return 0.0 if len(known) > 1 and most > _SHARED_DAY * len(times) else AUTO_RECENCY


_CREATED, _MODIFIED, _DAILY, _SHELVED, _STATED, _TEMPLATE, _OF_TYPE = range(7)
_COLUMNS = 7
# Folders that people keep templates in; Obsidian's setting may name another.
TEMPLATE_FOLDERS = frozenset({"template", "templates", "vorlage", "vorlagen", "шаблоны", "模板"})
_SNAPSHOT = "facts"
_ABSENT = -1  # stands for the modification time of a missing file
_MIN_CHANGED = 1000  # changed notes from which a new snapshot is written


@dataclass(frozen=True, eq=False)
class Facts:
    """Facts about all notes at one generation, in order of id.

    The columns of `table` are created, modified (POSIX seconds, NaN if unknown), daily and shelved
    (0 or 1), the time that the note states for itself (POSIX seconds, NaN if it states none), and
    whether it is a template, and of a type that the settings leave out.
    """

    ids: IdArray
    table: npt.NDArray[np.float64]  # (notes, _COLUMNS)

    @cached_property
    def daily(self) -> IdArray:
        return self.ids[self.table[:, _DAILY] > 0]

    @cached_property
    def of_excluded_type(self) -> IdArray:
        """Ids of the notes whose type is one of those that the settings leave out."""
        return self.ids[self.table[:, _OF_TYPE] > 0]

    def daily_of(self, start: float, end: float) -> IdArray:
        """Ids of the daily notes of the days in [start, end), in POSIX seconds."""
        stated = self.table[:, _STATED]
        return self.ids[(self.table[:, _DAILY] > 0) & (stated >= start) & (stated < end)]

    @cached_property
    def shelved(self) -> IdArray:
        """Ids of the notes whose status is one of the shelved statuses."""
        return self.ids[self.table[:, _SHELVED] > 0]

    @cached_property
    def has_templates(self) -> bool:
        return bool((self.table[:, _TEMPLATE] > 0).any())

    def are_templates(self, note_ids: IdArray) -> npt.NDArray[np.bool_]:
        """Mask of the notes (n,) that are templates of others."""
        mask: npt.NDArray[np.bool_] = self._rows(note_ids)[:, _TEMPLATE] > 0
        return mask

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
        """The nearness of the notes to the period [start, end) (n,); see the function `by_date`."""
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
        """The rows of the notes (n, _COLUMNS); NaN for a deleted note."""
        if not len(self.ids):
            return np.full((len(note_ids), _COLUMNS), np.nan)
        at = np.minimum(np.searchsorted(self.ids, note_ids), len(self.ids) - 1)
        return np.where((self.ids[at] == note_ids)[:, None], self.table[at], np.nan)


class FactsCache:
    """Caches the facts of one index and updates them on access. Thread-safe."""

    def __init__(self, root: Path, shelved: Collection[str], types: Collection[str] = ()) -> None:
        """`root` is the vault's folder; notes of the statuses and types are left out by default."""
        self.left_out = frozenset(shelved), frozenset(types)
        self._types = frozenset(name.casefold() for name in types)
        self._root = root
        self._shelved_statuses = frozenset(status.casefold() for status in shelved)
        # Stated days are local days, so the facts of another time zone are others.
        left_out = sorted(self._shelved_statuses), sorted(self._types)
        self._content = f"facts 5, {time.tzname}, left out: {left_out}"
        self._lock = threading.Lock()
        self._generation = -1
        self._settings = _ABSENT
        self._facts = Facts(np.empty(0, np.int64), np.empty((0, _COLUMNS)))

    def current(self, index: IndexReader) -> Facts:
        with self._lock:
            if index.text_generation != self._generation:
                self._update(index)
            return self._facts

    def _update(self, index: IndexReader) -> None:
        files = (SETTINGS, PERIODIC, TEMPLATES)
        settings = sum(_changed_at(self._root / file) for file in files)
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
        daily, templates = DailyNotes.read(self._root), template_folder(self._root)
        rows = [self._row(note, daily, templates) for note in changed]
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
        generations = np.array([self._generation, self._settings], np.int64)
        facts = self._facts
        arrays = {"ids": facts.ids, "table": facts.table, "made": generations}
        index.array_cache.save(_SNAPSHOT, self._content, arrays)

    def _row(self, note: NoteBasics, daily: DailyNotes, templates: str | None) -> tuple[float, ...]:
        unknown = float("nan")
        stated = stated_time(note.path, note.properties, daily)
        modified = modified_time(note.properties, note.modified)
        return (
            unknown if note.created is None else note.created,
            unknown if modified is None else modified,
            float(daily.holds(note.path, note.properties)),
            float(not self._shelved_statuses.isdisjoint(_values(note.properties, "status"))),
            unknown if stated is None else stated,
            _is_template(note.path, templates),
            float(not self._types.isdisjoint(_values(note.properties, "type"))),
        )


def _is_template(path: str, setting: str | None) -> float:
    """1 for a note in a folder of templates, or with a name like `Meeting template`; else 0."""
    *folders, name = path.casefold().removesuffix(".md").split("/")
    if name.endswith((" template", " vorlage", "-template", "_template")):
        return 1.0
    if any(folder.strip("_ 0123456789-.") in TEMPLATE_FOLDERS for folder in folders):
        return 1.0
    return float(setting is not None and path.startswith(f"{setting}/"))


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


def _values(properties: Mapping[str, PropertyValue], wanted: str) -> Collection[str]:
    """The values of a property, folded; of links what they show."""
    for name, value in properties.items():
        if name.casefold() == wanted:
            values = value if isinstance(value, tuple) else (value,)
            return {
                link_label(value).strip().casefold() for value in values if isinstance(value, str)
            }
    return ()
