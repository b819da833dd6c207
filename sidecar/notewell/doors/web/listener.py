"""The port and its connections: binding, TLS, the limit on connections, and answers to bad HTTP.

A request that is no HTTP, or expects something unknown, never reaches the application. aiohttp
answers it in plain text with its own version; here it gets a problem document and our headers.
Also warnings about addresses and rules that are open to more than this machine.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from enum import IntEnum
from functools import cache
from pathlib import Path

from aiohttp import StreamReader, web
from aiohttp.web_protocol import RequestHandler

from notewell.base.errors import ConfigError, ServerError
from notewell.base.types import ServerRules
from notewell.doors.web.auth import ANY, LOOPBACK_NAMES, SAFETY_HEADERS
from notewell.doors.web.middleware import PROBLEM_TYPE, http_problem, problem


class Connection(RequestHandler):
    """A connection whose every refusal is a problem document."""

    __slots__ = ("_body",)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._body: StreamReader | None = None  # of the request that was answered last
        super().connection_made(transport)

    @property
    def has_no_request(self) -> bool:
        """True if the head of a request has yet to come, or its last part."""
        return not self._request_in_progress and not self._messages

    @property
    def is_sending(self) -> bool:
        """True if an answer is made and on its way; never of a stream, which is made meanwhile."""
        return self._request_in_progress and self._current_request is None

    @property
    def misses_body(self) -> bool:
        """True if a request has come, and the rest of its body has yet to."""
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


_TLS_HANDSHAKE_S = 10.0


def bind(host: str, port: int) -> socket.socket:
    """Bind an address; raise ServerError where that is impossible."""
    try:
        family, *_, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address[:2], family=family, backlog=128)
    except (OSError, OverflowError) as error:
        raise ServerError(
            f"Cannot listen on {host} port {port}: {error}. Choose another port with --port"
            " (0 takes a free one) or another address with --host.",
            code="cannot_listen",
        ) from error


def tls_context(rules: ServerRules) -> ssl.SSLContext | None:
    """Load the configured certificate; None for plain HTTP. Raise ConfigError if that fails."""
    if not rules.tls_cert:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(Path(rules.tls_cert), rules.tls_key or None, _no_password)
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise ConfigError(
            f"the certificate `server.tls_cert` ({rules.tls_cert}) and its key cannot be used:"
            f" {error}; both are PEM files, the key without a password"
        ) from error
    return context


def _no_password() -> str:
    """Refuse a key with a password: a server cannot ask for it."""
    raise ValueError("the key has a password")


@asynccontextmanager
async def listening(
    make: Callable[[], Connection],
    listener: socket.socket,
    tls: ssl.SSLContext | None,
    most: int,
) -> AsyncIterator[None]:
    """Accept connections on `listener` while the block runs; `make` returns the protocol of one."""
    admission = _Admission(make, most)
    server = await asyncio.get_running_loop().create_server(
        admission.connection,
        sock=listener,
        ssl=tls,
        ssl_handshake_timeout=_TLS_HANDSHAKE_S if tls is not None else None,
    )
    try:
        yield
    finally:
        server.close()


class Awaited(IntEnum):
    """The work of a connection that the server waits for; the lowest ones make room first."""

    REST = 0  # of a request that arrives in pieces, or that what was sent is read
    REQUEST = 1  # the next one
    SENDING = 2  # that all of an answer is on its way
    NOTHING = 3  # a request is at work


class _Admission:
    """Counts connections; a single address gets at most half of them.

    Where there are too many, the new one takes the place of one that keeps the server waiting, so
    that whoever asks at once is answered. Only requests at work keep others out.
    """

    def __init__(self, make: Callable[[], Connection], most: int) -> None:
        self._make = make
        self._most = most
        self._open: OrderedDict[_CountedConnection, None] = OrderedDict()  # by their last request
        self._of_address: Counter[str] = Counter()

    def connection(self) -> asyncio.Protocol:
        """Return the protocol of the next connection; its address is known once it is made."""
        return _CountedConnection(self, self._make())

    def enter(self, connection: _CountedConnection) -> bool:
        """Count a connection; False if there are too many and all are at work."""
        address = connection.address
        own = self._of_address[address] >= max(self._most // 2, 1)
        if own or len(self._open) >= self._most:
            among = (entry for entry in self._open if not own or entry.address == address)
            oldest = min(among, key=lambda each: each.waits_for, default=None)
            if oldest is None or oldest.waits_for is Awaited.NOTHING:
                return False
            self.leave(oldest)
            oldest.abort()
        self._open[connection] = None
        self._of_address[address] += 1
        return True

    def note_request(self, connection: _CountedConnection) -> None:
        """Note that the head of a request has come."""
        if connection in self._open:
            self._open.move_to_end(connection)

    def leave(self, connection: _CountedConnection) -> None:
        """Stop counting a connection, if it is counted."""
        if connection not in self._open:
            return
        del self._open[connection]
        self._of_address[connection.address] -= 1
        if not self._of_address[connection.address]:
            del self._of_address[connection.address]


class _CountedConnection(asyncio.Protocol):
    """A counted connection that passes its events on, or one that is refused."""

    def __init__(self, admission: _Admission, inner: Connection) -> None:
        self._admission = admission
        self._inner = inner
        self._transport: asyncio.Transport | None = None  # of one that was admitted
        self._is_partial = True  # nothing came yet, or a part of a head
        self._is_full = False  # the client does not read what was sent
        self.address = ""

    @property
    def waits_for(self) -> Awaited:
        is_partial = self._is_partial and self._inner.has_no_request
        if is_partial or self._inner.misses_body or self._is_full:
            return Awaited.REST
        if self._inner.has_no_request:
            return Awaited.REQUEST
        return Awaited.SENDING if self._inner.is_sending else Awaited.NOTHING

    def abort(self) -> None:
        """End the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if isinstance(peer, tuple) else ""
        if not isinstance(transport, asyncio.Transport):
            return
        if self._admission.enter(self):
            self._transport = transport
            self._inner.connection_made(transport)
        else:
            transport.write(_full())
            transport.close()

    def data_received(self, data: bytes) -> None:
        if self._transport is None:
            return
        had_no_request = self._inner.has_no_request
        self._inner.data_received(data)
        self._is_partial = self._inner.has_no_request
        if had_no_request and not self._is_partial:
            self._admission.note_request(self)

    def eof_received(self) -> None:
        if self._transport is not None:
            self._inner.eof_received()

    def pause_writing(self) -> None:
        if self._transport is not None:
            self._is_full = True
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        if self._transport is not None:
            self._is_full = False
            self._inner.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._admission.leave(self)
            self._inner.connection_lost(exc)


