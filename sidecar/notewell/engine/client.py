"""Backends of a vault: the server that runs for it, or an engine in this process.

Clients of a vault send it requests of the contract and need not know which one it is. A running
server is found by `server.json` in the index's folder. A terminal command starts anew each time,
so nothing here imports numpy, and requests to a server without TLS, as Notewell's own on this
computer, go over a socket: the standard library's `http.client`, on which `base/support/http`
stands, loads parsers of e-mail and TLS, a third of the time of such a command.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import SplitResult, urlencode, urlsplit

from notewell import API_VERSION
from notewell.base.errors import NotewellError, ServerError, StalePassageError
from notewell.contract.codec import from_json, to_json
from notewell.contract.request import Request, StreamEvent, parameters_of, reply_type

if TYPE_CHECKING:
    from notewell.base.support.http import HttpClient
    from notewell.engine.engine import Engine


SERVER_FILE = "server.json"  # the server writes it
HEALTH_SECONDS = 1.0
ANSWER_SECONDS = 60.0
EVENT_SECONDS = 60.0  # between two; a stream sends a sign of life every 15
_READ_BYTES = 256 * 1024
_HEAD_BYTES = 64 * 1024  # more is no reply of ours
R = TypeVar("R")


class Backend(Protocol):
    """Answers requests about one vault; may block. Errors are those of the package."""

    def answer(self, request: Request[R]) -> R:
        """Answer a request with its reply."""

    def document(self, request: Request[object]) -> bytes:
        """Answer a request with the JSON of its reply, as over HTTP."""

    def stream(self, request: Request[Any]) -> Iterator[StreamEvent]:
        """Answer a request with the events of a stream, as they come."""


class LocalBackend:
    """Answers from an engine of this process."""

    def __init__(self, engine: Engine) -> None:
        """The engine stays the caller's, to close."""
        self._engine = engine

    def answer(self, request: Request[R]) -> R:
        return self._engine.answer(request)

    def document(self, request: Request[object]) -> bytes:
        return to_json(self.answer(request))

    def stream(self, request: Request[Any]) -> Iterator[StreamEvent]:
        from notewell.base.support.http import Cancel  # noqa: PLC0415 - other requests need none

        yield from self._engine.features.stream(request, Cancel())


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """A running server, as its `SERVER_FILE` has it. `vaults` are the ids it serves."""

    url: str
    token: str = field(repr=False)
    pid: int
    api: int
    version: str
    vaults: tuple[str, ...]
    certificate: str | None = None  # the file it proves itself by, over HTTPS


def running_server(directory: Path) -> ServerInfo | None:
    """Find the server that writes the index in `directory`.

    None if there is none: no file, an unreadable or stale one, another contract, or nothing
    that answers at that address within a second.
    """
    info = _read(directory / SERVER_FILE)
    if info is None or info.api != API_VERSION or not _is_alive(info.pid):
        return None
    try:
        # Without the token: should another program have the port now, it learns nothing.
        status, body = _exchange(info, "GET", "/api/health", timeout=HEALTH_SECONDS)
        health = json.loads(body)
    except (OSError, ValueError):
        return None
    speaks = isinstance(health, dict) and health.get("api") == API_VERSION
    return info if status == 200 and speaks else None


def has_live_server(directory: Path) -> bool:
    """True if the process that `SERVER_FILE` in `directory` names still runs."""
    info = _read(directory / SERVER_FILE)
    return info is not None and _is_alive(info.pid)


class RemoteBackend:
    """Sends requests about one vault to its running server.

    A problem document becomes the error it stands for; a server that does not answer, or not in
    JSON, is ServerError.
    """

    def __init__(self, info: ServerInfo, *, vault: str | None = None) -> None:
        """`vault` (id or name) may be left out where the server has one."""
        self.info = info
        self._vault = vault

    def answer(self, request: Request[R]) -> R:
        kind: type[R] = reply_type(type(request))
        return from_json(kind, self.document(request))

    def document(self, request: Request[object]) -> bytes:
        """Answer a request with the JSON that the server sends."""
        endpoint = request.endpoint
        given = {**parameters_of(request), "vault": self._vault}
        place = endpoint.place(given)
        given = {name: value for name, value in given.items() if name not in endpoint.in_path}
        if endpoint.method == "GET":
            query = urlencode(
                [
                    (name, _text(part))
                    for name, value in given.items()
                    if value is not None and value != frozenset()
                    for part in (value if isinstance(value, tuple) else (value,))
                ]
            )
            return self.ask(endpoint.method, f"{place}?{query}")
        return self.ask(endpoint.method, place, _body(given))

    def stream(self, request: Request[Any]) -> Iterator[StreamEvent]:
        given = {**parameters_of(request), "vault": self._vault}
        try:
            for kind, data in _events(self.info, request.endpoint.path, _body(given)):
                yield _event(request, kind, data)
        except OSError as error:
            raise _no_answer(self.info, error) from error

    def ask(self, method: str, target: str, body: bytes | None = None) -> bytes:
        """Send one request as it is, and give the body of its reply."""
        try:
            status, answer = _exchange(
                self.info,
                method,
                target,
                timeout=ANSWER_SECONDS,
                token=self.info.token,
                body=body,
            )
        except (OSError, ValueError) as error:
            raise _no_answer(self.info, error) from error
        if status >= 400:
            raise _as_error(status, answer)
        return answer


