"""`notewell history`: what a note once said."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.api.commands import (
    QueryCommand,
    backend_for,
    clean_lines,
    current_invocation,
    format_count,
    json_option,
    note_path,
    print_reply,
    request_options,
    vault_option,
)
from notewell.doors.cli.asking import query_argument
from notewell.doors.cli.completion import complete_notes
from notewell.doors.cli.output import local_time
from notewell.features.history.requests import HistoryReply, HistoryRequest

ALL_NOTES = "."


@click.command(cls=QueryCommand)
@click.argument("note", metavar="NOTE", shell_complete=complete_notes)
@query_argument(HistoryRequest)
@request_options(HistoryRequest, "limit")
@vault_option
@json_option
def history(*, note: str, q: str, limit: int, vault: str | None, as_json: bool) -> None:
    """Show the changes of NOTE whose lines match QUERY, and when it was first written.

    NOTE is a path, or `.` for all notes; the vault is a git repository. `notewell search --as-of`
    and `--ever` search the past.
    """
    with backend_for(current_invocation(), vault) as (record, backend):
        path = None if note == ALL_NOTES else note_path(note, record, cwd=Path.cwd())
        print_reply(backend, HistoryRequest(q, path, limit), _print, as_json=as_json)


def _print(reply: HistoryReply) -> None:
    for version in reply.versions:
        click.echo(clean_lines(f"{local_time(version.at)}  {version.path}  {version.commit[:8]}"))
        click.echo(clean_lines(f"  {version.subject}"))
        for sign, lines in (("+", version.added), ("-", version.removed)):
            for line in lines:
                click.echo(clean_lines(f"  {sign} {line}"))
    first = f", first written {local_time(reply.first.at)}" if reply.first is not None else ""
    for warning in reply.warnings:
        current_invocation().say(warning)
    current_invocation().say(f"{format_count(reply.total, 'change')}{first}")
