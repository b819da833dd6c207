"""What happened to a query on its way, told on request, and what each score is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from notewell.types import PropertyValue


@dataclass(frozen=True, slots=True)
class Removed:
    """Notes that a stage took out, and why; `paths` are some of them."""

    reason: str
    count: int
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moved:
    """A note's rank before and after a stage, from 1; None: not among the first."""

    path: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class StageTrace:
    """One stage of the pipeline.

    `top` are the first paths after it, `moved` what changed among them since the stage before that
    had any.
    """

    name: str
    ms: float
    count_in: int
    count_out: int
    removed: tuple[Removed, ...] = ()
    top: tuple[str, ...] = ()
    moved: tuple[Moved, ...] = ()


@dataclass(frozen=True, slots=True)
class Contribution:
    """What made a result's score. `ranks` by each side alone and after each step, from 1.

    score = (adds.keyword + adds.semantic) * every multiplier in `times`, at most 1, where no model
    has reordered the list. `words` are the BM25 that each token of the query gives the best
    passage.
    """

    path: str
    score: float
    ranks: Mapping[str, int | None]
    adds: Mapping[str, float]
    times: Mapping[str, float]
    words: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Explain:
    """What happened to a query, stage by stage, and what each result's score is made of."""

    query: Mapping[str, PropertyValue]
    stages: tuple[StageTrace, ...]
    results: tuple[Contribution, ...] = ()
