"""Events of a vault, carried from the thread that makes them to one listener on an event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TypeAlias


class StreamedEvent(Protocol):
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
    [Callable[[StreamedEvent], None]], tuple[tuple[StreamedEvent, ...], Callable[[], None]]
]

# Events that may wait for a listener. One that is further behind is given up: it comes back with
# the last id it saw and gets what the log still has.
MOST_WAITING = 256


class EventStream:
    """Events for one listener, oldest first. Belongs to the event loop that made it."""

    def __init__(self, subscribe: Subscribe, *, most_waiting: int = MOST_WAITING) -> None:
        """Start listening; events that `subscribe` still has come first."""
        self._loop = asyncio.get_running_loop()
        self._most = most_waiting
        self._arrived = asyncio.Event()
        self._ended = False
        missed, self._unsubscribe = subscribe(self._hear)
        self._missed = deque(missed)  # bounded by the log that kept them
        self._waiting: deque[StreamedEvent] = deque()

    async def next(self) -> StreamedEvent | None:
        """The next event, waiting for it; None once it is over."""
        while not self._missed and not self._waiting:
            if self._ended:
                return None
            self._arrived.clear()
            await self._arrived.wait()
        return self._missed.popleft() if self._missed else self._waiting.popleft()

    def end(self) -> None:
        """Stop listening; queued events are still delivered. May be called twice."""
        self._unsubscribe()
        self._ended = True
        self._arrived.set()

    def end_soon(self) -> None:
        """Stop from another thread, after the events already published."""
        with suppress(RuntimeError):  # the loop has ended meanwhile
            self._loop.call_soon_threadsafe(self.end)

    def _hear(self, event: StreamedEvent) -> None:
        """Called in the thread that publishes."""
        with suppress(RuntimeError):  # the loop has ended meanwhile
            self._loop.call_soon_threadsafe(self._take, event)

    def _take(self, event: StreamedEvent) -> None:
        if self._ended:
            return
        self._waiting.append(event)
        if len(self._waiting) >= self._most:
            self.end()
        self._arrived.set()
