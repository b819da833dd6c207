"""Restarts a failing embedder with a simpler setup, and reports which setup and why.

The steps in order: half of the threads; one thread with fp32; keyword search only. The configured
setup is tried again after five minutes. Vectors are stored under the key of the configured
embedder, so a step with another quantisation embeds only queries, whose vectors are close enough to
the stored ones for searching (see graphs.py); passages wait.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal, Protocol, TypeVar, runtime_checkable

import numpy as np

from notewell.base.errors import ModelError
from notewell.base.types import (
    ChunkSizes,
    CosineScale,
    Embedder,
    EmbedsWindows,
    FloatArray,
    ModelKey,
    ModelRules,
    TeachesQueries,
    TokenVectors,
    Window,
    knows_tokens,
)
from notewell.base.types.frozen import frozen

T = TypeVar("T")

Step = Literal["full", "fewer_threads", "single_fp32", "keyword_only"]

RETRY_S = 300.0
# Embedded to distinguish an embedder that fails from a single text that cannot be embedded.
PROBE = "A note about bread, water and light."
_RUNNING: tuple[Step, ...] = ("full", "fewer_threads", "single_fp32")

log = logging.getLogger(__name__)


@frozen
class Degraded:
    """The step that is in use instead of the full one, why, and since when (POSIX seconds)."""

    step: Step
    reason: str
    since: float


@runtime_checkable
class Degrading(Protocol):
    """An embedder that reports whether it works as configured."""

    @property
    def degraded(self) -> Degraded | None:
        """The simpler step in use; None if it works as configured."""


def rules_for(step: Step, rules: ModelRules, processors: int) -> ModelRules:
    """The rules of a step; `processors` is the number of threads that a setting of 0 means."""
    if step == "single_fp32":
        return replace(rules, threads=1, quantisation="fp32", device="cpu")
    if step == "fewer_threads":
        return replace(rules, threads=max((rules.threads or processors) // 2, 1))
    return rules


def usable_processors() -> int:
    """Processors this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


