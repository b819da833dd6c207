"""Fits the weights of the ranking to the judged queries of one vault."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt
import orjson

from notewell.base.errors import UsageError
from notewell.base.querylog import Judgements, fold
from notewell.base.querylog.database import Opened
from notewell.base.types import VaultRecord
from notewell.contract.request import MAX_QUERY_CHARS
from notewell.contract.search import Result, SearchReply, SearchRequest
from notewell.engine.feature import OpenFeature, OpenVault
from notewell.features.evaluate.datasets import JudgedQuery, JudgedSet
from notewell.features.evaluate.report import (
    ConfidenceInterval,
    EvalReport,
    System,
    paired_bootstrap,
)
from notewell.features.evaluate.requests import (
    TunedWeight,
    TuneGain,
    TuneOutcome,
    TuneReply,
    TuneRequest,
)
from notewell.features.evaluate.run import (
    HYBRID,
    SYSTEMS,
    WITHOUT_TUNING,
    Against,
    OnProgress,
    measure,
    up_to_date,
)
from notewell.features.evaluate.tuning import TuningFile
from notewell.search.rank.evidence import UNTUNED, Tuning

if TYPE_CHECKING:
    from notewell.engine.open_vaults import Vaults

MIN_JUDGED = 3  # with fewer, an average means nothing
FEW_QUERIES = 20  # with fewer, the report has a warning
CONFIRMED, OPENED = 2, 1  # grades
_BREAKS_ROWS = re.compile(r"[\t\r\n]")
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


@dataclass(slots=True)
class _LoggedQuery:
    """One query of the log: its latest text and time, grades by path, notes never to show."""

    text: str = ""
    at: float = float("-inf")
    grades: dict[str, int] = field(default_factory=dict)
    never: set[str] = field(default_factory=set)

    def seen(self, text: str, at: float) -> _LoggedQuery:
        if at >= self.at:
            self.text, self.at = text, at
        return self

    def add_grade(self, path: str, grade: int) -> None:
        self.grades[path] = max(grade, self.grades.get(path, 0))


def golden_set(name: str, known: Judgements) -> JudgedSet:
    """Make a judged set of the queries that have a relevant note."""
    queries: dict[str, _LoggedQuery] = {}
    for opened in last_opened(known.opened):
        query = queries.setdefault(fold(opened.query), _LoggedQuery())
        query.seen(opened.query, opened.at).add_grade(opened.path, OPENED)
    for judged in known.verdicts:
        query = queries.setdefault(fold(judged.query), _LoggedQuery())
        query.seen(judged.query, judged.at)
        if judged.verdict == "this_was_it":
            query.add_grade(judged.path, CONFIRMED)
        else:
            query.never.add(judged.path)
    for query in queries.values():
        query.grades = {p: g for p, g in query.grades.items() if p not in query.never}
    relevant = {query_id(key): one for key, one in sorted(queries.items()) if one.grades}
    return JudgedSet(
        name=name,
        queries=tuple(
            JudgedQuery(
                key,
                one.text,
                "confirmed" if CONFIRMED in one.grades.values() else "opened",
                plain=False,
            )
            for key, one in relevant.items()
        ),
        qrels={key: one.grades for key, one in relevant.items()},
        drops={key: frozenset(one.never) for key, one in relevant.items() if one.never},
    )


def read_golden(vaults: Vaults, record: VaultRecord) -> JudgedSet:
    """Read the golden set of a vault from its log. Raises UsageError where it is empty."""
    engine = vaults.open(record, writable=False)
    return _require(golden_set(record.name, engine.vault.judgements()), 1)


def run_golden(
    vaults: Vaults,
    record: VaultRecord,
    *,
    systems: Sequence[System] = SYSTEMS,
    against: Against | None = None,
    progress: OnProgress = None,
) -> EvalReport:
    """Measure on the golden set of a vault, after updating its index.

    If the vault is tuned, the search with the default weights is measured as well.

    Raises UsageError where fewer than `MIN_JUDGED` queries have a relevant note.
    """
    engine = up_to_date(vaults, record, progress)
    judged = _require(golden_set(record.name, engine.vault.judgements()), MIN_JUDGED)
    count = len(judged.queries)
    if TuningFile(engine.vault.folder).current() != UNTUNED and HYBRID in systems:
        systems = (*systems, WITHOUT_TUNING)
    warnings = [f"only {count} queries have an answer: the figures say little"] * (
        count < FEW_QUERIES
    )
    return measure(engine, judged, systems, documents={}, warnings=warnings, against=against)


def write_golden(judged: JudgedSet, folder: Path) -> int:
    """Write `queries.jsonl`, `qrels.tsv` and `drops.tsv`; returns the number of judgements.

    A path with a tab or a line break in its name cannot be written to such files and is left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    queries = [
        {"_id": one.id, "text": one.text, "metadata": {"type": one.kind, "plain": one.plain}}
        for one in judged.queries
    ]
    (folder / "queries.jsonl").write_bytes(b"".join(orjson.dumps(q) + b"\n" for q in queries))
    qrels = _rows(
        (key, path, grade) for key, row in judged.qrels.items() for path, grade in row.items()
    )
    drops = _rows((key, path) for key, paths in judged.drops.items() for path in sorted(paths))
    for name, head, rows in (
        ("qrels.tsv", "query-id\tcorpus-id\tscore", qrels),
        ("drops.tsv", "query-id\tcorpus-id", drops),
    ):
        text = "".join(f"{line}\n" for line in (head, *rows))
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return len(qrels)


