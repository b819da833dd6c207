"""What the writer of a vault reports: its state, its history, and events for subscribers.

Events contain no note text. Ids increase by one, so a listener that was disconnected can request
the events after the last id it received.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Literal

from notewell.base.types import Progress, PropertyValue
from notewell.base.types.frozen import frozen

EventKind = Literal["generation", "progress", "ledger", "state"]
LOG_SIZE = 1000


@frozen
class Guarded:
    """Many notes that are missing at once and stay indexed until a person confirms."""

    gone: int
    total: int
    since: float


@frozen
class Finished:
    """A completed run in the history."""

    ended: float
    seconds: float
    read: int
    embedded: int
    removed: int
    outcome: str  # "done", "stopped", or what went wrong


@frozen
class Tally:
    """Totals since the writer was created."""

    runs: int = 0
    read: int = 0
    embedded: int = 0
    reused: int = 0
    removed: int = 0


@frozen
class Activity:
    """The state of the writer, its history, and problems that block it."""

    running: bool = False
    serving: bool = False  # a background thread does the pending work
    progress: Progress | None = None
    stage_began: float = 0.0  # time.monotonic() at which the stage of `progress` began
    problem: str | None = None  # a part of the engine that does not work, for people
    guard: Guarded | None = None
    held: Guarded | None = None  # notes of a mirror that its client no longer has, until confirmed
    paused: bool = False
    waiting: int = 0
    history: tuple[Finished, ...] = ()
    tally: Tally = Tally()


@frozen
class Event:
    """One event; `data` is sent as JSON by the event stream."""

    id: int
    kind: EventKind
    data: Mapping[str, PropertyValue]


class EventLog:
    """The most recent events and the subscribers. Thread-safe."""

    def __init__(self, size: int = LOG_SIZE, *, first: int = 1) -> None:
        """Keep the last `size` events. `first` is the id of the first event.

        It has to be higher than all ids of earlier server processes, so that a listener that
        reconnects after a restart receives all events of the new process.
        """
        self._lock = threading.Lock()
        self._events: deque[Event] = deque(maxlen=size)
        self._listeners: dict[int, Callable[[Event], None]] = {}
        self._last = first - 1
        self._tickets = 0

    def publish(self, kind: EventKind, **data: PropertyValue) -> Event:
        """Call all listeners in this thread; a listener must not block."""
        with self._lock:
            self._last += 1
            event = Event(self._last, kind, data)
            self._events.append(event)
            listeners = tuple(self._listeners.values())
        for listener in listeners:
            listener(event)
        return event

    def subscribe(
        self, listener: Callable[[Event], None], *, after: int | None = None
    ) -> tuple[tuple[Event, ...], Callable[[], None]]:
        """Return the stored events after an id, and call `listener` for each later event.

        With None, no stored events are returned. The second value ends the subscription. An id
        higher than all ids of this process returns every stored event.
        """
        with self._lock:
            self._tickets += 1
            ticket = self._tickets
            self._listeners[ticket] = listener
            since = self._last if after is None else after if after <= self._last else 0
            missed = tuple(event for event in self._events if event.id > since)

        def end() -> None:
            with self._lock:
                self._listeners.pop(ticket, None)

        return missed, end
