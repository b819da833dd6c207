"""What happened to a vault, told to whoever listens and kept for those who come back.

Events carry no note text. Their ids grow by one; a listener that lost its connection asks for
those after the last id it saw.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from notewell.types import PropertyValue

EventKind = Literal["generation", "progress", "ledger", "state"]
KEPT = 1000


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened; `data` is what the event stream sends as JSON."""

    id: int
    kind: EventKind
    data: Mapping[str, PropertyValue]


class EventLog:
    """The last events and who listens to the next. Safe to use from several threads."""

    def __init__(self, kept: int = KEPT, *, first: int = 1) -> None:
        """Keep this many. `first` is the id of the first event.

        A server that starts again gives a later one than any it gave before, so that a listener
        of the earlier life is told everything of this one.
        """
        self._lock = threading.Lock()
        self._events: deque[Event] = deque(maxlen=kept)
        self._listeners: dict[int, Callable[[Event], None]] = {}
        self._last = first - 1
        self._tickets = 0

    def publish(self, kind: EventKind, **data: PropertyValue) -> Event:
        """Tell all listeners, in this thread; a listener must not wait."""
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
        """Give the kept events after an id, and call `listener` for each one from now on.

        None: only what comes. The second value ends the subscription. An id from another life of
        the server is after all ids of this one and gives everything kept.
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
