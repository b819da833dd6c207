"""Gives searches priority over the writer, which pauses between two notes while one runs.

Python runs one thread at a time and switches only every few milliseconds. A search needs dozens of
switches, so it would take several times as long while the writer parses notes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# The longest pause; searches that take longer share the processor with the writer.
LONGEST_REST_S = 0.25


class SearchPriority:
    """Counts running searches. Used by all search threads and by the writer's thread."""

    def __init__(
        self, *, longest_s: float = LONGEST_REST_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """A pause takes at most `longest_s` seconds of `clock`."""
        self._longest_s = longest_s
        self._clock = clock
        self._counting = threading.Lock()
        self._waiting = 0
        self._quiet = threading.Event()
        self._quiet.set()
        self._rested = clock()

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Mark the code inside as a request that the writer has to give way to."""
        with self._counting:
            self._waiting += 1
            self._quiet.clear()
        try:
            yield
        finally:
            with self._counting:
                self._waiting -= 1
                if not self._waiting:
                    self._quiet.set()

    def give_way(self) -> None:
        """Pause until no search runs, but no longer than the time worked since the last pause.

        So the writer has at least half of the time, however many searches there are.
        """
        if self._quiet.is_set():
            return
        self._quiet.wait(min(self._clock() - self._rested, self._longest_s))
        self._rested = self._clock()
