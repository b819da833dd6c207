"""`notewell archaeology`: a topic over time, drawn as a chart; and its tool for assistants."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

import click

from notewell.api.commands import Say, asking, clean, print_table, warn
from notewell.api.tools import (
    CITE,
    QUERY,
    Argument,
    ArgumentChange,
    Document,
    PromptText,
    ToolContext,
    pick,
    tool_of,
)
from notewell.doors.cli.output import width
from notewell.features.archaeology.requests import ArchaeologyReply, ArchaeologyRequest, Bucket

_WIDEST = 60  # columns of the longest bar, however wide the terminal is
_PEAK_NOTES = 3


def _print(reply: ArchaeologyReply) -> None:
    if not reply.buckets:
        click.echo("Nothing found.")
        return
    for line in chart(reply.buckets, reply.granularity, width=width()):
        click.echo(line)
    peaks = [
        (note.date, f"{note.title}  {note.path}")
        for peak in reply.peaks
        for note in peak.notes[:_PEAK_NOTES]
    ]
    if peaks:
        click.echo()
        print_table(("peak", "note"), peaks)


def chart(buckets: Sequence[Bucket], granularity: str, *, width: int) -> Iterator[str]:
    """Draw a line for each bucket and for each pause between them, none wider than `width`."""
    block = "█" if "utf" in (sys.stdout.encoding or "").lower() else "#"
    most = max(bucket.count for bucket in buckets)
    digits = len(f"{most:,}")
    widest = max(1, min(_WIDEST, most, width - len("2026-01-01") - digits - 3))
    before: date | None = None
    for bucket in buckets:
        start = date.fromisoformat(bucket.start)
        if before is not None and (pause := _pause(before, start, granularity)):
            yield f"{'':10}  {pause}"[:width]
        label = bucket.start[:7] if granularity == "month" else bucket.start
        bar = block * max(1, round(bucket.count / most * widest))
        yield f"{label:10} {bucket.count:>{digits},} {bar}"
        before = date.fromisoformat(bucket.end)


def _pause(before: date, start: date, granularity: str) -> str:
    """Say how long nothing was written, from one bucket's last day to the first of the next."""
    days = (start - before).days - 1
    if days <= 0:
        return ""
    if granularity == "month":
        count = (start.year - before.year) * 12 + start.month - before.month - 1
    else:
        count = days // 7 if granularity == "week" else days
    return f"({count} {granularity}{'s' * (count != 1)} without)"


def _summary(reply: ArchaeologyReply) -> str:
    if reply.first is None:
        return "0 notes"
    times = len(reply.intervals)
    undated = f", {reply.undated:,} without a date" if reply.undated else ""
    when = f"{clean(reply.first)} to {clean(reply.last or '')}"
    return f"{reply.total:,} notes from {when}, in {times} time{'s' * (times != 1)}{undated}"


archaeology = asking(
    "archaeology",
    ArchaeologyRequest,
    """Show when you wrote about TOPIC.

    TOPIC is a query. A note's date is that of a daily note, else its property `created` or
    `modified`, else that of its file.
    """,
    warn,
    _print,
    Say(_summary),
    arguments={"q": "TOPIC"},
    options=("vault", "limit", "min_score", "weak", "by", "granularity"),
)


# The tool and the prompt of assistants.

_SHOWN_NOTES = 3  # of a peak


def _timeline(reply: ArchaeologyReply) -> Document:
    return {
        **pick(reply, "first", "last", "total", "undated", "granularity"),
        **pick(reply, "intervals", "gaps", "warnings"),
        "peaks": [
            {
                **pick(peak, "start", "end", "count"),
                "notes": [note.path for note in peak.notes[:_SHOWN_NOTES]],
            }
            for peak in reply.peaks
        ],
        "notes": [pick(note, "date", "path", "score") for note in reply.notes],
    }


def _history(_context: ToolContext, given: Mapping[str, str]) -> str:
    return (
        f"When, and in which phases, did I write about: {given['topic']}\n\n"
        "Use `archaeology`, then read the notes of the peaks. Answer with a timeline: what was"
        f" thought when, what changed, what was left open. {CITE}"
    )


TOOLS = (
    tool_of(
        ArchaeologyRequest,
        "A topic over time",
        "When a topic was written about: periods of activity, pauses, peaks, dated notes.",
        fields=("q", "limit", "granularity"),
        changes={"q": QUERY, "limit": ArgumentChange(default=100)},
        shows=_timeline,
        cut=("notes", "peaks", "gaps", "intervals"),
    ),
    PromptText(
        "topic_history",
        "History of a topic",
        "How a topic developed over time",
        (Argument("topic", "What it is about"),),
        _history,
    ),
)
