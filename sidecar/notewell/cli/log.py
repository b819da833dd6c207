"""`notewell log` and `notewell verdict`: what was searched for, and whether it was found."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from notewell.cli.backend import answers
from notewell.cli.documents import (
    ClearedDocument,
    LogDocument,
    LoggedQueryDocument,
    parse,
)
from notewell.cli.options import Command, Group, invocation, json_option, vault_option
from notewell.cli.output import emit, print_table
from notewell.cli.search import note_path
from notewell.contract.log import ClearLogRequest, LogRequest, VerdictRequest
from notewell.types import Verdict

if TYPE_CHECKING:
    from notewell.types import Verdict

_LOGGED = 10  # results that the log keeps of a search, at most
_WORDS = {"this_was_it": "yes", "never_for_this": "never"}


@click.group(cls=Group, invoke_without_command=True)
@vault_option
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Most searches."
)
@click.option(
    "--since", type=click.DateTime(), metavar="TIME", help="Only from then on: 2026-03-01."
)
@json_option
@click.pass_context
def log(
    ctx: click.Context, *, vault: str | None, limit: int, since: datetime | None, as_json: bool
) -> None:
    """Show what was searched for, what was opened, and the verdicts.

    The log stays on this computer, outside the vault. `log.queries = false` switches it off.
    """
    if ctx.invoked_subcommand is not None:
        return
    invocation().start_logging()
    start = None if since is None else since.astimezone()
    with answers(invocation(), vault) as (_, source):
        document = source.document(LogRequest(limit, start))
    if as_json:
        emit(document)
        return
    _print(parse(document, LogDocument))


@log.command()
@vault_option
@click.option("--keep-verdicts", is_flag=True, help="Delete all but the verdicts.")
@json_option
def clear(vault: str | None, keep_verdicts: bool, as_json: bool) -> None:
    """Delete the log."""
    with answers(invocation(), vault) as (record, source):
        document = source.document(ClearLogRequest(keep_verdicts))
    if as_json:
        emit(document)
        return
    gone = parse(document, ClearedDocument)
    invocation().say(
        f"{record.name}: deleted {gone['queries']:,} searches, {gone['opened']:,} openings and"
        f" {gone['verdicts']:,} verdicts."
    )


@click.command(cls=Command)
@click.argument("query")
@click.argument("note")
@click.option("--yes", "said", flag_value="this_was_it", help="NOTE is what QUERY looks for.")
@click.option("--never", "said", flag_value="never_for_this", help="Never show NOTE for QUERY.")
@click.option("--clear", "said", flag_value="clear", help="Take back what was said.")
@vault_option
@json_option
def verdict(
    *, query: str, note: str, said: Verdict | str | None, vault: str | None, as_json: bool
) -> None:
    """Say whether NOTE is the answer to QUERY.

    Verdicts make the queries that `notewell eval --golden` measures the search on. With --never,
    this very query leaves the note out from now on.
    """
    told: dict[str | None, Verdict | Literal["clear"]] = {
        "this_was_it": "this_was_it",
        "never_for_this": "never_for_this",
        "clear": "clear",
    }
    if said not in told or not query.strip():
        raise click.UsageError("Give a QUERY, a NOTE, and one of --yes, --never and --clear.")
    with answers(invocation(), vault) as (record, source):
        path = note_path(note, record, cwd=Path.cwd())
        document = source.document(VerdictRequest(query, path, told[said]))
    if as_json:
        emit(document)
        return
    kept = _WORDS.get(str(said))
    invocation().say(f"{path}: {f'{kept}, for this query' if kept else 'no verdict any more'}.")


def _print(book: LogDocument) -> None:
    if book["entries"]:
        rows = [_row(entry) for entry in book["entries"]]
        print_table(("when", "door", "mode", "found", "query", "opened"), rows, right=("found",))
    if book["verdicts"]:
        click.echo()
        verdicts = [(_WORDS[one["verdict"]], one["query"], one["path"]) for one in book["verdicts"]]
        print_table(("verdict", "query", "note"), verdicts)
    shown = f"{len(book['entries']):,} of {book['total']:,} searches"
    invocation().say(shown if book["enabled"] else f"{shown}; the log is off (log.queries)")


def _row(entry: LoggedQueryDocument) -> tuple[str, ...]:
    when = datetime.fromisoformat(entry["at"]).astimezone()
    opened = ", ".join(f"{one['path']} (#{one['rank'] or '?'})" for one in entry["opened"])
    found = len(entry["results"])
    count = f"{found}" if found < _LOGGED else f"{_LOGGED}+"
    return (f"{when:%Y-%m-%d %H:%M}", entry["door"], entry["mode"], count, entry["query"], opened)
