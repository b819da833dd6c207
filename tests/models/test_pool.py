"""One loaded model for several vaults: shared while used, unloaded with the last of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from notewell.base.errors import ModelUnavailableError
from notewell.base.types import ChunkSizes, Embedder, FloatArray, ModelKey, ModelRules
from notewell.models.pool import EmbedderPool
from tests.waiting import HANG_S


class CountingEmbedder:
    """Three numbers a text, and whether it was closed."""

    sizes = ChunkSizes()
    dimensions = 3

    def __init__(self, name: str) -> None:
        self.key = ModelKey(name, "ab", "int8")
        self.closed = 0

    def count_tokens(self, text: str) -> int:
        return len(text)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        return np.ones((len(texts), 3), np.float32)

    def embed_query(self, text: str) -> FloatArray:
        return np.ones(3, np.float32)

    def close(self) -> None:
        self.closed += 1


class Shelf:
    """Loads counting embedders; `here` says which models need no download."""

    def __init__(self, *here: str) -> None:
        self.here = set(here)
        self.loaded: list[CountingEmbedder] = []
        self.downloads = threading.Semaphore(0)

    def load(
        self,
        rules: ModelRules,
        *,
        model_dir: Path,
        offline: bool,
        fetch_missing: bool,
        say: Callable[[str], None],
    ) -> Embedder:
        if rules.name not in self.here:
            if not fetch_missing:
                raise ModelUnavailableError(f"{rules.name} is not here")
            assert self.downloads.acquire(timeout=HANG_S)
            self.here.add(rules.name)
        self.loaded.append(CountingEmbedder(rules.name))
        return self.loaded[-1]


def take(pool: EmbedderPool, name: str = "a", *, fetch: bool = False) -> Embedder:
    return pool.load(
        ModelRules(name=name), model_dir=Path(), offline=False, fetch_missing=fetch, say=print
    )


def test_two_users_share_one_model_until_both_close_it() -> None:
    shelf = Shelf("a")
    pool = EmbedderPool(shelf.load)
    first, second = take(pool), take(pool)
    [loaded] = shelf.loaded

    first.close()
    first.close()
    assert not loaded.closed
    assert second.embed_passages(["x", "y"]).shape == (2, 3)
    assert (second.key, second.count_tokens("abc"), second.dimensions) == (loaded.key, 3, 3)

    second.close()
    assert loaded.closed == 1
    take(pool)
    assert len(shelf.loaded) == 2


def test_different_models_are_different_embedders() -> None:
    shelf = Shelf("a", "b")
    pool = EmbedderPool(shelf.load)
    assert {take(pool, "a").key.name, take(pool, "b").key.name} == {"a", "b"}


def test_a_model_that_cannot_be_loaded_is_tried_again() -> None:
    shelf = Shelf()
    pool = EmbedderPool(shelf.load)
    with pytest.raises(ModelUnavailableError):
        take(pool)
    shelf.here.add("a")
    take(pool).close()
    assert shelf.loaded[0].closed == 1


def test_others_do_not_wait_for_a_download() -> None:
    shelf = Shelf()
    pool = EmbedderPool(shelf.load)
    got: list[Embedder] = []
    downloading = threading.Thread(target=lambda: got.append(take(pool, fetch=True)))
    downloading.start()

    with pytest.raises(ModelUnavailableError):
        take(pool)

    shelf.downloads.release()
    downloading.join()
    assert take(pool).key == got[0].key
    assert len(shelf.loaded) == 1


def test_two_downloads_at_once_leave_one_model_loaded() -> None:
    shelf = Shelf()
    pool = EmbedderPool(shelf.load)
    got: list[Embedder] = []
    threads = [threading.Thread(target=lambda: got.append(take(pool, fetch=True))) for _ in "12"]
    for thread in threads:
        thread.start()
    shelf.downloads.release(2)
    for thread in threads:
        thread.join()

    assert len([each for each in shelf.loaded if not each.closed]) == 1
    for embedder in got:
        embedder.close()
    assert all(each.closed for each in shelf.loaded)
