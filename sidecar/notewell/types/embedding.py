"""Embedding models: what makes vectors comparable, and what every embedder can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from notewell.types.values import FloatArray, IdArray


@dataclass(frozen=True, slots=True)
class ModelKey:
    """What makes two vectors comparable. Vectors are kept under it for good."""

    name: str
    weights_hash: str
    quantisation: str

    def __str__(self) -> str:
        return f"{self.name}/{self.weights_hash[:12]}/{self.quantisation}"


@dataclass(frozen=True, slots=True)
class ChunkSizes:
    """Chunk sizes in tokens of one model, header and special tokens included."""

    max_tokens: int = 256
    min_tokens: int = 48
    overlap_tokens: int = 24


class Embedder(Protocol):
    """Turns text into unit vectors, float32. Safe to call from several threads.

    A query never waits for more than one small batch of passages.
    """

    @property
    def key(self) -> ModelKey:
        """Under which its vectors are kept."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def sizes(self) -> ChunkSizes:
        """Chunk sizes that suit the model."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` alone, special tokens not counted."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """Vectors of shape (len(texts), dimensions), in the order given."""
        ...

    def embed_query(self, text: str) -> FloatArray:
        """Vector of shape (dimensions,)."""
        ...

    def close(self) -> None:
        """Give the model's memory back. May be called twice."""
        ...


class Reranker(Protocol):
    """Reads a query and a passage together and says how well one answers the other."""

    @property
    def name(self) -> str:
        """What people call the model."""
        ...

    def judge(self, query: str, passages: Sequence[str], *, budget_s: float) -> FloatArray:
        """0..1 for each passage, in the order given; NaN for those the time did not suffice for.

        The first passages come first; one that was begun is finished.
        """
        ...

    def close(self) -> None:
        """Give the model's memory back. May be called twice."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class TokenVectors:
    """A text's tokens as the model knows them before it reads: no context, one look-up each.

    `starts` (n,) are offsets into the text; `vectors` (n, dimensions) have unit length.
    """

    starts: IdArray
    vectors: FloatArray


@runtime_checkable
class KnowsTokens(Protocol):
    """An embedder that can look up tokens, a hundred times faster than it embeds."""

    def token_vectors(self, text: str) -> TokenVectors | None:
        """The tokens of `text`, as many as the model reads; None: not with this model."""
        ...
