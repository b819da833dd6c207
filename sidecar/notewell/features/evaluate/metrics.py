"""Ranking metrics as trec_eval defines them, and the paired bootstrap between two systems.

All metrics take one ranking (document ids, best first) and one query's judgements (document id →
grade; a grade above 0 is relevant). Of a repeated document only the first rank counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Judgements = Mapping[str, int]

BOOTSTRAP_RESAMPLES = 10_000
BOOTSTRAP_SEED = 20_240_229
_RESAMPLES_AT_ONCE = 256  # bounds memory: 256 resamples of 10,000 queries are 20 MB


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean difference per query and its percentile bootstrap interval."""

    difference: float
    low: float
    high: float


def ndcg(ranking: Sequence[str], judgements: Judgements, k: int) -> float:
    """Compute the normalised discounted cumulative gain at `k`, in 0..1.

    As trec_eval's `ndcg_cut`: the gain is the grade itself, the discount log2(rank + 1); the ideal
    ranking is made of all judged documents, found or not. 0 where nothing is relevant.
    Source: Järvelin and Kekäläinen 2002, with the discount of Burges et al. 2005.
    """
    ideal = _discounted(
        sorted((grade for grade in judgements.values() if grade > 0), reverse=True)[:k]
    )
    if ideal == 0:
        return 0.0
    return _discounted([max(0, judgements.get(doc, 0)) for doc in _cut(ranking, k)]) / ideal


def recall(ranking: Sequence[str], judgements: Judgements, k: int) -> float:
    """Compute the share of the relevant documents that is among the first `k`, in 0..1."""
    relevant = _relevant(judgements)
    if not relevant:
        return 0.0
    return sum(doc in relevant for doc in _cut(ranking, k)) / len(relevant)


def reciprocal_rank(ranking: Sequence[str], judgements: Judgements, k: int) -> float:
    """Compute 1 / rank of the first relevant document, 0 where none is among the first `k`.

    Its mean over queries is MRR@k.
    """
    relevant = _relevant(judgements)
    for rank, doc in enumerate(_cut(ranking, k), start=1):
        if doc in relevant:
            return 1 / rank
    return 0.0


def paired_bootstrap(
    system: Sequence[float],
    baseline: Sequence[float],
    *,
    confidence: float = 0.95,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = BOOTSTRAP_SEED,
) -> Interval:
    """Compute the percentile interval of the mean of `system - baseline`.

    Both sequences hold one figure a query, in the same order; queries are resampled with
    replacement. The seed is fixed, so that the same figures give the same interval. Raises
    ValueError on unequal lengths or no queries.
    Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
    """
    if len(system) != len(baseline):
        raise ValueError(f"Cannot pair {len(system)} figures with {len(baseline)}.")
    if not system:
        raise ValueError("Cannot compare two systems on no queries.")
    differences = np.asarray(system, dtype=np.float64) - np.asarray(baseline, dtype=np.float64)
    means = _resampled_means(differences, resamples, seed)
    tail = (1 - confidence) / 2 * 100
    low, high = np.percentile(means, [tail, 100 - tail])
    return Interval(float(differences.mean()), float(low), float(high))


def _resampled_means(
    differences: npt.NDArray[np.float64], resamples: int, seed: int
) -> npt.NDArray[np.float64]:
    generator = np.random.default_rng(seed)
    means = np.empty(resamples)
    for start in range(0, resamples, _RESAMPLES_AT_ONCE):
        rows = min(_RESAMPLES_AT_ONCE, resamples - start)
        picks = generator.integers(0, len(differences), size=(rows, len(differences)))
        means[start : start + rows] = differences[picks].mean(axis=1)
    return means


def _cut(ranking: Sequence[str], k: int) -> list[str]:
    return list(dict.fromkeys(ranking))[:k]


def _relevant(judgements: Judgements) -> set[str]:
    return {doc for doc, grade in judgements.items() if grade > 0}


def _discounted(grades: Sequence[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))
