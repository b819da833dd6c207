"""One HTTP connection: what aiohttp answers by itself, before the application, is ours as well.

A request that is no HTTP, or expects something unknown, never reaches the application. aiohttp
answers it in plain text with its own version; here it gets a problem document and our headers.
"""

from __future__ import annotations

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from notewell.web.auth import SAFETY_HEADERS
from notewell.web.middleware import http_problem, problem


class Connection(RequestHandler):
    """A connection whose every refusal is a problem document."""

    __slots__ = ()

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
