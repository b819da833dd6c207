"""The vaults that tests search, created once per module because their notes never change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from notewell.base.types import Embedder
from notewell.index.embedded import EmbeddedIndex
from tests.search.library import HashedWords, Library, MakeLibrary, index_vault


@pytest.fixture(scope="module")
def make_library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeLibrary]:
    opened: list[EmbeddedIndex] = []

    def make(notes: Mapping[str, str], embedder: Embedder | None = None) -> Library:
        base = tmp_path_factory.mktemp("library")
        root = base / "My Notes"
        for path, text in notes.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        index = EmbeddedIndex.open(base / "index", writable=True)
        opened.append(index)
        embedder = embedder or HashedWords()
        index_vault(index, root, embedder)
        return Library(root, index, embedder)

    yield make
    for index in opened:
        index.close()
