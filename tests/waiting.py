"""Waiting for a condition instead of a fixed time.

The limits only detect a hang: a wait ends as soon as its condition holds, so a generous limit costs
nothing on a fast machine and avoids failures on a busy one.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

HANG_S = 60.0
# For what starts a process or reads a model: at a load of sixteen that alone takes half a minute.
PROCESS_S = 240.0


def until(condition: Callable[[], T], *, seconds: float = HANG_S, pause_s: float = 0.01) -> T:
    """Call `condition` until it returns something true, and return that.

    AssertionError after `seconds`; between two calls it waits `pause_s`.
    """
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, f"still {found!r} after {seconds:.0f} s"
        time.sleep(pause_s)
    return found


async def until_async(
    condition: Callable[[], T | Awaitable[T]], *, seconds: float = HANG_S, pause_s: float = 0.01
) -> T:
    """Do as `until` does, without blocking the event loop; `condition` may be a coroutine."""
    end = time.monotonic() + seconds
    while True:
        outcome = condition()
        found = await outcome if inspect.isawaitable(outcome) else outcome
        if found:
            return found
        assert time.monotonic() < end, f"still {found!r} after {seconds:.0f} s"
        await asyncio.sleep(pause_s)


async def happened(event: threading.Event) -> None:
    """Wait for a `threading.Event` without blocking the event loop."""
    assert await asyncio.to_thread(event.wait, HANG_S), "the event never came"
