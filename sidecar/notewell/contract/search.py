"""What is found: a search's reply, and that of notes like a note."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from notewell.contract.explain import Explain
from notewell.types import Direction, PropertyValue, SearchMode


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a note that matched; `highlights` are UTF-16 offsets into `snippet`."""

    heading: str | None  # heading path, " > " between levels
    block: str | None
    parent: str | None
    line: int
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    score: float


@dataclass(frozen=True, slots=True)
class Scores:
    """Parts of a result's score. None: not computed. Multipliers are 1 where they do nothing."""

    keyword: float | None = None
    semantic: float | None = None
    fused: float | None = None
    tag: float | None = None
    recency: float | None = None
    graph: float | None = None
    rerank: float | None = None


@dataclass(frozen=True, slots=True)
class RawScores:
    """Scores as the engines gave them."""

    bm25: float | None = None
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a note is like another: what they have in common, in words for people."""

    kind: Literal["passage", "duplicate", "links", "tags"]
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """A note that was found, with its best passage on top and the further ones beneath.

    Of similar notes: `linked` says how the source is linked with it already (`out`: it links
    there), `duplicates` are notes with nearly the same text that it stands for.
    """

    path: str
    title: str
    description: str | None
    heading: str | None
    block: str | None
    parent: str | None
    line: int
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    score: float
    scores: Scores
    raw: RawScores
    passages: tuple[Passage, ...]
    tags: tuple[str, ...]
    properties: Mapping[str, PropertyValue]
    created: str | None
    modified: str | None
    uri: str
    reasons: tuple[Reason, ...] = ()
    linked: Direction | None = None
    duplicates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fusion:
    """How the sides were combined, with every number a client needs to do it again."""

    method: str
    params: Mapping[str, float | str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchReply:
    """The answer to a search or a similar-notes request.

    `query_id` names a search that was logged, for telling which of its results was opened.
    """

    query: str
    vault: str
    mode: SearchMode
    fusion: Fusion
    expanded: tuple[str, ...]
    filtered: Mapping[str, int]
    generation: int
    took_ms: float
    total: int
    confidence: float | None
    results: tuple[Result, ...]
    warnings: tuple[str, ...]
    explain: Explain | None = None
    query_id: str | None = None
