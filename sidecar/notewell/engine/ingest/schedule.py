"""When the writer's next tasks are due: failed notes, another try of the model."""

from __future__ import annotations

import time

from notewell.engine.ingest.pacing import (
    LONGEST_AFTER_FAILURE_S,
    LONGEST_WAIT_S,
    Retry,
    seconds_until,
)


class Schedule:
    """Due times by the wall clock (POSIX seconds), each at most once in use. For one thread."""

    def __init__(self, *, model_again_s: float) -> None:
        """`model_again_s` is the time until the model is loaded again."""
        self._model_again_s = model_again_s
        self._retry: Retry | None = None
        self._model: float | None = None

    def plan_retry(self, retry: Retry | None) -> None:
        """Replace the planned retry; None: there is nothing to retry."""
        self._retry = retry

    def plan_model(self, *, again: bool, wait: bool = True) -> None:
        """Plan to load the model once more, after a while or as soon as possible; or not to."""
        self._model = time.time() + (self._model_again_s if wait else 0.0) if again else None

    def wait_s(self) -> float:
        """Seconds until something is due, at most a minute; not above 0 if something is due now."""
        waits = (self._until_retry(), self._until_model())
        return min([LONGEST_WAIT_S, *(wait for wait in waits if wait is not None)])

    def take_retry(self) -> Retry | None:
        """The retry that is due, no longer planned then; None: none is due."""
        if not _is_due(self._until_retry()):
            return None
        retry, self._retry = self._retry, None
        return retry

    def take_model(self) -> bool:
        """Whether the model is to be loaded now; it is no longer planned then."""
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
