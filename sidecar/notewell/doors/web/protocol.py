"""One HTTP connection: what aiohttp answers by itself, before the application, is ours as well.

A request that is no HTTP, or expects something unknown, never reaches the application. aiohttp
answers it in plain text with its own version; here it gets a problem document and our headers.
"""

from __future__ import annotations

import asyncio

from aiohttp import StreamReader, web
from aiohttp.web_protocol import RequestHandler

from notewell.doors.web.auth import SAFETY_HEADERS
from notewell.doors.web.middleware import http_problem, problem


class Connection(RequestHandler):
    """A connection whose every refusal is a problem document."""

    __slots__ = ("_body",)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, without a body."""
        self._body: StreamReader | None = None  # of the request that was answered last
        super().connection_made(transport)

    @property
    def has_no_request(self) -> bool:
        """Whether the head of a request has yet to come, or its last part."""
        return not self._request_in_progress and not self._messages

    @property
    def is_sending(self) -> bool:
        """Whether an answer is made and on its way; never of a stream, which is made meanwhile."""
        return self._request_in_progress and self._current_request is None

    @property
    def misses_body(self) -> bool:
        """Whether a request has come, and the rest of its body has yet to."""
        body = self._current_request.content if self._current_request is not None else self._body
        return body is not None and not body.is_eof()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Log as aiohttp does, and answer without what it says of the request and of itself."""
        if isinstance(exc, UnicodeEncodeError):
            # Its refusal quotes the header `Expect`, in which there may be bytes that are no text.
            status = 400
        plain = super().handle_error(request, status, exc, message)
        if status >= 500:
            answer = problem(status, code="internal", detail="Something failed inside the server.")
        else:
            answer = problem(
                status,
                code="bad_http",
                detail="This is not a request of HTTP/1.1, or its head is larger than is read.",
            )
        answer.headers.update(SAFETY_HEADERS)
        if not plain.keep_alive:
            answer.force_close()
        return answer

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send an answer; one that was raised outside the middleware becomes a problem document."""
        self._body = request.content
        if isinstance(resp, web.HTTPException):
            resp = http_problem(resp)
            resp.headers.update(SAFETY_HEADERS)
        return await super().finish_response(request, resp, start_time)


class Server(web.Server):
    """Makes the connections of an application."""

    def __call__(self) -> Connection:
        """Make the protocol of one connection, as aiohttp's server does."""
        return Connection(self, loop=self._loop, **self._kwargs)


class Runner(web.AppRunner):
    """Runs an application with our connections."""

    async def _make_server(self) -> web.Server:
        server = await super()._make_server()
        server.__class__ = Server  # aiohttp has no argument for it; the state is the same
        return server
