"""Runs that are no indexing: each works in a thread of its own or in its caller's."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from notewell.base.errors import CancelledError, NotewellError, RunLogError
from notewell.base.types.runs import RunEnd, RunKind, RunProblem, RunResult, Trigger
from notewell.engine.runs.log import MOST_ERRORS, RunLog, Started

# The log is asked this often whether another process has cancelled a run.
_ASK_EVERY_S = 0.5
_FAILED = "it failed unexpectedly; the log has the details. Please report it"


@dataclass(slots=True)
class RunProgress:
    """What a run has done so far, and whether it has to stop. Used by the run's own thread."""

    id: int
    stopping: threading.Event
    asked: Callable[[], bool]
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[RunProblem] = field(default_factory=list)
    _next_ask: float = 0.0

    def check(self) -> None:
        """Raise CancelledError if the run has to stop; call it between two items."""
        if not self.stopping.is_set() and time.monotonic() >= self._next_ask:
            self._next_ask = time.monotonic() + _ASK_EVERY_S
            with suppress(RunLogError):
                if self.asked():
                    self.stopping.set()
        if self.stopping.is_set():
            raise CancelledError(f"Run {self.id} was cancelled. What it has done so far stays.")

    def wait(self, seconds: float) -> None:
        """Wait, and raise as `check` does."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.stopping.wait(min(left, _ASK_EVERY_S))
            self.check()

    def problem(self, path: str | None, why: str) -> None:
        """Record something that went wrong without ending the run; the first ones are kept."""
        self.counts["errors"] += 1
        if len(self.problems) < MOST_ERRORS:
            self.problems.append(RunProblem(path, why))


class Runs:
    """Starts and cancels the runs of one vault. Any thread may call."""

    def __init__(
        self, runs: RunLog, name: str, stop_other: Callable[[int], bool] = lambda _: False
    ) -> None:
        """`name` is part of the names of threads.

        `stop_other` stops a run of this process that was not started here, by its id, and returns
        whether there is such a run.
        """
        self.log = runs
        self._stop_other = stop_other
        self._name = name
        self._lock = threading.Lock()
        self._active: dict[int, threading.Event] = {}
        self._threads: list[threading.Thread] = []
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether a run works in this process."""
        return bool(self._active)

    def now(self, kind: RunKind, trigger: Trigger, work: Callable[[RunProgress], object]) -> int:
        """Run `work` in this thread; returns the run's id.

        Raises what `RunLog.start` and `work` raise.
        """
        started, progress = self._start(kind, trigger)
        self._work(started, progress, work)
        return started.id

    def begin(self, kind: RunKind, trigger: Trigger, work: Callable[[RunProgress], object]) -> int:
        """Run `work` in a thread; returns the run's id at once. Raises as `RunLog.start`."""
        started, progress = self._start(kind, trigger)

        def run() -> None:
            with suppress(NotewellError):  # the log of runs has it
                self._work(started, progress, work)

        thread = threading.Thread(target=run, name=f"{kind}-{self._name}", daemon=True)
        with self._lock:
            self._threads = [*(one for one in self._threads if one.is_alive()), thread]
        thread.start()
        return started.id

    def cancel(self, number: int) -> None:
        """Stop a run of this process or of another at its next item; see `RunLog.cancel`."""
        if self._stop_other(number):
            return
        self.log.cancel(number)
        with self._lock:
            stopping = self._active.get(number)
        if stopping is not None:
            stopping.set()

    def close(self) -> None:
        """Cancel what runs here and wait for it; nothing is started afterwards."""
        with self._lock:
            self._closed = True
            active, threads = list(self._active.values()), list(self._threads)
        for stopping in active:
            stopping.set()
        for thread in threads:
            thread.join()

    def _start(self, kind: RunKind, trigger: Trigger) -> tuple[Started, RunProgress]:
        started = self.log.start(kind, trigger)
        stopping = threading.Event()
        with self._lock:
            self._active[started.id] = stopping
            if self._closed:
                stopping.set()
        asked = _Asked(self.log, started.id)
        return started, RunProgress(started.id, stopping, asked)

    def _work(
        self, started: Started, progress: RunProgress, work: Callable[[RunProgress], object]
    ) -> None:
        result: RunResult = "failed"
        problem: str | None = _FAILED
        try:
            work(progress)
            result, problem = "done", None
        except CancelledError:
            result, problem = "cancelled", None
            raise
        except NotewellError as error:
            problem = error.message
            raise
        finally:  # whatever happens, the run must not stay "running"
            with self._lock:
                self._active.pop(started.id, None)
            if problem is not None:
                progress.problem(None, problem)
            end = RunEnd(result, progress.counts, tuple(progress.problems))
            with suppress(RunLogError):  # the result of the work itself matters more
                self.log.end(started, end)


@dataclass(frozen=True, slots=True)
class _Asked:
    runs: RunLog
    number: int

    def __call__(self) -> bool:
        return self.runs.is_cancelled(self.number)
