"""Ranks candidate notes by their scores, each with its best passages.

A `FusionPlan` says by which method the scores of a search are made, and how much its words and its
meaning weigh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from math import isnan
from typing import Literal

import numpy as np

from notewell.base.types import FloatArray, FusionMethod, IdArray, Match
from notewell.base.types.frozen import frozen
from notewell.contract.search import RawScores, Scores
from notewell.search.rank.candidates import Candidates, or_zero
from notewell.search.rank.evidence import Addends
from notewell.search.rank.relevance import Relevance

_DIGITS = 6
_FEW_NOTES = 40  # up to it, comparing one by one is faster than np.isin
_PASSAGE_SHARE = 0.5  # minimum score of a further passage, relative to the note's best one
_LEAST_WEIGHT = float(np.finfo(np.float32).tiny)

_MOST_TIED = 100  # places up to which notes that are equal are ordered by their paths
PathsOf = Callable[[Sequence[int]], Mapping[int, str]]

Method = FusionMethod | Literal["keyword", "semantic"]
# Methods whose score is a sum of evidence.
SUMS: frozenset[Method] = frozenset({"auto", "gars", "keyword"})
# The scores of candidates by their words and by their meaning, 0..1; NaN if there is none.
Halves = tuple[FloatArray, FloatArray]


def raw_halves(candidates: Candidates) -> Halves:
    """BM25 and cosine as they are, to compare candidates of one note."""
    return candidates.bm25, np.maximum(candidates.cosine, np.float32(0.0))


def cosine_halves(candidates: Candidates) -> Halves:
    """The cosine as the score of the semantic half, at most 1."""
    return candidates.bm25, np.clip(candidates.cosine, 0.0, 1.0)


@frozen
class FusionPlan:
    """A fusion method with the weight of each half. `params` explain the choice in the reply.

    The methods `keyword` and `semantic` belong to the modes that use one half only. `halves` are
    the scores of notes before they are weighted, and `passage_halves` those of passages.
    """

    method: Method
    keyword_weight: float
    semantic_weight: float
    params: Mapping[str, float] = field(default_factory=dict)
    halves: Callable[[Candidates], Halves] = raw_halves
    passage_halves: Callable[[Candidates], Halves] = raw_halves

    def weighted_mean(self, keyword: FloatArray, semantic: FloatArray) -> FloatArray:
        """The weighted mean of both halves; a missing score counts as 0."""
        ours, theirs = self.keyword_weight, self.semantic_weight
        total = ours + theirs
        if 0.0 < total < _LEAST_WEIGHT:  # which float32 would take for 0
            ours, theirs, total = ours / total, theirs / total, 1.0
        parts = ours * or_zero(keyword)
        parts = parts + theirs * or_zero(semantic)
        return (parts / total if total > 0 else parts).astype(np.float32)


KEYWORD_ONLY = FusionPlan("keyword", 1.0, 0.0)
SEMANTIC_ONLY = FusionPlan("semantic", 0.0, 1.0, halves=cosine_halves, passage_halves=cosine_halves)


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """Scores of candidates, 0..1, aligned with them. NaN: that half did not find it."""

    keyword: FloatArray
    semantic: FloatArray
    fused: FloatArray


def fuse(candidates: Candidates, plan: FusionPlan) -> Fused:
    """Scores of the candidates by a plan: the weighted mean of both halves."""
    keyword, semantic = plan.halves(candidates)
    return Fused(keyword, semantic, plan.weighted_mean(keyword, semantic))


@dataclass(frozen=True, slots=True, eq=False)
class Multipliers:
    """Multipliers of the candidates (n,), 1 for no boost; None: not computed.

    `tag` is the boost by tags, title and aliases, `graph` the boost by links and folders.
    """

    tag: FloatArray | None = None
    recency: FloatArray | None = None
    graph: FloatArray | None = None

    def applied(self, scores: FloatArray) -> FloatArray:
        given = [boost for boost in (self.tag, self.recency, self.graph) if boost is not None]
        return reduce(np.multiply, given, scores)


@frozen
class RankedNote:
    """A ranked note. `passages` are (chunk id, score relative to the best one), best first.

    `embedded` is the attachment by whose text alone the note was found, because it embeds it.
    """

    note_id: int
    score: float
    scores: Scores
    raw: RawScores
    passages: tuple[tuple[int, float], ...]
    match: Match | None = None
    embedded: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Candidate notes with their scores before they are sorted: arrays (n,), aligned.

    `ids` are ascending note ids; `bm25` and `cosine` are NaN if there is none. `fused` is
    what is multiplied and compared; where it is a sum, its parts are `addends`, `scale` is the sum
    that it is relative to, and `mean_cosine` is weighed beside the best one.
    """

    ids: IdArray
    bm25: FloatArray
    cosine: FloatArray
    fused: Fused
    addends: Addends | None = None
    scale: float = 1.0
    mean_cosine: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(cls, notes: Candidates, plan: FusionPlan) -> Scored:
        """Notes scored by a plan that fuses the scores or ranks of both halves."""
        return cls(notes.ids, notes.bm25, notes.cosine, fuse(notes, plan))


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The candidate notes in order: `order` are indices into `notes`, `scores` align with it."""

    plan: FusionPlan
    chunks: Candidates
    notes: Scored
    multipliers: Multipliers
    order: Sequence[int]
    scores: FloatArray
    best: float  # the fused (or summed) and boosted score that is scaled to 1
    relevance: Relevance | None = None

    def __len__(self) -> int:
        return len(self.order)

    def without_weak(self) -> tuple[Ranking, int]:
        """The ranking without weak matches, and how many these are."""
        if self.relevance is None or not len(self.order):
            return self, 0
        order = np.array(self.order, np.int64)
        kept = np.flatnonzero(~self.relevance.weak[order])
        ranking = replace(self, order=order[kept].tolist(), scores=self.scores[kept])
        return ranking, len(order) - len(kept)

    def holds(self, note_id: int) -> bool:
        at = int(np.searchsorted(self.notes.ids, note_id))
        return at < len(self.notes) and self.notes.ids[at] == note_id and at in self.order

    @property
    def fused(self) -> Fused:
        """The scores of the notes before they were multiplied."""
        return self.notes.fused

    def note_ids(self, limit: int) -> list[int]:
        """Ids of the first notes."""
        return [int(self.notes.ids[at]) for at in self.order[:limit]]

    def top(self, limit: int, passages: int) -> tuple[RankedNote, ...]:
        """The first notes, each with its best passage and up to `passages` further ones."""
        places = np.array(self.order[:limit], np.int64)
        ids = self.notes.ids[places].tolist()
        passages_of = self._passages(ids, passages + 1)
        matches = self._matches(places)
        bm25, cosine = _known(self.notes.bm25[places]), _known(self.notes.cosine[places])
        mean = self.notes.mean_cosine
        means = [None] * len(places) if mean is None else _known(mean[places])
        scores = zip(ids, _round(self.scores[:limit]), self._scores(places), strict=True)
        return tuple(
            RankedNote(
                note_id=note_id,
                score=score,
                scores=parts,
                raw=RawScores(bm25[at], cosine[at], means[at]),
                passages=passages_of(note_id),
                match=matches[at],
            )
            for at, (note_id, score, parts) in enumerate(scores)
        )

    def _matches(self, places: IdArray) -> Sequence[Match | None]:
        """The words for the relevance of the notes at these indices."""
        if self.relevance is None:
            return [None] * len(places)
        return self.relevance.matches(places)

    def _scores(self, places: IdArray) -> Iterator[Scores]:
        """The parts of the scores of the notes at these indices."""
        fused, addends, by = self.notes.fused, self.notes.addends, self.multipliers
        columns: dict[str, Sequence[float | None]] = {
            "keyword": _known(fused.keyword[places]),
            "semantic": _known(fused.semantic[places]),
            "fused": _round(fused.fused[places]),
        }
        for name, values in (("tag", by.tag), ("recency", by.recency), ("graph", by.graph)):
            if values is not None:
                columns[name] = _round(values[places])
        if addends is not None:
            columns |= {name: _round(part[places]) for name, part in addends.named().items()}
        for parts in zip(*columns.values(), strict=True):
            yield Scores(**dict(zip(columns, parts, strict=True)))

    def _passages(
        self, note_ids: Sequence[int], limit: int
    ) -> Callable[[int], tuple[tuple[int, float], ...]]:
        """A function from one of the notes to its chunks: (id, share of the best), best first."""
        own = _of_notes(self.chunks.note_ids, note_ids)
        owners, ids = self.chunks.note_ids[own], self.chunks.ids[own]
        values = self.plan.weighted_mean(*self.plan.passage_halves(self.chunks))[own]
        order = np.lexsort((-values, owners))
        by_note: dict[int, list[tuple[int, float]]] = {}
        best = 1.0
        rows = zip(owners[order].tolist(), ids[order].tolist(), values[order].tolist(), strict=True)
        for owner, chunk_id, value in rows:
            parts = by_note.get(owner)
            if parts is None:
                best = value or 1.0
                by_note[owner] = [(chunk_id, value / best)]
            elif len(parts) < limit and value / best >= _PASSAGE_SHARE:
                parts.append((chunk_id, value / best))
        return lambda note_id: tuple(by_note.get(note_id, ()))


def _of_notes(owners: IdArray, note_ids: Sequence[int]) -> IdArray:
    """Indices of the chunks whose owner is one of a few notes."""
    if len(note_ids) > _FEW_NOTES:
        return np.flatnonzero(np.isin(owners, note_ids))
    mine = np.zeros(len(owners), np.bool_)
    for note_id in note_ids:
        mine |= owners == note_id
    return np.flatnonzero(mine)


def rank(
    chunks: Candidates,
    notes: Scored,
    plan: FusionPlan,
    *,
    min_score: float = 0.0,
    boost: Callable[[IdArray, FloatArray], Multipliers] | None = None,
    paths: PathsOf | None = None,
) -> tuple[Ranking, int]:
    """Rank `notes`, the notes of `chunks` and others; also returns how many are below `min_score`.

    A score is the cosine in semantic mode, else the fused and boosted score relative to the best.
    Ties go to the better BM25, then the better cosine, then the first path: ids are in the order in
    which notes were indexed. `boost` computes multipliers from the ids of the notes and their
    fused scores; `paths` gives the paths of notes, and without it ids decide.
    """
    fused = notes.fused.fused
    best, boosted, multipliers = 1.0, fused, Multipliers()
    if plan.method != "semantic" and len(notes):
        if boost is not None:
            multipliers = boost(notes.ids, fused)
            boosted = multipliers.applied(fused)
        best = float(boosted.max()) or 1.0
    scores = np.clip(boosted / np.float32(best), 0.0, 1.0)
    order = _order(notes, scores, paths)
    kept = order[scores[order] >= min_score]
    ranking = Ranking(
        plan, chunks, notes, multipliers, kept.tolist(), scores[kept], best * notes.scale
    )
    return ranking, len(order) - len(kept)


def _order(notes: Scored, scores: FloatArray, paths: PathsOf | None) -> IdArray:
    """Indices of the notes, best first, as `rank` describes."""
    order = np.argsort(-scores)
    ordered = scores[order]
    if (ordered[1:] == ordered[:-1]).any():  # seldom; sorting by four keys takes far longer
        bm25, cosine = or_zero(notes.bm25), or_zero(notes.cosine)
        order = np.lexsort((notes.ids, -cosine, -bm25, -scores))
        if paths is not None:
            _order_equal(order, (scores, bm25, cosine), notes.ids, paths)
    return order


def _order_equal(order: IdArray, keys: Sequence[FloatArray], ids: IdArray, paths: PathsOf) -> None:
    """Order the first notes that are equal in all keys by their paths, in place."""
    same = np.ones(len(order) - 1, np.bool_)
    for key in keys:
        same &= key[order[1:]] == key[order[:-1]]
    begins = np.flatnonzero(np.r_[True, ~same])
    ends = np.r_[begins[1:], len(order)]
    runs = [
        (begin, end)
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
        if end - begin > 1 and begin < _MOST_TIED
    ]
    tied = [int(ids[at]) for begin, end in runs for at in order[begin:end]]
    if not tied:
        return
    path = paths(tied)
    for begin, end in runs:
        run = sorted(order[begin:end].tolist(), key=lambda at: path.get(int(ids[at]), ""))
        order[begin:end] = run


def _known(scores: FloatArray) -> list[float | None]:
    """The rounded scores; None for NaN."""
    return [None if isnan(score) else round(score, _DIGITS) for score in scores.tolist()]


def _round(scores: FloatArray) -> list[float]:
    return [round(score, _DIGITS) for score in scores.tolist()]
