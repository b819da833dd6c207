"""Models for tests: a tiny random one for most, the real one where it is available."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.config import load_settings
from notewell.base.errors import ModelUnavailableError
from notewell.base.types import Embedder, ModelRules
from notewell.models.catalogue import ModelSpec, PinnedFile, find
from notewell.models.fetch import ModelFiles, fetch, file_sha256
from notewell.models.loading import load_embedder
from tests.tiny_model import write_tiny_model

FILES = ("config.json", "tokenizer.json", "model.safetensors")


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture
def tiny_spec(tiny_folder: Path) -> ModelSpec:
    """A catalogue entry whose pinned files are the tiny model's, to be had from nowhere."""
    return replace(
        find("all-MiniLM-L6-v2"),
        name="tiny",
        repo="nobody/tiny",
        revision="0123456789abcdef0123456789abcdef01234567",
        files=tuple(PinnedFile(name, file_sha256(tiny_folder / name)) for name in FILES),
        wheel=None,
    )


@pytest.fixture(scope="session")
def tiny_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def load_tiny(tiny_folder: Path, tiny_cache: Path) -> Iterator[Callable[..., Embedder]]:
    """Loads the tiny model through the front door, with any rules; closes what it loaded."""
    loaded = []

    def load(**rules: object) -> Embedder:
        chosen = ModelRules(**{"name": "tiny", "folder": str(tiny_folder), **rules})
        embedder = load_embedder(
            chosen, model_dir=tiny_cache, offline=True, fetch_missing=False, say=print
        )
        loaded.append(embedder)
        return embedder

    yield load
    for embedder in loaded:
        embedder.close()


@pytest.fixture(scope="session")
def model_dir() -> Path:
    """The user's own cache of models, so that the weights are fetched once a machine."""
    return load_settings(environ=os.environ).model_dir


@pytest.fixture(scope="session")
def minilm(model_dir: Path) -> ModelFiles:
    try:
        return fetch(find("all-MiniLM-L6-v2"), model_dir=model_dir)
    except ModelUnavailableError as error:
        pytest.skip(error.message)
