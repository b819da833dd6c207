"""When a request is sent again, and after which pause."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPMessage

from notewell.support.http.messages import ErrorKind

# Replies that say "later": time-outs, rate limits and overload (529 is Anthropic's).
RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_RETRIED_ERRORS: frozenset[ErrorKind] = frozenset({"connection", "timeout", "truncated"})


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
        if attempt >= self.tries or status not in RETRIED_STATUSES:
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
