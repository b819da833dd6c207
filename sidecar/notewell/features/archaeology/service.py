"""A topic over time: search results on a timeline with intervals, gaps and peaks.

Buckets of the timeline are days, weeks from Monday on, or calendar months.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Literal

from notewell.api import OpenFeature, OpenVault
from notewell.api.notes import DailyNotes, date_of
from notewell.api.search import Result, SearchReply, SearchRequest
from notewell.api.types import frozen
from notewell.base.types import DateSource
from notewell.features.archaeology.requests import (
    ArchaeologyReply,
    ArchaeologyRequest,
    Bucket,
    DatedBy,
    DatedNote,
    Gap,
    Interval,
    Peak,
)
from notewell.search.facts.note_facts import stated_day
from notewell.vault.properties import MODIFIED_KEYS, fold

Unit = Literal["day", "week", "month"]

# Score relative to the best note from which a note is about the topic. In a vault of 6,571 notes,
# eight topics have 25 to 60 notes above it; notes below only share single words with the query.
RELEVANT = 0.25
# Spans of up to so many days have buckets of a day or a week: about 60 and 100 buckets.
_BY_DAY, _BY_WEEK = 62, 730
# A pause of more days than this is a gap at that granularity.
_PAUSE: Mapping[Unit, int] = {"day": 4, "week": 28, "month": 92}
_PEAKS = 5
_DAY = timedelta(days=1)


@frozen
class DaySpan:
    """A span of days, both ends included, and the number of dates in it."""

    start: date
    end: date
    count: int


@frozen
class Timeline:
    """Dates over time. `buckets` and `intervals` are in order; `peaks` strongest first.

    `gaps` are the long pauses between intervals, without any date.
    """

    unit: Unit
    buckets: tuple[DaySpan, ...]
    intervals: tuple[DaySpan, ...]
    gaps: tuple[DaySpan, ...]
    peaks: tuple[DaySpan, ...]


def timeline(days: Iterable[date], unit: Unit | None = None) -> Timeline:
    """The timeline of these dates; without a `unit`, one is chosen by their span."""
    counts = Counter(days)
    if not counts:
        return Timeline(unit or "day", (), (), (), ())
    unit = unit or _suitable_unit(min(counts), max(counts))
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
    """First and last day of the bucket of a day, within the range of `date`."""
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


def _suitable_unit(first: date, last: date) -> Unit:
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
    """Buckets with more than one date and more than a standard deviation above the mean.

    Empty buckets count for the mean. A single bucket is a peak.
    """
    spanned = _span(buckets[0].start, buckets[-1].start, unit)
    mean = sum(slot.count for slot in buckets) / spanned
    variance = sum(slot.count**2 for slot in buckets) / spanned - mean**2
    threshold = mean + math.sqrt(max(0.0, variance))
    out = [slot for slot in buckets if slot.count > 1 and (slot.count > threshold or spanned == 1)]
    out.sort(key=lambda one: (-one.count, -one.start.toordinal()))
    return tuple(out[:_PEAKS])


def _span(first: date, last: date, unit: Unit) -> int:
    """The number of buckets from one to another, both included."""
    if unit == "month":
        return (last.year - first.year) * 12 + last.month - first.month + 1
    return math.ceil((last - first).days / (7 if unit == "week" else 1)) + 1


def archaeology(
    request: ArchaeologyRequest,
    search: Callable[[SearchRequest], SearchReply],
    daily: DailyNotes,
) -> ArchaeologyReply:
    """Search for the topic and arrange the dated results on a timeline."""
    threshold = RELEVANT if request.min_score is None else request.min_score
    reply = search(
        SearchRequest(
            request.q,
            limit=request.limit,
            min_score=threshold,
            everything=True,
            weak=request.weak,
            passages=0,
        )
    )
    dated = [
        pair for result in reply.results if (pair := _date(result, request.by, daily)) is not None
    ]
    dated.sort(key=lambda pair: (pair[0], -pair[1].score, pair[1].path))
    days = [day for day, _ in dated]
    times = timeline(days, None if request.granularity == "auto" else request.granularity)
    warnings = list(reply.warnings)
    total = reply.total - reply.filtered.get("weak", 0)  # of the search, before the cut
    if total > len(reply.results):
        warnings.append(
            f"Only the {len(reply.results):,} most relevant of {total:,} notes were dated;"
            " raise limit or min_score."
        )
    return ArchaeologyReply(
        query=request.q,
        vault=reply.vault,
        generation=reply.generation,
        by=request.by,
        granularity=times.unit,
        min_score=threshold,
        total=total,
        undated=len(reply.results) - len(dated),
        first=days[0].isoformat() if days else None,
        last=days[-1].isoformat() if days else None,
        intervals=tuple(
            Interval(*_iso_dates(interval), interval.count) for interval in times.intervals
        ),
        gaps=tuple(Gap(*_iso_dates(gap), (gap.end - gap.start).days + 1) for gap in times.gaps),
        peaks=_reply_peaks(times, dated),
        buckets=tuple(Bucket(*_iso_dates(slot), slot.count) for slot in times.buckets),
        notes=tuple(note for _, note in dated),
        warnings=tuple(warnings),
    )


def open_feature(vault: OpenVault) -> OpenFeature:
    """The past of a vault."""
    return OpenFeature(
        answers={
            ArchaeologyRequest: lambda one: archaeology(
                one, vault.ask, DailyNotes.read(vault.record.path)
            )
        }
    )


def _iso_dates(one: DaySpan) -> tuple[str, str]:
    return one.start.isoformat(), one.end.isoformat()


def _reply_peaks(times: Timeline, dated: list[tuple[date, DatedNote]]) -> tuple[Peak, ...]:
    return tuple(
        Peak(
            *_iso_dates(peak),
            peak.count,
            tuple(
                sorted(
                    (note for day, note in dated if peak.start <= day <= peak.end),
                    key=lambda note: (-note.score, note.path),
                )
            ),
        )
        for peak in times.peaks
    )


def _date(one: Result, by: DatedBy, daily: DailyNotes) -> tuple[date, DatedNote] | None:
    """The note with its date; None without one."""
    dated = day_of(one, by, daily)
    if dated is None:
        return None
    day, source = dated
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
    """The date of a note and its source.

    The first available of: the date of a daily note, the property `created`, a date in the file
    name, the property `modified`, the time of the file; `by` excludes some of these. A date
    without a time zone is taken as it is; the time of a file is converted to local time.
    """
    if by != "modified":
        stated = stated_day(one.path, one.properties, daily)
        if stated is not None:
            return stated
    file_time = one.created or one.modified if by == "created" else one.modified
    tries: list[tuple[DateSource, Callable[[], date | None]]] = [
        ("modified", lambda: None if by == "created" else _of_property(one, MODIFIED_KEYS)),
        ("file", lambda: _of_file(file_time)),
    ]
    for source, find in tries:
        if (day := find()) is not None:
            return day, source
    return None


def _of_property(one: Result, names: tuple[str, ...]) -> date | None:
    moment = date_of(fold(one.properties), names)
    return None if moment is None else _day(moment, UTC)


def _of_file(file_time: str | None) -> date | None:
    return None if file_time is None else _day(datetime.fromisoformat(file_time).timestamp(), None)


def _day(moment: float, zone: tzinfo | None) -> date | None:
    """The date of a POSIX time in a zone (None: local); None if it is out of range."""
    try:
        return datetime.fromtimestamp(moment, zone).date()
    except (OverflowError, OSError, ValueError):
        return None
