"""From fused candidates to an ordered list of notes, each with its passages in order."""

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
_PASSAGE_SHARE = 0.5  # a further passage is worth at least this part of the note's best one


@dataclass(frozen=True, slots=True)
class RankedNote:
    """A note in its place. `passages` are (chunk id, value against the best one), best first."""

    note_id: int
    score: float
    scores: Scores
    raw: RawScores
    passages: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """All candidate notes in order: `order` are places in `notes`, `scores` belong to them."""

    plan: Plan
    chunks: Candidates
    notes: Candidates
    fused: Fused
    multipliers: Multipliers
    order: Sequence[int]
    scores: FloatArray
    best: float  # the fused score, lifted, that counts as 1

    def __len__(self) -> int:
        return len(self.order)

    def note_ids(self, limit: int) -> list[int]:
        """Ids of the first notes."""
        return [int(self.notes.ids[place]) for place in self.order[:limit]]

    def top(self, limit: int, passages: int) -> tuple[RankedNote, ...]:
        """The first notes, each with its best passage and up to `passages` further ones."""
        passages_of = self._passages(passages + 1)
        return tuple(
            RankedNote(
                note_id=int(self.notes.ids[place]),
                score=_rounded(score),
                scores=Scores(
                    keyword=_known(self.fused.keyword[place]),
                    semantic=_known(self.fused.semantic[place]),
                    fused=_rounded(self.fused.fused[place]),
                    tag=_at(self.multipliers.tag, place),
                    recency=_at(self.multipliers.recency, place),
                    graph=_at(self.multipliers.graph, place),
                ),
                raw=RawScores(_known(self.notes.bm25[place]), _known(self.notes.cosine[place])),
                passages=passages_of(int(self.notes.ids[place])),
            )
            for place, score in zip(self.order[:limit], self.scores[:limit].tolist(), strict=True)
        )

    def _passages(self, limit: int) -> Callable[[int], tuple[tuple[int, float], ...]]:
        """Tells of a note its chunks, (id, value against the best one), best first."""
        values = fuse(self.chunks, self.plan.of_passages()).fused
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
    lift: Callable[[Candidates, FloatArray], Multipliers] | None = None,
) -> tuple[Ranking, int]:
    """Order `notes`, which are those of `chunks`; also how many fell below `min_score`.

    A score is the cosine where only meaning counts, else the fused score, lifted, against the best.
    Equal scores put the better keyword hit first, then the better cosine, then the older note.
    """
    fused = fuse(notes, plan)
    best, lifted, multipliers = 1.0, fused.fused, Multipliers()
    if plan.method != "semantic" and len(notes):
        if lift is not None:
            multipliers = lift(notes, fused.fused)
            lifted = multipliers.applied(fused.fused)
        best = float(lifted.max()) or 1.0
    scores = np.clip(lifted / np.float32(best), 0.0, 1.0)
    order = np.lexsort((notes.ids, -or_zero(notes.cosine), -or_zero(notes.bm25), -scores))
    kept = order[scores[order] >= min_score]
    ranking = Ranking(plan, chunks, notes, fused, multipliers, kept.tolist(), scores[kept], best)
    return ranking, len(order) - len(kept)


def _at(multipliers: FloatArray | None, place: int) -> float | None:
    return None if multipliers is None else _rounded(multipliers[place])


def _known(score: np.float32) -> float | None:
    return None if np.isnan(score) else _rounded(score)


def _rounded(score: float | np.float32) -> float:
    return round(float(score), _DIGITS)
