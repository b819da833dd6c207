"""The report of an evaluation: figures by system and class of query, and their differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import groupby

import numpy as np
import numpy.typing as npt
import orjson

from notewell.base.types import FusionMethod, SearchMode, Signal

Judgements = Mapping[str, int]

BOOTSTRAP_RESAMPLES = 10_000
BOOTSTRAP_SEED = 20_240_229
_RESAMPLES_AT_ONCE = 256  # bounds memory: 256 resamples of 10,000 queries are 20 MB
BASELINES = ("keyword", "rrf")  # the systems that the others are compared with
ABLATED = "without "  # prefix of the names of systems with one signal switched off
PRODUCT = "hybrid"  # the system whose figures stand at the top of the JSON


@dataclass(frozen=True, slots=True)
class ConfidenceInterval:
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
    ideal = _discounted_gain(
        sorted((grade for grade in judgements.values() if grade > 0), reverse=True)[:k]
    )
    if ideal == 0:
        return 0.0
    return _discounted_gain([max(0, judgements.get(doc, 0)) for doc in _cut(ranking, k)]) / ideal


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
) -> ConfidenceInterval:
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
    means = _resample_means(differences, resamples, seed)
    tail = (1 - confidence) / 2 * 100
    low, high = np.percentile(means, [tail, 100 - tail])
    return ConfidenceInterval(float(differences.mean()), float(low), float(high))


def _resample_means(
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


def _discounted_gain(grades: Sequence[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))


@dataclass(frozen=True, slots=True)
class System:
    """A way to search, and the name it has in reports."""

    name: str
    mode: SearchMode
    fusion: FusionMethod = "auto"
    alpha: float | None = None
    ignore: frozenset[Signal] = frozenset()
    untuned: bool = False  # with the default weights, even if the vault is tuned


@dataclass(frozen=True, slots=True)
class Figures:
    """Metrics of one query, or their means over queries; each in 0..1."""

    ndcg_10: float
    recall_10: float
    recall_100: float
    mrr_10: float


@dataclass(frozen=True, slots=True)
class QueryFigures:
    """The figures of one query; `kind` is its class."""

    query_id: str
    kind: str | None
    figures: Figures


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """Means over the queries of a class; `kind` None: over all queries."""

    kind: str | None
    queries: int
    figures: Figures


@dataclass(frozen=True, slots=True)
class Waits:
    """The time that a caller waits for the ranking of one query, in milliseconds."""

    median_ms: float
    p95_ms: float

    @classmethod
    def of(cls, milliseconds: Sequence[float]) -> Waits:
        """Give the percentiles of at least one time, interpolated between neighbours."""
        median_ms, p95_ms = np.percentile(milliseconds, [50, 95])
        return cls(float(median_ms), float(p95_ms))


@dataclass(frozen=True, slots=True)
class SystemReport:
    """One system on one set. `rows` starts with the row over all queries."""

    system: System
    rows: tuple[ClassFigures, ...]
    queries: tuple[QueryFigures, ...]
    waits: Waits


@dataclass(frozen=True, slots=True)
class Comparison:
    """nDCG@10 of `system` minus that of `baseline`, over the queries of a class."""

    system: str
    baseline: str
    kind: str | None
    interval: ConfidenceInterval


@dataclass(frozen=True, slots=True)
class PeerReport:
    """Another package on the same set. `comparisons` are of our search minus that package."""

    name: str
    rows: tuple[ClassFigures, ...]
    queries: tuple[QueryFigures, ...]
    waits: Waits
    comparisons: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class EvalReport:
    """An evaluation of several systems on one judged set, and of the peers that were named."""

    name: str
    documents: int
    model: str | None
    systems: tuple[SystemReport, ...]
    comparisons: tuple[Comparison, ...]
    warnings: tuple[str, ...]
    against: tuple[PeerReport, ...] = ()


def class_means(queries: Sequence[QueryFigures]) -> tuple[ClassFigures, ...]:
    """Compute the means over all queries, then over each class in alphabetical order."""
    rows = [ClassFigures(None, len(queries), _mean(queries))]
    for kind, members in _classes(queries):
        rows.append(ClassFigures(kind, len(members), _mean(members)))
    return tuple(rows)


def compare(systems: Sequence[SystemReport]) -> tuple[Comparison, ...]:
    """Compare each system with each of `BASELINES` that was measured, overall and by class.

    The product without one of its signals is compared with the product.
    """
    return tuple(
        comparison
        for report in systems
        for baseline in systems
        if baseline is not report
        and baseline.system.name
        in ((PRODUCT,) if report.system.name.startswith(ABLATED) else BASELINES)
        for comparison in compare_two(
            (report.system.name, report.queries), (baseline.system.name, baseline.queries)
        )
    )


def compare_two(
    system: tuple[str, Sequence[QueryFigures]], baseline: tuple[str, Sequence[QueryFigures]]
) -> tuple[Comparison, ...]:
    """Compare two systems, overall and by class of query.

    Each is a name and its figures; both must have the same queries in the same order.
    """
    (name, figures), (baseline_name, baseline_figures) = system, baseline
    pairs = list(zip(figures, baseline_figures, strict=True))
    comparisons = []
    for kind in (None, *(kind for kind, _ in _classes(figures))):
        chosen = [(a, b) for a, b in pairs if kind is None or a.kind == kind]
        interval = paired_bootstrap(
            [a.figures.ndcg_10 for a, _ in chosen], [b.figures.ndcg_10 for _, b in chosen]
        )
        comparisons.append(Comparison(name, baseline_name, kind, interval))
    return tuple(comparisons)


def product(systems: Sequence[SystemReport]) -> SystemReport:
    """Return the system that users get, or the first one where that was not measured."""
    return next((system for system in systems if system.system.name == PRODUCT), systems[0])


def _classes(queries: Sequence[QueryFigures]) -> list[tuple[str, list[QueryFigures]]]:
    named = sorted((query for query in queries if query.kind), key=lambda query: str(query.kind))
    return [
        (str(kind), list(members)) for kind, members in groupby(named, lambda query: query.kind)
    ]


def _mean(queries: Sequence[QueryFigures]) -> Figures:
    return Figures(
        *(
            sum(getattr(query.figures, field.name) for query in queries) / len(queries)
            for field in fields(Figures)
        )
    )


def report_json(report: EvalReport) -> bytes:
    """Encode the report as one JSON document: the product's own figures first, then all systems."""
    first = product(report.systems)
    document = {
        "set": report.name,
        "documents": report.documents,
        "queries": first.rows[0].queries,
        "mode": first.system.mode,
        "model": report.model,
        **_by_name(first.rows[0].figures),
        "systems": [_system_json(system) for system in report.systems],
        "comparisons": [_comparison_json(comparison) for comparison in report.comparisons],
        "against": [_peer_json(peer) for peer in report.against],
        "warnings": report.warnings,
    }
    return orjson.dumps(document)


