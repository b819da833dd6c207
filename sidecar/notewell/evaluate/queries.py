"""Sends the judged queries to one ranker, times each reply and scores its ranking."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from notewell.errors import UsageError
from notewell.evaluate.datasets import JudgedSet, Query
from notewell.evaluate.metrics import ndcg, recall, reciprocal_rank
from notewell.evaluate.report import Figures, QueryFigures, Waits

DEPTH = 100  # the deepest cut of a metric

# Returns vault paths, best first, at most as many as the number says.
Ranker = Callable[[Query, int], Sequence[str]]


def answerable(judged: JudgedSet) -> list[Query]:
    """Return the queries that have a relevant document; trec_eval averages over these alone.

    Raises UsageError where there is none.
    """
    queries = [
        query
        for query in judged.queries
        if any(grade > 0 for grade in judged.qrels.get(query.id, {}).values())
    ]
    if not queries:
        raise UsageError(
            f'No query of "{judged.name}" has a relevant document in the qrels. '
            "Check that both files belong together."
        )
    return queries


def run_queries(
    judged: JudgedSet, rank: Ranker, *, documents: Mapping[str, str]
) -> tuple[tuple[QueryFigures, ...], Waits]:
    """Score the rankings of all answerable queries. `rank` is timed, nothing else.

    `documents` maps vault paths to document ids; a path that is not in it is its own id.
    Dropped documents are removed from the rankings. Raises UsageError as `answerable` does.
    """
    figures: list[QueryFigures] = []
    waits: list[float] = []
    for query in answerable(judged):
        drops = judged.drops.get(query.id, frozenset())
        began = time.perf_counter()
        paths = rank(query, DEPTH + len(drops))
        waits.append((time.perf_counter() - began) * 1000)
        found = (documents.get(path, path) for path in paths)
        ranking = [document for document in found if document not in drops]
        figures.append(QueryFigures(query.id, query.kind, score(ranking, judged.qrels[query.id])))
    return tuple(figures), Waits.of(waits)


def score(ranking: Sequence[str], judgements: Mapping[str, int]) -> Figures:
    """Compute the metrics of one ranking, without its dropped documents."""
    return Figures(
        ndcg_10=ndcg(ranking, judgements, 10),
        recall_10=recall(ranking, judgements, 10),
        recall_100=recall(ranking, judgements, DEPTH),
        mrr_10=reciprocal_rank(ranking, judgements, 10),
    )
