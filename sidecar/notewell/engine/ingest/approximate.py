"""Finds a large vault by approximate meaning before the model has read all of it.

Where many passages wait, the model reads a sample first, and something cheap is fitted to it that
gives every passage an approximate vector. A feature provides what is fitted; the vectors of the
model take the place of these one by one.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from notewell.base.errors import CancelledError, ModelError
from notewell.base.types import (
    Embedder,
    FloatArray,
    ModelKey,
    PendingText,
    Progress,
    TeachesQueries,
    VectorPut,
)
from notewell.engine.ingest.embed import COMMIT, WINDOW, embed_texts, unpack_vector
from notewell.engine.ingest.signals import Signals
from notewell.index.port import HoldsApproximations, Index

SAMPLE = 2000
MANY = 6000  # passages that wait; of fewer, the model soon has read them all
_COVERED = "approximate"  # the model whose waiting passages have approximate vectors
_POLL_S = 0.2

log = logging.getLogger(__name__)


class Approximation(Protocol):
    """A source of approximate vectors, fitted to a sample of passages."""

    def vectors(self, texts: Sequence[str]) -> FloatArray:
        """Approximate unit vectors of texts: (texts, dimensions)."""


# From a model, texts, its vectors (texts, dimensions) of these, and a function that is called
# between steps of some milliseconds; None where nothing can be fitted to the model.
FitPassages: TypeAlias = (
    "Callable[[Embedder, Sequence[str], FloatArray, Callable[[], None]], Approximation | None]"
)


class _Fitting:
    """A fit in a thread of its own, which goes on while the writer stores what was saved."""

    def __init__(self, fit: Callable[[Callable[[], None]], Approximation | None]) -> None:
        self._fit = fit
        self._cancelled = threading.Event()
        self.result: Approximation | None = None
        self._thread = threading.Thread(target=self._run, name="approximate", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.result = self._fit(self._check)
        except CancelledError:
            pass
        except ModelError as error:
            log.warning("no approximate vectors: %s", error.message)

    def _check(self) -> None:
        if self._cancelled.is_set():
            raise CancelledError("The index is closed or paused.")

    def wait(self, signals: Signals) -> bool:
        """Wait for the end; False: the run has to stop, or to give way, before."""
        while self._thread.is_alive():
            if signals.stop():
                self._cancelled.set()
            if signals.stop_or_give_way():
                return False
            self._thread.join(_POLL_S)
        return True

    @property
    def was_cancelled(self) -> bool:
        return self._cancelled.is_set()


def _can_teach(model: object) -> bool:
    """True if something may be fitted to a model; a service does not say how it cuts texts."""
    return isinstance(model, TeachesQueries) and model.tokenizer_document() is not None


class ApproximateVectors:
    """Gives the passages of one index approximate vectors. Used by the writer's thread."""

    def __init__(
        self,
        index: Index,
        fit: FitPassages | None,
        *,
        sample: int = SAMPLE,
        many: int = MANY,
    ) -> None:
        """Without `fit` there are none. `many` passages have to wait; the model reads a sample."""
        self._index, self._fit = index, fit
        self._sample, self._many = sample, many
        self._fitting: _Fitting | None = None
        self._last = b""  # the hash of the last text that was covered
        self._unfit: ModelKey | None = None  # a model to which nothing could be fitted

    def cover(self, embedder: Embedder, signals: Signals) -> bool:
        """Give all that waits an approximate vector, if much waits; False if it was stopped.

        Called again, it goes on where it was stopped.

        Raises:
            ModelError: the model cannot read the sample.

        """
        index, key = self._index, embedder.key
        if (
            self._fit is None
            or not isinstance(index, HoldsApproximations)
            or index.vectors.model != key
            or self._unfit == key
            or (index.meta(_COVERED) == str(key) and index.has_approximate())
        ):
            return True
        if self._fitting is None or self._fitting.was_cancelled:
            counts = index.counts()
            if counts.chunks - counts.vectors < self._many or not _can_teach(embedder):
                return True
            sample = index.texts_by_hash(b"", self._sample)
            if not self._read(sample, embedder, signals):
                return False
            self._fitting, self._last = self._begin(self._fit, sample, embedder), b""
        if not self._fitting.wait(signals):
            return False
        fitted = self._fitting.result
        if fitted is None:
            self._unfit = key
        elif self._store(fitted, index, embedder, signals):
            index.set_meta(_COVERED, str(key))
        else:
            return False
        self._fitting = None
        return True

    def end(self) -> None:
        """Delete them: the model has read everything."""
        index = self._index
        if isinstance(index, HoldsApproximations) and index.has_approximate():
            index.drop_approximate()
        if index.meta(_COVERED):
            index.set_meta(_COVERED, "")

    def _read(self, sample: Sequence[PendingText], embedder: Embedder, signals: Signals) -> bool:
        """Have the model read what it has not read of the sample."""
        known = self._index.stored_vectors(embedder.key, [text.text_hash for text in sample])
        waiting = [text for text in sample if text.text_hash not in known]
        for start in range(0, len(waiting), COMMIT):
            if signals.stop_or_give_way():
                return False
            signals.progress(Progress("sample", start, len(waiting)))
            for _ in embed_texts(self._index, embedder, waiting[start : start + COMMIT]):
                pass
        return True

    def _begin(self, fit: FitPassages, sample: Sequence[PendingText], model: Embedder) -> _Fitting:
        stored = self._index.stored_vectors(model.key, [text.text_hash for text in sample])
        texts = [text.text for text in sample if text.text_hash in stored]
        vectors = np.array(
            [unpack_vector(stored[text.text_hash]) for text in sample if text.text_hash in stored]
        )
        return _Fitting(lambda check: fit(model, texts, vectors, check))

    def _store(
        self,
        fitted: Approximation,
        index: HoldsApproximations,
        embedder: Embedder,
        signals: Signals,
    ) -> bool:
        while texts := index.texts_by_hash(self._last, WINDOW):
            if signals.stop_or_give_way():
                return False
            index.store_approximate(embedder.key, list(self._vectors(fitted, embedder, texts)))
            self._last = texts[-1].text_hash
        return True

    def _vectors(
        self, fitted: Approximation, embedder: Embedder, texts: Sequence[PendingText]
    ) -> Iterator[VectorPut]:
        known = self._index.stored_vectors(embedder.key, [text.text_hash for text in texts])
        waiting = [text for text in texts if text.text_hash not in known]
        if waiting:
            vectors = fitted.vectors([text.text for text in waiting])
            for text, vector in zip(waiting, vectors, strict=True):
                yield VectorPut(text.text_hash, vector)
