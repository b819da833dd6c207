"""Fits the weights of the ranking to the judged queries of one vault."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from notewell.api import OpenFeature, OpenVault
from notewell.api.search import Result, SearchReply, SearchRequest
from notewell.base.querylog import Judgements, fold
from notewell.contract.fields import MAX_QUERY_CHARS
from notewell.features.evaluate.datasets import JudgedQuery, JudgedSet
from notewell.features.evaluate.golden_set import CONFIRMED, golden_set, last_opened, query_id
from notewell.features.evaluate.report import (
    ConfidenceInterval,
    paired_bootstrap,
)
from notewell.features.evaluate.requests import (
    TunedWeight,
    TuneGain,
    TuneOutcome,
    TuneReply,
    TuneRequest,
)
from notewell.search.tuning_file import TuningFile
from notewell.search.weights import UNTUNED, Tuning

MIN_QUERIES = 30  # with fewer, no gain is sure
MAX_QUERIES = 500  # those that count most
DEPTH = 100  # results of a query that are sorted anew
FULL_RANK = 4  # an opened result at this rank, or below, counts as much as a verdict
FOLDS = 5
K = 10  # of nDCG
FACTORS = tuple(2.0 ** (step / 4) for step in range(-4, 5))
_PENALTY = 0.002  # nDCG that a factor of 2 or 1/2 must gain; it grows with the squared logarithm
_ROUNDS = 4
_DISCOUNTS = 1.0 / np.log2(np.arange(2, K + 2))

Search: TypeAlias = Callable[[SearchRequest], SearchReply]
Figures: TypeAlias = "npt.NDArray[np.float64]"
Rows: TypeAlias = "npt.NDArray[np.int64]"


@dataclass(frozen=True, slots=True, eq=False)
class JudgedResults:
    """The results of q judged queries, at most DEPTH each, as arrays; missing results are 0.

    `parts` (q, DEPTH, 5): words, meaning, coverage, names, links with the default weights.
    `times` (q, DEPTH): the product of the multipliers, 0 where there is no result.
    `grades` (q, DEPTH), `ideal` (q,): the best discounted gain. `weights` (q,): how much a query
    counts, 0..1. `folds` (q,): which queries are held out together.
    """

    parts: Figures
    times: Figures
    grades: Figures
    ideal: Figures
    weights: Figures
    folds: Rows

    def __len__(self) -> int:
        return len(self.weights)

    def only(self, rows: Rows) -> JudgedResults:
        return JudgedResults(*(getattr(self, field.name)[rows] for field in fields(self)))

    def ndcg(self, tuning: Tuning) -> Figures:
        """nDCG@K of each query (q,) when its results are sorted with these factors."""
        factors = [1.0, tuning.meaning, tuning.coverage, tuning.names, tuning.links]
        scores = np.where(self.times > 0, (self.parts @ np.array(factors)) * self.times, -np.inf)
        order = np.argsort(-scores, axis=1, kind="stable")[:, :K]
        grades = np.take_along_axis(self.grades, order, axis=1)
        gains: Figures = (grades * _DISCOUNTS[: grades.shape[1]]).sum(axis=1) / self.ideal
        return gains


@dataclass(frozen=True, slots=True)
class FittedTuning:
    """Fitted factors, and what they gain over the factors that were used `before`.

    `before` and `after` are mean nDCG@10, `after` and `gain` of queries not fitted on.
    """

    tuning: Tuning
    before: float
    after: float
    gain: ConfidenceInterval

    @property
    def sure(self) -> bool:
        """True if other factors are better with a confidence of 97.5 %."""
        return self.gain.low > 0


def query_weights(judged: JudgedSet, known: Judgements) -> Mapping[str, float]:
    """The weight of each query, by its id, 0..1."""
    weights = {
        key: 1.0 if CONFIRMED in grades.values() else 1.0 / FULL_RANK
        for key, grades in judged.qrels.items()
    }
    for result in last_opened(known.opened):
        key = query_id(fold(result.query))
        if result.path in judged.qrels.get(key, {}):
            seen = min(result.rank or 1, FULL_RANK) / FULL_RANK
            weights[key] = max(weights[key], seen)
    return weights


def ask(judged: JudgedSet, weights: Mapping[str, float], search: Search) -> JudgedResults:
    """Search for the judged queries with the default weights; at most MAX_QUERIES of them.

    A query that is not scored by a sum, such as one of conditions alone, is left out.
    """
    queries = sorted(judged.queries, key=lambda query: (-weights[query.id], query.id))[:MAX_QUERIES]
    rows = []
    for query in queries:
        reply = search(_request(query, judged.drops.get(query.id, frozenset())))
        results = [result for result in reply.results if result.scores.words is not None]
        if results:
            rows.append((query, results))
    shape = (len(rows), DEPTH)
    parts, times, grades = np.zeros((*shape, 5)), np.zeros(shape), np.zeros(shape)
    for row, (query, results) in enumerate(rows):
        for place, sorted_result in enumerate(results):
            parts[row, place], times[row, place] = _parts(sorted_result)
            grades[row, place] = judged.qrels[query.id].get(sorted_result.path, 0)
    kept = [query for query, _ in rows]
    return JudgedResults(
        parts,
        times,
        grades,
        ideal=np.array([_ideal(judged.qrels[query.id].values()) for query in kept]),
        weights=np.array([weights[query.id] for query in kept]),
        folds=_folds([_target(judged.qrels[query.id]) for query in kept]),
    )


def fit(results: JudgedResults, start: Tuning = UNTUNED) -> Tuning:
    """The factors with the best weighted mean of nDCG@K, less a penalty for leaving 1."""
    best, value = start, _value(results, start)
    for _ in range(_ROUNDS):
        before = best
        for field in fields(Tuning):
            for factor in FACTORS:
                tried = replace(best, **{field.name: factor})
                score = _value(results, tried)
                if score > value + 1e-9:
                    best, value = tried, score
        if best == before:
            break
    return best


def fit_and_check(results: JudgedResults, used: Tuning) -> FittedTuning:
    """Fit the factors, and compare held-out rankings with those of the factors that are `used`."""
    before, after = results.ndcg(used), np.zeros(len(results))
    for number in range(FOLDS):
        held = np.flatnonzero(results.folds == number)
        tuning = fit(results.only(np.flatnonzero(results.folds != number)))
        after[held] = results.only(held).ndcg(tuning)
    shares = results.weights / results.weights.mean()
    gain = paired_bootstrap((after * shares).tolist(), (before * shares).tolist())
    return FittedTuning(
        fit(results), float((before * shares).mean()), float((after * shares).mean()), gain
    )


def _value(results: JudgedResults, tuning: Tuning) -> float:
    mean = np.average(results.ndcg(tuning), weights=results.weights)
    distances = (math.log2(getattr(tuning, field.name)) ** 2 for field in fields(Tuning))
    return float(mean) - _PENALTY * sum(distances)


def _request(query: JudgedQuery, hidden: frozenset[str]) -> SearchRequest:
    return SearchRequest(
        q=query.text[:MAX_QUERY_CHARS],
        limit=DEPTH,
        plain=query.plain,
        collapse=False,
        rerank=False,
        weak=True,
        passages=0,
        hidden=hidden,
        untuned=True,
    )


def _parts(result: Result) -> tuple[list[float], float]:
    """The addends of a result's score, and the product of its multipliers."""
    scores = result.scores
    addends = (scores.words, scores.meaning, scores.coverage, scores.names, scores.links)
    times = (scores.tag, scores.recency, scores.graph)
    return [addend or 0.0 for addend in addends], math.prod(
        1.0 if time is None else time for time in times
    )


