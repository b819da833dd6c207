"""HTTP to a provider: JSON out, JSON or server-sent events in, patience where it asks for some.

The standard library's client is used as in `remote`: importing another costs more than a terminal
command may take. Redirects are not followed: a key goes to the address that a person chose.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from urllib.parse import urlsplit

from notewell.errors import ProviderError
from notewell.models.chat.messages import Cancel, Json

TRIES = 4
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
SILENCE_S = 120.0  # a local model may load for a minute before it says a word
MOST_BYTES = 8 * 1024 * 1024  # of one answer
_AGAIN = frozenset({408, 429, 500, 502, 503, 504, 529})
_SHOWN_CHARS = 300


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a provider listens. `secret` is left out of whatever is said about failures."""

    base_url: str
    headers: Mapping[str, str]
    secret: str = ""

    @property
    def host(self) -> str:
        """Its name, for telling a person where their words go."""
        return urlsplit(self.base_url).hostname or ""


class Wire:
    """Talks to one endpoint for one caller."""

    def __init__(
        self, endpoint: Endpoint, cancel: Cancel, *, first_pause_s: float = FIRST_PAUSE_S
    ) -> None:
        """Nothing is opened yet."""
        self._endpoint = endpoint
        self._cancel = cancel
        self._first_pause_s = first_pause_s

    def get(self, path: str) -> Json:
        """Read a JSON document."""
        with self._answer("GET", path, None) as response:
            return self._json(_whole(response))

    def events(self, path: str, body: Json) -> Iterator[Mapping[str, Json]]:
        """Send JSON and read the events of the answer, each a JSON object.

        An endpoint that does not stream gives one. Raises ProviderError where the connection drops,
        or where what comes is no JSON.
        """
        with self._answer("POST", path, json.dumps(body).encode()) as response:
            if "event-stream" not in response.headers.get("Content-Type", ""):
                yield self._object(self._json(_whole(response)))
                return
            for data in self._datas(response):
                if data == "[DONE]":
                    return
                yield self._object(self._json(data.encode()))

    def _datas(self, response: HTTPResponse) -> Iterator[str]:
        """The `data` of each event, as server-sent events are framed."""
        lines: list[str] = []
        read = 0
        try:
            while raw := response.readline(MOST_BYTES):
                self._cancel.check()
                read += len(raw)
                if read > MOST_BYTES:
                    raise self._error("sends more than an answer can be")
                line = raw.decode("utf-8", "replace").rstrip("\r\n")
                if line.startswith("data:"):
                    lines.append(line[5:].removeprefix(" "))
                elif not line and lines:
                    yield "\n".join(lines)
                    lines = []
        except (OSError, HTTPException) as error:
            self._cancel.check()
            raise self._error(f"broke the connection off ({_why(error)})") from error
        self._cancel.check()  # a connection that was hung up just ends
        if lines:
            yield "\n".join(lines)

    @contextmanager
    def _answer(self, method: str, path: str, body: bytes | None) -> Iterator[HTTPResponse]:
        connection, response = self._patiently(method, path, body)
        try:
            yield response
        finally:
            self._cancel.on_cancel(None)
            connection.close()

    def _patiently(
        self, method: str, path: str, body: bytes | None
    ) -> tuple[HTTPConnection, HTTPResponse]:
        """Ask, and again after a pause where that may help, as long as the provider says."""
        pause = self._first_pause_s
        for attempt in range(1, TRIES + 1):
            self._cancel.check()
            connection = self._connection()
            try:
                response = self._once(connection, method, path, body)
            except (OSError, HTTPException) as error:
                connection.close()
                self._cancel.check()
                if attempt == TRIES:
                    raise self._error(f"does not answer ({_why(error)})") from error
                wanted = pause
            else:
                if response.status == 200:
                    return connection, response
                failed = self._refused(response)
                wanted = _retry_after(response, pause)
                status = response.status
                connection.close()
                if status not in _AGAIN or attempt == TRIES or wanted > LONGEST_PAUSE_S:
                    raise failed
            self._cancel.wait(wanted)
            pause *= 2
        raise self._error("does not answer")  # pragma: no cover - the last attempt raises

    def _once(
        self, connection: HTTPConnection, method: str, path: str, body: bytes | None
    ) -> HTTPResponse:
        connection.connect()
        opened = connection.sock  # the response takes it over, and the connection forgets it
        self._cancel.on_cancel(lambda: _hang_up(opened))
        headers = {"Accept": "application/json, text/event-stream", **self._endpoint.headers}
        if body is not None:
            headers["Content-Type"] = "application/json"
        target = f"{urlsplit(self._endpoint.base_url).path.rstrip('/')}{path}"
        connection.request(method, target, body=body, headers=headers)
        return connection.getresponse()

    def _connection(self) -> HTTPConnection:
        address = urlsplit(self._endpoint.base_url)
        kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
        return kind(address.hostname or "", address.port, timeout=SILENCE_S)

    def _refused(self, response: HTTPResponse) -> ProviderError:
        """The error that a status means, with the provider's own words."""
        with suppress(OSError, HTTPException):
            said = _message(response.read(MOST_BYTES))
            if response.status in {401, 403}:
                return self._error(
                    f"refuses the key, or misses one ({said}); docs/ask.md says where keys go",
                    code="provider_key",
                )
            return self._error(f"answered with status {response.status} ({said})")
        return self._error(f"answered with status {response.status}")

    def _json(self, raw: bytes) -> Json:
        try:
            value: Json = json.loads(raw)
        except ValueError as error:
            raise self._error("sent something that is not JSON") from error
        return value

    def _object(self, value: Json) -> Mapping[str, Json]:
        if not isinstance(value, Mapping):
            raise self._error("sent something that is not an event")
        if value.get("error"):
            raise self._error(f"failed ({_message(json.dumps(value).encode())})")
        return value

    def _error(self, what: str, *, code: str | None = None) -> ProviderError:
        if self._endpoint.secret:
            what = what.replace(self._endpoint.secret, "…")
        return ProviderError(f"The language model at {self._endpoint.host} {what}.", code=code)


def _whole(response: HTTPResponse) -> bytes:
    return response.read(MOST_BYTES)


def _message(raw: bytes) -> str:
    """What a provider says of an error, in the shapes that they use; else the beginning of it."""
    try:
        body = json.loads(raw)
        inner = body.get("error", body)
        said = inner.get("message", inner) if isinstance(inner, dict) else inner
    except (ValueError, AttributeError):
        said = raw.decode("utf-8", "replace")
    return " ".join(str(said).split())[:_SHOWN_CHARS]


def _retry_after(response: HTTPResponse, otherwise: float) -> float:
    try:
        return max(float(response.headers.get("Retry-After", otherwise)), 0.0)
    except ValueError:  # a date
        return otherwise


def _hang_up(opened: socket.socket) -> None:
    """End a connection that another thread is reading from."""
    with suppress(OSError):
        opened.shutdown(socket.SHUT_RDWR)


def _why(error: Exception) -> str:
    return str(error) or type(error).__name__