class ResilientEmbedder:
    """An embedder that survives failures of its runtime. Satisfies `types.Embedder`.

    If an error of the runtime remains at the last step, it is raised as a ModelError.
    """

    def __init__(
        self,
        embedder: Embedder,
        start: Callable[[Step], Embedder],
        *,
        cosines: CosineScale | None = None,
        clock: Callable[[], float] = time.monotonic,
        retry_s: float = RETRY_S,
    ) -> None:
        """Take over a working embedder; `start` makes one for a step, and may raise anything.

        `cosines` is the scale of the embedder's cosines.
        """
        self._start = start
        self._clock = clock
        self._retry_s = retry_s
        self._lock = threading.Lock()  # held while restarting
        self._first = self._latest = embedder
        self._current: Embedder | None = embedder
        self._key = embedder.key
        self._cosines = cosines
        self._degraded: Degraded | None = None
        self._again_at = 0.0
        self._closed = False

    @property
    def degraded(self) -> Degraded | None:
        """The simpler step in use; None if it works as configured."""
        return self._degraded

    @property
    def key(self) -> ModelKey:
        return self._key

    @property
    def dimensions(self) -> int:
        return self._first.dimensions

    @property
    def sizes(self) -> ChunkSizes:
        return self._first.sizes

    @property
    def cosines(self) -> CosineScale | None:
        """The scale of its cosines, at every step; None if it is not known."""
        return self._cosines

    def count_tokens(self, text: str) -> int:
        """The number of tokens in `text`; needs no runtime, so it works at every step."""
        return self._latest.count_tokens(text)

    def token_vectors(self, text: str) -> TokenVectors | None:
        """The vectors of its tokens; needs no runtime either. None: not with this model."""
        latest = self._latest
        return latest.token_vectors(text) if knows_tokens(latest) else None

    def tokenizer_document(self) -> str | None:
        """Its tokenizer; needs no runtime. None: not with this model."""
        latest = self._latest
        return latest.tokenizer_document() if isinstance(latest, TeachesQueries) else None

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Vectors of queries; raises as `embed_passages` does."""

        def all_of(embedder: Embedder) -> FloatArray:
            if not isinstance(embedder, TeachesQueries):
                raise ModelError(f"The embedder {embedder.key} embeds queries one by one.")
            return embedder.embed_queries(texts)

        return self._of_passages(all_of, lambda _: None)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """Vectors of shape (len(texts), dimensions); NaN for a text that cannot be embedded.

        Raises:
            ModelError: no passages are embedded at this step, or the embedder is closed.

        """
        return self._of_passages(
            lambda embedder: embedder.embed_passages(texts),
            lambda embedder: self._one_by_one(embedder, texts),
        )

    @property
    def window_tokens(self) -> int:
        first = self._first
        return first.window_tokens if isinstance(first, EmbedsWindows) else 0

    def embed_windows(self, windows: Sequence[Window]) -> list[FloatArray]:
        """Vectors of the passages of windows; raises as `embed_passages` does."""

        def all_of(embedder: Embedder) -> list[FloatArray]:
            if not isinstance(embedder, EmbedsWindows):
                raise ModelError(f"The embedder {embedder.key} reads each passage alone.")
            return embedder.embed_windows(windows)

        return self._of_passages(all_of, lambda _: None)

    def _of_passages(
        self, embed: Callable[[Embedder], T], one_by_one: Callable[[Embedder], T | None]
    ) -> T:
        """Embed passages at the first step that works.

        `one_by_one` tells a text that cannot be embedded from a model that fails.
        """
        while True:
            embedder = self._working(wait=True)
            if embedder.key != self._key:
                raise ModelError(f"Passages cannot be embedded now: {self._why()}.")
            try:
                return embed(embedder)
            except Exception as error:  # noqa: BLE001 - the runtimes' errors have no common base
                failure = error
            if self._degraded is not None and not _lacks_memory(failure):
                alone = one_by_one(embedder)
                if alone is not None:
                    return alone
            self._step_down(embedder, failure, wait=True)

    def embed_query(self, text: str) -> FloatArray:
        """Vector of shape (dimensions,).

        Raises:
            ModelError: no step is left, another thread is restarting the embedder, it is closed,
                or this text cannot be embedded.

        """
        while True:
            embedder = self._working(wait=False)
            try:
                return embedder.embed_query(text)
            except Exception as error:  # noqa: BLE001 - as above
                failure = error
            if self._current is embedder and _answers(embedder):
                raise ModelError(f"The model cannot embed this query: {_reason_of(failure)}.")
            self._step_down(embedder, failure, wait=False)

    def close(self) -> None:
        """Close the model, also while another thread uses it. May be called twice."""
        self._closed = True
        with self._lock:
            self._close_current()

    def _working(self, *, wait: bool) -> Embedder:
        """The embedder of this step; first tries the configured setup again when it is time."""
        if self._degraded is not None and self._clock() >= self._again_at:
            self._try_full()
        embedder = self._current
        if embedder is None and wait:
            with self._lock:  # a restart may be under way
                embedder = self._current
        if self._closed:
            raise ModelError(f"The embedder {self._key} is closed.", code="model_closed")
        if embedder is None:
            raise ModelError(f"The model does not work: {self._why()}.")
        return embedder

    def _why(self) -> str:
        return self._degraded.reason if self._degraded is not None else "it is being restarted"

    def _try_full(self) -> None:
        if not self._lock.acquire(blocking=False):
            return  # another thread is restarting it
        try:
            degraded = self._degraded
            if degraded is not None and self._clock() >= self._again_at and not self._closed:
                step = degraded.step
                self._restart(("full", *_RUNNING[_position(step) :]), degraded.reason)
        finally:
            self._lock.release()

    def _step_down(self, failed: Embedder, error: Exception, *, wait: bool) -> None:
        """Restart at the step below that of `failed`, unless another thread has done so."""
        if not self._lock.acquire(blocking=wait):
            raise ModelError("The model is being restarted; try again in a moment.") from error
        try:
            if self._current is failed and not self._closed:
                step = self._degraded.step if self._degraded is not None else "full"
                self._restart(_RUNNING[_position(step) + 1 :], _reason_of(error))
        finally:
            self._lock.release()

    def _restart(self, steps: Sequence[Step], reason: str) -> None:
        """Start at the first step that works; the caller holds the lock. `reason`: the cause."""
        self._close_current()
        for step in steps:
            embedder = None
            try:
                embedder = self._start(step)
                self._check(embedder)
            except Exception as error:  # noqa: BLE001 - as above; also a lack of memory
                log.debug("%s cannot be started at the step %s: %s", self._key, step, error)
                if step != "full":
                    reason = _reason_of(error)
                if embedder is not None:
                    _close(embedder)
                continue
            self._latest = self._current = embedder
            self._note(step, reason)
            return
        self._note("keyword_only", reason)

    def _check(self, embedder: Embedder) -> None:
        """Raise ModelError unless a restarted embedder runs the same model."""
        key = embedder.key
        same = (key.name, key.weights_hash) == (self._key.name, self._key.weights_hash)
        if not same or embedder.dimensions != self.dimensions:
            raise ModelError(f"The files of {self._key} were replaced by those of {key}.")
        embedder.embed_query(PROBE)

    def _note(self, step: Step, reason: str) -> None:
        """Record the step, and log it if it changed."""
        before = self._degraded.step if self._degraded is not None else "full"
        self._again_at = self._clock() + self._retry_s
        if step == before:
            return
        if step == "full":
            self._degraded = None
            log.info("The model %s works as configured again.", self._key)
            return
        self._degraded = Degraded(step, reason, time.time())
        log.warning("The model %s failed and continues at the step %s: %s", self._key, step, reason)

    def _one_by_one(self, embedder: Embedder, texts: Sequence[str]) -> FloatArray | None:
        """The vectors of the texts, embedded one by one; None if the embedder itself fails."""
        vectors = np.full((len(texts) + 1, self.dimensions), np.nan, np.float32)
        for row, text in enumerate((PROBE, *texts)):
            try:
                vectors[row] = embedder.embed_passages([text])[0]
            except Exception as error:  # noqa: BLE001 - as above
                if row == 0 or _lacks_memory(error):
                    return None
        return vectors[1:]

    def _close_current(self) -> None:
        if self._current is not None:
            _close(self._current)
        self._current = None


def _position(step: Step) -> int:
    return _RUNNING.index(step) if step in _RUNNING else len(_RUNNING)


def _answers(embedder: Embedder) -> bool:
    try:
        embedder.embed_query(PROBE)
    except Exception:  # noqa: BLE001 - as above
        return False
    return True


def _close(embedder: Embedder) -> None:
    with suppress(Exception):  # after a failure, closing may fail as well
        embedder.close()


def _lacks_memory(error: BaseException) -> bool:
    """True if the error or its cause is a lack of memory, which C++ runtimes call `bad_alloc`."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryError) or "alloc" in str(cause).lower():
            return True
        cause = cause.__cause__
    return False


def _reason_of(error: Exception) -> str:
    if _lacks_memory(error):
        return "there was not enough memory"
    return (str(error) or type(error).__name__).rstrip(".")
