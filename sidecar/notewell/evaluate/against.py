"""Measuring peers on the passages, queries and judgements that our own search is measured on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from notewell.contract.fields import MAX_QUERY_CHARS
from notewell.evaluate.datasets import JudgedSet, Query
from notewell.evaluate.peers import NotePassages, Peer, PeerIndexes, PeerKind, PeerModel
from notewell.evaluate.queries import DEPTH, Ranker, answerable, run_queries
from notewell.evaluate.report import PeerReport, SystemReport, class_means, compare_two
from notewell.types import PassageText, Settings


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