@cache
def _full() -> bytes:
    """The whole answer to a connection that is one too many, which is closed after it."""
    answer = problem(
        503, code="too_many_connections", detail="Too many connections are open. Try again later."
    )
    body = answer.body if isinstance(answer.body, bytes) else b""
    headers = {
        **SAFETY_HEADERS,
        "Content-Type": PROBLEM_TYPE,
        "Content-Length": str(len(body)),
        "Retry-After": "5",
        "Connection": "close",
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 503 Service Unavailable\r\n{head}\r\n".encode() + body


def warnings_of(rules: ServerRules) -> tuple[str, ...]:
    """Return warnings about rules that open the server to others."""
    return tuple(filter(None, (bind_warning(rules.host, tls=bool(rules.tls_cert)), *_wild(rules))))


def bind_warning(host: str, *, tls: bool = False) -> str | None:
    """Return a warning where `host` can be reached from other machines, else None."""
    if host in LOOPBACK_NAMES or _is_loopback(host):
        return None
    reach = f"Listening on {host}: every device that reaches this machine can ask this server"
    if tls:
        return f"{reach}."
    return (
        f"{reach}, and the token and your notes travel unencrypted. Use a trusted network, or TLS"
        " (`server.tls_cert`, or a proxy in front)."
    )


def _wild(rules: ServerRules) -> Iterator[str]:
    if ANY in rules.allowed_hosts:
        yield (
            "`server.allowed_hosts` has `*`: any web page may point its own name at this server"
            " (DNS rebinding). Name the hosts instead."
        )
    if ANY in rules.allowed_origins:
        yield (
            "`server.allowed_origins` has `*`: pages of any origin may send requests to this"
            " server. Name the origins instead."
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
