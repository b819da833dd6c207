"""The runs of a vault's writer, as the log of runs has them."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass

from notewell.base.errors import AlreadyRunningError, RunLogError
from notewell.base.types import LedgerEntry
from notewell.contract.status import RunEnd, RunError, RunKind, RunResult
from notewell.engine.ingest.indexer import RunTotals
from notewell.engine.ingest.queue import Work
from notewell.engine.runs import RunLog, Started

_ASK_EVERY_S = 1.0

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Current:
    work: Work
    began: float
    started: Started | None = None


class RecordedRuns:
    """The runs of one writer; used by its thread."""

    def __init__(self, runs: RunLog | None) -> None:
        """None: nothing is recorded."""
        self._runs = runs
        self._current: _Current | None = None
        self._asked = 0.0

    @property
    def number(self) -> int | None:
        """The id of what runs now, where it has one; any thread may ask."""
        current = self._current
        return current.started.id if current is not None and current.started is not None else None

    def start(self, work: Work) -> None:
        """Record that a run starts. Of saved notes only the end is: they come one by one."""
        self._current = _Current(work, time.time())
        if self._runs is None or work.saved:
            return
        try:
            self._current.started = self._runs.start(_kind(work), work.trigger)
        except (RunLogError, AlreadyRunningError) as error:
            log.debug("this run is not logged: %s", error.message)

    def is_cancelled(self) -> bool:
        """True if another process has cancelled the run; asks the log once a second."""
        number = self.number
        if self._runs is None or number is None or time.monotonic() - self._asked < _ASK_EVERY_S:
            return False
        self._asked = time.monotonic()
        try:
            return self._runs.is_cancelled(number)
        except RunLogError:
            return False

    def end(self, totals: RunTotals, outcome: str, failed: Sequence[LedgerEntry]) -> None:
        """Record how it ended. `outcome` is "done", "stopped" or what went wrong.

        `failed` are all notes that cannot be read; those that failed just now are its errors.
        """
        current, self._current = self._current, None
        if self._runs is None or current is None:
            return
        mine = [entry for entry in failed if entry.updated >= current.began]
        end = RunEnd(_result(outcome), _counts(totals, mine), _errors(outcome, mine))
        try:
            if current.started is not None:
                self._runs.end(current.started, end)
            elif current.work.saved and (any(end.counts.values()) or end.errors):
                self._runs.add(_kind(current.work), current.work.trigger, current.began, end)
        except RunLogError as error:
            log.debug("this run is not logged: %s", error.message)


def _kind(work: Work) -> RunKind:
    whole = not work.paths and not work.full
    return "reconcile" if whole and work.trigger != "manual" else "index"


def _result(outcome: str) -> RunResult:
    if outcome == "done":
        return "done"
    return "cancelled" if outcome == "stopped" else "failed"


def _counts(totals: RunTotals, failed: Sequence[LedgerEntry]) -> dict[str, int]:
    return {
        "read": totals.read,
        "embedded": totals.embedded,
        "reused": totals.reused,
        "removed": totals.removed,
        "failed": len(failed),
    }


def _errors(outcome: str, failed: Sequence[LedgerEntry]) -> tuple[RunError, ...]:
    notes = tuple(RunError(entry.path, entry.reason or "it cannot be read") for entry in failed)
    return notes if outcome in {"done", "stopped"} else (RunError(None, outcome), *notes)
