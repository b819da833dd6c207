"""How many requests a graph at Roam may still be sent: fifty in any minute, by whoever asks."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

PER_MINUTE = 50
_MINUTE_S = 60.0


class RequestWindow:
    """The requests of the last minute. Any thread may use it."""

    def __init__(
        self, per_minute: int = PER_MINUTE, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Nothing was sent yet."""
        self._most = per_minute
        self._now = now
        self._sent: deque[float] = deque()
        self._lock = threading.Lock()

    def wait_s(self) -> float:
        """Take the place of one request; or, if there is none, the seconds until there is."""
        with self._lock:
            self._forget()
            if len(self._sent) >= self._most:
                return self._sent[0] + _MINUTE_S - self._now()
            self._sent.append(self._now())
            return 0.0

    def left(self) -> int:
        """How many requests may be sent now."""
        with self._lock:
            self._forget()
            return self._most - len(self._sent)

    def exhaust(self) -> None:
        """Send nothing for a minute: the server says that there were too many."""
        with self._lock:
            self._sent = deque([self._now()] * self._most)

    def _forget(self) -> None:
        while self._sent and self._sent[0] + _MINUTE_S <= self._now():
            self._sent.popleft()
