"""What is still to be done for one vault, merged so that nothing is done twice.

Two lanes: places where something was just saved go before the backlog. Both are sets of places,
so their size does not grow with the number of changes, and a place named twice is done once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

# More places than this are looked at faster by one walk over the whole vault.
MOST_PATHS = 2000


@dataclass(frozen=True, slots=True)
class Work:
    """One run of the write path. No paths: the whole vault."""

    paths: tuple[str, ...] = ()
    full: bool = False
    confirm_removals: bool = False
    saved: bool = False  # a person just changed these places and may search for them

    def merged(self, other: Work) -> Work:
        """One run that does what both would."""
        whole = not self.paths or not other.paths
        paths = () if whole else tuple(sorted({*self.paths, *other.paths}))
        # A full run over some paths beside a quick one over others: the wider wish wins, because
        # reading a note again is cheap and leaving one stale is not.
        return Work(
            paths=() if len(paths) > MOST_PATHS else paths,
            full=self.full or other.full,
            confirm_removals=self.confirm_removals or other.confirm_removals,
            saved=self.saved and other.saved and len(paths) <= MOST_PATHS,
        )


class WorkQueue:
    """Two lanes of at most one merged run each. Any thread submits, one thread takes."""

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
        """Add work; what waits already in its lane is merged with it."""
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

        `due()` gives the seconds until somebody wants to look at the clock; then, and whenever it
        is zero, an empty run comes back as soon as nothing else waits.
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

    def done(self) -> None:
        """Say that what was taken last is over."""
        with self._condition:
            self._taken = False

    def pause(self) -> None:
        """Let nothing be taken, and ask the running work to stop, until `resume`."""
        with self._condition:
            self._paused = True

    def resume(self) -> None:
        """Go on."""
        with self._condition:
            self._paused = False
            self._condition.notify_all()

    def cancel(self) -> None:
        """Drop what waits and ask the running work to stop."""
        with self._condition:
            self._saved = self._backlog = None
            self._cancelled = True

    def close(self) -> None:
        """Wake the taker for the last time; what waits is dropped, a later start finds it anew."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    @property
    def paused(self) -> bool:
        """Whether nothing is taken for now."""
        return self._paused

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    @property
    def cancelled(self) -> bool:
        """Whether the work that runs was cancelled."""
        return self._cancelled

    @property
    def saved_waiting(self) -> bool:
        """Whether something just saved waits to be taken."""
        return self._saved is not None

    @property
    def waiting(self) -> int:
        """Places that wait or were taken and are not done; a whole vault counts as one."""
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


# Taken when it is only time to look at the clock.
_NOTHING = Work(paths=("",))


def is_nothing(work: Work) -> bool:
    """Whether `take` came back for the clock alone."""
    return work is _NOTHING
