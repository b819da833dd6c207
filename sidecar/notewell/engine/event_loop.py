"""Between the threads of an engine and an event loop: calls into them, and events out of them.

Searches and other long requests share a few threads, first come, first served: most of a search is
Python, which runs in one thread at a time, so more of them would only take turns. Requests that
are answered at once have a thread of their own, because they ask how a busy server is.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import ParamSpec, Protocol, TypeAlias, TypeVar

from notewell.base.support import interrupt
from notewell.engine.ingest.pace import SearchPriority

P = ParamSpec("P")
T = TypeVar("T")

# A request mostly runs Python, and a third of it native code; a few threads keep one slow request
# from holding up the next.
READERS = 4
_FIRST_ANSWER_S = 2.0

# Events that may wait for a listener. One that is further behind is given up: it comes back with
# the last id it saw and gets what the log still has.
MOST_WAITING = 256


class RequestThreads:
    """The threads of one engine; `priority` tells its writer that requests are being answered."""

    def __init__(self, name: str, more: int = 0) -> None:
        """Threads are started when they are first needed; `name` is part of theirs.

        There are `more` for searches that wait for another process.
        """
        self.priority = SearchPriority()
        self._readers = ThreadPoolExecutor(READERS + more, thread_name_prefix=f"read-{name}")
        self._quick = ThreadPoolExecutor(1, thread_name_prefix=f"quick-{name}")
        self._feeder = ThreadPoolExecutor(1, thread_name_prefix=f"feed-{name}")

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function in a reader thread; indexing gives way meanwhile."""
        with self.priority.serving():
            return await interrupt.run_in(self._readers, partial(function, *args, **kwargs))

    async def call_quickly(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function that takes a moment; it never waits for searches."""
        return await interrupt.run_in(self._quick, partial(function, *args, **kwargs))

    async def call_in_order(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run functions one after the other, in the order in which they were called."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._feeder, partial(function, *args, **kwargs))

    def begin(self, function: Callable[[], None]) -> Callable[[], object]:
        """Run a function in a reader thread while others answer.

        The outcome waits until it is done, and until the request has been answered that waits for
        it meanwhile: the first one after a start comes before the writer's first run.
        """
        done = threading.Event()

        def run() -> None:
            try:
                function()
                self.priority.wait(_FIRST_ANSWER_S)
            finally:
                done.set()

        self._readers.submit(run)
        return done.wait

    def refuse_changes(self) -> None:
        """Finish the function that runs in order, and drop those that wait."""
        self._feeder.shutdown(wait=True, cancel_futures=True)

    def close(self) -> None:
        """Finish what runs, and drop what waits."""
        for threads in (self._feeder, self._readers, self._quick):
            threads.shutdown(wait=True, cancel_futures=True)


class StreamedEvent(Protocol):
    """An event, as a stream sends it."""

    @property
    def id(self) -> int: ...

    @property
    def kind(self) -> str: ...

    @property
    def data(self) -> object:
        """The content, sent as JSON."""


Subscribe: TypeAlias = Callable[
    [Callable[[StreamedEvent], None]], tuple[tuple[StreamedEvent, ...], Callable[[], None]]
]


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
