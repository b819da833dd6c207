"""Requests and replies, their one error, the rules for retries, and cancelling."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPMessage
from typing import Literal, TypeAlias

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
        """A POST request with a JSON body."""
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
    """What an error reply says, in the JSON shapes of model servers; else its beginning."""
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
