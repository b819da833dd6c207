"""When the writer works: retries, and pauses while searches run.

Times are compared with the wall clock at least once a minute. If one is further ahead than it
could have been set, the clock was set back; it is then due at once, so that nothing waits for too
long.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from notewell.base.types import LedgerEntry
from notewell.base.types.frozen import frozen
from notewell.vault.readers.process import TOO_SLOW

MOST_ATTEMPTS = 5
FIRST_RETRY_S = 5.0
RETRY_FACTOR = 4.0
LONGEST_WAIT_S = 60.0
AFTER_FAILURE_S = 30.0
LONGEST_AFTER_FAILURE_S = 3600.0
# The longest pause; searches that take longer share the processor with the writer.
LONGEST_REST_S = 0.25


def seconds_until(at: float, now: float, *, longest: float) -> float:
    """Seconds from `now` to `at`; at most 0 when it is due.

    `longest` is the longest interval that is ever scheduled; beyond it the clock was set back.
    """
    return at - now if at - now <= longest else 0.0


@frozen
class PlannedRetry:
    """Notes to try again, and when (POSIX seconds). No paths: the whole vault."""

    at: float
    paths: tuple[str, ...]


def next_retry(failed: Sequence[LedgerEntry], now: float) -> PlannedRetry | None:
    """When to try failed notes again: after 5 s, then four times as long each time.

    After five attempts, and at once if it was too slow, a note waits for a change, a reindex or a
    person's `retry`.
    """
    hopeful = [
        entry for entry in failed if entry.attempts < MOST_ATTEMPTS and entry.rule != TOO_SLOW
    ]
    if not hopeful:
        return None
    fewest = min(entry.attempts for entry in hopeful)
    wait = FIRST_RETRY_S * RETRY_FACTOR ** max(fewest - 1, 0)
    return PlannedRetry(now + wait, tuple(entry.path for entry in hopeful))


def after_failure(failures: int) -> float:
    """Seconds to wait after so many failed runs in a row: half a minute, doubled up to an hour."""
    return min(AFTER_FAILURE_S * 2.0 ** min(failures - 1, 16), LONGEST_AFTER_FAILURE_S)


class SearchPriority:
    """Counts running searches. Used by all search threads and by the writer's thread."""

    def __init__(
        self, *, longest_s: float = LONGEST_REST_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """A pause takes at most `longest_s` seconds of `clock`."""
        self._longest_s = longest_s
        self._clock = clock
        self._counting = threading.Lock()
        self._waiting = 0
        self._quiet = threading.Event()
        self._quiet.set()
        self._rested = clock()

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Mark the code inside as a request that the writer has to give way to."""
        with self._counting:
            self._waiting += 1
            self._quiet.clear()
        try:
            yield
        finally:
            with self._counting:
                self._waiting -= 1
                if not self._waiting:
                    self._quiet.set()

    def wait(self, longest_s: float) -> None:
        """Wait until no search runs, so many seconds at most."""
        self._quiet.wait(longest_s)

    def give_way(self) -> None:
        """Pause until no search runs, but no longer than the time worked since the last pause.

        So the writer has at least half of the time, however many searches there are.
        """
        if self._quiet.is_set():
            return
        self._quiet.wait(min(self._clock() - self._rested, self._longest_s))
        self._rested = self._clock()


# A model that is missing or has failed is loaded again after this time.
MODEL_AGAIN_S = 300.0


class Schedule:
    """Due times by the wall clock (POSIX seconds), each at most once in use. For one thread."""

    def __init__(self, *, model_again_s: float = MODEL_AGAIN_S) -> None:
        self._model_again_s = model_again_s
        self._retry: PlannedRetry | None = None
        self._model: float | None = None

    def plan_retry(self, retry: PlannedRetry | None) -> None:
        """Replace the planned retry; None: there is nothing to retry."""
        self._retry = retry

    def plan_model(self, *, again: bool, wait: bool = True) -> None:
        """Plan to load the model once more, after a while or as soon as possible; or not to."""
        self._model = time.time() + (self._model_again_s if wait else 0.0) if again else None

    def wait_s(self) -> float:
        """Seconds until something is due, at most a minute; not above 0 if something is due now."""
        waits = (self._until_retry(), self._until_model())
        return min([LONGEST_WAIT_S, *(wait for wait in waits if wait is not None)])

    def take_retry(self) -> PlannedRetry | None:
        """The retry that is due, no longer planned then; None: none is due."""
        if not _is_due(self._until_retry()):
            return None
        retry, self._retry = self._retry, None
        return retry

    def take_model(self) -> bool:
        """True if the model is to be loaded now; it is no longer planned then."""
        if not _is_due(self._until_model()):
            return False
        self._model = None
        return True

    def _until_retry(self) -> float | None:
        at = None if self._retry is None else self._retry.at
        return _until(at, longest=LONGEST_AFTER_FAILURE_S)

    def _until_model(self) -> float | None:
        return _until(self._model, longest=self._model_again_s)


def _until(at: float | None, *, longest: float) -> float | None:
    """Seconds until a time, by a clock that may have been set back; None: nothing is planned."""
    return None if at is None else seconds_until(at, time.time(), longest=longest)


def _is_due(wait: float | None) -> bool:
    return wait is not None and wait <= 0
