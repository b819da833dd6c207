"""Slots for models that may be absent: each is loaded once, or has the reason why it is not."""

from __future__ import annotations

import threading
from collections.abc import Callable

from notewell.errors import ModelError
from notewell.types import Embedder, Reranker

NOT_LOADED = "the model is not loaded yet"


class ModelSlot:
    """Holds an embedder, or the reason why there is none. Safe to use from several threads."""

    def __init__(self, load: Callable[[bool], Embedder]) -> None:
        """`load(fetch)` gives the embedder or raises ModelError; with `fetch` it may download."""
        self._load = load
        self._lock = threading.Lock()
        self._embedder: Embedder | None = None
        self._reason: str | None = NOT_LOADED

    @property
    def embedder(self) -> Embedder | None:
        """The embedder, None while it is not loaded; never waits."""
        return self._embedder

    @property
    def reason(self) -> str | None:
        """Why there is no embedder, for people; None when there is one."""
        return self._reason

    def load(self, *, fetch: bool) -> Embedder | None:
        """Load the embedder unless it is loaded, and wait for it. A ModelError becomes `reason`."""
        with self._lock:
            if self._embedder is None:
                try:
                    self._embedder = self._load(fetch)
                    self._reason = None
                except ModelError as error:
                    self._reason = error.brief
            return self._embedder

    def close(self) -> None:
        """Close the embedder."""
        with self._lock:
            if self._embedder is not None:
                self._embedder.close()
            self._embedder = None
            self._reason = NOT_LOADED


class RerankerSlot:
    """Holds a reranker that is loaded at first use. Safe to use from several threads."""

    def __init__(self, load: Callable[[], Reranker]) -> None:
        """`load` gives the reranker or raises NotewellError; the next `get` then calls it again."""
        self._load = load
        self._lock = threading.Lock()
        self._reranker: Reranker | None = None

    def get(self) -> Reranker:
        """The reranker; raises what `load` raises."""
        with self._lock:
            if self._reranker is None:
                self._reranker = self._load()
            return self._reranker

    def close(self) -> None:
        """Close the reranker."""
        with self._lock:
            reranker, self._reranker = self._reranker, None
        if reranker is not None:
            reranker.close()
