"""Dates of notes: the one that a note itself states, and how near notes are to a period.

One order of sources for filters, timelines and lifts: the day of a daily note, a property, a date
in the file name. The times of a file come last: a copy or a checkout of a vault sets them all anew.
Of them the time of the last change is used, which copies keep more often than that of creation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta

import numpy as np
import numpy.typing as npt

from notewell.base.types import DateSource, FloatArray, PropertyValue
from notewell.search import dates
from notewell.vault.daily import DailyNotes, day_in_name
from notewell.vault.properties import CREATED_KEYS, MODIFIED_KEYS, date_of, fold

PROPERTIES = (*CREATED_KEYS, "day")
FILE_TIMES = 0.5  # what a file's time counts, compared with a date that the note states
OUTSIDE = 0.5  # what a time just outside of the period counts, compared with one within it
_ZONE = re.compile(r":\d{2}(?:[.,]\d+)?\s?(?:Z|[+-]\d{2}:?\d{2})", re.IGNORECASE)
_MAY_BE_DATE = re.compile("creat|date|day", re.IGNORECASE)  # quicker than to fold all names
_MAY_BE_CHANGE = re.compile("modif|update|lastmod", re.IGNORECASE)
_DAY = 86_400.0
_LEAST = 0.05  # a lift below it is none

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
        found = find()
        if found is not None:
            return found, source
    return None


def stated_time(
    path: str, properties: Mapping[str, PropertyValue], daily: DailyNotes
) -> float | None:
    """The time that a note states for itself, in POSIX seconds; None if it states none.

    A property may have a time of day; what it says without a time zone is local time. A day begins
    at its local midnight.
    """
    found = stated_day(path, properties, daily)
    if found is None:
        return None
    day, source = found
    moment = _moment(properties, PROPERTIES) if source == "created" else None
    try:
        if moment is None:
            return dates.days(day, day + timedelta(days=1)).start
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
    """How near notes are to the period [start, end): 1 within it, 0 far from it or unknown, (n,).

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
