"""Events passed from the thread that produces them to a listener on an event loop."""

from __future__ import annotations

import asyncio
import threading
from functools import partial

from notewell.engine.event_loop import EventStream
from notewell.engine.ingest.reports import EventLog
from tests.waiting import HANG_S


def publish(log: EventLog, *generations: int) -> None:
    for generation in generations:
        log.publish("generation", generation=generation)


async def told(following: EventStream, count: int) -> list[object]:
    async with asyncio.timeout(HANG_S):
        events = [await following.next() for _ in range(count)]
    return [None if event is None else event.data["generation"] for event in events]


async def test_missed_events_come_first_and_none_is_lost() -> None:
    log = EventLog()
    publish(log, 1, 2, 3)
    following = EventStream(partial(log.subscribe, after=1))

    await asyncio.to_thread(publish, log, 4, 5)

    assert await told(following, 4) == [2, 3, 4, 5]
    following.end()


async def test_a_listener_receives_events_of_another_thread() -> None:
    log = EventLog()
    following = EventStream(log.subscribe)
    waiting = asyncio.create_task(told(following, 1))
    await asyncio.sleep(0)

    threading.Thread(target=publish, args=(log, 7)).start()

    assert await waiting == [7]
    following.end()


async def test_the_stream_ends_after_its_queued_events() -> None:
    log = EventLog()
    following = EventStream(log.subscribe)
    publish(log, 1)
    await asyncio.sleep(0)

    following.end()
    following.end()
    publish(log, 2)

    assert await told(following, 3) == [1, None, None]


async def test_a_slow_listener_is_disconnected_and_can_reconnect() -> None:
    log = EventLog()
    following = EventStream(log.subscribe, most_waiting=3)
    publish(log, *range(1, 11))
    await asyncio.sleep(0)

    assert await told(following, 4) == [1, 2, 3, None]

    again = EventStream(partial(log.subscribe, after=3))
    assert await told(again, 7) == [4, 5, 6, 7, 8, 9, 10]
    again.end()


def test_events_after_the_loop_closed_are_dropped() -> None:
    log = EventLog()

    async def listen() -> EventStream:
        return EventStream(log.subscribe)

    following = asyncio.run(listen())
    publish(log, 1)
    following.end()
