"""Requests and replies, their one error, and the connection that carries them."""

from __future__ import annotations

import ipaddress
import json
import random
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPMessage, IncompleteRead, InvalidURL
from typing import Literal, TypeAlias, TypeVar
from urllib.parse import SplitResult, urlsplit

from notewell.base.errors import CancelledError

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
_SHOWN_CHARS = 300
ErrorKind = Literal[
    "address",  # the URL is not valid
    "connection",  # nobody listens, or the connection broke
    "certificate",  # TLS does not trust the server
    "timeout",  # the server is silent, or the whole reply takes too long
    "truncated",  # the reply ended before its announced length
    "too_large",  # the reply is larger than the caller accepts
    "not_json",  # JSON was expected
    "refused",  # an address that must not be requested, such as a private one
    "redirect",  # too many redirects, or one that must not be followed
]
# Replies that say "later": time-outs, rate limits and overload (529 is Anthropic's).
RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_RETRIED_ERRORS: frozenset[ErrorKind] = frozenset({"connection", "timeout", "truncated"})


class HttpError(Exception):
    """A request without a usable reply. A reply with an error status is not an HttpError."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        """`message` is a short reason for people, without the URL, which may carry a secret."""
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request. Headers and body stay out of its repr, because they may carry a key.

    `address` is the IP address to connect to where the caller has checked it; the host of `url`
    is still the name in the Host header and in TLS.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes | None = field(default=None, repr=False)
    address: str | None = None

    @classmethod
    def post_json(cls, url: str, value: Json, headers: Mapping[str, str]) -> HttpRequest:
        return cls(
            "POST",
            url,
            {"Content-Type": "application/json", **headers},
            json.dumps(value).encode(),
        )


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A complete reply. `headers` ignores the case of names."""

    status: int
    headers: HTTPMessage
    body: bytes

    def json(self) -> Json:
        """The body as JSON. Raises HttpError ("not_json")."""
        return parse_json(self.body)


def parse_json(raw: bytes | str) -> Json:
    """Parse JSON in UTF-8. Raises HttpError ("not_json")."""
    try:
        value: Json = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise HttpError("not_json", f"not JSON: {error}") from error
    return value


def error_words(raw: bytes) -> str:
    """The message of an error reply, in the JSON shapes of model servers; else its beginning."""
    try:
        body = json.loads(raw)
        inner = body.get("error", body)
        words = inner.get("message", inner) if isinstance(inner, dict) else inner
    except (ValueError, AttributeError, RecursionError):
        words = raw.decode("utf-8", "replace")
    return " ".join(str(words).split())[:_SHOWN_CHARS]


@dataclass(slots=True, eq=False)
class Cancel:
    """Lets any thread cancel the request that another thread waits for.

    It serves one request at a time; the next request may use the same object.
    """

    _cancelled: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _close: Callable[[], None] | None = None

    def cancel(self) -> None:
        """Cancel, from any thread. May be called twice."""
        self._cancelled.set()
        with self._lock:
            if self._close is not None:
                self._close()

    def on_cancel(self, close: Callable[[], None] | None) -> None:
        """Set how the open connection is closed; None: no connection is open."""
        with self._lock:
            self._close = close
        if close is not None and self._cancelled.is_set():
            close()

    def check(self) -> None:
        """Raise CancelledError once the request is cancelled."""
        if self._cancelled.is_set():
            raise CancelledError("The answer was cancelled.")

    def wait(self, seconds: float) -> None:
        """Sleep for `seconds`; raises CancelledError as soon as the request is cancelled."""
        self._cancelled.wait(seconds)
        self.check()


@dataclass(frozen=True, slots=True)
class Retry:
    """Exponential back-off with jitter; a server's Retry-After takes precedence over it.

    The n-th pause lasts `first_pause_s` x 2^(n-1) seconds, of which up to half is taken off at
    random, so that clients that failed together do not return together. A server that wants a
    pause above `longest_pause_s` is not waited for.
    """

    tries: int = 4
    first_pause_s: float = 1.0
    longest_pause_s: float = 30.0
    statuses: frozenset[int] = RETRIED_STATUSES
    sleep: Callable[[float], None] | None = None  # None: a sleep that cancelling ends
    now: Callable[[], float] = time.time  # seconds since 1970, for a Retry-After that is a date
    jitter: Callable[[], float] = random.random  # 0..1

    def pause_after_error(self, attempt: int, kind: ErrorKind) -> float | None:
        """Seconds until attempt `attempt` (from 1) is repeated; None: it is not."""
        if attempt >= self.tries or kind not in _RETRIED_ERRORS:
            return None
        return self._backoff(attempt)

    def pause_after_status(self, attempt: int, status: int, headers: HTTPMessage) -> float | None:
        """The same after a reply."""
        if attempt >= self.tries or status not in self.statuses:
            return None
        wanted = self._retry_after(headers.get("Retry-After", ""))
        if wanted is None:
            return self._backoff(attempt)
        return wanted if wanted <= self.longest_pause_s else None

    def _backoff(self, attempt: int) -> float:
        longest = min(self.first_pause_s * 2.0 ** (attempt - 1), self.longest_pause_s)
        return longest * (1 - 0.5 * self.jitter())

    def _retry_after(self, value: str) -> float | None:
        """Seconds that the header asks for, as a number or as an HTTP date; None: neither."""
        try:
            seconds = float(value)
        except ValueError:
            try:
                seconds = parsedate_to_datetime(value).timestamp() - self.now()
            except ValueError:
                return None
        return max(seconds, 0.0) if seconds == seconds else None  # noqa: PLR0124 - "nan" is a float


