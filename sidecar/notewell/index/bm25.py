"""BM25 as every engine computes it: fields, their weights, k1, b, inverse document frequency.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009). Each field
is scored on its own, weighted, and the fields are summed, so that all engines rank alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from notewell.types import ChunkHits

K1, B = 1.2, 0.75
EXACT_FIELDS = ("title", "headings", "tags", "path", "body")  # tokens as the analyzer gives them
STEMS = "stems"  # title, tags, headings and body together, each token reduced to its English stem


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A token of the query and how much it counts."""

    token: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class FieldWeights:
    """How much a word counts by the field it stands in.

    Chosen on SciFact's training queries and on links of two vaults (their display texts and the
    sentences around them) as queries. Titles, tags and paths repeat on every chunk of a note: with
    weights above 1 they outweigh what the passages say.
    """

    title: float = 0.5
    headings: float = 0.3
    tags: float = 0.5
    path: float = 0.2
    body: float = 0.3
    stems: float = 1.0


def idf(found: int, among: int) -> float:
    """Inverse document frequency of a token that `found` of `among` documents contain."""
    return math.log1p((among - found + 0.5) / (found + 0.5))


def no_hits() -> ChunkHits:
    """A search result without hits."""
    return ChunkHits(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
