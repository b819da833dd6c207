"""Sends the judged queries to our search and to the peers, times the replies and scores them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from notewell.base.errors import UsageError
from notewell.base.types import PassageText, Settings
from notewell.contract.fields import MAX_QUERY_CHARS
from notewell.features.evaluate.datasets import JudgedSet, Query
from notewell.features.evaluate.metrics import ndcg, recall, reciprocal_rank
from notewell.features.evaluate.peers import NotePassages, Peer, PeerIndexes, PeerKind, PeerModel
from notewell.features.evaluate.report import (
    Figures,
    PeerReport,
    QueryFigures,
    SystemReport,
    Waits,
    class_means,
    compare_two,
)

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


@dataclass(frozen=True, slots=True)
class Against:
    """The peers to measure. `settings` name the embedding model; `say` reports what takes time."""

    kinds: tuple[PeerKind, ...]
    settings: Settings
    say: Callable[[str], None]


def measure_peers(
    against: Against,
    passages: Iterable[PassageText],
    judged: JudgedSet,
    ours: SystemReport,
    *,
    documents: Mapping[str, str],
) -> tuple[PeerReport, ...]:
    """Index the passages with each peer, ask it the queries, and compare it with `ours`.

    One query is asked before the timed ones, so that nothing is loaded while the time is taken.
    Raises what a peer raises whose model is not there.
    """
    settings = against.settings
    model = PeerModel(settings.model, settings.model_dir, settings.offline, against.say)
    indexes = PeerIndexes(NotePassages(passages), model)
    reports = []
    for kind in against.kinds:
        rank = _ranker(indexes.get(kind))
        against.say(f"{kind.name}: answering {len(ours.queries):,} queries")
        rank(answerable(judged)[0], DEPTH)
        queries, waits = run_queries(judged, rank, documents=documents)
        comparisons = compare_two((ours.system.name, ours.queries), (kind.name, queries))
        reports.append(PeerReport(kind.name, class_means(queries), queries, waits, comparisons))
    return tuple(reports)


def _ranker(peer: Peer) -> Ranker:
    def rank(query: Query, limit: int) -> list[str]:
        return list(peer.rank(query.text[:MAX_QUERY_CHARS], limit))

    return rank
