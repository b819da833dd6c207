"""Holds loaded models: embedders that vaults share, and slots for models that may be absent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from notewell.base.errors import ModelError
from notewell.base.types import (
    ChunkSizes,
    CosineScale,
    EmbeddedPiece,
    Embedder,
    EmbedsInPieces,
    EmbedsWindows,
    FloatArray,
    ModelKey,
    ModelRules,
    Reranker,
    TeachesQueries,
    TokenVectors,
    Window,
    knows_cosines,
    knows_tokens,
)
from notewell.models.loading import load_embedder
from notewell.models.resilient import Degraded, Degrading

# Passages of one call: the most work that a killed process loses.
_AT_ONCE = 64
NOT_LOADED = "the model is not loaded yet"


class Loader(Protocol):
    """Loads an embedder as `loading.load_embedder` does; the caller closes it."""

    def __call__(
        self,
        rules: ModelRules,
        *,
        model_dir: Path,
        offline: bool,
        fetch_missing: bool,
        say: Callable[[str], None],
    ) -> Embedder:
        """Load the model that `rules` name, or raise ModelError."""


@dataclass(slots=True)
class _SharedModel:
    """One model's embedder, and the number of its users."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    embedder: Embedder | None = None
    users: int = 0


class EmbedderPool:
    """Loads each model once. Safe to use from several threads."""

    def __init__(self, load: Loader = load_embedder) -> None:
        """`load` loads a model that is not loaded yet."""
        self._load = load
        self._lock = threading.Lock()
        self._entries: dict[tuple[ModelRules, Path], _SharedModel] = {}

    def load(
        self,
        rules: ModelRules,
        *,
        model_dir: Path,
        offline: bool,
        fetch_missing: bool,
        say: Callable[[str], None],
    ) -> Embedder:
        """An embedder for the caller, which closes it; the model behind it is shared.

        A caller that must not download does not wait for one that downloads.
        """
        with self._lock:
            entry = self._entries.setdefault((rules, model_dir), _SharedModel())
        spare: Embedder | None = None
        if fetch_missing and entry.embedder is None:
            spare = self._load(
                rules, model_dir=model_dir, offline=offline, fetch_missing=True, say=say
            )
        with entry.lock:
            if entry.embedder is None:
                entry.embedder = spare or self._load(
                    rules, model_dir=model_dir, offline=offline, fetch_missing=False, say=say
                )
            elif spare is not None:
                spare.close()
            entry.users += 1
            return _Shared(entry.embedder, lambda: _release(entry))


def _release(entry: _SharedModel) -> None:
    with entry.lock:
        entry.users -= 1
        if entry.users == 0 and entry.embedder is not None:
            entry.embedder.close()
            entry.embedder = None


class _Shared:
    """One user's handle of a shared embedder. Satisfies `types.Embedder`."""

    def __init__(self, embedder: Embedder, release: Callable[[], None]) -> None:
        self._embedder = embedder
        self._release: Callable[[], None] | None = release
        self._lock = threading.Lock()

    @property
    def key(self) -> ModelKey:
        return self._embedder.key

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def sizes(self) -> ChunkSizes:
        return self._embedder.sizes

    @property
    def degraded(self) -> Degraded | None:
        embedder = self._embedder
        return embedder.degraded if isinstance(embedder, Degrading) else None

    @property
    def cosines(self) -> CosineScale | None:
        embedder = self._embedder
        return embedder.cosines if knows_cosines(embedder) else None

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    def token_vectors(self, text: str) -> TokenVectors | None:
        embedder = self._embedder
        return embedder.token_vectors(text) if knows_tokens(embedder) else None

    def tokenizer_document(self) -> str | None:
        embedder = self._embedder
        return embedder.tokenizer_document() if isinstance(embedder, TeachesQueries) else None

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        embedder = self._embedder
        if not isinstance(embedder, TeachesQueries):
            raise ModelError(f"The embedder {embedder.key} embeds queries one by one.")
        return embedder.embed_queries(texts)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        return self._embedder.embed_passages(texts)

    @property
    def at_once(self) -> int:
        embedder = self._embedder
        return embedder.at_once if isinstance(embedder, EmbedsInPieces) else _AT_ONCE

    def embed_pieces(
        self, texts: Sequence[str], documents: Sequence[str]
    ) -> Iterator[EmbeddedPiece]:
        embedder = self._embedder
        if isinstance(embedder, EmbedsInPieces):
            return embedder.embed_pieces(texts, documents)
        vectors = embedder.embed_passages(texts)
        return iter([EmbeddedPiece(tuple(range(len(texts))), vectors)])

    @property
    def window_tokens(self) -> int:
        embedder = self._embedder
        return embedder.window_tokens if isinstance(embedder, EmbedsWindows) else 0

    def embed_windows(self, windows: Sequence[Window]) -> list[FloatArray]:
        if not isinstance(self._embedder, EmbedsWindows):
            raise ModelError(f"The embedder {self.key} reads each passage alone.")
        return self._embedder.embed_windows(windows)

    def embed_query(self, text: str) -> FloatArray:
        return self._embedder.embed_query(text)

    def close(self) -> None:
        """Release it; the model is unloaded when this was its last user."""
        with self._lock:
            release, self._release = self._release, None
        if release is not None:
            release()


class ModelSlot:
    """Holds an embedder, or the reason why there is none. Safe to use from several threads."""

    def __init__(self, load: Callable[[bool], Embedder]) -> None:
        """`load(fetch)` returns the embedder or raises ModelError; with `fetch` it may download."""
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
        with self._lock:
            if self._embedder is not None:
                self._embedder.close()
            self._embedder = None
            self._reason = NOT_LOADED


class RerankerSlot:
    """Holds a reranker that is loaded at first use. Safe to use from several threads."""

    def __init__(self, load: Callable[[], Reranker]) -> None:
        """`load` returns the reranker or raises NotewellError, after which `get` calls it again."""
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
        with self._lock:
            reranker, self._reranker = self._reranker, None
        if reranker is not None:
            reranker.close()
