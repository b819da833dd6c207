"""Fuses keyword and semantic scores into one; pure functions, described in docs/search.md.

Each method maps the raw scores of each half to 0..1 and takes the weighted mean of the two:
`fused = (k * keyword + s * semantic) / (k + s)`, where a missing score counts as 0.

- `rrf`: reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), rank r as (60 + 1) / (60 + r).
- `weighted`: the same, with weight 0.7 for the semantic half.
- `blend`: saturation of BM25 as s / (s + w), w = 1.2; the cosine is used as it is.
- `convex`: min-max of both scores, with equal weights (Bruch, Gai and Ingber 2023).

The methods `auto`, `gars` and `keyword` add up calibrated evidence of a whole note instead
(evidence.py); here they only compare passages, by BM25 and cosine as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from notewell.base.types import FloatArray, FusionMethod
from notewell.base.types.frozen import frozen
from notewell.search.rank.candidates import Candidates, or_zero

RRF_K = 60.0
RRF_SEMANTIC_WEIGHT = 0.7
BLEND_W = 1.2  # unless the settings say otherwise
ALPHA = 0.5
FLOOR_RANK = 100  # the score at this rank is mapped to 0
MIN_SPREAD = 0.15  # a smaller range of cosines is not stretched to 0..1


Method = FusionMethod | Literal["keyword", "semantic"]
_BY_RANK = frozenset({"rrf", "weighted"})
# Methods whose score is a sum of evidence.
SUMS: frozenset[Method] = frozenset({"auto", "gars", "keyword"})


@frozen
class Plan:
    """A fusion method with the weight of each half. `params` explain the choice in the reply.

    The methods `keyword` and `semantic` belong to the modes that use one half only.
    """

    method: Method
    keyword_weight: float
    semantic_weight: float
    params: Mapping[str, float] = field(default_factory=dict)

    def for_passages(self) -> Plan:
        """The plan to compare passages of one note with; never by rank."""
        return replace(self, method="convex") if self.method in _BY_RANK else self


KEYWORD_ONLY = Plan("keyword", 1.0, 0.0)
SEMANTIC_ONLY = Plan("semantic", 0.0, 1.0)


_LEAST = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """Scores of candidates, 0..1, aligned with them. NaN: that half did not find it."""

    keyword: FloatArray
    semantic: FloatArray
    fused: FloatArray


def plan(method: FusionMethod, alpha: float | None, *, blend_w: float = BLEND_W) -> Plan:
    """The plan of a fixed method; `alpha` is the semantic half's weight, `blend_w` of `blend`."""
    if method in {"rrf", "weighted"}:
        semantic = RRF_SEMANTIC_WEIGHT if method == "weighted" else 1.0
        weights = (1.0, semantic) if alpha is None else (1.0 - alpha, alpha)
        return Plan(method, *weights, {"k": RRF_K})
    share = ALPHA if alpha is None else alpha
    extra = {"w": blend_w} if method == "blend" else {}
    return Plan(method, 1.0 - share, share, {"alpha": share, **extra})


def fuse(candidates: Candidates, plan: Plan) -> Fused:
    """Scores of the candidates by a plan."""
    match plan.method:
        case "rrf" | "weighted":
            keyword, semantic = _reciprocal(candidates.bm25), _reciprocal(candidates.cosine)
        case "blend":
            w = np.float32(plan.params.get("w", BLEND_W))
            keyword = candidates.bm25 / (candidates.bm25 + w)
            semantic = np.clip(candidates.cosine, 0.0, 1.0)
        case "auto" | "gars" | "keyword":
            keyword, semantic = candidates.bm25, np.maximum(candidates.cosine, np.float32(0.0))
        case "semantic":
            keyword, semantic = candidates.bm25, np.clip(candidates.cosine, 0.0, 1.0)
        case "convex":
            keyword, semantic = relative_bm25(candidates.bm25), relative_cosine(candidates.cosine)
    return Fused(keyword, semantic, weighted_mean(keyword, semantic, plan))


def weighted_mean(keyword: FloatArray, semantic: FloatArray, plan: Plan) -> FloatArray:
    """The weighted mean of both halves; a missing score counts as 0."""
    ours, theirs = plan.keyword_weight, plan.semantic_weight
    total = ours + theirs
    if 0.0 < total < _LEAST:  # which float32 would take for 0
        ours, theirs, total = ours / total, theirs / total, 1.0
    parts = ours * or_zero(keyword)
    parts = parts + theirs * or_zero(semantic)
    return (parts / total if total > 0 else parts).astype(np.float32)


def relative_bm25(scores: FloatArray) -> FloatArray:
    """BM25 mapped to 0 at the hundredth note (or at 0 if fewer match) and 1 at the best."""
    known = scores[~np.isnan(scores)]
    floor = _at_rank(known, FLOOR_RANK) if len(known) > FLOOR_RANK else 0.0
    return _between(scores, floor, 0.0)


def relative_cosine(scores: FloatArray) -> FloatArray:
    """Cosines mapped to 0 at the hundredth note (or the last, if fewer) and 1 at the best."""
    known = scores[~np.isnan(scores)]
    return _between(scores, _at_rank(known, min(len(known), FLOOR_RANK)), MIN_SPREAD)


def _between(scores: FloatArray, floor: float, least: float) -> FloatArray:
    if np.isnan(scores).all():
        return scores
    best = float(np.nanmax(scores))
    spread = max(best - floor, least)
    if spread <= 0.0:
        return np.where(np.isnan(scores), scores, np.float32(1.0))
    between: FloatArray = np.clip(np.float32(1.0) - (best - scores) / np.float32(spread), 0.0, 1.0)
    return between


def _at_rank(known: FloatArray, rank: int) -> float:
    """The score at a 1-based rank, best first; 0 if there is none."""
    if not 0 < rank <= len(known):
        return 0.0
    return float(np.partition(known, len(known) - rank)[len(known) - rank])


def _reciprocal(scores: FloatArray) -> FloatArray:
    """(k + 1) / (k + rank); equal scores share the better rank."""
    found = np.flatnonzero(~np.isnan(scores))
    ranks = np.full(len(scores), np.nan, np.float32)
    ordered = np.sort(-scores[found])
    ranks[found] = np.searchsorted(ordered, -scores[found]) + 1
    return np.float32(RRF_K + 1.0) / (np.float32(RRF_K) + ranks)
