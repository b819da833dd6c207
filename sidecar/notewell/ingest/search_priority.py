"""Who waits for an answer goes before the writer, which rests between two notes meanwhile.

Reading notes is work for the interpreter, which runs one thread at a time and lets go of one every
few milliseconds only. An answer hands it over and back dozens of times, so that beside a writer
at work it would take several times as long.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# However much was worked since the last rest: who asks for longer than this shares.
LONGEST_REST_S = 0.25


class Precedence:
    """Counts who waits for an answer. Any thread answers; the one that writes gives way."""

    def __init__(
        self, *, longest_s: float = LONGEST_REST_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Nobody waits. A rest takes at most `longest_s` seconds of `clock`."""
        self._longest_s = longest_s
        self._clock = clock
        self._counting = threading.Lock()
        self._waiting = 0
        self._quiet = threading.Event()
        self._quiet.set()
        self._rested = clock()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Hold while somebody waits for what is done inside."""
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
        """Rest until nobody waits, but no longer than was worked since the last rest.

        So the writer has half of the time at the least, whatever is asked of the server.
        """
        if self._quiet.is_set():
            return
        self._quiet.wait(min(self._clock() - self._rested, self._longest_s))
        self._rested = self._clock()
