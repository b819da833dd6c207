"""Properties that the notes similar to a note have in common: a vote weighted by likeness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from notewell.base.types import FloatArray
from notewell.base.types.frozen import frozen
from notewell.features.gardener.garden import Garden
from notewell.search.rank.candidates import centred_vectors

NEIGHBOURS = 10
MIN_COSINE = 0.25  # centred; less alike notes have no vote
_BLOCK_ROWS = 512


@frozen
class Neighbour:
    """A similar note, and its centred cosine."""

    path: str
    cosine: float


def centred(garden: Garden) -> FloatArray:
    """The vectors of a garden without what all its notes have in common, of unit length."""
    return centred_vectors(garden.vectors, [0] * len(garden.known))


def neighbours(
    garden: Garden, paths: list[str], vectors: FloatArray, *, most: int = NEIGHBOURS
) -> Iterator[tuple[str, tuple[Neighbour, ...]]]:
    """Yield each of `paths` that has a vector, with the notes most similar to it, best first."""
    rows = np.array([garden.row_of[path] for path in paths if path in garden.row_of], np.int64)
    for start in range(0, len(rows), _BLOCK_ROWS):
        block = rows[start : start + _BLOCK_ROWS]
        cosines = vectors[block] @ vectors.T
        cosines[np.arange(len(block)), block] = -1.0
        best = np.argpartition(-cosines, min(most, cosines.shape[1]) - 1, axis=1)[:, :most]
        for at, row in enumerate(block.tolist()):
            found = sorted((-float(cosines[at, n]), garden.known[n]) for n in best[at].tolist())
            yield (
                garden.known[row],
                tuple(Neighbour(path, -cosine) for cosine, path in found if -cosine >= MIN_COSINE),
            )


@frozen
class Vote:
    """Something that similar notes have: the share of their votes, and those notes."""

    what: str
    share: float
    notes: tuple[str, ...]


def votes(around: tuple[Neighbour, ...], has: Mapping[str, frozenset[str]]) -> tuple[Vote, ...]:
    """The values of the neighbours by share of their cosines, the largest first."""
    total = sum(one.cosine for one in around)
    if not total:
        return ()
    shares: dict[str, float] = {}
    voters: dict[str, list[str]] = {}
    for one in around:
        for what in has.get(one.path, ()):
            shares[what] = shares.get(what, 0.0) + one.cosine / total
            voters.setdefault(what, []).append(one.path)
    ranked = sorted(shares, key=lambda what: (-shares[what], what))
    return tuple(Vote(what, shares[what], tuple(voters[what])) for what in ranked)
