"""Requests to one model service: split within its limits, retried, and with errors for people.

A circuit breaker keeps requests from a service that is away, and passages wait behind queries.
`batches` splits texts by the length of the service's tokens, which `TokenMeter` learns.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from notewell.base.errors import CancelledError, ModelError
from notewell.base.support.http import (
    Cancel,
    HttpClient,
    HttpError,
    HttpReply,
    HttpRequest,
    Json,
    Retry,
    error_words,
)
from notewell.models.remote.services import EmbeddingEndpoint, Limits
from notewell.models.resilient import Degraded

_MARGIN = 1.1  # over the ratio that was seen
_LEAST, _MOST = 0.25, 3.0

FAILURES = 3  # in a row, each after its own retries, until requests stop
_FIRST_REST_S = 30.0
_LONGEST_REST_S = 300.0
MAX_REPLY_BYTES = 64 * 1024 * 1024
RETRIED = frozenset({408, 409, 425, 429, *range(500, 600)})
# A search that waits longer than its reader is worth less than one by keywords.
_QUERY_TRIES = 2
_QUERY_PAUSE_S = 2.0
# In a reply with status 400 or 422, how servers say that a text or a batch is too long.
_TOO_LONG = re.compile(
    r"context.?length|too (?:long|large|many)|max\w* .*(?:tokens|length)|tokens.* exceed",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Breaker:
    """Open after several failures in a row: no requests are sent for a while, then one is tried.

    `clock` is monotonic, in seconds; `now` is the time of day that people are told.
    """

    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _failures: int = 0
    _since: float | None = None  # of the first failure of this row
    _reason: str = ""
    _until: float = 0.0

    @property
    def degraded(self) -> Degraded | None:
        """Since when and why the service is away; None while it is not."""
        with self._lock:
            if self._failures < FAILURES or self._since is None:
                return None
            return Degraded("keyword_only", self._reason, self._since)

    def allows(self) -> bool:
        """True if a request may be sent now. While it is open, one is let through at a time."""
        with self._lock:
            if self._failures < FAILURES:
                return True
            if self.clock() < self._until:
                return False
            self._until = self.clock() + self._rest()
            return True

    def succeeded(self) -> None:
        with self._lock:
            self._failures, self._since = 0, None

    def failed(self, reason: str, *, at_once: bool = False, rest_s: float = 0.0) -> None:
        """Note a failure; `at_once` opens it, and `rest_s` is what the service asks to wait."""
        with self._lock:
            if self._since is None:
                self._since = self.now()
            self._failures = max(self._failures + 1, FAILURES if at_once else 0)
            self._reason = reason
            self._until = self.clock() + max(self._rest(), rest_s)

    def _rest(self) -> float:
        doublings = min(max(self._failures - FAILURES, 0), 10)
        return float(min(_FIRST_REST_S * 2.0**doublings, _LONGEST_REST_S))


class RequestSlots:
    """Counts the requests under way: a query has a slot of its own and goes first."""

    def __init__(self, parallel: int) -> None:
        """`parallel` is the limit for passages."""
        self._parallel = parallel
        self._passages = 0
        self._queries = 0
        self._changed = threading.Condition()

    @contextmanager
    def taken(self, *, urgent: bool) -> Iterator[None]:
        """Hold a slot while the block runs."""
        with self._changed:
            if urgent:
                self._queries += 1
            else:
                self._changed.wait_for(
                    lambda: not self._queries and self._passages < self._parallel
                )
                self._passages += 1
        try:
            yield
        finally:
            with self._changed:
                if urgent:
                    self._queries -= 1
                else:
                    self._passages -= 1
                self._changed.notify_all()


class TooLongError(ModelError, code="text_too_long"):
    """Texts, or a batch of them, that the server finds too long."""


class ServiceClient:
    """Requests to one endpoint, from any number of threads."""

    def __init__(
        self,
        endpoint: EmbeddingEndpoint,
        *,
        parallel: int = 2,
        breaker: Breaker | None = None,
        does: str = "embedding",
    ) -> None:
        """Nothing is opened yet. `does` says what the server is for."""
        self._endpoint = endpoint
        self._does = does
        retry = endpoint.retry
        self._retry = replace(retry, statuses=RETRIED)
        tries, pause = min(retry.tries, _QUERY_TRIES), min(retry.longest_pause_s, _QUERY_PAUSE_S)
        self._query_retry = replace(self._retry, tries=tries, longest_pause_s=pause)
        self._client = HttpClient(timeout_s=endpoint.timeout_s, max_bytes=MAX_REPLY_BYTES)
        self._slots = RequestSlots(parallel)
        self._breaker = breaker or Breaker()
        self._lock = threading.Lock()
        self._running: set[Cancel] = set()
        self._closed = False

    @property
    def degraded(self) -> Degraded | None:
        """Why nothing is sent at the moment, and since when; None while it works."""
        return self._breaker.degraded

    def send(self, request: HttpRequest, *, urgent: bool) -> Json:
        """The JSON of a good reply.

        Raises TooLongError if fewer or shorter texts may be accepted, else ModelError.
        """
        if not self._breaker.allows():
            away = self._breaker.degraded
            raise self._error(f"is away: {away.reason if away else 'it failed'}", "provider_away")
        try:
            reply = self._attempts(request, urgent=urgent)
            body = self._body(reply)
        except TooLongError:
            self._breaker.succeeded()
            raise
        except CancelledError as error:
            raise self._closed_error() from error
        except ModelError as error:
            permanent = error.code in {"provider_key", "provider_not_found"}
            self._breaker.failed(error.message.rstrip("."), at_once=permanent)
            raise
        self._breaker.succeeded()
        return body

    def invalid(self, what: str) -> ModelError:
        """The error about a reply that cannot be used; it counts as a failure."""
        error = self._error(what)
        self._breaker.failed(error.message.rstrip("."))
        return error

    def close(self) -> None:
        """End the requests that are under way, and refuse further ones. May be called twice."""
        with self._lock:
            self._closed = True
            running = tuple(self._running)
        for cancel in running:
            cancel.cancel()

    def check_open(self) -> None:
        """Raise ModelError once it is closed."""
        if self._closed:
            raise self._closed_error()

    def _attempts(self, request: HttpRequest, *, urgent: bool) -> HttpReply:
        """The last reply. The slot is free during pauses, so that others may try."""
        retry = self._query_retry if urgent else self._retry
        attempt = 0
        with self._cancellable() as cancel:
            while True:
                attempt += 1
                try:
                    with self._slots.taken(urgent=urgent):
                        reply = self._client.send(request, cancel)
                except HttpError as error:
                    pause = retry.pause_after_error(attempt, error.kind)
                    if pause is None:
                        raise self._error(f"does not answer ({error})") from error
                else:
                    pause = retry.pause_after_status(attempt, reply.status, reply.headers)
                    if pause is None:
                        return reply
                self._pause(retry, pause, cancel)

    def _pause(self, retry: Retry, seconds: float, cancel: Cancel) -> None:
        (retry.sleep or cancel.wait)(seconds)
        cancel.check()

    @contextmanager
    def _cancellable(self) -> Iterator[Cancel]:
        """Register a Cancel for the request in the block, so that `close` can cancel it."""
        cancel = Cancel()
        with self._lock:
            if self._closed:
                raise self._closed_error()
            self._running.add(cancel)
        try:
            yield cancel
        finally:
            with self._lock:
                self._running.discard(cancel)

    def _body(self, reply: HttpReply) -> Json:
        if reply.status != 200:
            raise self._refusal(reply)
        try:
            return reply.json()
        except HttpError as error:
            raise self._error("sent a reply that is not JSON") from error

    def _refusal(self, reply: HttpReply) -> ModelError:
        words = self._without_key(error_words(reply.body))
        endpoint = self._endpoint
        match reply.status:
            case 401 | 403:
                return self._error(
                    f"refused the request: the key is missing or wrong ({words})", "provider_key"
                )
            case 404:
                return self._error(
                    f"has no model {endpoint.model!r}, or nothing at this address ({words})",
                    "provider_not_found",
                )
            case 429:
                return self._error(
                    f"has reached a limit of requests, or of what is paid for ({words})",
                    "provider_busy",
                )
            case status if status == 413 or (status in {400, 422} and _TOO_LONG.search(words)):
                return TooLongError(
                    f"The {self._does} server at {endpoint.host} finds a text or a batch of"
                    f" texts too long ({words})."
                )
            case status:
                return self._error(f"answered with status {status} ({words})")

    def _closed_error(self) -> ModelError:
        name = f"{self._endpoint.model}@{self._endpoint.host}"
        return ModelError(f"The model {name} is closed.", code="model_closed")

    def _error(self, what: str, code: str = "provider_failed") -> ModelError:
        sentence = f"The {self._does} server at {self._endpoint.host} {what}."
        return ModelError(self._without_key(sentence), code=code)

    def _without_key(self, words: str) -> str:
        return words.replace(self._endpoint.key, "…") if self._endpoint.key else words


def estimated_tokens(text: str) -> int:
    """Tokens of `text`, rather too many; only the server has the tokenizer.

    Three ASCII characters count as one token, any other character as one and a half.
    """
    plain = len(text) if text.isascii() else sum(map(str.isascii, text))
    return math.ceil(plain / 3 + (len(text) - plain) * 1.5)


@dataclass(slots=True)
class TokenMeter:
    """Estimates the tokens of texts, corrected by what the server counted.

    The correction serves batches only: the sizes of chunks must not change with it. It follows the
    largest ratio seen at once, and a smaller one slowly.
    """

    ratio: float = 1.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def cost(self, text: str) -> int:
        return max(math.ceil(estimated_tokens(text) * self.ratio), 1)

    def learn(self, texts: Sequence[str], used: int | None) -> None:
        """Take over what the server counted for `texts`; None: it did not say."""
        guessed = sum(map(estimated_tokens, texts))
        if not used or not guessed:
            return
        seen = min(max(used / guessed * _MARGIN, _LEAST), _MOST)
        with self._lock:
            self.ratio = seen if seen > self.ratio else self.ratio * 0.9 + seen * 0.1


def batches(texts: Sequence[str], limits: Limits, meter: TokenMeter) -> list[list[int]]:
    """The rows of each request, in order; a text above the limit is a request of its own."""
    rows_by_batch: list[list[int]] = []
    tokens = 0
    for row, text in enumerate(texts):
        cost = meter.cost(text)
        if (
            not rows_by_batch
            or len(rows_by_batch[-1]) >= limits.texts
            or tokens + cost > limits.tokens
        ):
            rows_by_batch.append([])
            tokens = 0
        rows_by_batch[-1].append(row)
        tokens += cost
    return rows_by_batch


def segments(costs: Sequence[int], limit: int) -> list[list[int]]:
    """The places of a document's passages in pieces of at most `limit` tokens each."""
    parts: list[list[int]] = []
    tokens = 0
    for place, cost in enumerate(costs):
        if not parts or tokens + cost > limit:
            parts.append([])
            tokens = 0
        parts[-1].append(place)
        tokens += cost
    return parts


def rounds(
    documents: Sequence[Sequence[int]], costs: Sequence[int], limits: Limits
) -> list[list[list[int]]]:
    """The requests of contextual embeddings: each is a list of documents, a list of rows each.

    `documents` are the rows of each document, `costs` the tokens of each row. A long document is
    split into segments; round r has the segment r of every document, packed into requests within
    the limits, so that no request has two segments of one document.
    """
    pieces = [
        [
            [rows[place] for place in piece]
            for piece in segments([costs[row] for row in rows], limits.document_tokens)
        ]
        for rows in documents
    ]
    requests: list[list[list[int]]] = []
    for number in range(max(map(len, pieces), default=0)):
        tokens = texts = 0
        fresh = True
        for split in pieces:
            if number >= len(split):
                continue
            piece = split[number]
            cost = sum(costs[row] for row in piece)
            full = texts + len(piece) > limits.texts or tokens + cost > limits.tokens
            if fresh or full or len(requests[-1]) >= limits.documents:
                requests.append([])
                tokens, texts, fresh = 0, 0, False
            requests[-1].append(piece)
            tokens += cost
            texts += len(piece)
    return requests
