"""A small real vault for tests of search, with an embedder made of hashed words."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from notewell.base.types import (
    Batch,
    ChunkSizes,
    Embedder,
    FloatArray,
    ModelKey,
    NotePut,
    SearchRules,
    VaultRecord,
    VaultRules,
    VectorPut,
)
from notewell.contract.search import (
    AroundReply,
    AroundRequest,
    SearchReply,
    SearchRequest,
    SimilarRequest,
    SimilarTextRequest,
)
from notewell.index.analyze import tokens
from notewell.index.embedded import EmbeddedIndex
from notewell.search import run
from notewell.search.context import Caches, SearchContext
from notewell.search.show import similar
from notewell.search.show.around import around
from notewell.vault import files, walker
from notewell.vault.chunk import chunk
from notewell.vault.parse import parse
from notewell.vault.sources import source_of

# What a reader takes for the same thing, so that meaning finds what words do not.
SYNONYMS = {"automobile": "car", "vehicle": "car", "physician": "doctor", "feline": "cat"}


class HashedWords:
    """Embeds a text as the sum of one random direction a word; synonyms share theirs."""

    key = ModelKey("hashed-words", "0" * 64, "fp32")
    dimensions = 64
    sizes = ChunkSizes(max_tokens=80, min_tokens=8, overlap_tokens=8)

    def count_tokens(self, text: str) -> int:
        return len(tokens(text))

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        return np.array([self.embed_query(text) for text in texts], np.float32)

    def embed_query(self, text: str) -> FloatArray:
        total = np.full(self.dimensions, 1e-3, np.float32)
        for token in tokens(text):
            digest = hashlib.blake2b(SYNONYMS.get(token, token).encode(), digest_size=8).digest()
            total += np.random.default_rng(int.from_bytes(digest)).standard_normal(self.dimensions)
        return (total / np.linalg.norm(total)).astype(np.float32)

    def close(self) -> None:
        return


def index_vault(index: EmbeddedIndex, root: Path, embedder: Embedder) -> None:
    """Index every note of a folder in one batch, with its vectors."""
    puts = []
    for file in walker.walk(root, VaultRules()).files:
        source = files.read(file, max_bytes=1_000_000)
        note = parse(file.path, source, modified=1_700_000_000.0 + len(puts))
        chunks = chunk(note, count_tokens=embedder.count_tokens, sizes=embedder.sizes)
        puts.append(NotePut(note, chunks, file.size, file.mtime_ns, source.content_hash))
    index.use_model(embedder.key, embedder.dimensions)
    index.apply(Batch(puts=tuple(puts), model=embedder.key))
    pending = index.pending_texts(embedder.key, 10_000)
    vectors = embedder.embed_passages([text.text for text in pending])
    index.store_vectors(
        embedder.key,
        [VectorPut(text.text_hash, vector) for text, vector in zip(pending, vectors, strict=True)],
    )


class Library:
    """A vault with its index: what a test searches."""

    def __init__(self, root: Path, index: EmbeddedIndex, embedder: Embedder) -> None:
        self.index = index
        self.embedder = embedder
        self.record = VaultRecord(id="v1", name="library", path=root)
        self.rules = SearchRules(snippet_chars=120)

    def search(
        self, query: str, *, model: bool = True, weak: bool = True, **request: Any
    ) -> SearchReply:
        """Search; weak matches too, because relevance is calibrated for a real model."""
        return run.search(self.context(query, model=model, weak=weak, **request))

    def context(
        self, query: str, *, model: bool = True, weak: bool = True, **request: Any
    ) -> SearchContext:
        """The context of one search."""
        return SearchContext(
            self.index,
            self.record,
            self.rules,
            Caches.of(self.record, self.rules),
            SearchRequest(query, weak=weak, **request),
            self.embedder if model else None,
            semantic_reason=None if model else "the model is not installed; run models get",
        )

    def similar(self, *, model: bool = True, weak: bool = True, **request: Any) -> SearchReply:
        """Similar notes; weak ones too, as in `search`."""
        request["weak"] = weak
        return similar.similar(
            self.index,
            self.embedder if model else None,
            SimilarTextRequest(**request) if "text" in request else SimilarRequest(**request),
            self.rules,
            self.record,
            semantic_reason=None if model else "the model is not installed; run models get",
        )

    def around(self, *, model: bool = True, **request: Any) -> AroundReply:
        """The notes that belong to a paragraph."""
        return around(
            self.index,
            self.embedder if model else None,
            AroundRequest(**request),
            self.rules,
            self.record,
            semantic_reason=None if model else "the model is not installed; run models get",
            uri=source_of(self.record).uri,
        )

    def paths(self, query: str, **request: Any) -> list[str]:
        return [result.path for result in self.search(query, **request).results]


class MakeLibrary(Protocol):
    """Makes a library of notes (text by path); the default embedder is HashedWords."""

    def __call__(self, notes: Mapping[str, str], embedder: Embedder | None = None) -> Library: ...
