"""One request to a server without TLS, as Notewell's own on this computer, and its reply.

`support/http` is the client for everything else. It needs the standard library's `http.client`,
which loads parsers of e-mail and TLS: a third of the time of a command beside a running server.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

_READ_BYTES = 256 * 1024
_HEAD_BYTES = 64 * 1024  # more is no reply of ours


def exchange(
    url: str, method: str, headers: Mapping[str, str], body: bytes | None, *, timeout: float
) -> tuple[int, bytes]:
    """Status and body of the reply.

    HTTP/1.0, so that the reply is not chunked and ends with the connection. `timeout` is the
    longest silence, in seconds.

    Raises:
        OSError: nothing listens, the server is silent, or what it sends is not a whole reply.
        ValueError: the URL has no valid host or port.

    """
    parts = urlsplit(url)
    request = _request(parts, method, headers, body or b"")
    with _connect(parts.hostname or "", parts.port or 80, timeout) as connection:
        connection.sendall(request)
        return _reply(_all_of(connection))


def _connect(host: str, port: int, timeout: float) -> socket.socket:
    """Connect to the first address of the host that accepts."""
    failed: OSError = ConnectionError("no address")
    # Bytes, because text would be encoded by IDNA, whose tables take long to load.
    for found in socket.getaddrinfo(host.encode("ascii"), port, type=socket.SOCK_STREAM):
        family, kind, protocol, _, address = found
        connection = socket.socket(family, kind, protocol)
        connection.settimeout(timeout)
        try:
            connection.connect(address)
        except OSError as error:
            connection.close()
            failed = error
        else:
            return connection
    raise failed


def _request(parts: SplitResult, method: str, headers: Mapping[str, str], body: bytes) -> bytes:
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    lines = [
        f"{method} {target} HTTP/1.0",
        f"Host: {parts.netloc}",
        *(f"{name}: {value}" for name, value in headers.items()),
        f"Content-Length: {len(body)}",
    ]
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("a header must be one line")
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def _all_of(connection: socket.socket) -> bytes:
    """What the server sends until it closes the connection."""
    received = bytearray()
    while piece := connection.recv(_READ_BYTES):
        received += piece
        if len(received) > _HEAD_BYTES and b"\r\n\r\n" not in received[:_HEAD_BYTES]:
            raise ConnectionError("not an HTTP reply")
    return bytes(received)


def _reply(received: bytes) -> tuple[int, bytes]:
    head, ended, body = received.partition(b"\r\n\r\n")
    status_line, *lines = head.split(b"\r\n")
    version, _, rest = status_line.partition(b" ")
    if not ended or not version.startswith(b"HTTP/1.") or not rest[:3].isdigit():
        raise ConnectionError("not an HTTP reply")
    headers = {name.strip().lower(): value.strip() for name, _, value in map(_halves, lines)}
    if headers.get(b"content-length", str(len(body)).encode()) != str(len(body)).encode():
        raise ConnectionError("ended too early")
    return int(rest[:3]), body


def _halves(line: bytes) -> tuple[bytes, bytes, bytes]:
    return line.partition(b":")
