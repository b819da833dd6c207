"""Explains the order of a ranking step by step, as if each part of the score came after another.

A ranking is computed at once; this repeats its sum and products part by part, and records the first
notes after each. It runs only for a search that is to be explained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from notewell.base.types import FloatArray, IdArray
from notewell.contract.search import Removed
from notewell.index.port import IndexReader
from notewell.search.candidates import or_zero
from notewell.search.explain import MAX_PATHS, MAX_TRACKED, Trace, paths_of
from notewell.search.rank import RankedNote, Ranking


def trace_ranking(trace: Trace, index: IndexReader, whole: Ranking, below: int) -> None:
    """Record the stages from the best passages of notes to the least score.

    `whole` is the ranking with its weak matches, of which `below` notes have too low a score.
    """
    if not trace.enabled:
        return
    paths = _Paths(index)
    count = len(whole.notes)
    before = len(whole.chunks)
    for name, scores in _steps(whole):
        order = whole.notes.ids[np.lexsort((whole.notes.ids, -scores))]
        trace.stage(name, count_in=before, count_out=count, top=partial(paths.of, order))
        before = count
    trace.stage(
        "least score",
        count_in=count,
        count_out=len(whole),
        removed=_removed("min_score", paths, _missing(whole), below),
        top=partial(paths.of, _ids(whole)),
    )


def trace_relevance(trace: Trace, index: IndexReader, whole: Ranking, kept: Ranking) -> None:
    """Record which weak matches were left out."""
    if not trace.enabled:
        return
    paths = _Paths(index)
    ids = _ids(whole)
    left_out = ids[~np.isin(ids, _ids(kept))]
    trace.stage(
        "relevance",
        count_in=len(whole),
        count_out=len(kept),
        removed=_removed("weak", paths, left_out, len(left_out)),
        top=partial(paths.of, _ids(kept)),
    )


def trace_limit(trace: Trace, index: IndexReader, found: int, shown: Sequence[RankedNote]) -> None:
    """Record how many of the notes that were `found` the limit leaves out."""
    cut = found - len(shown)
    trace.stage(
        "limit",
        count_in=found,
        count_out=len(shown),
        removed=[Removed("limit", cut)] if cut else [],
        top=lambda: paths_of(index, [note.note_id for note in shown]),
    )


def _steps(whole: Ranking) -> Iterator[tuple[str, FloatArray]]:
    """The names of the steps and the scores (n,) after each."""
    notes, multipliers = whole.notes, whole.multipliers
    semantic_only = whole.plan.method == "semantic"
    yield "best passage", or_zero(notes.cosine if semantic_only else notes.bm25)
    addends = notes.addends
    if addends is None:
        scores = notes.fused.fused
        yield "fusion", scores
    else:
        scores = addends.words + addends.meaning + addends.coverage
        yield "fusion", scores
        for name, part in (("names", addends.names), ("links", addends.links)):
            scores = scores + part
            yield name, scores
    products = (
        ("names and tags", multipliers.tag),
        ("dates", multipliers.recency),
        ("folders" if addends is not None else "links and folders", multipliers.graph),
    )
    for name, factor in products:
        if factor is not None:
            scores = scores * factor
            yield name, scores


def _ids(ranking: Ranking) -> IdArray:
    return ranking.notes.ids[np.array(ranking.order, np.int64)]


def _missing(whole: Ranking) -> IdArray:
    """The notes that are not in the order, best first."""
    best = np.argsort(-whole.notes.fused.fused, kind="stable")
    return whole.notes.ids[best[~np.isin(best, whole.order)]]


class _Paths:
    """Looks up the paths of notes, each once."""

    def __init__(self, index: IndexReader) -> None:
        self._index = index
        self._known: dict[int, str] = {}

    def of(self, ids: IdArray, limit: int = MAX_TRACKED) -> list[str]:
        """The paths of the first notes that still exist."""
        wanted = ids[:limit].tolist()
        new = [note_id for note_id in wanted if note_id not in self._known]
        if new:
            self._known |= {key: note.path for key, note in self._index.notes(new).items()}
        return [self._known[note_id] for note_id in wanted if note_id in self._known]


def _removed(reason: str, paths: _Paths, ids: IdArray, count: int) -> Sequence[Removed]:
    return (Removed(reason, count, tuple(paths.of(ids, MAX_PATHS))),) if count else ()
