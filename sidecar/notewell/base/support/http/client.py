"""The project's one HTTP client: requests, replies, retries and redirects.

It stands on the standard library's http.client, because a terminal command starts anew each time:
importing another client costs more than the whole command may take (aiohttp's alone 140 ms). It is
synchronous, opens one connection a request, and ignores the environment's proxies: a key or a note
goes to the address that a person chose and to no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from http.client import HTTPMessage
from typing import Protocol, TypeVar
from urllib.parse import SplitResult, urljoin

from notewell.base.support.http.connection import (
    NEVER,
    PUBLIC,
    Cancel,
    HttpError,
    HttpReply,
    HttpRequest,
    OpenConnection,
    Retry,
    Tls,
    parse_url,
    translate,
)
from notewell.base.support.http.streamed import ConnectionGuard, StreamedReply

MAX_BYTES = 8 * 1024 * 1024
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Headers that another host may get after a redirect; any other header may carry a key.
_HARMLESS_HEADERS = frozenset({"accept", "user-agent"})


class _HasStatus(Protocol):
    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> HTTPMessage: ...


A = TypeVar("A", bound=_HasStatus)


@dataclass(frozen=True, slots=True)
class HttpClient:
    """Sends requests; one client serves any number of threads.

    `timeout_s` is the longest silence of a server, `connect_s` the longest opening of a
    connection, and `deadline_s`, where given, the longest time from then to the reply's last byte,
    with the TLS handshake. A reply above `max_bytes` (None: any size) is an error. `redirects` is
    how many are followed.
    """

    timeout_s: float = 30.0
    connect_s: float = 10.0
    deadline_s: float | None = None
    max_bytes: int | None = MAX_BYTES
    retry: Retry = NEVER
    redirects: int = 0
    tls: Tls = PUBLIC

    def send(self, request: HttpRequest, cancel: Cancel | None = None) -> HttpReply:
        """Send a request and read the reply completely.

        A reply that breaks off is retried like a connection that fails. Raises HttpError, or
        CancelledError once `cancel` is used.
        """

        def attempt(cancel: Cancel) -> HttpReply:
            stream = self._open(request, cancel)
            try:
                return HttpReply(stream.status, stream.headers, stream.read())
            finally:
                stream.close()

        return self._with_retries(attempt, cancel or Cancel(), discard=lambda _: None)

    @contextmanager
    def stream(self, request: HttpRequest, cancel: Cancel | None = None) -> Iterator[StreamedReply]:
        """Send a request; the reply's body is read inside the block, where nothing is retried.

        Raises HttpError, or CancelledError once `cancel` is used.
        """
        attempt = partial(self._open, request)
        reply = self._with_retries(attempt, cancel or Cancel(), discard=StreamedReply.close)
        try:
            yield reply
        finally:
            reply.close()

    def _with_retries(
        self, attempt: Callable[[Cancel], A], cancel: Cancel, *, discard: Callable[[A], None]
    ) -> A:
        number = 0
        while True:
            number += 1
            cancel.check()
            try:
                reply = attempt(cancel)
            except HttpError as error:
                cancel.check()
                pause = self.retry.pause_after_error(number, error.kind)
                if pause is None:
                    raise
            else:
                pause = self.retry.pause_after_status(number, reply.status, reply.headers)
                if pause is None:
                    return reply
                discard(reply)
            (self.retry.sleep or cancel.wait)(pause)

    def _open(self, request: HttpRequest, cancel: Cancel) -> StreamedReply:
        """Send a request and what its redirects ask for, up to the last reply's headers."""
        for _ in range(self.redirects):
            reply = self._open_once(request, cancel)
            location = reply.headers.get("Location")
            if reply.status not in _REDIRECTS or location is None:
                return reply
            reply.close()
            request = _redirect(request, reply.status, location)
        reply = self._open_once(request, cancel)
        if self.redirects and reply.status in _REDIRECTS:
            reply.close()
            raise HttpError("redirect", "too many redirects")
        return reply

    def _open_once(self, request: HttpRequest, cancel: Cancel) -> StreamedReply:
        url = parse_url(request.url)
        connection = translate(
            lambda: OpenConnection(
                url,
                request.address,
                self.tls,
                timeout_s=self.timeout_s,
                connect_s=self.connect_s,
            )
        )
        guard = ConnectionGuard(cancel, self.deadline_s)
        with ExitStack() as failed:
            failed.callback(connection.close)
            failed.callback(guard.release)
            translate(connection.connect)
            guard.watch(connection.sock)
            guard.run(connection.handshake)
            guard.run(partial(_send_request, connection, request, url))
            response = guard.run(connection.getresponse)
            failed.pop_all()  # the reply closes them from here on
        return StreamedReply(connection, response, guard, self.max_bytes)


def _send_request(connection: OpenConnection, request: HttpRequest, url: SplitResult) -> None:
    target = f"{url.path or '/'}{f'?{url.query}' if url.query else ''}"
    headers = {**request.headers, "Connection": "close"}
    # A server may refuse a large body before it has read it all; its reply says why.
    with suppress(BrokenPipeError, ConnectionResetError):
        connection.request(request.method, target, body=request.body, headers=headers)


def _redirect(request: HttpRequest, status: int, location: str) -> HttpRequest:
    """The request that a redirect asks for; keys and bodies never go to another origin."""
    target = translate(lambda: urljoin(request.url, location))
    old, new = parse_url(request.url), parse_url(target)
    if request.address is not None:
        raise HttpError("redirect", "the redirect leads away from the address that was checked")
    if old.scheme == "https" and new.scheme != "https":
        raise HttpError("redirect", "the redirect leads from https to http")
    if status not in {307, 308} and request.method not in {"GET", "HEAD"}:
        request = replace(request, method="GET", body=None)
    if (old.scheme, old.hostname, old.port) != (new.scheme, new.hostname, new.port):
        if request.body is not None:
            raise HttpError("redirect", "the redirect would send the request's body elsewhere")
        kept = {
            name: value
            for name, value in request.headers.items()
            if name.lower() in _HARMLESS_HEADERS
        }
        request = replace(request, headers=kept)
    return replace(request, url=target)
