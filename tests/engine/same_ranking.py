"""Whether two engines rank alike."""

from __future__ import annotations

from collections.abc import Sequence

from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine

SAME_SCORE = 1e-5  # single precision

Ranking = Sequence[tuple[str, float]]  # paths with their scores


def ranked(engine: Engine, request: SearchRequest) -> Ranking:
    """The results of a search."""
    return [(result.path, result.score) for result in engine.search(request).results]


def alike(one: Ranking, other: Ranking) -> bool:
    """Whether both have the same scores, and the same paths but where scores are equal."""
    if len(one) != len(other):
        return False
    last = one[-1][1] if one else 0.0
    scores = dict(other)
    for (path, score), (_, same) in zip(one, other, strict=True):
        if abs(score - same) > SAME_SCORE:
            return False
        tied = abs(score - last) <= SAME_SCORE  # with one that is no longer among the ten
        if not tied and abs(scores.get(path, -1.0) - score) > SAME_SCORE:
            return False
    return True
