"""Which passages of a note a model reads together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from notewell.base.types import (
    ChunkSizes,
    FloatArray,
    ModelKey,
    Settings,
    StoredChunk,
    VaultRecord,
    Window,
)
from notewell.engine.ingest.embed import windows_of
from notewell.engine.ingest.indexer import Indexer
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.signals import Signals
from notewell.index.embedded import EmbeddedIndex
from notewell.vault.sources import source_of


def stored(ordinal: int, headings: tuple[str, ...], text: str) -> StoredChunk:
    return StoredChunk(
        ordinal, 1, ordinal, headings, None, None, 0, 0, text, (1,), bytes([ordinal])
    )


def count(text: str) -> int:
    return len(text.split())


def test_passages_share_the_title_and_each_has_its_heading() -> None:
    chunks = [
        stored(0, ("T", "A"), "one two"),
        stored(1, ("T", "A"), "three"),
        stored(2, ("T", "B"), "four"),
    ]

    ((found, window),) = windows_of("T", chunks, count=count, limit=100)

    assert list(found) == chunks
    assert window.text == "T\nA\none two\nthree\nB\nfour"
    read = [[window.text[start:end] for start, end in each] for each in window.passages]
    assert read == [["T", "A", "one two"], ["T", "A", "three"], ["T", "B", "four"]]


def test_a_window_is_full_at_its_limit_and_what_has_no_neighbour_is_read_alone() -> None:
    chunks = [stored(n, (), f"text {n} " * size) for n, size in enumerate((4, 4, 30, 4, 4, 4))]

    found = [
        [chunk.ordinal for chunk in each]
        for each, _ in windows_of("T", chunks, count=count, limit=40)
    ]

    assert found == [[0, 1], [3, 4, 5]]


class Neighbours:
    """An embedder of windows: a vector tells how many passages were read together."""

    key = ModelKey("neighbours", "w" * 64, "int8+late")
    dimensions = 3
    sizes = ChunkSizes(24, 2, 0)
    window_tokens = 40

    def __init__(self) -> None:
        self.read: list[str] = []

    def count_tokens(self, text: str) -> int:
        return count(text)

    def embed_windows(self, windows: Sequence[Window]) -> list[FloatArray]:
        self.read += [window.text for window in windows]
        return [self._rows(len(window.passages)) for window in windows]

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        return self._rows(len(texts))

    def embed_query(self, text: str) -> FloatArray:
        return self._rows(1)[0]

    def close(self) -> None:
        pass

    def _rows(self, number: int) -> FloatArray:
        rows = np.array([[number, n + 1, 1] for n in range(number)], np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


@pytest.fixture
def index(tmp_path: Path) -> Iterator[EmbeddedIndex]:
    with closing(EmbeddedIndex.open(tmp_path / "index", writable=True)) as opened:
        yield opened


def test_an_edited_passage_is_read_with_its_neighbours_and_stored_alone(
    tmp_path: Path, index: EmbeddedIndex
) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    note = vault / "Note.md"
    section = "# {}\nThis section has some words about {} in it.\n"
    note.write_text("".join(section.format(name, name) for name in ("A", "B", "C")))
    settings = Settings(data_dir=tmp_path, model_dir=tmp_path, state_dir=tmp_path)
    indexer = Indexer(source_of(VaultRecord("v1", "vault", vault), settings.vault), index, settings)
    model = Neighbours()
    index.use_model(model.key, model.dimensions)
    assert indexer.run(Work(), model, Signals()).embedded == 3
    model.read.clear()

    note.write_text(note.read_text().replace("about B", "about bread"))
    totals = indexer.run(Work(), model, Signals())

    assert totals.embedded == 1
    assert len(model.read) == 1
    assert "about A" in model.read[0]
    assert "about bread" in model.read[0]
    assert index.counts().vectors == 3
