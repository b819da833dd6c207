"""Cancelling a request from another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from notewell.errors import CancelledError


@dataclass(slots=True, eq=False)
class Cancel:
    """Lets any thread cancel the request that another thread waits for.

    It serves one request at a time; the next request may use the same object.
    """

    _cancelled: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _close: Callable[[], None] | None = None

    def cancel(self) -> None:
        """Cancel, from any thread. May be called twice."""
        self._cancelled.set()
        with self._lock:
            if self._close is not None:
                self._close()

    def on_cancel(self, close: Callable[[], None] | None) -> None:
        """Set how the open connection is closed; None: no connection is open."""
        with self._lock:
            self._close = close
        if close is not None and self._cancelled.is_set():
            close()

    def check(self) -> None:
        """Raise CancelledError once the request is cancelled."""
        if self._cancelled.is_set():
            raise CancelledError("The answer was cancelled.")

    def wait(self, seconds: float) -> None:
        """Sleep for `seconds`; raises CancelledError as soon as the request is cancelled."""
        self._cancelled.wait(seconds)
        self.check()
