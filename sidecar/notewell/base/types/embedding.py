"""Protocols of embedding models and rerankers, and the key of comparable vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeGuard, runtime_checkable

from notewell.base.types.frozen import frozen
from notewell.base.types.values import FloatArray, IdArray

APPROXIMATE = "+approximate"  # ends the quantisation of a key that no model has
LATE = "+late"  # ends the quantisation of a key whose passages were read in windows


@frozen
class ModelKey:
    """Identifies a model; vectors are only comparable if their keys are equal.

    `quantisation` also says whether passages are read together with their neighbours (`LATE`).
    """

    name: str
    weights_hash: str
    quantisation: str

    def __str__(self) -> str:
        return f"{self.name}/{self.weights_hash[:12]}/{self.quantisation}"

    @property
    def approximate(self) -> ModelKey:
        """The key of vectors that stand for those of this model until it has read the texts."""
        return replace(self, quantisation=self.quantisation + APPROXIMATE)


@frozen
class ChunkSizes:
    """Chunk sizes in tokens of one model, header and special tokens included."""

    max_tokens: int = 256
    min_tokens: int = 48
    overlap_tokens: int = 24


@frozen
class CosineScale:
    """A scale for a model's cosines: the mean of those of queries and passages.

    `unrelated`: on different topics; `related`: of a query and its answer, which is higher.
    `passages` and `passages_deviation`: mean and standard deviation of the cosines of two passages
    on different topics; None: not measured.
    """

    unrelated: float
    related: float
    passages: float | None = None
    passages_deviation: float | None = None


class Embedder(Protocol):
    """Turns text into unit vectors, float32. Safe to call from several threads.

    A query never waits for more than one small batch of passages.
    """

    @property
    def key(self) -> ModelKey: ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    @property
    def sizes(self) -> ChunkSizes:
        """Chunk sizes that suit the model."""

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` alone, special tokens not counted."""

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """Vectors of shape (len(texts), dimensions), in the order given."""

    def embed_query(self, text: str) -> FloatArray:
        """Vector of shape (dimensions,)."""

    def close(self) -> None:
        """Release the model's memory. May be called twice."""


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddedPiece:
    """Vectors of shape (len(rows), dimensions) of the texts with these numbers."""

    rows: tuple[int, ...]
    vectors: FloatArray


@runtime_checkable
class EmbedsInPieces(Protocol):
    """An embedder that gives the vectors of a long list in parts, as they arrive."""

    @property
    def at_once(self) -> int:
        """The number of texts that are worth giving to it in one call."""

    def embed_pieces(
        self, texts: Sequence[str], documents: Sequence[str]
    ) -> Iterator[EmbeddedPiece]:
        """Pieces in any order; `documents` names the note of each text.

        A failure is raised after everything that was answered, so that nothing is asked for twice.
        """


@frozen
class Window:
    """Neighbouring passages of a note that a model reads at once.

    `passages` has the ranges of `text`, in characters, that belong to each; they may share some.
    """

    text: str
    passages: tuple[tuple[tuple[int, int], ...], ...]


@runtime_checkable
class EmbedsWindows(Protocol):
    """An embedder that can read passages together with their neighbours ("late chunking").

    Günther et al., "Late Chunking: Contextual Chunk Embeddings Using Long-Context Embedding
    Models", 2024 (arXiv 2409.04701): the states of all tokens are computed with the whole window in
    view, and averaged for each passage by itself.
    """

    @property
    def window_tokens(self) -> int:
        """The most tokens of a window; 0: it reads each passage alone."""

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` alone, special tokens not counted."""

    def embed_windows(self, windows: Sequence[Window]) -> list[FloatArray]:
        """Unit vectors of the passages of each window, (passages, dimensions) float32."""


class Reranker(Protocol):
    """Scores how well passages answer a query, by reading both together."""

    @property
    def name(self) -> str:
        """The name of the model, for people."""

    def judge(self, query: str, passages: Sequence[str], *, budget_s: float) -> FloatArray:
        """Scores in 0..1, in the order of `passages`; NaN for those that were not read in time.

        Passages are read in order. No new one is begun after `budget_s` seconds.
        """

    def close(self) -> None:
        """Release the model's memory. May be called twice."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenVectors:
    """The vectors of a text's tokens from the model's input table, without context.

    `starts` (n,) are offsets into the text; `vectors` (n, dimensions) have unit length.
    """

    starts: IdArray
    vectors: FloatArray


@runtime_checkable
class KnowsTokens(Protocol):
    """An embedder that can look up tokens, a hundred times faster than it embeds."""

    def token_vectors(self, text: str) -> TokenVectors | None:
        """The tokens of `text` up to the model's limit; None if the model has no readable table."""


def knows_tokens(model: object) -> TypeGuard[KnowsTokens]:
    """True if a model is one. Searches ask often, and `isinstance` takes ten microseconds."""
    return hasattr(model, "token_vectors")


def looks_up(model: object, text: str) -> bool:
    """True if a model looks up the tokens of a text; the handle of a service only seems to."""
    return knows_tokens(model) and model.token_vectors(text) is not None


@runtime_checkable
class TeachesQueries(Protocol):
    """An embedder to which a table of token vectors can be fitted, for queries without it."""

    def tokenizer_document(self) -> str | None:
        """Its tokenizer as the library `tokenizers` writes it; None: it cannot be told."""

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Vectors of shape (len(texts), dimensions) of texts as queries, at leisure."""


@runtime_checkable
class KnowsCosines(Protocol):
    """An embedder whose cosines have been measured."""

    @property
    def cosines(self) -> CosineScale | None:
        """The scale of its cosines; None if it is not known."""


def knows_cosines(model: object) -> TypeGuard[KnowsCosines]:
    """True if a model is one."""
    return hasattr(model, "cosines")
