"""One HTTP exchange between aiohttp and an ASGI application: as much of ASGI 3 as MCP uses.

See the ASGI specification, "HTTP & WebSocket ASGI Message Format".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any, TypeAlias

from aiohttp import web

from notewell.doors.web.auth import SAFETY_HEADERS

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

_LEAVE_S = 5.0  # how long an application may take to end after its client has left
_POLL_S = 0.25  # how often to check for the client: aiohttp has no event for its leaving
# What aiohttp decides by itself for each connection.
_HOP_BY_HOP = frozenset({"connection", "keep-alive", "transfer-encoding"})


async def exchange(
    request: web.Request, application: Application, extra: Mapping[str, object]
) -> web.StreamResponse:
    """Have `application` answer `request`; `extra` is added to its scope.

    When the client leaves, the application is told and given time to end by itself: it may have to
    finish what the request began.
    """
    channel = _Exchange(request)
    scope = {**_scope(request), **extra}
    work = asyncio.ensure_future(application(scope, channel.receive, channel.send))
    try:
        await asyncio.shield(work)
    except asyncio.CancelledError:
        channel.leave()
        await asyncio.wait({work}, timeout=_LEAVE_S)
        raise
    return await channel.finished()


class _Exchange:
    """Both directions of one exchange."""

    def __init__(self, request: web.Request) -> None:
        self._request = request
        self._response: web.StreamResponse | None = None
        self._body_sent = False
        self._ended = asyncio.Event()

    async def receive(self) -> Message:
        """Return the whole body; after it wait for the end and return that the client has gone."""
        if not self._body_sent:
            self._body_sent = True
            body = await self._request.read()
            return {"type": "http.request", "body": body, "more_body": False}
        while not self._ended.is_set() and self._is_connected():
            try:
                await asyncio.wait_for(self._ended.wait(), _POLL_S)
            except TimeoutError:
                continue
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Pass on the head of the answer, or a part of its body."""
        if message["type"] == "http.response.start":
            self._response = _head(message)
            with suppress(ConnectionError):
                await self._response.prepare(self._request)
        elif self._response is not None:
            await self._write(self._response, message.get("body", b""))
            if not message.get("more_body"):
                self._ended.set()

    async def finished(self) -> web.StreamResponse:
        """End the answer and return it."""
        self._ended.set()
        if self._response is None:
            raise web.HTTPInternalServerError
        if self._is_connected():
            with suppress(ConnectionError):
                await self._response.write_eof()
        return self._response

    def leave(self) -> None:
        """Record that the client has gone."""
        self._ended.set()

    async def _write(self, response: web.StreamResponse, body: bytes) -> None:
        """Write to the client, if it is still connected."""
        if body and self._is_connected():
            with suppress(ConnectionError):
                await response.write(body)

    def _is_connected(self) -> bool:
        transport = self._request.transport
        return transport is not None and not transport.is_closing()


def _scope(request: web.Request) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": f"{request.version.major}.{request.version.minor}",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.rel_url.raw_path.encode("ascii"),
        "query_string": request.rel_url.raw_query_string.encode("ascii"),
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.raw_headers],
        "client": None,
        "server": None,
        "state": {},
    }


def _head(message: Message) -> web.StreamResponse:
    response = web.StreamResponse(status=message["status"])
    for raw_name, raw_value in message.get("headers", ()):
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        if name.lower() not in _HOP_BY_HOP:
            response.headers.add(name, value)
    for name, value in SAFETY_HEADERS.items():
        response.headers.setdefault(name, value)
    return response
