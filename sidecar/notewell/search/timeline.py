"""Days in a row: how often, with which pauses, and when most.

Buckets are days, weeks from Monday on, or calendar months.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Literal

Unit = Literal["day", "week", "month"]

# Spans up to these many days are looked at by day and by week: about sixty and a hundred buckets.
_BY_DAY, _BY_WEEK = 62, 730
# A pause of more days than these is a gap: one that is seen at that granularity.
_PAUSE: Mapping[Unit, int] = {"day": 4, "week": 28, "month": 92}
_PEAKS = 5
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of days, both ends included, and how many moments lie in it."""

    start: date
    end: date
    count: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """Moments over time. `buckets` and `intervals` are in order; `peaks` strongest first.

    `gaps` are the long pauses between intervals; nothing lies in them.
    """

    unit: Unit
    buckets: tuple[Stretch, ...]
    intervals: tuple[Stretch, ...]
    gaps: tuple[Stretch, ...]
    peaks: tuple[Stretch, ...]


def timeline(days: Iterable[date], unit: Unit | None = None) -> Timeline:
    """The timeline of moments on these days; without a `unit`, by one that suits their span."""
    counts = Counter(days)
    if not counts:
        return Timeline(unit or "day", (), (), (), ())
    unit = unit or _fitting(min(counts), max(counts))
    filled: Counter[tuple[date, date]] = Counter()
    for day, count in counts.items():
        filled[bucket(day, unit)] += count
    buckets = tuple(Stretch(start, end, filled[start, end]) for start, end in sorted(filled))
    intervals = _intervals(counts, _PAUSE[unit])
    gaps = tuple(
        Stretch(before.end + _DAY, after.start - _DAY, 0) for before, after in pairwise(intervals)
    )
    return Timeline(unit, buckets, intervals, gaps, _peaks(buckets, unit))


def bucket(day: date, unit: Unit) -> tuple[date, date]:
    """First and last day of the day's bucket, as far as the calendar goes."""
    if unit == "day":
        return day, day
    if unit == "week":
        first = max(day.toordinal() - day.weekday(), date.min.toordinal())
        last = min(day.toordinal() - day.weekday() + 6, date.max.toordinal())
        return date.fromordinal(first), date.fromordinal(last)
    start = day.replace(day=1)
    if (day.year, day.month) == (date.max.year, 12):
        return start, date.max
    return start, (start + timedelta(days=32)).replace(day=1) - _DAY


def _fitting(first: date, last: date) -> Unit:
    span = (last - first).days
    if span <= _BY_DAY:
        return "day"
    return "week" if span <= _BY_WEEK else "month"


def _intervals(counts: Mapping[date, int], pause: int) -> tuple[Stretch, ...]:
    intervals: list[Stretch] = []
    for day in sorted(counts):
        last = intervals[-1] if intervals else None
        if last is not None and (day - last.end).days - 1 <= pause:
            intervals[-1] = Stretch(last.start, day, last.count + counts[day])
        else:
            intervals.append(Stretch(day, day, counts[day]))
    return tuple(intervals)


def _peaks(buckets: tuple[Stretch, ...], unit: Unit) -> tuple[Stretch, ...]:
    """Buckets of more than one moment that stand out by a standard deviation, empty ones counted.

    Where all are alike none does, unless there is only one.
    """
    spanned = _spanned(buckets[0].start, buckets[-1].start, unit)
    mean = sum(one.count for one in buckets) / spanned
    variance = sum(one.count**2 for one in buckets) / spanned - mean**2
    bar = mean + math.sqrt(max(0.0, variance))
    out = [one for one in buckets if one.count > 1 and (one.count > bar or spanned == 1)]
    out.sort(key=lambda one: (-one.count, -one.start.toordinal()))
    return tuple(out[:_PEAKS])


def _spanned(first: date, last: date, unit: Unit) -> int:
    """How many buckets there are from one to another, both included."""
    if unit == "month":
        return (last.year - first.year) * 12 + last.month - first.month + 1
    return math.ceil((last - first).days / (7 if unit == "week" else 1)) + 1
