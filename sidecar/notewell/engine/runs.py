"""The runs of one vault as the contract shows them."""

from __future__ import annotations

import time
from collections.abc import Callable

from notewell.contract.fields import iso
from notewell.contract.runs import NextRun, RunError, RunsReply, RunView
from notewell.engine.scheduler import Scheduler
from notewell.runs.work import Runs
from notewell.types.runs import Run


class VaultRuns:
    """Lists, shows and cancels runs."""

    def __init__(
        self, vault: str, runs: Runs, scheduler: Scheduler, stop_indexing: Callable[[int], bool]
    ) -> None:
        """`stop_indexing` stops the run with this id, if the writer of this process works on it."""
        self._vault = vault
        self._runs = runs
        self._scheduler = scheduler
        self._stop_indexing = stop_indexing

    def reply(self, limit: int) -> RunsReply:
        """The newest runs, and those that are due next."""
        return RunsReply(self._vault, tuple(map(_view, self._runs.log.runs(limit))), self.next())

    def next(self) -> tuple[NextRun, ...]:
        """The runs that are due next."""
        return tuple(
            NextRun(due.kind, iso(due.at)) for due in self._scheduler.upcoming(time.time())
        )

    def show(self, number: str) -> RunView:
        """One run; NotFoundError if the log does not have it."""
        return _view(self._runs.log.run(int(number)))

    def cancel(self, number: str) -> RunView:
        """Stop a run at its next item."""
        if self.show(number).result == "running" and not self._stop_indexing(int(number)):
            self._runs.cancel(int(number))
        return self.show(number)


def _view(run: Run) -> RunView:
    return RunView(
        id=str(run.id),
        kind=run.kind,
        trigger=run.trigger,
        started=iso(run.started),
        ended=iso(run.ended),
        result=run.result,
        counts=run.counts,
        errors=tuple(RunError(one.path, one.why) for one in run.errors),
    )
