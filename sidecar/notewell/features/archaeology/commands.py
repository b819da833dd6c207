"""`notewell archaeology`: a topic over time, drawn as a chart."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import date

import click

from notewell.doors.cli.asking import Say, asking, warn
from notewell.doors.cli.output import clean, print_table, width
from notewell.features.archaeology.requests import ArchaeologyReply, ArchaeologyRequest, Bucket

_WIDEST = 60  # columns of the longest bar, however wide the terminal is
_PEAK_NOTES = 3


def _print(found: ArchaeologyReply) -> None:
    if not found.buckets:
        click.echo("Nothing found.")
        return
    for line in chart(found.buckets, found.granularity, width=width()):
        click.echo(line)
    peaks = [
        (note.date, f"{note.title}  {note.path}")
        for peak in found.peaks
        for note in peak.notes[:_PEAK_NOTES]
    ]
    if peaks:
        click.echo()
        print_table(("peak", "note"), peaks)


def chart(buckets: Sequence[Bucket], granularity: str, *, width: int) -> Iterator[str]:
    """Draw a line for each bucket and for each pause between them, none wider than `width`."""
    block = "█" if "utf" in (sys.stdout.encoding or "").lower() else "#"
    most = max(one.count for one in buckets)
    digits = len(f"{most:,}")
    widest = max(1, min(_WIDEST, most, width - len("2026-01-01") - digits - 3))
    before: date | None = None
    for one in buckets:
        start = date.fromisoformat(one.start)
        if before is not None and (pause := _pause(before, start, granularity)):
            yield f"{'':10}  {pause}"[:width]
        label = one.start[:7] if granularity == "month" else one.start
        bar = block * max(1, round(one.count / most * widest))
        yield f"{label:10} {one.count:>{digits},} {bar}"
        before = date.fromisoformat(one.end)


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


def _summary(found: ArchaeologyReply) -> str:
    if found.first is None:
        return "0 notes"
    times = len(found.intervals)
    undated = f", {found.undated:,} without a date" if found.undated else ""
    when = f"{clean(found.first)} to {clean(found.last or '')}"
    return f"{found.total:,} notes from {when}, in {times} time{'s' * (times != 1)}{undated}"


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
