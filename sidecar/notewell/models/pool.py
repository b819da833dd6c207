"""Embedders that several vaults use together: loaded once, let go with the last of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from notewell.models import load_embedder
from notewell.models.resilient import Degraded, Degrading
from notewell.types import (
    ChunkSizes,
    Embedder,
    FloatArray,
    KnowsTokens,
    ModelKey,
    ModelRules,
    TokenVectors,
)


class Loader(Protocol):
    """Gives an embedder as `models.load_embedder` does; whoever asked closes it."""

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
        ...


@dataclass(slots=True)
class _Place:
    """One model's embedder and how many use it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    embedder: Embedder | None = None
    users: int = 0


class EmbedderPool:
    """Loads each model once. Safe to use from several threads."""

    def __init__(self, load: Loader = load_embedder) -> None:
        """`load` is what gives a model that is not loaded yet."""
        self._load = load
        self._lock = threading.Lock()
        self._places: dict[tuple[ModelRules, Path], _Place] = {}

    def load(
        self,
        rules: ModelRules,
        *,
        model_dir: Path,
        offline: bool,
        fetch_missing: bool,
        say: Callable[[str], None],
    ) -> Embedder:
        """An embedder of the caller's own, which it closes; the model behind it is shared.

        Who may not download does not wait for one who does.
        """
        with self._lock:
            place = self._places.setdefault((rules, model_dir), _Place())
        spare: Embedder | None = None
        if fetch_missing and place.embedder is None:
            spare = self._load(
                rules, model_dir=model_dir, offline=offline, fetch_missing=True, say=say
            )
        with place.lock:
            if place.embedder is None:
                place.embedder = spare or self._load(
                    rules, model_dir=model_dir, offline=offline, fetch_missing=False, say=say
                )
            elif spare is not None:
                spare.close()
            place.users += 1
            return _Shared(place.embedder, lambda: _give_back(place))


def _give_back(place: _Place) -> None:
    with place.lock:
        place.users -= 1
        if place.users == 0 and place.embedder is not None:
            place.embedder.close()
            place.embedder = None


class _Shared:
    """A user's hold on a shared embedder. Satisfies `types.Embedder`."""

    def __init__(self, embedder: Embedder, give_back: Callable[[], None]) -> None:
        self._embedder = embedder
        self._give_back: Callable[[], None] | None = give_back
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

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    def token_vectors(self, text: str) -> TokenVectors | None:
        embedder = self._embedder
        return embedder.token_vectors(text) if isinstance(embedder, KnowsTokens) else None

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        return self._embedder.embed_passages(texts)

    def embed_query(self, text: str) -> FloatArray:
        return self._embedder.embed_query(text)

    def close(self) -> None:
        """Let go; the model is unloaded when this was its last user."""
        with self._lock:
            give_back, self._give_back = self._give_back, None
        if give_back is not None:
            give_back()
