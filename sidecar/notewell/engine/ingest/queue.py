"""The work queue of one vault, which merges requests so that no work is done twice.

It has two lanes: paths that were just saved come before the backlog. Both are sets of paths, so
their size does not grow with the number of changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import field

from notewell.base.types.frozen import frozen
from notewell.contract.status import Trigger

# For more paths than this, one walk over the whole vault is faster.
MOST_PATHS = 2000


@frozen
class Work:
    """One run of the write path. Without paths it covers the whole vault."""

    paths: tuple[str, ...] = ()
    full: bool = False
    confirm_removals: bool = False
    saved: bool = False  # a person just changed these paths and may search for them
    retitle: bool = False  # embed renamed notes with their present titles, as a full run does
    trigger: Trigger = field(default="manual", compare=False)  # why it runs, for the log of runs

    def merged(self, other: Work) -> Work:
        whole = not self.paths or not other.paths
        paths = () if whole else tuple(sorted({*self.paths, *other.paths}))
        # If only one of them is full, the merged run is: reading a note again is cheap, and a
        # stale note is worse.
        return Work(
            paths=() if len(paths) > MOST_PATHS else paths,
            full=self.full or other.full,
            confirm_removals=self.confirm_removals or other.confirm_removals,
            saved=self.saved and other.saved and len(paths) <= MOST_PATHS,
            retitle=self.retitle or other.retitle,
            trigger="manual" if "manual" in {self.trigger, other.trigger} else self.trigger,
        )

    def rest(self) -> Work:
        """The run that goes on after this one was stopped: the ledger has what it did not read."""
        whole = not self.paths
        return Work(trigger=self.trigger, retitle=whole and (self.full or self.retitle))


class WorkQueue:
    """Two lanes of at most one merged run each. Any thread submits, one thread takes work."""

    def __init__(self) -> None:
        """Start empty, open and running."""
        self._condition = threading.Condition()
        self._saved: Work | None = None
        self._backlog: Work | None = None
        self._paused = False
        self._closed = False
        self._cancelled = False
        self._taken = False

    def submit(self, work: Work) -> None:
        """Add work and merge it with the work that waits in its lane."""
        with self._condition:
            if work.saved:
                merged = work if self._saved is None else self._saved.merged(work)
                self._saved = merged if merged.saved else None
                if not merged.saved:
                    self._add_backlog(merged)
            else:
                self._add_backlog(work)
            self._condition.notify_all()

    def take(self, due: Callable[[], float] = lambda: 3600.0) -> Work | None:
        """Wait for work and take a lane of it; None once the queue is closed.

        `due()` returns the seconds until the next scheduled task. When they have passed and no
        work waits, an empty run is returned (see `is_nothing`).
        """
        with self._condition:
            while not self._closed:
                if not self._paused and (self._saved is not None or self._backlog is not None):
                    return self._pop()
                wait = due()
                if wait <= 0:
                    return _NOTHING
                self._condition.wait(wait)
            return None

    def mark_done(self) -> None:
        with self._condition:
            self._taken = False

    def pause(self) -> None:
        """Hand out no work and ask the running work to stop, until `resume`."""
        with self._condition:
            self._paused = True

    def resume(self) -> None:
        with self._condition:
            self._paused = False
            self._condition.notify_all()

    def cancel(self) -> None:
        """Drop the waiting work and ask the running work to stop."""
        with self._condition:
            self._saved = self._backlog = None
            self._cancelled = True

    def close(self) -> None:
        """End `take`. Waiting work is dropped; the run at the next start finds it again."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    @property
    def paused(self) -> bool:
        return self._paused

    @property
    def closed(self) -> bool:
        """True if `close` was called."""
        return self._closed

    @property
    def cancelled(self) -> bool:
        """True if the running work was cancelled."""
        return self._cancelled

    @property
    def saved_waiting(self) -> bool:
        """True if paths that were just saved wait."""
        return self._saved is not None

    @property
    def waiting(self) -> int:
        """The number of paths that wait or are being worked on; a whole vault counts as one."""
        with self._condition:
            lanes = (self._saved, self._backlog)
            return self._taken + sum(max(len(lane.paths), 1) for lane in lanes if lane is not None)

    def _add_backlog(self, work: Work) -> None:
        self._backlog = work if self._backlog is None else self._backlog.merged(work)

    def _pop(self) -> Work:
        self._cancelled = False
        self._taken = True
        if self._saved is not None:
            work, self._saved = self._saved, None
            return work
        work, self._backlog = self._backlog or _NOTHING, None
        return work


# Returned when only scheduled tasks are due.
_NOTHING = Work(paths=("",))


def is_nothing(work: Work) -> bool:
    """True if `take` returned only because scheduled tasks are due."""
    return work is _NOTHING
