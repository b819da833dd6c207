"""Server-sent events: streams of events to clients that keep a connection open."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

from aiohttp import hdrs, web

from notewell.base.errors import BusyError
from notewell.contract.codec import to_json
from notewell.contract.request import EVENT_STREAM
from notewell.doors.web.auth import CALLER, SAFETY_HEADERS, Caller
from notewell.engine.event_loop import EventStream, StreamedEvent

# Keeps the connection open in proxies, and finds clients that are gone.
_HEARTBEAT = b": still here\n\n"
_AGAIN_MS = 2000  # after which a browser connects again


@dataclass(slots=True)
class Streams:
    """The event streams of one server: limited in number, and ended with it.

    A client that does not read for `patience_s` is disconnected; it can reconnect with the id of
    the last event that it received.
    """

    most: int = 64
    each: int = 32  # of one caller
    heartbeat_s: float = 15.0
    patience_s: float = 15.0
    _open: dict[EventStream, tuple[web.Request, Caller]] = field(default_factory=dict)

    async def send(self, request: web.Request, following: EventStream) -> web.StreamResponse:
        """Answer `request` with the events of `following` until either ends."""
        try:
            self._admit()
            self._open[following] = (request, CALLER.get())
            return await self._answer(request, following)
        finally:
            following.end()
            self._open.pop(following, None)

    async def end(self, _app: web.Application) -> None:
        """End all streams, because the server stops."""
        for following in self._open:
            following.end()

    def _admit(self) -> None:
        """Raise BusyError where there are too many streams; closed connections do not count."""
        living: Counter[Caller] = Counter()
        for following, (request, caller) in self._open.items():
            if request.transport is None or request.transport.is_closing():
                following.end()
            else:
                living[caller] += 1
        if living.total() >= self.most or living[CALLER.get()] >= self.each:
            raise BusyError(
                f"{living.total()} event streams are open, which is the maximum. Close one, or"
                " poll GET /api/status instead.",
                code="too_many_streams",
                retry_after=self.heartbeat_s,
            )

    async def _answer(self, request: web.Request, following: EventStream) -> web.StreamResponse:
        # The middleware adds its headers after the answer, too late for a stream.
        response = web.StreamResponse(headers={**SAFETY_HEADERS, "X-Accel-Buffering": "no"})
        response.content_type = EVENT_STREAM
        await response.prepare(request)
        if request.method == hdrs.METH_HEAD:
            return response
        try:
            with suppress(ConnectionError):  # the client went away
                await self._write_events(response, following)
        except TimeoutError:
            if request.transport is not None:
                request.transport.abort()
        return response

    async def _write_events(self, response: web.StreamResponse, following: EventStream) -> None:
        frame: bytes | None = f"retry: {_AGAIN_MS}\n\n".encode()
        while frame is not None:
            async with asyncio.timeout(self.patience_s):
                await response.write(frame)
            try:
                async with asyncio.timeout(self.heartbeat_s):
                    event = await following.next()
                frame = None if event is None else _frame(event)
            except TimeoutError:
                frame = _HEARTBEAT


def _frame(event: StreamedEvent) -> bytes:
    head = f"id: {event.id}\nevent: {event.kind}\ndata: "
    return head.encode() + to_json(event.data) + b"\n\n"
