"""Runs work in a thread that can be interrupted when its caller is cancelled.

A thread cannot be ended from outside. Cancelling the caller sets an event, and the work stops at
its next `check`. Work whose caller still waits is never interrupted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor
from contextvars import ContextVar
from functools import partial
from typing import TypeVar

from notewell.base.errors import BusyError

T = TypeVar("T")

_STOP: ContextVar[threading.Event | None] = ContextVar("notewell.interrupt", default=None)


class InterruptedWorkError(BusyError, code="interrupted"):
    """Work that stopped because its caller was cancelled."""


def check() -> None:
    """Raise InterruptedWorkError if the caller of this thread's work was cancelled."""
    stop = _STOP.get()
    if stop is not None and stop.is_set():
        raise InterruptedWorkError("Nobody waits for this answer any more, so it was given up.")


def stopping() -> Callable[[], bool]:
    """A function that tells any thread whether the caller of this work was cancelled."""
    stop = _STOP.get()
    return stop.is_set if stop is not None else lambda: False


def run_until(stop: threading.Event, work: Callable[[], T]) -> T:
    """Run `work` in this thread; `check` in it raises once `stop` is set."""
    return _run(stop, work)


async def run_in(executor: Executor, work: Callable[[], T]) -> T:
    """Run `work` in a thread of `executor`; when the caller is cancelled, `check` in it raises."""
    import asyncio  # noqa: PLC0415 - megabytes that a process which only searches does without

    stop = threading.Event()
    try:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(executor, partial(_run, stop, work))
    except asyncio.CancelledError:
        stop.set()
        raise


def _run(stop: threading.Event, work: Callable[[], T]) -> T:
    before = _STOP.set(stop)
    try:
        return work()
    finally:
        _STOP.reset(before)
