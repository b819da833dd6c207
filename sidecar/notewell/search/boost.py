"""What lifts or lowers a note that was found, beside its words and its meaning. Pure functions.

Each gives one multiplier a note, 1 where it says nothing. What each is worth, and which are on by
default, was measured; the table is in docs/search.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from notewell.types import FloatArray

SEEDS = 10  # notes on top whose links say what else matters
_MATES = 20  # notes on top that lift each other where they share a folder
_MATES_FULL = 5.0  # summed scores of a note's folder-mates from which they lift it in full
_DAY = 86_400.0

_Values = npt.NDArray[np.float64]


def by_recency(times: FloatArray, now: float, *, most: float, half_life_days: float) -> FloatArray:
    """1 + most * 0.5 ** (age / half-life). An unknown time lifts nothing; a future one is now."""
    days = np.maximum(now - np.nan_to_num(times, nan=-np.inf), 0.0) / _DAY
    return _multiplier(most * np.exp2(-days.astype(np.float64) / half_life_days))


def by_tag(
    tags: Sequence[Collection[frozenset[str]]], rarity: Mapping[str, float], *, most: float
) -> FloatArray:
    """1 + most * how much of the query, by rarity, the best tag says. A tag is its words."""
    total = sum(rarity.values())
    shares = [
        max((sum(rarity.get(word, 0.0) for word in tag) for tag in own), default=0.0)
        for own in tags
    ]
    return _multiplier(most * np.array(shares) / total if total > 0 else np.zeros(len(tags)))


def by_name(names: Sequence[Collection[str]], query: str, *, most: float) -> FloatArray:
    """1 + most where the query is the note's title or one of its aliases; all of them folded."""
    return _multiplier(most * np.array([query in own for own in names], np.float64))


def by_links(
    scores: FloatArray,
    links: Mapping[int, Collection[int]],
    degrees: FloatArray,
    *,
    activation: float,
    centrality: float,
) -> FloatArray:
    """Lift what the best notes link to, and what many link to.

    `links` are places in `scores` by the places of the seeds, the best notes; `degrees` how many
    notes link to each. A seed spreads the square of its score over its links, a target shares what
    it gets among those that link to it, each by the square root of the number; the most activated
    note has all of `activation`. Centrality is the logarithm of the degree, against the highest.
    Spreading activation: Crestani 1997, "Application of spreading activation techniques in
    information retrieval".
    """
    got = np.zeros(len(scores))
    for seed, targets in links.items():
        for target in targets:
            got[target] += float(scores[seed]) ** 2 / np.sqrt(len(targets))
    got /= np.sqrt(np.maximum(degrees, 1.0))
    central = np.log1p(degrees.astype(np.float64))
    return _multiplier(activation * _against_most(got) + centrality * _against_most(central))


def by_folder_mates(scores: FloatArray, folders: Sequence[str], *, most: float) -> FloatArray:
    """1 + most * the summed scores of the other notes on top in the same folder, up to a cap."""
    gains = np.zeros(len(scores))
    top = np.argsort(-scores, kind="stable")[:_MATES].tolist()
    for at in top:
        mates = sum(float(scores[other]) for other in top if folders[other] == folders[at])
        gains[at] = min(1.0, (mates - float(scores[at])) / _MATES_FULL)
    return _multiplier(most * gains)


def by_folder(folders: Sequence[str], weights: Mapping[str, float]) -> FloatArray:
    """The weight of the nearest folder around a note that has one; `""` is the vault itself."""
    return np.array([_weight(folder, weights) for folder in folders], np.float32)


def _weight(folder: str, weights: Mapping[str, float]) -> float:
    while folder and folder not in weights:
        folder = folder.rpartition("/")[0]
    return weights.get(folder, 1.0)


def _against_most(values: _Values) -> _Values:
    most = float(values.max()) if len(values) else 0.0
    return values / most if most > 0 else values


def _multiplier(gains: _Values) -> FloatArray:
    multiplier: FloatArray = (1.0 + gains).astype(np.float32)
    return multiplier