NEVER = Retry(tries=1)


T = TypeVar("T")
_TARGET = re.compile(r"[!-~]*")  # printable ASCII without spaces
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Tls:
    """The servers that are trusted.

    `ca_file` replaces the system's authorities and may hold the server's own certificate.
    `check_hostname` is switched off for a server that is known by that file instead of by its name.
    """

    ca_file: str | None = None
    check_hostname: bool = True

    def context(self) -> ssl.SSLContext:
        """The settings of a connection. Raises OSError where `ca_file` cannot be read."""
        context = ssl.create_default_context(cafile=self.ca_file)
        context.check_hostname = self.check_hostname
        context.set_alpn_protocols(["http/1.1"])
        if self.ca_file is not None:  # a server's own certificate is no authority
            context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        return context


PUBLIC = Tls()  # the system's authorities


class OpenConnection(HTTPConnection):
    """One connection, to the URL's host or to an address that was checked beforehand."""

    def __init__(
        self, url: SplitResult, address: str | None, tls: Tls, *, timeout_s: float, connect_s: float
    ) -> None:
        """Nothing is opened yet. `timeout_s` bounds each read, `connect_s` the opening."""
        host, port = url.hostname or "", url.port or PORTS[url.scheme]
        super().__init__(host, port, timeout=timeout_s)
        self.default_port = PORTS[url.scheme]  # leaves the usual port out of the Host header
        self._address = address or host
        self._tls = tls if url.scheme == "https" else None
        self._connect_s = connect_s

    def connect(self) -> None:
        """Open the connection, without its TLS handshake. Raises OSError."""
        opened = socket.create_connection((self._address, self.port), self._connect_s)
        with ExitStack() as failed:
            failed.callback(opened.close)
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is not None:
                # This closes what it was given if it fails, and takes it over if it does not.
                opened = self._tls.context().wrap_socket(
                    opened, server_hostname=self.host, do_handshake_on_connect=False
                )
            failed.pop_all()
        self.sock = opened

    def handshake(self) -> None:
        """Agree on TLS, where the connection uses it. Raises OSError."""
        if isinstance(self.sock, ssl.SSLSocket):
            self.sock.do_handshake()
        self.sock.settimeout(self.timeout)


def parse_url(url: str) -> SplitResult:
    """Split an http or https URL whose path is already quoted. Raises HttpError ("address")."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise HttpError("address", str(error)) from error
    if not valid or not _TARGET.fullmatch(f"{parts.path}?{parts.query}"):
        raise HttpError("address", "not an http or https address")
    return parts


def hang_up(opened: socket.socket) -> None:
    """End a connection that another thread is reading from; its read then returns at once."""
    with suppress(OSError):
        # Not the TLS socket's own method, which would take its state from under the reader.
        socket.socket.shutdown(opened, socket.SHUT_RDWR)


def translate(work: Callable[[], T]) -> T:
    """Run `work`; what the standard library raises becomes an HttpError."""
    try:
        return work()
    except ssl.SSLCertVerificationError as error:
        raise HttpError("certificate", str(error)) from error
    except TimeoutError as error:
        raise HttpError("timeout", str(error) or "timed out") from error
    except IncompleteRead as error:
        raise HttpError("truncated", "ended too early") from error
    except InvalidURL as error:
        raise HttpError("address", str(error)) from error
    except (OSError, HTTPException) as error:
        raise HttpError("connection", str(error) or type(error).__name__) from error
    except (ValueError, LookupError) as error:  # characters that no host or header may have
        raise HttpError("address", str(error)) from error


def is_loopback(host: str) -> bool:
    """True if what is sent to `host` stays on this computer."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
