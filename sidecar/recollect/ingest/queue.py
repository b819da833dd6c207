"""What is still to be done for one vault, merged so that nothing is done twice."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Work:
    """One run of the write path. No paths: the whole vault."""

    full: bool = False
    paths: tuple[str, ...] = ()
    confirm_removals: bool = False

    def merged(self, other: Work) -> Work:
        """One run that does what both would."""
        whole = not self.paths or not other.paths
        # A full run over some paths beside a quick one over others: the wider wish wins, because
        # reading a note again is cheap and leaving one stale is not.
        return Work(
            full=self.full or other.full,
            paths=() if whole else tuple(sorted({*self.paths, *other.paths})),
            confirm_removals=self.confirm_removals or other.confirm_removals,
        )


class WorkQueue:
    """A queue of at most one merged run. Any thread submits, one thread takes."""

    def __init__(self) -> None:
        """Start empty and open."""
        self._condition = threading.Condition()
        self._waiting: Work | None = None
        self._closed = False

    def submit(self, work: Work) -> None:
        """Add work; what waits already is merged with it."""
        with self._condition:
            self._waiting = work if self._waiting is None else self._waiting.merged(work)
            self._condition.notify_all()

    def take(self) -> Work | None:
        """Wait for work and take it all; None once the queue is closed."""
        with self._condition:
            self._condition.wait_for(lambda: self._closed or self._waiting is not None)
            work, self._waiting = self._waiting, None
            return None if self._closed else work

    @property
    def waiting(self) -> bool:
        """Whether something waits to be taken."""
        with self._condition:
            return self._waiting is not None

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        with self._condition:
            return self._closed

    def close(self) -> None:
        """Wake the taker for the last time; what waits is dropped, a later start finds it anew."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
