"""When a topic was on somebody's mind: what a search finds, laid out over time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Literal

from notewell.contract.explore import (
    ArchaeologyReply,
    ArchaeologyRequest,
    Bucket,
    DatedBy,
    DatedNote,
    DateSource,
    Gap,
    Interval,
    Peak,
)
from notewell.contract.search import Result, SearchReply, SearchRequest
from notewell.vault.daily import DailyNotes, day_in_name
from notewell.vault.properties import CREATED_KEYS, MODIFIED_KEYS, date_of, fold

Unit = Literal["day", "week", "month"]

# Spans up to these many days are looked at by day and by week: about sixty and a hundred buckets.
_BY_DAY, _BY_WEEK = 62, 730
# A pause of more days than these is a gap: one that is seen at that granularity.
_PAUSE: Mapping[Unit, int] = {"day": 4, "week": 28, "month": 92}
_PEAKS = 5
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class DaySpan:
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
    buckets: tuple[DaySpan, ...]
    intervals: tuple[DaySpan, ...]
    gaps: tuple[DaySpan, ...]
    peaks: tuple[DaySpan, ...]


def timeline(days: Iterable[date], unit: Unit | None = None) -> Timeline:
    """The timeline of moments on these days; without a `unit`, by one that suits their span."""
    counts = Counter(days)
    if not counts:
        return Timeline(unit or "day", (), (), (), ())
    unit = unit or _fitting(min(counts), max(counts))
    filled: Counter[tuple[date, date]] = Counter()
    for day, count in counts.items():
        filled[bucket(day, unit)] += count
    buckets = tuple(DaySpan(start, end, filled[start, end]) for start, end in sorted(filled))
    intervals = _intervals(counts, _PAUSE[unit])
    gaps = tuple(
        DaySpan(before.end + _DAY, after.start - _DAY, 0) for before, after in pairwise(intervals)
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


def _intervals(counts: Mapping[date, int], pause: int) -> tuple[DaySpan, ...]:
    intervals: list[DaySpan] = []
    for day in sorted(counts):
        last = intervals[-1] if intervals else None
        if last is not None and (day - last.end).days - 1 <= pause:
            intervals[-1] = DaySpan(last.start, day, last.count + counts[day])
        else:
            intervals.append(DaySpan(day, day, counts[day]))
    return tuple(intervals)


def _peaks(buckets: tuple[DaySpan, ...], unit: Unit) -> tuple[DaySpan, ...]:
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


# Of the best note's score, from which a note is about the topic. On a vault of 6,571 notes eight
# topics have 25 to 60 notes above it, and what follows shares single words with the query.
RELEVANT = 0.25


def archaeology(
    asked: ArchaeologyRequest,
    search: Callable[[SearchRequest], SearchReply],
    daily: DailyNotes,
) -> ArchaeologyReply:
    """Search for the topic, date what is found, say when it was much and when nothing."""
    bar = RELEVANT if asked.min_score is None else asked.min_score
    found = search(SearchRequest(asked.q, limit=asked.limit, min_score=bar, everything=True))
    dated = [pair for one in found.results if (pair := _dated(one, asked.by, daily)) is not None]
    dated.sort(key=lambda pair: (pair[0], -pair[1].score, pair[1].path))
    days = [day for day, _ in dated]
    times = timeline(days, None if asked.granularity == "auto" else asked.granularity)
    warnings = list(found.warnings)
    if found.total > len(found.results):
        warnings.append(
            f"Only the {len(found.results):,} most relevant of {found.total:,} notes were dated;"
            " raise limit or min_score."
        )
    return ArchaeologyReply(
        query=asked.q,
        vault=found.vault,
        generation=found.generation,
        by=asked.by,
        granularity=times.unit,
        min_score=bar,
        total=found.total,
        undated=len(found.results) - len(dated),
        first=days[0].isoformat() if days else None,
        last=days[-1].isoformat() if days else None,
        intervals=tuple(Interval(*_ends(one), one.count) for one in times.intervals),
        gaps=tuple(Gap(*_ends(one), (one.end - one.start).days + 1) for one in times.gaps),
        peaks=_contract_peaks(times, dated),
        buckets=tuple(Bucket(*_ends(one), one.count) for one in times.buckets),
        notes=tuple(note for _, note in dated),
        warnings=tuple(warnings),
    )


def _ends(one: DaySpan) -> tuple[str, str]:
    return one.start.isoformat(), one.end.isoformat()


def _contract_peaks(times: Timeline, dated: list[tuple[date, DatedNote]]) -> tuple[Peak, ...]:
    return tuple(
        Peak(
            *_ends(one),
            one.count,
            tuple(
                sorted(
                    (note for day, note in dated if one.start <= day <= one.end),
                    key=lambda note: (-note.score, note.path),
                )
            ),
        )
        for one in times.peaks
    )


def _dated(one: Result, by: DatedBy, daily: DailyNotes) -> tuple[date, DatedNote] | None:
    """The note with its day; None where it has none."""
    found = day_of(one, by, daily)
    if found is None:
        return None
    day, source = found
    note = DatedNote(
        date=day.isoformat(),
        dated_by=source,
        path=one.path,
        title=one.title,
        heading=one.heading,
        line=one.line,
        snippet=one.snippet,
        score=one.score,
        uri=one.uri,
    )
    return day, note


def day_of(one: Result, by: DatedBy, daily: DailyNotes) -> tuple[date, DateSource] | None:
    """The day of a note and where it is from.

    The day of a daily note, the property `created`, a date in the file's name, the property
    `modified`, the file's time: the first that there is, of those that `by` asks for. A date
    without a zone is that very day, everywhere; a file's time is a day where this runs.
    """
    written = one.created or one.modified if by == "created" else one.modified
    tries: list[tuple[DateSource, Callable[[], date | None]]] = [
        ("daily", lambda: daily.day(one.path, one.properties)),
        ("created", lambda: _stated(one, CREATED_KEYS)),
        ("name", lambda: day_in_name(one.path)),
        ("modified", lambda: _stated(one, MODIFIED_KEYS)),
        ("file", lambda: _of_file(written)),
    ]
    unwanted = {"auto": (), "created": ("modified",), "modified": ("daily", "created", "name")}[by]
    for source, find in tries:
        if source not in unwanted and (day := find()) is not None:
            return day, source
    return None


def _stated(one: Result, names: tuple[str, ...]) -> date | None:
    moment = date_of(fold(one.properties), names)
    return None if moment is None else _day(moment, UTC)


def _of_file(written: str | None) -> date | None:
    return None if written is None else _day(datetime.fromisoformat(written).timestamp(), None)


def _day(moment: float, zone: tzinfo | None) -> date | None:
    """The day of a moment in a zone; None: the local one."""
    try:
        return datetime.fromtimestamp(moment, zone).date()
    except (OverflowError, OSError, ValueError):
        return None
