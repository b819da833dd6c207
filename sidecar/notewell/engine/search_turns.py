"""Lets searches take turns in everything but their models.

Most of a search is Python, and Python runs in one thread at a time. Threads that search together
would hand its lock to each other hundreds of times a search, and each hand-over costs a switch of
threads and cold caches. So one search runs until it asks a model, which needs no Python.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class SearchTurns:
    """One turn, which one thread has at a time."""

    def __init__(self) -> None:
        """Nobody has the turn."""
        self._turn = threading.Lock()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Wait for the turn and keep it for the code inside."""
        with self._turn:
            yield

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Let others have the turn during the code inside; called by the thread that has it."""
        self._turn.release()
        try:
            yield
        finally:
            self._turn.acquire()
