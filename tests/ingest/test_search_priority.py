"""Who waits for an answer goes before the writer, but not for ever."""

from __future__ import annotations

import threading
from itertools import count

from notewell.ingest.search_priority import Precedence

_LONG_S = 30.0


def test_the_writer_goes_on_when_nobody_waits() -> None:
    precedence = Precedence()

    for _ in range(10_000):
        precedence.give_way()


def test_the_writer_rests_until_the_answer_is_there() -> None:
    precedence, events = _always_busy(), list[str]()
    writer = _writer(precedence, events)
    with precedence.answering():
        writer.start()
        events.append("answered")
    writer.join(_LONG_S)

    assert events == ["answered", "written"]


def test_the_writer_goes_on_although_somebody_always_waits() -> None:
    precedence = Precedence()
    written = threading.Event()

    def write() -> None:
        for _ in range(100):
            precedence.give_way()
        written.set()

    with precedence.answering():
        writer = threading.Thread(target=write)
        writer.start()
        assert written.wait(_LONG_S)
    writer.join(_LONG_S)


def test_the_writer_rests_for_the_last_of_several() -> None:
    precedence, events = _always_busy(), list[str]()
    writer = _writer(precedence, events)
    with precedence.answering():
        with precedence.answering():
            writer.start()
        events.append("answered")
    writer.join(_LONG_S)

    assert events == ["answered", "written"]


def test_an_answer_that_failed_no_longer_holds_the_writer() -> None:
    precedence = Precedence()
    try:
        with precedence.answering():
            raise ValueError  # noqa: TRY301  # as a search may
    except ValueError:
        pass
    done = threading.Event()
    threading.Thread(target=lambda: (precedence.give_way(), done.set())).start()

    assert done.wait(_LONG_S)


def _writer(precedence: Precedence, events: list[str]) -> threading.Thread:
    """A thread that gives way once and then writes."""

    def write() -> None:
        precedence.give_way()
        events.append("written")

    return threading.Thread(target=write)


def _always_busy() -> Precedence:
    """One whose writer has worked for so long that it rests for as long as it takes."""
    return Precedence(longest_s=_LONG_S, clock=count(0.0, 1000.0).__next__)
