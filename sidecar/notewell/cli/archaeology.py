"""`notewell archaeology`: a topic over time, drawn as a chart."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date

import click

from notewell.cli.backend import answers
from notewell.cli.documents import parse
from notewell.cli.documents_explore import ArchaeologyDocument, BucketDocument
from notewell.cli.options import Command, invocation, json_option, vault_option
from notewell.cli.output import clean, emit, print_table, stdout_console
from notewell.contract import explore as questions

_WIDEST = 60  # columns of the longest bar, however wide the terminal is
_PEAK_NOTES = 3


@click.command(cls=Command)
@click.argument("topic")
@vault_option
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=200, show_default=True, help="Most notes."
)
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    help="From which score a note is about TOPIC; the best note has 1.",
)
@click.option(
    "--by",
    type=click.Choice(["auto", "created", "modified"]),
    default="auto",
    show_default=True,
    help="Which of a note's dates counts.",
)
@click.option(
    "--granularity",
    type=click.Choice(["auto", "day", "week", "month"]),
    default="auto",
    show_default=True,
    help="What one bar stands for.",
)
@json_option
def archaeology(
    *,
    topic: str,
    vault: str | None,
    limit: int,
    min_score: float | None,
    by: questions.DatedBy,
    granularity: questions.Granularity,
    as_json: bool,
) -> None:
    """Show when TOPIC was on your mind.

    TOPIC is a query. Notes are dated by the day of a daily note, by their properties `created` and
    `modified`, else by their file.
    """
    question = questions.ArchaeologyRequest(topic, limit, min_score, by, granularity)
    with answers(invocation(), vault) as (_, source):
        document = source.document(question)
    if as_json:
        emit(document)
        return
    found = parse(document, ArchaeologyDocument)
    invocation().warn(found["warnings"])
    _print(found)
    invocation().say(_summary(found))


def _print(found: ArchaeologyDocument) -> None:
    if not found["buckets"]:
        click.echo("Nothing found.")
        return
    for line in chart(found["buckets"], found["granularity"], width=stdout_console().width):
        click.echo(line)
    peaks = [
        (note["date"], f"{note['title']}  {note['path']}")
        for peak in found["peaks"]
        for note in peak["notes"][:_PEAK_NOTES]
    ]
    if peaks:
        click.echo()
        print_table(("peak", "note"), peaks)


def chart(buckets: list[BucketDocument], granularity: str, *, width: int) -> Iterator[str]:
    """A line a bucket, and one for each pause between them, none wider than `width` allows."""
    block = "█" if "utf" in (sys.stdout.encoding or "").lower() else "#"
    most = max(one["count"] for one in buckets)
    digits = len(f"{most:,}")
    widest = max(1, min(_WIDEST, most, width - len("2026-01-01") - digits - 3))
    before: date | None = None
    for one in buckets:
        start = date.fromisoformat(one["start"])
        if before is not None and (pause := _pause(before, start, granularity)):
            yield f"{'':10}  {pause}"[:width]
        label = one["start"][:7] if granularity == "month" else one["start"]
        bar = block * max(1, round(one["count"] / most * widest))
        yield f"{label:10} {one['count']:>{digits},} {bar}"
        before = date.fromisoformat(one["end"])


def _pause(before: date, start: date, granularity: str) -> str:
    """How long nothing was, between the last day of a bucket and the first of the next."""
    days = (start - before).days - 1
    if days <= 0:
        return ""
    if granularity == "month":
        count = (start.year - before.year) * 12 + start.month - before.month - 1
    else:
        count = days // 7 if granularity == "week" else days
    return f"({count} {granularity}{'s' * (count != 1)} without)"


def _summary(found: ArchaeologyDocument) -> str:
    if found["first"] is None:
        return "0 notes"
    times = len(found["intervals"])
    undated = f", {found['undated']:,} without a date" if found["undated"] else ""
    when = f"{clean(found['first'])} to {clean(found['last'] or '')}"
    return f"{found['total']:,} notes from {when}, in {times} time{'s' * (times != 1)}{undated}"
