"""Explains a search: a trace of its stages, and what made up the score of each result.

Both are collected only on request, so other searches pay almost nothing for them. A ranking is
computed at once; its trace repeats the sum and the products part by part, as if each came after
another, and records the first notes after each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from notewell.base.types import FloatArray, IdArray
from notewell.contract.search import Contribution, Removed
from notewell.index.arrays import ascending
from notewell.index.lexical import QueryTerm
from notewell.index.note_terms import FIELD_BITS
from notewell.index.port import IndexReader
from notewell.search.query.terms import Terms
from notewell.search.rank.candidates import or_zero
from notewell.search.rank.guarantees import fields_with_words
from notewell.search.rank.ranking import RankedNote, Ranking
from notewell.search.trace import MAX_PATHS, MAX_TRACKED, Trace, paths_of

_DIGITS = 6


def contributions(
    index: IndexReader, ranking: Ranking, shown: Sequence[RankedNote], terms: Terms | None
) -> tuple[Contribution, ...]:
    """The contributions to the score of each shown note, in order; deleted notes are skipped.

    `terms` are those that the keyword index was searched for; None: it was not searched.
    """
    notes = index.notes([note.note_id for note in shown])
    words = {} if terms is None else _words(index, shown, terms.query)
    fields = {} if terms is None else _fields(index, [note.note_id for note in shown], terms)
    steps = list(_steps(ranking))
    places = {note_id: at for at, note_id in enumerate(ranking.notes.ids.tolist())}
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
            fields=fields.get(note.note_id, {}),
            stages=_after_steps(steps, places.get(note.note_id)) | _rerank_score(note),
        )
        for place, note in enumerate(shown, 1)
        if note.note_id in notes
    )


def first_paths(index: IndexReader, ranking: Ranking) -> list[str]:
    """Paths of the first MAX_TRACKED notes of a ranking."""
    return paths_of(index, ranking.note_ids(MAX_TRACKED))


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
    notes = ascending(np.array(list(best.values()), np.int64))
    by_note: dict[int, dict[str, float]] = {note_id: {} for note_id in best.values()}
    for term in query:
        depth = 50 * max(1, len(notes))  # passages of these notes
        hits = index.keywords.search([term], limit=depth, notes=notes)
        for chunk_id, score in zip(hits.chunk_ids.tolist(), hits.scores.tolist(), strict=True):
            if chunk_id in best:
                by_note[best[chunk_id]][term.token] = round(score, _DIGITS)
    return by_note


def _fields(index: IndexReader, ids: Sequence[int], terms: Terms) -> dict[int, dict[str, float]]:
    """The share of the content words, by idf, that each field of each note says."""
    groups = terms.content_groups()
    worth = [max(terms.idf[token] for token in group) for group in groups]
    wanted = np.unique(np.array(ids, np.int64))
    if not sum(worth) or not len(wanted):
        return {}
    fields = fields_with_words(index.keywords, groups, wanted)
    by_note: dict[int, dict[str, float]] = {note_id: {} for note_id in wanted.tolist()}
    for name, bit in FIELD_BITS.items():
        shares = ((fields & np.uint16(bit)) != 0) @ np.array(worth) / sum(worth)
        for note_id, share in zip(by_note, shares.tolist(), strict=True):
            if share:
                by_note[note_id][name] = round(share, _DIGITS)
    return by_note


def _after_steps(steps: Sequence[tuple[str, FloatArray]], place: int | None) -> dict[str, float]:
    """The scores of the note at `place` after each step."""
    if place is None:
        return {}
    return {name: round(float(scores[place]), _DIGITS) for name, scores in steps}


def _rerank_score(note: RankedNote) -> dict[str, float]:
    return {} if note.scores.rerank is None else {"rerank": note.scores.rerank}


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
        removed=_removed_paths("min_score", paths, _missing(whole), below),
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
        removed=_removed_paths("weak", paths, left_out, len(left_out)),
        top=partial(paths.of, _ids(kept)),
    )


def trace_limit(
    trace: Trace, index: IndexReader, results: int, shown: Sequence[RankedNote]
) -> None:
    """Record how many of the notes of `results` the limit leaves out."""
    cut = results - len(shown)
    trace.stage(
        "limit",
        count_in=results,
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


def _removed_paths(reason: str, paths: _Paths, ids: IdArray, count: int) -> Sequence[Removed]:
    return (Removed(reason, count, tuple(paths.of(ids, MAX_PATHS))),) if count else ()
