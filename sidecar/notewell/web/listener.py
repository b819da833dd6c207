"""The port: binding it, TLS, and the limit on connections.

Also warnings about addresses and rules that are open to more than this machine.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

from notewell.errors import ConfigError, ServerError
from notewell.types import ServerRules
from notewell.web.auth import ANY, LOOPBACK_NAMES, SAFETY_HEADERS
from notewell.web.middleware import PROBLEM_TYPE, problem

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
    make: Callable[[], asyncio.Protocol],
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


class _Admission:
    """Counts connections; a single address gets at most half of them."""

    def __init__(self, make: Callable[[], asyncio.Protocol], most: int) -> None:
        self._make = make
        self._most = most
        self._open: Counter[str] = Counter()

    def connection(self) -> asyncio.Protocol:
        """Return the protocol of the next connection; its address is known once it is made."""
        return _Counted(self, self._make())

    def enter(self, address: str) -> bool:
        """Count a connection from `address`; False if there are too many."""
        full = self._open.total() >= self._most or self._open[address] >= max(self._most // 2, 1)
        if not full:
            self._open[address] += 1
        return not full

    def leave(self, address: str) -> None:
        """Stop counting a connection that ended."""
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]


class _Counted(asyncio.Protocol):
    """A counted connection that passes its events on, or one that is refused."""

    def __init__(self, admission: _Admission, inner: asyncio.Protocol) -> None:
        self._admission = admission
        self._inner = inner
        self._address: str | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else ""
        if self._admission.enter(address):
            self._address = address
            self._inner.connection_made(transport)
        elif isinstance(transport, asyncio.Transport):
            transport.write(_full())
            transport.close()

    def data_received(self, data: bytes) -> None:
        if self._address is not None:
            self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received() if self._address is not None else None

    def pause_writing(self) -> None:
        if self._address is not None:
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        if self._address is not None:
            self._inner.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._address is not None:
            self._admission.leave(self._address)
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
