"""How a server hears that it should stop: a signal, or the end of its standard input."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType


@contextmanager
def told_to_stop(*, watch_stdin: bool) -> Iterator[asyncio.Event]:
    """Give an event that is set on SIGINT or SIGTERM, or with `watch_stdin` when stdin closes.

    A second signal does what it would without a server, so that an impatient person is heard.
    """
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()

    def stop() -> None:
        # The loop may have ended between the last byte of stdin and this call.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(stopped.set)

    if watch_stdin:
        watch(_stdin(), stop)
    with _signals(stop):
        yield stopped


def _stdin() -> int | None:
    """Return the descriptor of standard input; None where the process has none."""
    try:
        return None if sys.stdin is None else sys.stdin.fileno()
    except ValueError:  # closed, or replaced by something without a descriptor
        return None


@contextmanager
def _signals(stop: Callable[[], None]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers; its owner decides when to stop
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def heard(_number: int, _frame: FrameType | None) -> None:
        restore()
        stop()

    for number in before:
        signal.signal(number, heard)
    try:
        yield
    finally:
        restore()


def watch(descriptor: int | None, stop: Callable[[], None]) -> None:
    """Call `stop` from a thread when `descriptor` ends; None is one that has ended already.

    It is read below Python's own buffer, whose lock a waiting thread would hold at exit.
    """

    def read_to_end() -> None:
        with suppress(OSError):
            while descriptor is not None and os.read(descriptor, 4096):
                pass
        stop()

    threading.Thread(target=read_to_end, name="watch-stdin", daemon=True).start()
