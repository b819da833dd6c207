"""Work in a thread that ends when nobody waits for its result."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from notewell.base.support import interrupt
from notewell.base.support.interrupt import InterruptedWorkError
from tests.waiting import HANG_S, happened


async def test_work_with_a_waiting_caller_is_not_interrupted() -> None:
    def work() -> str:
        interrupt.check()
        return threading.current_thread().name

    with ThreadPoolExecutor(1, thread_name_prefix="reader") as readers:
        assert (await interrupt.run_in(readers, work)).startswith("reader")
    interrupt.check()


async def test_work_ends_at_its_next_check_after_cancellation() -> None:
    begun, gone, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        gone.wait(HANG_S)
        try:
            interrupt.check()
        except InterruptedWorkError:
            ended.set()
            raise

    with ThreadPoolExecutor(1) as readers:
        caller = asyncio.create_task(interrupt.run_in(readers, work))
        await happened(begun)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        gone.set()
        # The thread is free for the next, whom the mark does not concern.
        assert await interrupt.run_in(readers, lambda: interrupt.check() or "next") == "next"
    assert ended.is_set()


async def test_cancelled_work_that_did_not_begin_never_runs() -> None:
    block, ran = threading.Event(), threading.Event()
    with ThreadPoolExecutor(1) as readers:
        first = asyncio.create_task(interrupt.run_in(readers, lambda: block.wait(HANG_S)))
        second = asyncio.create_task(interrupt.run_in(readers, ran.set))
        await asyncio.sleep(0.01)
        second.cancel()
        await asyncio.sleep(0)
        block.set()
        await first
    assert not ran.is_set()
