"""The events of a vault, brought from the thread that makes them to one listener on a loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TypeAlias


class Told(Protocol):
    """An event, as a stream sends it."""

    @property
    def id(self) -> int:
        """Its number."""
        ...

    @property
    def kind(self) -> str:
        """Its name."""
        ...

    @property
    def data(self) -> object:
        """What is sent as JSON."""
        ...


Subscribe: TypeAlias = Callable[
    [Callable[[Told], None]], tuple[tuple[Told, ...], Callable[[], None]]
]

# Events that may wait for a listener. One that is further behind is given up: it comes back with
# the last id it saw and gets what the log still has.
MOST_WAITING = 256


class Following:
    """Events for one listener, oldest first. Belongs to the event loop that made it."""

    def __init__(self, subscribe: Subscribe, *, most_waiting: int = MOST_WAITING) -> None:
        """Begin to listen; what `subscribe` has kept comes first."""
        self._loop = asyncio.get_running_loop()
        self._most = most_waiting
        self._arrived = asyncio.Event()
        self._ended = False
        missed, self._unsubscribe = subscribe(self._hear)
        self._missed = deque(missed)  # bounded by the log that kept them
        self._waiting: deque[Told] = deque()

    async def next(self) -> Told | None:
        """The next event, waiting for it; None once it is over."""
        while not self._missed and not self._waiting:
            if self._ended:
                return None
            self._arrived.clear()
            await self._arrived.wait()
        return self._missed.popleft() if self._missed else self._waiting.popleft()

    def end(self) -> None:
        """Listen no more; what waits is still given out. May be called twice."""
        self._unsubscribe()
        self._ended = True
        self._arrived.set()

    def end_soon(self) -> None:
        """The same, from another thread, after what was told before."""
        with suppress(RuntimeError):  # the loop has ended meanwhile
            self._loop.call_soon_threadsafe(self.end)

    def _hear(self, event: Told) -> None:
        """Called in the thread that publishes."""
        with suppress(RuntimeError):  # the loop has ended meanwhile
            self._loop.call_soon_threadsafe(self._take, event)

    def _take(self, event: Told) -> None:
        if self._ended:
            return
        self._waiting.append(event)
        if len(self._waiting) >= self._most:
            self.end()
        self._arrived.set()
