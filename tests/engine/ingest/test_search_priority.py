"""Searches have priority over the writer, but not for ever."""

from __future__ import annotations

import threading
from itertools import count

from notewell.engine.ingest.pace import SearchPriority

_LONG_S = 30.0


def test_the_writer_does_not_pause_without_searches() -> None:
    priority = SearchPriority()

    for _ in range(10_000):
        priority.give_way()


def test_the_writer_pauses_until_the_search_ends() -> None:
    priority, events = _always_busy(), list[str]()
    writer = _writer(priority, events)
    with priority.serving():
        writer.start()
        events.append("answered")
    writer.join(_LONG_S)

    assert events == ["answered", "written"]


def test_the_writer_continues_under_constant_searches() -> None:
    priority = SearchPriority()
    written = threading.Event()

    def write() -> None:
        for _ in range(100):
            priority.give_way()
        written.set()

    with priority.serving():
        writer = threading.Thread(target=write)
        writer.start()
        assert written.wait(_LONG_S)
    writer.join(_LONG_S)


def test_the_writer_pauses_until_the_last_search_ends() -> None:
    priority, events = _always_busy(), list[str]()
    writer = _writer(priority, events)
    with priority.serving():
        with priority.serving():
            writer.start()
        events.append("answered")
    writer.join(_LONG_S)

    assert events == ["answered", "written"]


def test_a_failed_search_no_longer_pauses_the_writer() -> None:
    priority = SearchPriority()
    try:
        with priority.serving():
            raise ValueError  # noqa: TRY301  # as a search may
    except ValueError:
        pass
    done = threading.Event()
    threading.Thread(target=lambda: (priority.give_way(), done.set())).start()

    assert done.wait(_LONG_S)


def _writer(priority: SearchPriority, events: list[str]) -> threading.Thread:
    """A thread that gives way once and then writes."""

    def write() -> None:
        priority.give_way()
        events.append("written")

    return threading.Thread(target=write)


def _always_busy() -> SearchPriority:
    """One whose writer has worked for so long that it rests for as long as it takes."""
    return SearchPriority(longest_s=_LONG_S, clock=count(0.0, 1000.0).__next__)
