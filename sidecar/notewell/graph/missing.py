"""Missing links: notes that are alike and not linked.

Notes made from one template are alike through what the template says. What the notes of a folder
have in common is therefore taken out first: each note's vector is centred on the mean of its
folder, drawn towards the mean of the vault where the folder has few notes, and towards zero where
the vault has few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from notewell.graph.network import Network
from notewell.types import FloatArray, IdArray

LIKE = 0.4  # centred cosine from which two notes are worth a look
MAX_COMPARED = 8_000  # notes that are compared each with each; the time grows with the square
_SHRINK = 10.0  # a folder of so many notes counts half, the vault the other half
_OF_ONE = 3  # suggestions for one note in a list for all
_POOL = 16  # pairs kept for each one that is asked for: most will prove linked or too many of one
_BLOCK = 512


@dataclass(frozen=True, slots=True)
class Missing:
    """Two notes to link. `score` is their centred cosine; `shared` notes are linked with both."""

    one: int
    other: int
    score: float
    shared: int


def centred(means: FloatArray, folders: Sequence[Hashable]) -> FloatArray:
    """Unit vectors of what each note says beyond its folder: like `means`, (notes, dimensions)."""
    if not len(means):
        return means
    number = {folder: n for n, folder in enumerate(dict.fromkeys(folders))}
    places = np.array([number[folder] for folder in folders])
    sums = np.zeros((len(number), means.shape[1]), np.float32)
    np.add.at(sums, places, means)
    vault = means.sum(axis=0) / np.float32(len(means) + _SHRINK)
    counts = np.bincount(places).astype(np.float32)[:, np.newaxis]
    common = (sums + np.float32(_SHRINK) * vault) / (counts + np.float32(_SHRINK))
    own = means - common[places]
    lengths = np.linalg.norm(own, axis=1, keepdims=True)
    unit: FloatArray = own / np.maximum(lengths, np.float32(1e-6))
    return unit


def missing_links(
    network: Network, notes: IdArray, vectors: FloatArray, *, limit: int
) -> tuple[Missing, ...]:
    """The likest pairs that no link connects, none of them in more than a few pairs.

    `vectors` are the `centred` ones of `notes`, in their order; all notes are in the network.
    """
    ids = notes.tolist()
    used: Counter[int] = Counter()
    found: list[Missing] = []
    for row, column, score in likest(vectors, limit * _POOL):
        one, other = ids[row], ids[column]
        if network.linked(one, other) or max(used[one], used[other]) >= _OF_ONE:
            continue
        used.update((one, other))
        found.append(_missing(network, one, other, score))
        if len(found) == limit:
            break
    return tuple(found)


def missing_links_of(
    network: Network, note: int, notes: IdArray, vectors: FloatArray, *, limit: int
) -> tuple[Missing, ...]:
    """The notes likest to one and not linked with it; none where it has no vector."""
    places = np.flatnonzero(notes == note)
    if not len(places):
        return ()
    scores = vectors @ vectors[places[0]]
    found: list[Missing] = []
    for place in np.argsort(-scores, kind="stable").tolist():
        other, score = int(notes[place]), float(scores[place])
        if score < LIKE or len(found) == limit:
            break
        if other != note and not network.linked(note, other):
            found.append(_missing(network, note, other, score))
    return tuple(found)


def likest(vectors: FloatArray, count: int) -> Iterator[tuple[int, int, float]]:
    """Pairs (row, column, cosine) of at least LIKE, likest first; `count` of them, if there are.

    The bar rises as pairs are found, so that few are kept at once.
    """
    bar = np.float32(LIKE)
    rows, columns = np.empty(0, np.int64), np.empty(0, np.int64)
    scores = np.empty(0, np.float32)
    for start in range(0, len(vectors), _BLOCK):
        block = vectors[start : start + _BLOCK] @ vectors[start:].T
        above = np.argwhere(np.triu(block, 1) >= bar)
        scores = np.concatenate((scores, block[above[:, 0], above[:, 1]]))
        rows = np.concatenate((rows, above[:, 0] + start))
        columns = np.concatenate((columns, above[:, 1] + start))
        if len(scores) > count:
            best = np.lexsort((columns, rows, -scores))[:count]
            rows, columns, scores = rows[best], columns[best], scores[best]
            bar = scores[-1]
    for at in np.lexsort((columns, rows, -scores)).tolist():
        yield int(rows[at]), int(columns[at]), float(scores[at])


def _missing(network: Network, one: int, other: int, score: float) -> Missing:
    shared = set(network.both[one]).intersection(network.both[other])
    return Missing(one, other, score, len(shared))
