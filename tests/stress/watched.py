"""An embedder that counts what is embedded twice, and says what its process is doing."""

from __future__ import annotations

import mmap
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from notewell.base.types import ChunkSizes, Embedder, FloatArray, ModelKey
from notewell.index.embedded.store import DATABASE
from notewell.vault.chunk import embed_hash

ELSEWHERE, EMBEDDING, STORING = range(3)


class Phase:
    """What the process that will be killed is doing, in memory that its parent sees."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, 2)

    @property
    def now(self) -> int:
        return self._shared[0]

    @now.setter
    def now(self, value: int) -> None:
        self._shared[0] = value
        self._shared[1] |= value

    @property
    def has_begun(self) -> bool:
        """Whether any text was embedded since the last reset."""
        return self._shared[1] != 0

    def reset(self) -> None:
        self._shared[:2] = bytes(2)


class Watched:
    """An embedder that writes down every text it is given although its vector is kept."""

    def __init__(self, embedder: Embedder, directory: Path, again: Path, phase: Phase) -> None:
        self._embedder = embedder
        self._directory = directory
        self._again = again
        self._phase = phase

    @property
    def key(self) -> ModelKey:
        return self._embedder.key

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def sizes(self) -> ChunkSizes:
        return self._embedder.sizes

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        self._phase.now = EMBEDDING
        with closing(sqlite3.connect(self._directory / DATABASE, timeout=30)) as connection:
            for text in texts:
                asked = (
                    "SELECT 1 FROM vectors v JOIN models m ON m.id = v.model_id"
                    " WHERE m.name = ? AND v.text_hash = ?"
                )
                if connection.execute(asked, (self.key.name, embed_hash(text))).fetchone():
                    with self._again.open("a", encoding="utf-8") as stream:
                        stream.write(f"{text!r}\n")
        vectors = self._embedder.embed_passages(texts)
        self._phase.now = STORING  # until the next texts, or the end of the run
        return vectors

    def embed_query(self, text: str) -> FloatArray:
        return self._embedder.embed_query(text)

    def close(self) -> None:
        self._embedder.close()
