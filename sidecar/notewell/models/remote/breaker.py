"""Keeps requests from a service that is away, and passages behind queries."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from notewell.models.resilient import Degraded

FAILURES = 3  # in a row, each after its own retries, until requests stop
_FIRST_REST_S = 30.0
_LONGEST_REST_S = 300.0


@dataclass(slots=True)
class Breaker:
    """Open after several failures in a row: no requests are sent for a while, then one is tried.

    `clock` is monotonic, in seconds; `now` is the time of day that people are told.
    """

    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _failures: int = 0
    _since: float | None = None  # of the first failure of this row
    _reason: str = ""
    _until: float = 0.0

    @property
    def degraded(self) -> Degraded | None:
        """Since when and why the service is away; None while it is not."""
        with self._lock:
            if self._failures < FAILURES or self._since is None:
                return None
            return Degraded("keyword_only", self._reason, self._since)

    def allows(self) -> bool:
        """Whether a request may be sent now. While it is open, one is let through at a time."""
        with self._lock:
            if self._failures < FAILURES:
                return True
            if self.clock() < self._until:
                return False
            self._until = self.clock() + self._rest()
            return True

    def succeeded(self) -> None:
        """Note that the service has answered."""
        with self._lock:
            self._failures, self._since = 0, None

    def failed(self, reason: str, *, at_once: bool = False, rest_s: float = 0.0) -> None:
        """Note a failure; `at_once` opens it, and `rest_s` is what the service asks to wait."""
        with self._lock:
            if self._since is None:
                self._since = self.now()
            self._failures = max(self._failures + 1, FAILURES if at_once else 0)
            self._reason = reason
            self._until = self.clock() + max(self._rest(), rest_s)

    def _rest(self) -> float:
        doublings = min(max(self._failures - FAILURES, 0), 10)
        return float(min(_FIRST_REST_S * 2.0**doublings, _LONGEST_REST_S))


class Slots:
    """How many requests are under way: a query has a slot of its own and goes first."""

    def __init__(self, parallel: int) -> None:
        """`parallel` is the limit for passages."""
        self._parallel = parallel
        self._passages = 0
        self._queries = 0
        self._changed = threading.Condition()

    @contextmanager
    def taken(self, *, urgent: bool) -> Iterator[None]:
        """Hold a slot while the block runs."""
        with self._changed:
            if urgent:
                self._queries += 1
            else:
                self._changed.wait_for(lambda: not self._queries and self._free())
                self._passages += 1
        try:
            yield
        finally:
            with self._changed:
                if urgent:
                    self._queries -= 1
                else:
                    self._passages -= 1
                self._changed.notify_all()

    def _free(self) -> bool:
        return self._passages < self._parallel
