"""`notewell runs`: what works on a vault, what did, and what comes next."""

from __future__ import annotations

import click

from notewell.contract.runs import CancelRun, RunRequest, RunsReply, RunsRequest
from notewell.doors.cli.backend import answer
from notewell.doors.cli.options import Group, current_invocation, json_option, vault_option
from notewell.doors.cli.output import counted, local_time, print_table
from notewell.doors.cli.progress import counts_text, show_run
from notewell.doors.cli.request_options import request_argument, request_options


@click.group(cls=Group)
def runs() -> None:
    """Show what works on a vault, and what did: the last 100 runs are known.

    Indexing, checks of the whole vault, the extraction and care of gleanings, plans of the gardener
    and synchronisation are runs. The settings `schedule.*` start them at their times.
    """


@runs.command(name="list")
@request_options(RunsRequest, "limit")
@vault_option
@json_option
def list_runs(*, limit: int, vault: str | None, as_json: bool) -> None:
    """List the newest runs, and what is due next."""
    answer(vault, RunsRequest(limit), _show_list, as_json=as_json)


@runs.command()
@request_argument(RunRequest, "id", "ID")
@vault_option
@json_option
def show(*, id: str, vault: str | None, as_json: bool) -> None:  # noqa: A002 - the contract's name
    """Show one run: what started it, what it did, its first errors."""
    answer(vault, RunRequest(id), show_run, as_json=as_json)


@runs.command()
@request_argument(CancelRun, "id", "ID")
@vault_option
@json_option
def cancel(*, id: str, vault: str | None, as_json: bool) -> None:  # noqa: A002 - as above
    """Stop a run at its next item; what it has done stays."""
    answer(vault, CancelRun(id), show_run, as_json=as_json)


def _show_list(reply: RunsReply) -> None:
    rows = [
        (one.id, one.kind, one.trigger, local_time(one.started), one.result, counts_text(one))
        for one in reply.runs
    ]
    if rows:
        print_table(("id", "run", "started by", "started", "result", "what"), rows, right=("id",))
    for due in reply.next:
        current_invocation().say(f"next {due.what}: {local_time(due.at)}")
    current_invocation().say(counted(len(rows), "run"))
