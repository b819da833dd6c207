"""Ranks candidate notes by their fused and boosted scores, each with its best passages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from notewell.contract.search import RawScores, Scores
from notewell.search.boosts import Multipliers
from notewell.search.candidates import Candidates, or_zero
from notewell.search.fuse import Fused, Plan, fuse
from notewell.types import FloatArray

_DIGITS = 6
_PASSAGE_SHARE = 0.5  # minimum score of a further passage, relative to the note's best one


@dataclass(frozen=True, slots=True)
class RankedNote:
    """A ranked note. `passages` are (chunk id, score relative to the best one), best first."""

    note_id: int
    score: float
    scores: Scores
    raw: RawScores
    passages: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The candidate notes in order: `order` are indices into `notes`, `scores` align with it."""

    plan: Plan
    chunks: Candidates
    notes: Candidates
    fused: Fused
    multipliers: Multipliers
    order: Sequence[int]
    scores: FloatArray
    best: float  # the fused and boosted score that is scaled to 1

    def __len__(self) -> int:
        return len(self.order)

    def note_ids(self, limit: int) -> list[int]:
        """Ids of the first notes."""
        return [int(self.notes.ids[at]) for at in self.order[:limit]]

    def top(self, limit: int, passages: int) -> tuple[RankedNote, ...]:
        """The first notes, each with its best passage and up to `passages` further ones."""
        passages_of = self._passages(passages + 1)
        return tuple(
            RankedNote(
                note_id=int(self.notes.ids[at]),
                score=_rounded(score),
                scores=Scores(
                    keyword=_known(self.fused.keyword[at]),
                    semantic=_known(self.fused.semantic[at]),
                    fused=_rounded(self.fused.fused[at]),
                    tag=_at(self.multipliers.tag, at),
                    recency=_at(self.multipliers.recency, at),
                    graph=_at(self.multipliers.graph, at),
                ),
                raw=RawScores(_known(self.notes.bm25[at]), _known(self.notes.cosine[at])),
                passages=passages_of(int(self.notes.ids[at])),
            )
            for at, score in zip(self.order[:limit], self.scores[:limit].tolist(), strict=True)
        )

    def _passages(self, limit: int) -> Callable[[int], tuple[tuple[int, float], ...]]:
        """A function from a note id to its chunks: (id, score relative to the best), best first."""
        values = fuse(self.chunks, self.plan.for_passages()).fused
        order = np.lexsort((-values, self.chunks.note_ids))
        owners, ids, values = self.chunks.note_ids[order], self.chunks.ids[order], values[order]

        def of(note_id: int) -> tuple[tuple[int, float], ...]:
            first, end = np.searchsorted(owners, (note_id, note_id + 1)).tolist()
            own = slice(first, min(end, first + limit))
            best = float(values[first]) or 1.0
            found = zip(
                ids[own].tolist(), (values[own].astype(np.float64) / best).tolist(), strict=True
            )
            return tuple(
                part for at, part in enumerate(found) if not at or part[1] >= _PASSAGE_SHARE
            )

        return of


def rank(
    chunks: Candidates,
    notes: Candidates,
    plan: Plan,
    *,
    min_score: float = 0.0,
    boost: Callable[[Candidates, FloatArray], Multipliers] | None = None,
) -> tuple[Ranking, int]:
    """Rank `notes`, the notes of `chunks`; also returns how many are below `min_score`.

    A score is the cosine in semantic mode, else the fused and boosted score relative to the best.
    Ties go to the better BM25, then the better cosine, then the lower note id. `boost` computes
    multipliers from the notes and their fused scores (n,).
    """
    fused = fuse(notes, plan)
    best, boosted, multipliers = 1.0, fused.fused, Multipliers()
    if plan.method != "semantic" and len(notes):
        if boost is not None:
            multipliers = boost(notes, fused.fused)
            boosted = multipliers.applied(fused.fused)
        best = float(boosted.max()) or 1.0
    scores = np.clip(boosted / np.float32(best), 0.0, 1.0)
    order = np.lexsort((notes.ids, -or_zero(notes.cosine), -or_zero(notes.bm25), -scores))
    kept = order[scores[order] >= min_score]
    ranking = Ranking(plan, chunks, notes, fused, multipliers, kept.tolist(), scores[kept], best)
    return ranking, len(order) - len(kept)


def _at(multipliers: FloatArray | None, at: int) -> float | None:
    return None if multipliers is None else _rounded(multipliers[at])


def _known(score: np.float32) -> float | None:
    return None if np.isnan(score) else _rounded(score)


def _rounded(score: float | np.float32) -> float:
    return round(float(score), _DIGITS)
