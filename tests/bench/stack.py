"""Prepares an index of many chunks for the benchmarks of the whole stack.

The notes go through the ordinary write path, but passages get random unit vectors in clusters,
because embedding 100,000 chunks takes a quarter of an hour and is measured in bench_embedding.
Queries are embedded by the real model.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import orjson
from corpus import SECTIONS, Words, queries, write_vault

from notewell.base.config import load_settings
from notewell.base.types import (
    ChunkRules,
    ChunkSizes,
    Embedder,
    FloatArray,
    ModelKey,
    ModelRules,
    SearchRules,
    Settings,
    VaultRecord,
    VaultRules,
)
from notewell.engine.engine import Engine
from notewell.engine.ingest.indexer import Indexer
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.signals import Signals
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.index.embedded import EmbeddedIndex
from notewell.models.catalogue import TOKENIZER_FILE, find
from notewell.models.fetch import fetch
from notewell.models.loading import load_embedder
from notewell.vault.sources import source_of

CHUNKS, QUICK_CHUNKS = 100_000, 5_000
QUERIES, QUICK_QUERIES = 200, 40
_CLUSTERS = 500
_SHARED, _OWN, _NOISE = 0.35, 0.55, 0.76  # cosines near 0.12 across and 0.42 within clusters


class SeededEmbedder:
    """The real model's tokenizer and key, with random vectors for passages."""

    def __init__(self, model: Embedder) -> None:
        self._model = model
        generator = np.random.default_rng(11)
        self._mean = _unit(generator.standard_normal(model.dimensions))
        centres = generator.standard_normal((_CLUSTERS, model.dimensions))
        self._centres = np.stack([_unit(centre) for centre in centres])

    @property
    def key(self) -> ModelKey:
        return self._model.key

    @property
    def dimensions(self) -> int:
        return self._model.dimensions

    @property
    def sizes(self) -> ChunkSizes:
        return self._model.sizes

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)

    def embed_query(self, text: str) -> FloatArray:
        return self._model.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """A vector that depends on the text alone, near one of the clusters' centres."""
        return np.stack([self._vector(zlib.crc32(text.encode())) for text in texts])

    def close(self) -> None:
        self._model.close()

    def _vector(self, seed: int) -> FloatArray:
        noise = _unit(np.random.default_rng(seed).standard_normal(self.dimensions))
        centre = self._centres[seed % _CLUSTERS]
        return _unit(_SHARED * self._mean + _OWN * centre + _NOISE * noise)


@dataclass(frozen=True)
class Stack:
    """A vault on disk with its complete index."""

    vault: Path
    settings: Settings
    record: VaultRecord
    queries: list[str]
    model: ModelKey
    dimensions: int
    model_folder: Path

    @contextmanager
    def engine(self, *, writable: bool = False) -> Iterator[Engine]:
        """The engine of the vault, closed at the end."""
        with closing(Vaults(self.settings, features=FEATURES)) as vaults:
            yield vaults.open(self.record, writable=writable)

    @property
    def directory(self) -> Path:
        """The index's folder."""
        return Vaults(self.settings, features=FEATURES).directory(self.record)

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which a `notewell` process finds this index and its model."""
        no_rules = self.settings.data_dir / "config.toml"  # in place of the user's own
        no_rules.touch()
        return {
            **os.environ,
            "NOTEWELL_DATA_DIR": str(self.settings.data_dir),
            "NOTEWELL_STATE_DIR": str(self.settings.state_dir),
            "NOTEWELL_MODEL_DIR": str(self.settings.model_dir),
            "NOTEWELL_CONFIG": str(no_rules),
        }


def prepare(*, quick: bool, chunks: int | None = None) -> Stack:
    """Write the benchmark vault and index it, or reuse those of an earlier run.

    `quick`: fewer queries and, where `chunks` is None, fewer chunks.
    """
    chunks = chunks or (QUICK_CHUNKS if quick else CHUNKS)
    settings = _settings(chunks)
    files = fetch(find(settings.model.name), model_dir=settings.model_dir, say=say)
    words = Words.of_tokenizer(files.folder / TOKENIZER_FILE)
    vault = settings.data_dir / "vault"
    say(f"preparing {chunks:,} chunks in {settings.data_dir}")
    write_vault(vault, words, chunks // SECTIONS)
    vaults = Vaults(settings, features=FEATURES)
    record = vaults.add(vault)
    key, dimensions = _index(vault, vaults.directory(record), settings)
    count = QUICK_QUERIES if quick else QUERIES
    asked = queries(words, count)
    return Stack(vault, settings, record, asked, key, dimensions, files.folder)


def dump(stack: Stack, folder: Path) -> None:
    """Write the chunks' texts (JSON lines) and vectors (.npy), for the peers, in the same order."""
    folder.mkdir(parents=True, exist_ok=True)
    with closing(EmbeddedIndex.open(stack.directory, writable=False)) as index:
        index.use_model(stack.model, stack.dimensions)
        chunks = [chunk for note in index.all_notes() for chunk in index.chunks_of(note.id)]
        ids = np.array([chunk.id for chunk in chunks], dtype=np.int64)
        np.save(folder / "vectors.npy", index.vectors.of_chunks(ids)[1])
    with (folder / "texts.jsonl").open("wb") as file:
        file.writelines(orjson.dumps(chunk.text) + b"\n" for chunk in chunks)


def say(message: str) -> None:
    """Report what takes time, on stderr."""
    sys.stderr.write(f"{message}\n")


def _index(vault: Path, directory: Path, settings: Settings) -> tuple[ModelKey, int]:
    model = load_embedder(
        settings.model, model_dir=settings.model_dir, offline=True, fetch_missing=False, say=say
    )
    with closing(model), closing(EmbeddedIndex.open(directory, writable=True)) as index:
        index.use_model(model.key, model.dimensions)
        Indexer(source_of(VaultRecord("v1", "vault", vault), settings.vault), index, settings).run(
            Work(), SeededEmbedder(model), Signals()
        )
        return model.key, model.dimensions


def _settings(chunks: int) -> Settings:
    """Default settings in a folder of their own, whatever the user's configuration."""
    settings = load_settings(environ=os.environ)
    folder = settings.data_dir / "bench" / f"{chunks}"
    return replace(
        settings,
        data_dir=folder,
        state_dir=folder / "state",
        vault=VaultRules(watch="off"),
        chunking=ChunkRules(),
        model=ModelRules(),
        search=SearchRules(),
    )


def _unit(vector: np.ndarray) -> FloatArray:
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)
