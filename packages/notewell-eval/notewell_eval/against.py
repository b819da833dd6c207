"""Measures other search programs on the passages and queries of an evaluation of Notewell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from notewell.api.types import Settings
from notewell.base.types import PassageText
from notewell.contract.fields import MAX_QUERY_CHARS
from notewell.features.evaluate.datasets import JudgedQuery, JudgedSet
from notewell.features.evaluate.report import (
    PeerReport,
    SystemReport,
    class_means,
    compare_two,
)
from notewell.features.evaluate.run import DEPTH, Ranker, answerable, run_queries
from notewell_eval.peers import NotePassages, Peer, PeerIndexes, PeerKind, PeerModel, find_peers


@dataclass(frozen=True, slots=True)
class Against:
    """The peers to measure. `settings` name the embedding model; `say` reports what takes time."""

    kinds: tuple[PeerKind, ...]
    settings: Settings
    say: Callable[[str], None]

    def measure(
        self,
        passages: Iterable[PassageText],
        judged: JudgedSet,
        ours: SystemReport,
        *,
        documents: Mapping[str, str],
    ) -> tuple[PeerReport, ...]:
        """Index the passages with each peer, ask it the queries, and compare it with `ours`.

        One query is asked before the timed ones, so that nothing is loaded while the time is
        taken. Raises what a peer raises whose model is not there.
        """
        rules = self.settings
        model = PeerModel(rules.model, rules.model_dir, rules.offline, self.say)
        indexes = PeerIndexes(NotePassages(passages), model)
        reports = []
        for kind in self.kinds:
            rank = _ranker(indexes.get(kind))
            self.say(f"{kind.name}: answering {len(ours.queries):,} queries")
            rank(answerable(judged)[0], DEPTH)
            queries, waits = run_queries(judged, rank, documents=documents)
            comparisons = compare_two((ours.system.name, ours.queries), (kind.name, queries))
            reports.append(PeerReport(kind.name, class_means(queries), queries, waits, comparisons))
        return tuple(reports)


def against(names: str) -> Callable[[Settings, Callable[[str], None]], Against]:
    """Find the peers in a list of names; returns the function that gives them the settings."""
    return partial(Against, find_peers(names))


def _ranker(peer: Peer) -> Ranker:
    def rank(query: JudgedQuery, limit: int) -> list[str]:
        return list(peer.rank(query.text[:MAX_QUERY_CHARS], limit))

    return rank
