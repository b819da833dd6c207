"""What each stage of a search did, collected only when somebody asked to know."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from notewell.contract.search import Contribution, Explain, Moved, Removed, StageTrace
from notewell.index.bm25 import QueryTerm
from notewell.index.port import IndexReader
from notewell.search.rank import RankedNote, Ranking
from notewell.support import interrupt
from notewell.types import FloatArray, IdArray, PropertyValue

TOP = 5  # paths named after each stage
FOLLOWED = 20  # paths whose moves from stage to stage are told


class Trace:
    """Records stages in the order they end. Switched off, a call costs one comparison."""

    def __init__(self, *, enabled: bool) -> None:
        """Start the clock of the first stage."""
        self.enabled = enabled
        self._stages: list[StageTrace] = []
        self._since = time.perf_counter()
        self._order: tuple[str, ...] = ()  # the first paths after the last stage that had any

    def stage(
        self,
        name: str,
        *,
        count_in: int,
        count_out: int,
        removed: Sequence[Removed] = (),
        top: Callable[[], Sequence[str]] | None = None,
    ) -> None:
        """The stage that ran since the last call. `top` gives the first FOLLOWED paths after it.

        Between two stages a search whose asker has gone ends (InterruptedWorkError).
        """
        interrupt.check()
        if not self.enabled:
            return
        spent = (time.perf_counter() - self._since) * 1000
        order = tuple(top()[:FOLLOWED]) if top else ()
        moved = _moved(self._order, order) if top else ()
        self._stages.append(
            StageTrace(
                name, round(spent, 3), count_in, count_out, tuple(removed), order[:TOP], moved
            )
        )
        self._order = order or self._order
        self._since = time.perf_counter()

    def explain(
        self, query: Mapping[str, PropertyValue], results: Sequence[Contribution] = ()
    ) -> Explain | None:
        """All stages, with how the query was read; None when switched off."""
        return Explain(query, tuple(self._stages), tuple(results)) if self.enabled else None


def _moved(before: Sequence[str], after: Sequence[str]) -> tuple[Moved, ...]:
    """What changed its rank among the first, in the order after; nothing if there was none."""
    if not before:
        return ()
    old = {path: rank for rank, path in enumerate(before, start=1)}
    new = {path: rank for rank, path in enumerate(after, start=1)}
    here = [Moved(path, old.get(path), rank) for path, rank in new.items() if old.get(path) != rank]
    gone = [Moved(path, rank, None) for path, rank in old.items() if path not in new]
    return (*here, *gone)


_DIGITS = 6


def contributions(
    index: IndexReader, ranking: Ranking, shown: Sequence[RankedNote], query: Sequence[QueryTerm]
) -> tuple[Contribution, ...]:
    """One for each shown note that is still there, in order; `query` is what words were asked."""
    notes = index.notes([note.note_id for note in shown])
    words = _words(index, shown, query)
    ranks = {
        "keyword": _ranks(ranking.notes.ids, ranking.fused.keyword),
        "semantic": _ranks(ranking.notes.ids, ranking.fused.semantic),
        "fused": _ranks(ranking.notes.ids, ranking.fused.fused),
        "lifted": {
            int(note_id): at for at, note_id in enumerate(ranking.note_ids(len(ranking)), 1)
        },
    }
    return tuple(
        Contribution(
            path=notes[note.note_id].path,
            score=note.score,
            ranks={name: of.get(note.note_id) for name, of in ranks.items()} | {"shown": place},
            adds=_adds(ranking, note),
            times=_times(note),
            words=words.get(note.note_id, {}),
        )
        for place, note in enumerate(shown, 1)
        if note.note_id in notes
    )


def left_below(index: IndexReader, ranking: Ranking) -> tuple[str, ...]:
    """Paths of the best notes that fell below the least score."""
    kept = set(ranking.order)
    order = np.argsort(-ranking.fused.fused, kind="stable").tolist()
    below = [int(ranking.notes.ids[place]) for place in order if place not in kept][:TOP]
    notes = index.notes(below)
    return tuple(notes[note_id].path for note_id in below if note_id in notes)


def _ranks(ids: IdArray, scores: FloatArray) -> dict[int, int]:
    """Ranks of the notes that have a score, from 1."""
    known = np.flatnonzero(~np.isnan(scores))
    order = known[np.argsort(-scores[known], kind="stable")]
    return {note_id: rank for rank, note_id in enumerate(ids[order].tolist(), start=1)}


def _adds(ranking: Ranking, note: RankedNote) -> Mapping[str, float]:
    """The share of each side in the fused score, against the best one."""
    plan = ranking.plan
    total = (plan.keyword_weight + plan.semantic_weight) * ranking.best or 1.0
    return {
        "keyword": round(plan.keyword_weight * (note.scores.keyword or 0.0) / total, _DIGITS),
        "semantic": round(plan.semantic_weight * (note.scores.semantic or 0.0) / total, _DIGITS),
    }


def _times(note: RankedNote) -> Mapping[str, float]:
    scores = note.scores
    given = {"tag": scores.tag, "recency": scores.recency, "graph": scores.graph}
    return {name: value for name, value in given.items() if value is not None}


def _words(
    index: IndexReader, shown: Sequence[RankedNote], query: Sequence[QueryTerm]
) -> dict[int, dict[str, float]]:
    """The BM25 of each token in the best passage of each note, each asked for alone."""
    best = {note.passages[0][0]: note.note_id for note in shown if note.passages}
    notes = np.unique(np.array(list(best.values()), np.int64))
    found: dict[int, dict[str, float]] = {note_id: {} for note_id in best.values()}
    for term in query:
        depth = 50 * max(1, len(notes))  # passages of these notes
        hits = index.keywords.search([term], limit=depth, notes=notes)
        for chunk_id, score in zip(hits.chunk_ids.tolist(), hits.scores.tolist(), strict=True):
            if chunk_id in best:
                found[best[chunk_id]][term.token] = round(score, _DIGITS)
    return found
