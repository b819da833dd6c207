"""The threads of requests: what begins with a start comes before the writer's first run."""

from __future__ import annotations

import asyncio
import threading

from notewell.engine.event_loop import RequestThreads


def test_what_has_begun_is_waited_for_together_with_the_request_that_needs_it() -> None:
    threads = RequestThreads("v1")
    order: list[str] = []
    loaded, asked = threading.Event(), threading.Event()

    def load() -> None:
        asked.wait(10)  # a first search comes while the structures are being read
        order.append("loaded")
        loaded.set()

    def answer() -> None:
        asked.set()
        loaded.wait(10)
        order.append("answered")

    wait = threads.begin(load)
    first = threading.Thread(target=lambda: asyncio.run(threads.call(answer)))
    first.start()
    wait()
    order.append("writer begins")
    first.join()
    threads.close()
    assert order == ["loaded", "answered", "writer begins"]


def test_what_fails_at_a_start_does_not_keep_the_writer_waiting() -> None:
    threads = RequestThreads("v1")

    def fail() -> None:
        raise OSError("the disk is gone")

    threads.begin(fail)()
    threads.close()