def _system_json(report: SystemReport) -> Mapping[str, object]:
    return {
        "name": report.system.name,
        "mode": report.system.mode,
        "fusion": report.system.fusion if report.system.mode == "hybrid" else None,
        **_measure_json(report.rows, report.waits),
    }


def _peer_json(report: PeerReport) -> Mapping[str, object]:
    return {
        "name": report.name,
        **_measure_json(report.rows, report.waits),
        "comparisons": [_comparison_json(comparison) for comparison in report.comparisons],
    }


def _measure_json(rows: Sequence[ClassFigures], waits: Waits) -> Mapping[str, object]:
    overall, *classes = rows
    return {
        "queries": overall.queries,
        **_by_name(overall.figures),
        "median_ms": round(waits.median_ms, 3),
        "p95_ms": round(waits.p95_ms, 3),
        "classes": {
            str(row.kind): {"queries": row.queries, **_by_name(row.figures)} for row in classes
        },
    }


def _comparison_json(one: Comparison) -> Mapping[str, object]:
    return {
        "metric": "ndcg@10",
        "system": one.system,
        "beside": one.baseline,
        "class": one.kind,
        "difference": one.interval.difference,
        "low": one.interval.low,
        "high": one.interval.high,
    }


def _by_name(figures: Figures) -> dict[str, float]:
    """The metrics by their usual names, such as `ndcg@10`."""
    return {
        field.name.replace("_", "@"): round(getattr(figures, field.name), 6)
        for field in fields(Figures)
    }
