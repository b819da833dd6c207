"""Starts the runs of a vault that its schedule names, each at its time.

A run that was missed, because the computer was off or the vault was not open, is started once.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, get_args

from notewell.base.config.values import next_due
from notewell.base.errors import NotewellError
from notewell.base.types import ScheduleRules
from notewell.contract.status import RunKind
from notewell.engine.runs import RunLog

# Times are compared with the clock at least this often: it may be set, and computers sleep.
_LONGEST_WAIT_S = 60.0
_ON = "on"
Starts: TypeAlias = Mapping[RunKind, Callable[[], object]]
_USUAL: Mapping[RunKind, str] = {"reconcile": "03:30"}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Due:
    """A run and when it is due, in POSIX seconds."""

    kind: RunKind
    at: float


class Scheduler:
    """The schedule of one vault, followed between `start` and `stop`."""

    def __init__(
        self,
        rules: ScheduleRules,
        reconcile_at: str,
        runs: RunLog,
        usual: Mapping[RunKind, str],
    ) -> None:
        """`reconcile_at` is used where `rules.reconcile` says nothing.

        `usual` are the times of kinds of runs that are switched on without one.
        """
        self._times: Mapping[RunKind, str] = _times(rules, reconcile_at, {**_USUAL, **usual})
        self._runs = runs
        self._starts: Starts = {}
        self._since: dict[RunKind, float] = {}  # the next one is due at the first time after this
        self._started = False
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, starts: Starts) -> None:
        """Begin to follow the schedule, unless nothing is switched on; see `begin`."""
        self._started = True
        self.begin(time.time(), starts)
        self._run_thread()

    def _run_thread(self) -> None:
        if self._times and self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="schedule", daemon=True)
            self._thread.start()

    def follow(self, kind: RunKind, when: str) -> None:
        """Start runs of a kind at other times from now on, or with "" no more.

        Follows them at once if the others are followed.
        """
        others = {other: at for other, at in self._times.items() if other != kind}
        self._times = {**others, kind: when} if when else others
        since = {other: at for other, at in self._since.items() if other != kind}
        self._since = {**since, kind: time.time()} if when and self._started else since
        if self._started:
            self._run_thread()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def begin(self, now: float, starts: Starts) -> None:
        """Count from the last run of each kind, or from now where there was none.

        `starts` are the functions that begin a run of each kind, without waiting for its end; no
        other kinds are started.
        """
        self._starts = starts
        self._times = {kind: when for kind, when in self._times.items() if kind in starts}
        for kind in self._times:
            try:
                last = self._runs.latest(kind)
            except NotewellError:
                last = None
            self._since[kind] = now if last is None else last

    def upcoming(self, now: float) -> tuple[Due, ...]:
        """The runs that are due next, the first of them first; none before `start`."""
        upcoming_runs = []
        for kind, since in list(self._since.items()):
            # A clock that was set back must not put off a run for as long.
            at = next_due(self._times.get(kind, ""), min(since, now))
            if at is not None:
                upcoming_runs.append(Due(kind, at))
        return tuple(sorted(upcoming_runs, key=lambda one: (one.at, one.kind)))

    def start_due(self, now: float) -> None:
        for due in self.upcoming(now):
            if due.at > now:
                return
            self._since[due.kind] = now
            try:
                self._starts[due.kind]()
            except NotewellError as error:
                log.warning("the scheduled %s was not started: %s", due.kind, error.message)

    def _loop(self) -> None:
        while not self._stopping.is_set():
            self.start_due(time.time())
            waits = (due.at - time.time() for due in self.upcoming(time.time()))
            self._stopping.wait(max(min([_LONGEST_WAIT_S, *waits]), 0.05))


def _times(
    rules: ScheduleRules, reconcile_at: str, usual: Mapping[RunKind, str]
) -> dict[RunKind, str]:
    kinds: tuple[RunKind, ...] = get_args(RunKind)
    chosen = {kind: str(getattr(rules, kind)) for kind in kinds if getattr(rules, kind, None)}
    if rules.reconcile is None:
        chosen["reconcile"] = reconcile_at
    return {
        kind: usual[kind] if when == _ON else when
        for kind, when in chosen.items()
        if when not in {"", "off"}
    }
