"""The project's one HTTP client: requests, replies, retries and server-sent events.

It stands on the standard library's http.client, because a terminal command starts anew each time:
importing another client costs more than the whole command may take (aiohttp's alone 140 ms). It is
synchronous, opens one connection a request, and ignores the environment's proxies: a key or a note
goes to the address that a person chose and to no other.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from http.client import HTTPMessage, HTTPResponse
from typing import Protocol, TypeVar
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from notewell.base.support.http.connection import (
    NEVER,
    PUBLIC,
    Cancel,
    HttpError,
    HttpReply,
    HttpRequest,
    Json,
    OpenConnection,
    Retry,
    Tls,
    error_words,
    hang_up,
    is_loopback,
    parse_json,
    parse_url,
    translate,
)

__all__ = [
    "Cancel",
    "HttpClient",
    "HttpError",
    "HttpReply",
    "HttpRequest",
    "Json",
    "Retry",
    "ServerEvent",
    "StreamedReply",
    "Tls",
    "error_words",
    "is_loopback",
    "parse_events",
    "parse_json",
]


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
            request = _redirected(request, reply.status, location)
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


def _redirected(request: HttpRequest, status: int, location: str) -> HttpRequest:
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


T = TypeVar("T")
_PIECE_BYTES = 64 * 1024
_LINE_END = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class ConnectionGuard:
    """Ends a connection that is cancelled or whose deadline has passed."""

    def __init__(self, cancel: Cancel, deadline_s: float | None) -> None:
        """`deadline_s` counts from `watch`; None: no deadline."""
        self._cancel = cancel
        self._deadline_s = deadline_s
        self._expired = threading.Event()
        self._timer: threading.Timer | None = None

    def watch(self, opened: socket.socket) -> None:
        if self._deadline_s is not None:
            self._timer = threading.Timer(self._deadline_s, self._expire, (opened,))
            self._timer.daemon = True
            self._timer.start()
        self._cancel.on_cancel(partial(hang_up, opened))

    def run(self, work: Callable[[], T]) -> T:
        """Run a piece of network work; a connection that was ended just looks closed to it."""
        try:
            result = translate(work)
        except HttpError:
            self._check()
            raise
        self._check()
        return result

    def release(self) -> None:
        """Stop watching. May be called twice."""
        self._cancel.on_cancel(None)
        if self._timer is not None:
            self._timer.cancel()

    def _expire(self, opened: socket.socket) -> None:
        self._expired.set()
        hang_up(opened)

    def _check(self) -> None:
        self._cancel.check()
        if self._expired.is_set():
            raise HttpError("timeout", f"took longer than {self._deadline_s:g} s")


class StreamedReply:
    """A reply whose headers have arrived and whose body is still to be read, once."""

    def __init__(
        self,
        connection: OpenConnection,
        response: HTTPResponse,
        guard: ConnectionGuard,
        max_bytes: int | None,
    ) -> None:
        """Take over an open connection; `close` ends it."""
        self._connection = connection
        self._response = response
        self._guard = guard
        self._max_bytes = max_bytes

    @property
    def status(self) -> int:
        return self._response.status

    @property
    def headers(self) -> HTTPMessage:
        """The headers; the case of names is ignored."""
        return self._response.headers

    def pieces(self) -> Iterator[bytes]:
        """The body as it arrives. Raises HttpError, also where it ends early or grows too large."""
        announced = self._response.length  # None: chunked, or until the connection ends
        self._refuse_above_limit(announced or 0)
        arrived = 0
        while arrived != announced:
            piece = self._guard.run(partial(self._response.read1, _PIECE_BYTES))
            if not piece:
                break
            arrived += len(piece)
            self._refuse_above_limit(arrived)
            yield piece
        if announced is not None and arrived < announced:
            raise HttpError("truncated", f"ended after {arrived} of {announced} bytes")

    def read(self) -> bytes:
        """The whole body. Raises HttpError as `pieces` does."""
        return b"".join(self.pieces())

    def read_at_most(self, limit: int) -> bytes:
        """The first `limit` bytes of the body; the rest is not read. Raises HttpError."""
        body = bytearray()
        for piece in self.pieces():
            body += piece
            if len(body) >= limit:
                break
        return bytes(body[:limit])

    def events(self) -> Iterator[ServerEvent]:
        """The body as server-sent events. Raises HttpError as `pieces` does."""
        return parse_events(self.pieces())

    def close(self) -> None:
        """End the connection. May be called twice."""
        self._guard.release()
        self._response.close()
        self._connection.close()

    def _refuse_above_limit(self, size: int) -> None:
        if self._max_bytes is not None and size > self._max_bytes:
            raise HttpError("too_large", f"more than {self._max_bytes} bytes")


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event. `id` is the last id that the server sent, "" before the first."""

    kind: str
    data: str
    id: str = ""


