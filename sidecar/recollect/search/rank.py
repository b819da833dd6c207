"""From fused candidates to an ordered list of notes, each with its passages in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from recollect.replies.search import RawScores, Scores
from recollect.search.candidates import Candidates
from recollect.search.fuse import Fused, Plan, fuse
from recollect.search.lift import Multipliers
from recollect.types import FloatArray

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
        values = fuse(self.chunks, self.plan.of_passages()).fused
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
                passages=self._passages(int(self.notes.ids[place]), values, passages + 1),
            )
            for place, score in zip(self.order[:limit], self.scores[:limit].tolist(), strict=True)
        )

    def _passages(
        self, note_id: int, values: FloatArray, limit: int
    ) -> tuple[tuple[int, float], ...]:
        places = np.flatnonzero(self.chunks.note_ids == note_id)
        places = places[np.argsort(-values[places], kind="stable")][:limit]
        best = float(values[places[0]]) or 1.0
        shares = [(int(self.chunks.ids[at]), float(values[at]) / best) for at in places.tolist()]
        return tuple(shares[:1] + [part for part in shares[1:] if part[1] >= _PASSAGE_SHARE])


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
    order = np.lexsort(
        (notes.ids, -np.nan_to_num(notes.cosine), -np.nan_to_num(notes.bm25), -scores)
    )
    kept = order[scores[order] >= min_score]
    ranking = Ranking(plan, chunks, notes, fused, multipliers, kept.tolist(), scores[kept], best)
    return ranking, len(order) - len(kept)


def _at(multipliers: FloatArray | None, place: int) -> float | None:
    return None if multipliers is None else _rounded(multipliers[place])


def _known(score: np.float32) -> float | None:
    return None if np.isnan(score) else _rounded(score)


def _rounded(score: float | np.float32) -> float:
    return round(float(score), _DIGITS)
