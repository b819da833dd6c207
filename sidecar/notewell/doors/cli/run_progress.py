"""Follow a run that a command began, to its end."""

from __future__ import annotations

import time

import click

from notewell.contract.status import (
    CancelRun,
    RunRequest,
    RunView,
)
from notewell.doors.cli.output import clean, local_time, print_facts
from notewell.engine.client import Backend

_ASK_EVERY_S = 0.2


def ended_run(backend: Backend, run: str) -> RunView:
    """Wait for the end of a run; Ctrl-C cancels it."""
    try:
        while (view := backend.answer(RunRequest(run))).result == "running":
            time.sleep(_ASK_EVERY_S)
    except KeyboardInterrupt:
        backend.answer(CancelRun(run))
        raise
    return view


def show_run(run: RunView) -> None:
    """Print one run."""
    facts = [
        ("run", f"{run.id} ({run.kind})"),
        ("started", f"{local_time(run.started)} by {run.trigger}"),
        ("ended", local_time(run.ended) or "not yet"),
        ("result", run.result),
        ("counts", counts_text(run) or "none"),
    ]
    print_facts(facts)
    for error in run.errors:
        where = f"{error.path}: " if error.path else ""
        click.echo(clean(f"{where}{error.why}"))


def counts_text(run: RunView) -> str:
    """The counts of a run, in words."""
    counts = {name: count for name, count in run.counts.items() if count}
    one = {"errors": "error"}  # the other words are no nouns
    return ", ".join(
        f"{count:,} {one.get(name, name) if count == 1 else name}" for name, count in counts.items()
    )
