"""Past searches in the terminal: `notewell log` and `verdict`."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

import click

from notewell.base.types import VaultRecord, Verdict
from notewell.contract.log import (
    ClearedReply,
    ClearLogRequest,
    LoggedQuery,
    LogReply,
    LogRequest,
    VerdictReply,
    VerdictRequest,
)
from notewell.doors.cli.asking import request_option
from notewell.doors.cli.backends import answer, backend_for, note_path, print_reply
from notewell.doors.cli.completion import complete_notes
from notewell.doors.cli.options import (
    Command,
    Group,
    current_invocation,
    json_option,
    vault_option,
)
from notewell.doors.cli.output import local_time, print_table

_LOGGED = 10  # results that the log keeps of a search, at most
_WORDS: dict[Verdict, str] = {"this_was_it": "yes", "never_for_this": "never"}


@click.group(cls=Group, invoke_without_command=True)
@vault_option
@request_option(LogRequest, "limit", default=20)
@request_option(
    LogRequest,
    "since",
    type=click.DateTime(),
    metavar="TIME",
    help="Only searches from this time on, such as 2026-03-01.",
)
@json_option
@click.pass_context
def log(
    ctx: click.Context, *, vault: str | None, limit: int, since: datetime | None, as_json: bool
) -> None:
    """Show past searches, what was opened, and the verdicts.

    The log stays on this computer, outside the vault. `log.queries = false` switches it off.
    """
    if ctx.invoked_subcommand is not None:
        return
    current_invocation().start_logging()
    start = None if since is None else since.astimezone()
    answer(vault, LogRequest(limit, start), _show_log, as_json=as_json)


@log.command()
@vault_option
@request_option(
    ClearLogRequest,
    "keep_verdicts",
    "--keep-verdicts/--verdicts",
    help="Keep the verdicts, which you made by hand, or delete them too.  [default: keep]",
    show_default=False,
)
@json_option
def clear(vault: str | None, keep_verdicts: bool, as_json: bool) -> None:
    """Delete the log of searches and of what was opened."""
    with backend_for(current_invocation(), vault) as (record, backend):
        show = partial(_show_cleared, record)
        print_reply(backend, ClearLogRequest(keep_verdicts), show, as_json=as_json)


def _show_cleared(record: VaultRecord, cleared: ClearedReply) -> None:
    current_invocation().say(
        f"{record.name}: deleted {cleared.queries:,} searches, {cleared.opened:,} openings and"
        f" {cleared.verdicts:,} verdicts."
    )


@click.command(cls=Command)
@click.argument("query")
@click.argument("note", shell_complete=complete_notes)
@click.option("--yes", "verdict", flag_value="this_was_it", help="NOTE is what QUERY looks for.")
@click.option("--never", "verdict", flag_value="never_for_this", help="Never show NOTE for QUERY.")
@click.option("--clear", "verdict", flag_value="clear", help="Remove an earlier verdict.")
@vault_option
@json_option
def verdict(
    *,
    query: str,
    note: str,
    verdict: Verdict | Literal["clear"] | None,
    vault: str | None,
    as_json: bool,
) -> None:
    """Record whether NOTE is the answer to QUERY.

    `notewell eval --golden` measures the search on the queries with verdicts. With --never, the
    note is left out of the results of exactly this query from now on.
    """
    if verdict is None or not query.strip():
        raise click.UsageError("Give a QUERY, a NOTE, and one of --yes, --never and --clear.")
    with backend_for(current_invocation(), vault) as (record, backend):
        path = note_path(note, record, cwd=Path.cwd())
        request = VerdictRequest(query, path, verdict)
        print_reply(backend, request, _show_verdict, as_json=as_json)


def _show_verdict(reply: VerdictReply) -> None:
    word = None if reply.verdict is None else _WORDS[reply.verdict]
    current_invocation().say(
        f"{reply.path}: {f'{word}, for this query' if word else 'no verdict'}."
    )


def _show_log(log: LogReply) -> None:
    if log.entries:
        rows = [_row(entry) for entry in log.entries]
        print_table(("when", "door", "mode", "found", "query", "opened"), rows, right=("found",))
    if log.verdicts:
        click.echo()
        verdicts = [(_WORDS[judged.verdict], judged.query, judged.path) for judged in log.verdicts]
        print_table(("verdict", "query", "note"), verdicts)
    shown = f"{len(log.entries):,} of {log.total:,} searches"
    current_invocation().say(shown if log.enabled else f"{shown}; the log is off (log.queries)")


def _row(entry: LoggedQuery) -> tuple[str, ...]:
    opened = ", ".join(f"{result.path} (#{result.rank or '?'})" for result in entry.opened)
    total = len(entry.results)
    count = f"{total}" if total < _LOGGED else f"{_LOGGED}+"
    return (local_time(entry.at), entry.door, entry.mode, count, entry.query, opened)