def last_opened(opened: Sequence[Opened]) -> list[Opened]:
    """The note opened last after each search; without a known search, the last one of a query."""
    return list({one.query_id or fold(one.query): one for one in opened}.values())


def _require(judged: JudgedSet, fewest: int) -> JudgedSet:
    if len(judged.queries) < fewest:
        raise UsageError(
            f"{len(judged.queries)} queries of {judged.name} have a known answer; at least"
            f" {fewest} are needed. Say what was found with `notewell verdict QUERY NOTE --yes`,"
            " or open results in Obsidian or the browser.",
            code="golden_too_small",
        )
    return judged


def query_id(folded: str) -> str:
    """The id of a query in the set, from its text as `fold` returns it."""
    return hashlib.blake2b(folded.encode(), digest_size=6).hexdigest()


def _rows(rows: Iterable[tuple[str | int, ...]]) -> list[str]:
    """Tab-separated rows, without those in which a name contains a separator."""
    return [
        "\t".join(map(str, row))
        for row in rows
        if not any(_BREAKS_ROWS.search(str(cell)) for cell in row)
    ]


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
        return JudgedResults(*(getattr(self, one.name)[rows] for one in fields(self)))

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
    for one in last_opened(known.opened):
        key = query_id(fold(one.query))
        if one.path in judged.qrels.get(key, {}):
            seen = min(one.rank or 1, FULL_RANK) / FULL_RANK
            weights[key] = max(weights[key], seen)
    return weights


def ask(judged: JudgedSet, weights: Mapping[str, float], search: Search) -> JudgedResults:
    """Search for the judged queries with the default weights; at most MAX_QUERIES of them.

    A query that is not scored by a sum, such as one of conditions alone, is left out.
    """
    queries = sorted(judged.queries, key=lambda one: (-weights[one.id], one.id))[:MAX_QUERIES]
    rows = []
    for query in queries:
        reply = search(_request(query, judged.drops.get(query.id, frozenset())))
        results = [one for one in reply.results if one.scores.words is not None]
        if results:
            rows.append((query, results))
    shape = (len(rows), DEPTH)
    parts, times, grades = np.zeros((*shape, 5)), np.zeros(shape), np.zeros(shape)
    for row, (query, results) in enumerate(rows):
        for place, one in enumerate(results):
            parts[row, place], times[row, place] = _parts(one)
            grades[row, place] = judged.qrels[query.id].get(one.path, 0)
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
        for one in fields(Tuning):
            for factor in FACTORS:
                tried = replace(best, **{one.name: factor})
                found = _value(results, tried)
                if found > value + 1e-9:
                    best, value = tried, found
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
    distances = (math.log2(getattr(tuning, one.name)) ** 2 for one in fields(Tuning))
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
    return [one or 0.0 for one in addends], math.prod(1.0 if one is None else one for one in times)


def _ideal(grades: Iterable[int]) -> float:
    ordered = np.sort(np.array(list(grades), np.float64))[::-1][:K]
    return float(ordered @ _DISCOUNTS[: len(ordered)])


def _target(grades: Mapping[str, int]) -> str:
    """The most relevant note of a query."""
    return min(grades, key=lambda path: (-grades[path], path))


def _folds(targets: Sequence[str]) -> Rows:
    """A fold for each query; queries for one note share theirs, so that no note is fitted on."""
    ordered = sorted(set(targets), key=lambda one: hashlib.blake2b(one.encode()).digest())
    places = {target: place % FOLDS for place, target in enumerate(ordered)}
    return np.array([places[target] for target in targets], np.int64)


def opened(vault: OpenVault) -> OpenFeature:
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
        found: Tuning,
        *,
        queries: int = 0,
        missing: int = 0,
        gain: TuneGain | None = None,
    ) -> TuneReply:
        weights = {
            one.name: TunedWeight(
                round(getattr(used, one.name), 4), round(getattr(found, one.name), 4)
            )
            for one in fields(Tuning)
        }
        return TuneReply(self._vault.record.name, outcome, queries, missing, weights, gain)