def _ideal(grades: Iterable[int]) -> float:
    ordered = np.sort(np.array(list(grades), np.float64))[::-1][:K]
    return float(ordered @ _DISCOUNTS[: len(ordered)])


def _target(grades: Mapping[str, int]) -> str:
    """The most relevant note of a query."""
    return min(grades, key=lambda path: (-grades[path], path))


def _folds(targets: Sequence[str]) -> Rows:
    """A fold for each query; queries for one note share theirs, so that no note is fitted on."""
    ordered = sorted(set(targets), key=lambda target: hashlib.blake2b(target.encode()).digest())
    places = {target: place % FOLDS for place, target in enumerate(ordered)}
    return np.array([places[target] for target in targets], np.int64)


def open_feature(vault: OpenVault) -> OpenFeature:
    """The tuning of a vault, with what answers its request."""
    return OpenFeature(answers={TuneRequest: VaultTuning(vault).tune})


class VaultTuning:
    """Fits and stores the factors of one vault. Any thread may call."""

    def __init__(self, vault: OpenVault) -> None:
        self._vault = vault
        self._file = TuningFile(vault.folder)

    def tune(self, request: TuneRequest) -> TuneReply:
        """Fit the factors; store them if `apply` is set and the gain is sure, or `reset` them.

        Raises QueryLogError or OSError if a file cannot be read or written.
        """
        # The fit is no part of a search, and few vaults are ever tuned.

        used = self._file.current()
        if request.reset:
            self._file.delete()
            return self._reply("reset", used, UNTUNED)
        known = self._vault.judgements()
        judged = golden_set(self._vault.record.name, known)
        count = len(judged.queries)
        if count >= MIN_QUERIES:
            results = ask(judged, query_weights(judged, known), self._vault.ask)
            count = len(results)
        if count < MIN_QUERIES:
            return self._reply("too_few", used, used, queries=count, missing=MIN_QUERIES - count)
        fitted = fit_and_check(results, used)
        gain = TuneGain(
            fitted.before, fitted.after, fitted.gain.difference, fitted.gain.low, fitted.gain.high
        )
        outcome: TuneOutcome = "no_sure_gain"
        if fitted.sure and fitted.tuning != used:
            outcome = "applied" if request.apply else "better"
        if outcome == "applied":
            self._file.store(fitted.tuning)
        return self._reply(outcome, used, fitted.tuning, queries=count, gain=gain)

    def _reply(
        self,
        outcome: TuneOutcome,
        used: Tuning,
        fitted: Tuning,
        *,
        queries: int = 0,
        missing: int = 0,
        gain: TuneGain | None = None,
    ) -> TuneReply:
        weights = {
            field.name: TunedWeight(
                round(getattr(used, field.name), 4), round(getattr(fitted, field.name), 4)
            )
            for field in fields(Tuning)
        }
        return TuneReply(self._vault.record.name, outcome, queries, missing, weights, gain)
