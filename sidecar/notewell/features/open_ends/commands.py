"""`notewell open-ends`: what was left open, by week; and the tool of assistants."""

from __future__ import annotations

import click

from notewell.api.commands import Say, asking, clean, clean_lines, group
from notewell.api.tools import Document, pick, tool_of
from notewell.features.open_ends.requests import DismissOpenEnd, OpenEndsReply, OpenEndsRequest


def _print(reply: OpenEndsReply) -> None:
    for week in reply.weeks:
        click.echo(f"Week of {week.start}")
        for end in week.ends:
            click.echo(f"  {end.kind:<8}  {clean(end.text)}")
            click.echo(clean_lines(f"            {end.path}:{end.line}  {end.id}"))


open_ends = group(
    "open-ends",
    """Find what your notes promise, decide or ask, and never take up again.

    `notewell open-ends list --kind asked`
    """,
    asking(
        "list",
        OpenEndsRequest,
        "List sentences that were left open, by week, the newest first.",
        _print,
        Say("{total:count open end}, {dismissed} dismissed"),
        options=("kind", "folder", "limit"),
    ),
    asking(
        "dismiss",
        DismissOpenEnd,
        "Show the open end ID no longer; with --no-dismissed, show it again.",
        Say("{total:count open end}, {dismissed} dismissed"),
        arguments={"id": "ID"},
        options=("dismissed",),
    ),
)


def _document(reply: OpenEndsReply) -> Document:
    return {
        "weeks": [
            {
                "start": week.start,
                "ends": [pick(end, "kind", "text", "path", "line") for end in week.ends],
            }
            for week in reply.weeks
        ],
        "total": reply.total,
    }


TOOLS = (
    tool_of(
        OpenEndsRequest,
        "Open ends",
        "Sentences of the notes that promise, decide or ask something and were left open, by week.",
        fields=("kind", "folder", "limit"),
        shows=_document,
        cut=("weeks",),
    ),
)