def _event(request: Request[Any], kind: str, data: bytes) -> StreamEvent:
    """Decode one event of a stream; raises ServerError where its kind or data are unknown."""
    record = request.endpoint.events.get(kind)
    if record is None:
        raise ServerError(f"The server sent an event that this version does not know: {kind!r}.")
    return StreamEvent(kind, from_json(record, data))


def _text(value: object) -> str:
    """Write a parameter as it stands in an address."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, frozenset):
        return ",".join(sorted(value))
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _body(given: Mapping[str, object]) -> bytes:
    return to_json({name: value for name, value in given.items() if name != "vault" or value})


def _exchange(
    server: ServerInfo,
    method: str,
    target: str,
    *,
    timeout: float,
    token: str | None = None,
    body: bytes | None = None,
) -> tuple[int, bytes]:
    """Send one request and read its reply: status and body. Raises OSError or ValueError."""
    headers = {"Accept": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    if body is not None:
        headers["Content-Type"] = "application/json"
    url = server.url + target
    if url.startswith("http://"):
        return exchange(url, method, headers, body, timeout=timeout)
    from notewell.base.support.http import HttpError, HttpRequest  # noqa: PLC0415 - loads TLS

    try:
        reply = _client(server, timeout).send(HttpRequest(method, url, headers, body))
    except HttpError as error:
        raise ConnectionError(str(error)) from error
    return reply.status, reply.body


def _events(server: ServerInfo, target: str, body: bytes) -> Iterator[tuple[str, bytes]]:
    """Send one request and read the events of its reply: kind and data. Raises OSError."""
    from notewell.base.support.http import HttpError, HttpRequest  # noqa: PLC0415 - as above

    headers = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
    request = HttpRequest("POST", server.url + target, headers, body)
    try:
        with _client(server, EVENT_SECONDS).stream(request) as reply:
            if reply.status >= 400:
                raise _as_error(reply.status, reply.read())
            for event in reply.events():
                yield event.kind, event.data.encode()
    except HttpError as error:
        raise ConnectionError(str(error)) from error


def _client(server: ServerInfo, timeout: float) -> HttpClient:
    from notewell.base.support.http import HttpClient, Tls  # noqa: PLC0415 - as above

    # The certificate names the server as other devices know it; here it is known by its file.
    tls = Tls(ca_file=server.certificate, check_hostname=False)
    return HttpClient(timeout_s=timeout, connect_s=timeout, max_bytes=None, tls=tls)


def _no_answer(server: ServerInfo, error: Exception) -> ServerError:
    why = str(error) or type(error).__name__
    return ServerError(
        f"The server at {server.url} does not answer ({why})."
        " If it has stopped, run the command again."
    )


def _read(file: Path) -> ServerInfo | None:
    try:
        stored = json.loads(file.read_bytes())
        info = ServerInfo(
            url=str(stored["url"]),
            token=str(stored["token"]),
            pid=int(stored["pid"]),
            api=int(stored["api"]),
            version=str(stored["version"]),
            vaults=tuple(str(vault) for vault in stored["vaults"]),
            certificate=stored.get("certificate"),
        )
        urlsplit(info.url).port  # noqa: B018 - raises if the address is malformed
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return info


def _is_alive(pid: int) -> bool:
    """Tell whether the process runs; on Windows signal 0 would end it, so the port decides."""
    if pid <= 0:
        return False  # would mean a whole group of processes
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True  # another user's, but running
    except (OSError, OverflowError):
        return False
    return True


def _as_error(status: int, body: bytes) -> NotewellError:
    """Build the error that a problem document stands for: by its code, else by its status."""
    try:
        problem = json.loads(body)
        detail, code = str(problem["detail"]), str(problem["code"])
    except (ValueError, KeyError, TypeError):
        return ServerError(f"The server answered with status {status} and no explanation.")
    if code == StalePassageError.code:
        return StalePassageError(detail, nearest=problem.get("nearest"))
    kinds = list(_kinds(NotewellError))
    named = [kind for kind in kinds if kind.code == code]
    alike = [kind for kind in kinds if kind.http_status == status]
    return next(iter(named + alike), ServerError)(detail, code=code)


def _kinds(kind: type[NotewellError]) -> list[type[NotewellError]]:
    """Return an error class and all below it, parents first."""
    return [kind, *(below for child in kind.__subclasses__() for below in _kinds(child))]


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
    failed: OSError = ConnectionError("no address")
    # Bytes, because text would be encoded by IDNA, whose tables take long to load.
    for info in socket.getaddrinfo(host.encode("ascii"), port, type=socket.SOCK_STREAM):
        family, kind, protocol, _, address = info
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
    """All that the server sends until it closes the connection."""
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
    pairs = (line.partition(b":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    if headers.get(b"content-length", str(len(body)).encode()) != str(len(body)).encode():
        raise ConnectionError("ended too early")
    return int(rest[:3]), body
