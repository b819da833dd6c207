"""When a topic was on somebody's mind: what a search finds, laid out over time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, tzinfo

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
from notewell.search.timeline import Stretch, Timeline, timeline
from notewell.vault.daily import DailyNotes, day_in_name
from notewell.vault.properties import CREATED_KEYS, MODIFIED_KEYS, date_of, fold

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
        peaks=_peaks(times, dated),
        buckets=tuple(Bucket(*_ends(one), one.count) for one in times.buckets),
        notes=tuple(note for _, note in dated),
        warnings=tuple(warnings),
    )


def _ends(one: Stretch) -> tuple[str, str]:
    return one.start.isoformat(), one.end.isoformat()


def _peaks(times: Timeline, dated: list[tuple[date, DatedNote]]) -> tuple[Peak, ...]:
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
