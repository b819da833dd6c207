"""Events: sent to listeners, stored for those that reconnect, and limited in number."""

from __future__ import annotations

from notewell.engine.ingest.reports import EventLog, WriterEvent


def test_a_listener_gets_later_events() -> None:
    events, heard = EventLog(), list[WriterEvent]()
    events.publish("generation", generation=1)
    missed, end = events.subscribe(heard.append)

    events.publish("generation", generation=2)
    end()
    events.publish("generation", generation=3)

    assert missed == ()
    assert [event.data["generation"] for event in heard] == [2]


def test_a_returning_listener_gets_missed_events() -> None:
    events = EventLog()
    for n in range(1, 6):
        events.publish("generation", generation=n)

    missed, end = events.subscribe(lambda _: None, after=3)
    end()

    assert [event.id for event in missed] == [4, 5]


def test_an_id_of_another_process_gets_all_stored_events() -> None:
    events = EventLog(size=2)
    for n in range(1, 6):
        events.publish("generation", generation=n)

    missed, end = events.subscribe(lambda _: None, after=1000)
    end()

    assert [event.id for event in missed] == [4, 5]


def test_a_listener_of_an_earlier_process_gets_all_events_of_this_one() -> None:
    before, after = EventLog(first=1000), EventLog(first=2000)
    seen = before.publish("generation", generation=1).id
    for n in (2, 3):
        after.publish("generation", generation=n)

    missed, end = after.subscribe(lambda _: None, after=seen)
    end()

    assert [event.id for event in missed] == [2000, 2001]
