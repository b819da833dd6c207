"""The threads in which one engine answers requests from an event loop.

Searches and other long requests share a few threads, first come, first served: most of a search is
Python, which runs in one thread at a time, so more of them would only take turns. Requests that
are answered at once have a thread of their own, because they ask how a busy server is.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from notewell.base.support import interrupt
from notewell.engine.ingest.pacing import SearchPriority

P = ParamSpec("P")
T = TypeVar("T")

# A request mostly runs Python, and a third of it native code; a few threads keep one slow request
# from holding up the next.
READERS = 4
_FIRST_ANSWER_S = 2.0


class RequestThreads:
    """The threads of one engine; `priority` tells its writer that requests are being answered."""

    def __init__(self, name: str, priority: SearchPriority) -> None:
        """Threads are started when they are first needed; `name` is part of theirs."""
        self._priority = priority
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix=f"read-{name}")
        self._quick = ThreadPoolExecutor(1, thread_name_prefix=f"quick-{name}")
        self._feeder = ThreadPoolExecutor(1, thread_name_prefix=f"feed-{name}")

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function in a reader thread; indexing gives way meanwhile."""
        with self._priority.serving():
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
                self._priority.wait(_FIRST_ANSWER_S)
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
