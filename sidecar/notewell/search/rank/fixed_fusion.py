"""Fuse words and meaning by fixed methods, chosen by the user instead of the sum of evidence.

- `rrf`: reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), rank r as (60 + 1) / (60 + r).
- `weighted`: the same, with weight 0.7 for the semantic half.
- `blend`: saturation of BM25 as s / (s + w), w = 1.2; the cosine is used as it is.
- `convex`: min-max of both scores, with equal weights (Bruch, Gai and Ingber 2023).

The passages of one note are never compared by rank, but as `convex` compares notes.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from notewell.base.types import (
    FloatArray,
    FusionMethod,
)
from notewell.search.rank.candidates import Candidates
from notewell.search.rank.ranking import FusionPlan, Halves

RRF_K = 60.0
RRF_SEMANTIC_WEIGHT = 0.7
BLEND_W = 1.2  # unless the settings say otherwise
ALPHA = 0.5
FLOOR_RANK = 100  # the score at this rank is mapped to 0
MIN_SPREAD = 0.15  # a smaller range of cosines is not stretched to 0..1


def plan(method: FusionMethod, alpha: float | None, *, blend_w: float = BLEND_W) -> FusionPlan:
    """The plan of a fixed method; `alpha` is the semantic half's weight, `blend_w` of `blend`."""
    if method in {"rrf", "weighted"}:
        semantic = RRF_SEMANTIC_WEIGHT if method == "weighted" else 1.0
        weights = (1.0, semantic) if alpha is None else (1.0 - alpha, alpha)
        return FusionPlan(method, *weights, {"k": RRF_K}, by_rank, by_range)
    share = ALPHA if alpha is None else alpha
    weights = (1.0 - share, share)
    if method == "blend":
        halves = partial(by_saturation, blend_w)
        return FusionPlan(method, *weights, {"alpha": share, "w": blend_w}, halves, halves)
    return FusionPlan(method, *weights, {"alpha": share}, by_range, by_range)


def by_rank(candidates: Candidates) -> Halves:
    """Both scores as reciprocals of their ranks."""
    return _reciprocal(candidates.bm25), _reciprocal(candidates.cosine)


def by_saturation(w: float, candidates: Candidates) -> Halves:
    """BM25 as s / (s + w), and the cosine."""
    keyword = candidates.bm25 / (candidates.bm25 + np.float32(w))
    return keyword, np.clip(candidates.cosine, 0.0, 1.0)


def by_range(candidates: Candidates) -> Halves:
    """Both scores relative to those of all candidates."""
    return relative_bm25(candidates.bm25), relative_cosine(candidates.cosine)


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
    ranked = np.flatnonzero(~np.isnan(scores))
    ranks = np.full(len(scores), np.nan, np.float32)
    ordered = np.sort(-scores[ranked])
    ranks[ranked] = np.searchsorted(ordered, -scores[ranked]) + 1
    return np.float32(RRF_K + 1.0) / (np.float32(RRF_K) + ranks)
