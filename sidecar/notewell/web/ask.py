"""Streams the answer of a language model: one thread an answer, its events in order."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from notewell.ask.service import AskService
from notewell.contract.ask import (
    AskFailed,
    AskRequest,
)
from notewell.engine.event_stream import EventStream, StreamedEvent
from notewell.support.http import Cancel
from notewell.web.site import Site

_log = logging.getLogger(__name__)

_UNFORESEEN = "Something failed inside Notewell; its log says where. Please report it."
_MOST_WAITING = 10_000  # pieces of an answer that wait for a slow reader


@dataclass(frozen=True, slots=True)
class _Numbered:
    id: int
    kind: str
    data: object


async def ask(site: Site, vault: str | None, request: AskRequest) -> EventStream:
    """Begin an answer in a thread of its own; it ends when nobody listens any more."""
    answering = _Answering(site.engine(vault).asking, request)
    following = EventStream(answering.begin, most_waiting=_MOST_WAITING)
    answering.follow(following)
    return following


class _Answering:
    """One answer in a thread, told to one listener."""

    def __init__(self, desk: AskService, request: AskRequest) -> None:
        self._desk = desk
        self._request = request
        self._cancel = Cancel()
        self._tell: Callable[[StreamedEvent], None] = lambda _: None
        self._following: EventStream | None = None

    def begin(
        self, listener: Callable[[StreamedEvent], None]
    ) -> tuple[tuple[StreamedEvent, ...], Callable[[], None]]:
        """As `EventStream` subscribes; unsubscribing cancels."""
        self._tell = listener
        return (), self._cancel.cancel

    def follow(self, following: EventStream) -> None:
        """Start answering; the stream ends with the answer."""
        self._following = following
        threading.Thread(target=self._run, name="ask", daemon=True).start()

    def _run(self) -> None:
        told = 0
        try:
            for event in self._desk.answer(self._request, self._cancel):
                self._tell(_Numbered(told := told + 1, event.kind, event.data))
        except Exception as error:  # noqa: BLE001 - the end of the thread: who listens hears of it
            # The message might quote a note, so only the places are logged.
            places = "".join(traceback.format_tb(error.__traceback__))
            _log.error("an answer failed: %s\n%s", type(error).__name__, places)
            self._tell(_Numbered(told + 1, "error", AskFailed("internal", _UNFORESEEN)))
        finally:
            if self._following is not None:
                self._following.end_soon()
