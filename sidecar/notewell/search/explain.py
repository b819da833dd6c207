"""Explains a search: a trace of its stages, and what made up the score of each result.

Both are collected only on request, so other searches pay almost nothing for them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from notewell.base.support import interrupt
from notewell.base.types import FloatArray, IdArray, PropertyValue
from notewell.contract.search import Contribution, Explain, Moved, Removed, StageTrace
from notewell.index.lexical import QueryTerm
from notewell.index.port import IndexReader
from notewell.search.rank import RankedNote, Ranking

MAX_PATHS = 5  # paths in the trace of a stage
MAX_TRACKED = 20  # first paths whose changes of rank are reported
_DIGITS = 6


class Trace:
    """Records the stages of a search in order. Disabled, a call costs one comparison."""

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
        """Record the stage since the last call. `top` returns the first MAX_TRACKED paths after it.

        Raises InterruptedWorkError if the client that waits for the search has disconnected.
        """
        interrupt.check()
        if not self.enabled:
            return
        spent = (time.perf_counter() - self._since) * 1000
        order = tuple(top()[:MAX_TRACKED]) if top else ()
        moved = _moved(self._order, order) if top else ()
        self._stages.append(
            StageTrace(
                name, round(spent, 3), count_in, count_out, tuple(removed), order[:MAX_PATHS], moved
            )
        )
        self._order = order or self._order
        self._since = time.perf_counter()

    def explain(
        self, query: Mapping[str, PropertyValue], results: Sequence[Contribution] = ()
    ) -> Explain | None:
        """All stages, with the parsed query; None if disabled."""
        return Explain(query, tuple(self._stages), tuple(results)) if self.enabled else None


def _moved(before: Sequence[str], after: Sequence[str]) -> tuple[Moved, ...]:
    """Paths whose rank changed, in their new order; none without an order before."""
    if not before:
        return ()
    old = {path: rank for rank, path in enumerate(before, start=1)}
    new = {path: rank for rank, path in enumerate(after, start=1)}
    here = [Moved(path, old.get(path), rank) for path, rank in new.items() if old.get(path) != rank]
    gone = [Moved(path, rank, None) for path, rank in old.items() if path not in new]
    return (*here, *gone)


def contributions(
    index: IndexReader, ranking: Ranking, shown: Sequence[RankedNote], query: Sequence[QueryTerm]
) -> tuple[Contribution, ...]:
    """The contributions to the score of each shown note, in order; deleted notes are skipped.

    `query` are the terms that the keyword index was searched for.
    """
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


def first_paths(index: IndexReader, ranking: Ranking) -> list[str]:
    """Paths of the first MAX_TRACKED notes of a ranking."""
    return paths_of(index, ranking.note_ids(MAX_TRACKED))


def paths_of(index: IndexReader, ids: Sequence[int]) -> list[str]:
    """Paths of the first MAX_TRACKED of these notes, without those that were deleted."""
    notes = index.notes(ids[:MAX_TRACKED])
    return [notes[note_id].path for note_id in ids[:MAX_TRACKED] if note_id in notes]


def _ranks(ids: IdArray, scores: FloatArray) -> dict[int, int]:
    """Ranks of the notes that have a score, from 1."""
    known = np.flatnonzero(~np.isnan(scores))
    order = known[np.argsort(-scores[known], kind="stable")]
    return {note_id: rank for rank, note_id in enumerate(ids[order].tolist(), start=1)}


def _adds(ranking: Ranking, note: RankedNote) -> Mapping[str, float]:
    """The parts of the fused score, relative to the best note."""
    best = ranking.best or 1.0
    scores = note.scores
    if ranking.notes.addends is not None:
        parts = {
            "words": scores.words,
            "meaning": scores.meaning,
            "coverage": scores.coverage,
            "names": scores.names,
            "links": scores.links,
        }
        return {name: round((value or 0.0) / best, _DIGITS) for name, value in parts.items()}
    plan = ranking.plan
    total = (plan.keyword_weight + plan.semantic_weight) * best
    return {
        "keyword": round(plan.keyword_weight * (scores.keyword or 0.0) / total, _DIGITS),
        "semantic": round(plan.semantic_weight * (scores.semantic or 0.0) / total, _DIGITS),
    }


def _times(note: RankedNote) -> Mapping[str, float]:
    scores = note.scores
    given = {"tag": scores.tag, "recency": scores.recency, "graph": scores.graph}
    return {name: value for name, value in given.items() if value is not None}


def _words(
    index: IndexReader, shown: Sequence[RankedNote], query: Sequence[QueryTerm]
) -> dict[int, dict[str, float]]:
    """The BM25 of each term in the best passage of each note, each term searched alone."""
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