def parse_events(pieces: Iterable[bytes]) -> Iterator[ServerEvent]:
    """Parse a stream that arrives in pieces of any size; an event is given once it is complete.

    Unlike the standard, an event whose closing blank line is missing at the end of the stream is
    given too, because several model servers leave that line out.
    """
    event = _Event()
    for line in _lines(pieces):
        if line:
            event.take(line)
        else:
            yield from event.finish()
    yield from event.finish()


@dataclass(slots=True)
class _Event:
    """The event whose lines are arriving."""

    kind: str = ""
    data: list[str] = field(default_factory=list)
    last_id: str = ""

    def take(self, line: bytes) -> None:
        name, _, raw = line.partition(b":")  # a comment begins with the colon and has no name
        value = raw.removeprefix(b" ").decode("utf-8", "replace")
        if name == b"data":
            self.data.append(value)
        elif name == b"event":
            self.kind = value
        elif name == b"id" and "\0" not in value:
            self.last_id = value

    def finish(self) -> Iterator[ServerEvent]:
        """The event, unless it has no data; the next one begins."""
        if self.data:
            yield ServerEvent(self.kind or "message", "\n".join(self.data), self.last_id)
        self.kind, self.data = "", []


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Lines without their ends, which are CRLF, LF or CR."""
    rest = bytearray()
    searched = 0  # `rest` has no line end before this offset
    first = True
    for piece in pieces:
        rest += piece
        start = 0
        while found := _LINE_END.search(rest, max(start, searched)):
            if found.group() == b"\r" and found.end() == len(rest):
                break  # its LF may come with the next piece
            line = bytes(rest[start : found.start()])
            yield line.removeprefix(_BYTE_ORDER_MARK) if first else line
            start, first = found.end(), False
        del rest[:start]
        searched = max(len(rest) - 1, 0)
    if rest:
        last = bytes(rest).removesuffix(b"\r")
        yield last.removeprefix(_BYTE_ORDER_MARK) if first else last


PORTS: Mapping[str, int] = {"http": 80, "https": 443}
# What the standard library raises for an invalid address, character set or page.
MALFORMED = (ValueError, LookupError, AssertionError)
# All that is assigned to hosts of the public internet (IANA, "IPv6 Global Unicast Address
# Assignments"). Everything else is local, reserved, or contains an IPv4 address.
_PUBLIC_V6 = ipaddress.IPv6Network("2000::/3")
# Parts of the public ranges that are not for hosts (IANA's registries of special-purpose
# addresses); not every version of Python knows all of them. 2001::/23 has Teredo, benchmarks and
# ORCHID; 2002::/16 contains IPv4 addresses (6to4).
_SPECIAL = tuple(
    map(
        ipaddress.ip_network,
        (
            *("192.0.0.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
            *("192.175.48.0/24", "198.18.0.0/15"),
            *("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"),
        ),
    )
)

Resolve = Callable[[str, int], Sequence[str]]


def resolve(host: str, port: int) -> tuple[str, ...]:
    """The addresses of a host name; raises OSError where it has none."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(one[4][0]) for one in found))


def public_request(
    url: str, headers: Mapping[str, str], *, method: str = "GET", resolve: Resolve = resolve
) -> HttpRequest:
    """The request for `url`, with the checked address to connect to.

    Raises HttpError: "refused" for what must not be requested, "connection" where the name has no
    address.
    """
    address = web_address(url)
    host, scheme = address.hostname or "", address.scheme
    try:
        port = address.port
    except ValueError as error:
        raise HttpError("refused", "its port is not valid") from error
    if scheme not in PORTS or not host or port not in {None, PORTS.get(scheme)}:
        raise HttpError("refused", "only http and https on their default ports are read")
    if address.username is not None or address.password is not None:
        raise HttpError("refused", "it contains a user name or password")
    target = f"{address.path or '/'}{f'?{address.query}' if address.query else ''}"
    quoted = quote(target, safe="/?=&%:;,+~@!$'()*-._#[]")
    return HttpRequest(
        method,
        f"{scheme}://{address.netloc}{quoted}",
        headers,
        address=_public(host, PORTS[scheme], resolve),
    )


def web_address(url: str) -> SplitResult:
    """The parts of an address; HttpError "refused" if it is none."""
    try:
        return urlsplit(url)
    except ValueError as error:
        raise HttpError("refused", "it is not a valid address") from error


def _public(host: str, port: int, resolve: Resolve) -> str:
    """The address to connect to; every address of the name must be public."""
    try:
        addresses = resolve(host, port)
    except (OSError, *MALFORMED) as error:
        raise HttpError("connection", str(error) or type(error).__name__) from error
    if not addresses:
        raise HttpError("refused", "its name has no address")
    for one in addresses:
        if not is_public(one):
            raise HttpError("refused", "it is in a private network")
    return addresses[0]


def is_public(place: str) -> bool:
    """True if an address is of a host of the public internet: global unicast, nothing special."""
    try:
        address = ipaddress.ip_address(place)
    except ValueError:
        return False
    if "%" in place:  # an address within one network
        return False
    if isinstance(address, ipaddress.IPv6Address) and address not in _PUBLIC_V6:
        return False
    if any(address in network for network in _SPECIAL):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved
