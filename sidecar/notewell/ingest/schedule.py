"""The times of retries and of the daily check of the whole vault.

They are compared with the wall clock at least once a minute. If one is further ahead than it could
have been set, the clock was set back; it is then due at once, so that nothing waits for too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from notewell.types import LedgerEntry

MOST_ATTEMPTS = 5
FIRST_RETRY_S = 5.0
RETRY_FACTOR = 4.0
LONGEST_WAIT_S = 60.0
AFTER_FAILURE_S = 30.0
LONGEST_AFTER_FAILURE_S = 3600.0
LONGEST_DAY_S = 25 * 3600.0  # when summer time ends


def seconds_until(at: float, now: float, *, longest: float) -> float:
    """Seconds from `now` to `at`; at most 0 when it is due.

    `longest` is the longest interval that is ever scheduled; beyond it the clock was set back.
    """
    return at - now if at - now <= longest else 0.0


@dataclass(frozen=True, slots=True)
class Retry:
    """Notes to try again, and when (POSIX seconds). No paths: the whole vault."""

    at: float
    paths: tuple[str, ...]


def next_retry(failed: Sequence[LedgerEntry], now: float) -> Retry | None:
    """When to try failed notes again: after 5 s, then four times as long each time.

    After five attempts a note waits for a change, a reindex or a person's `retry`.
    """
    hopeful = [entry for entry in failed if entry.attempts < MOST_ATTEMPTS]
    if not hopeful:
        return None
    fewest = min(entry.attempts for entry in hopeful)
    wait = FIRST_RETRY_S * RETRY_FACTOR ** max(fewest - 1, 0)
    return Retry(now + wait, tuple(entry.path for entry in hopeful))


def after_failure(failures: int) -> float:
    """Seconds to wait after so many failed runs in a row: half a minute, doubled up to an hour."""
    return min(AFTER_FAILURE_S * 2.0 ** min(failures - 1, 16), LONGEST_AFTER_FAILURE_S)


def next_daily(at: str, now: float) -> float | None:
    """The next time of day `at` ("03:30", local) after `now`, POSIX seconds; "" is never."""
    if not at:
        return None
    hour, minute = (int(part) for part in at.split(":"))
    here = datetime.fromtimestamp(now).astimezone()
    due = here.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if due <= here:
        due += timedelta(days=1)
    return due.timestamp()
