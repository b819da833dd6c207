"""Notes that are alike and not linked: links to suggest, and pairs to draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from notewell.api.types import FloatArray
from notewell.base.types import IdArray
from notewell.features.graph.network import Network

MIN_SIMILARITY = 0.4  # centred cosine from which two notes are worth a look
MAX_SIMILAR_TO_START = 12  # notes in a picture only because they are similar to its start
MAX_COMPARED = 8_000  # notes compared pairwise; the time grows with the square
_MAX_PAIRS_OF_NOTE = 3  # suggestions for one note in a list for the whole vault
_POOL_FACTOR = 16  # pairs found for each one requested: most are linked or exceed a note's maximum
_PAIRS_DRAWN_PER_NOTE = 2  # on average; more would hide the links of a picture
_BLOCK_ROWS = 512


@dataclass(frozen=True, slots=True)
class SuggestedLink:
    """Two notes to link. `score` is their centred cosine; `shared` notes are linked with both."""

    one: int
    other: int
    score: float
    shared: int


def suggest_links(
    network: Network, notes: IdArray, vectors: FloatArray, *, limit: int
) -> tuple[SuggestedLink, ...]:
    """The most similar pairs of notes that no link connects, each note in a few pairs at most.

    `vectors` are the centred ones of `notes`, in the same order; all notes are in the network.
    """
    ids = notes.tolist()
    used: Counter[int] = Counter()
    suggestions: list[SuggestedLink] = []
    for row, column, score in _most_similar_pairs(vectors, limit * _POOL_FACTOR):
        one, other = ids[row], ids[column]
        if network.linked(one, other) or max(used[one], used[other]) >= _MAX_PAIRS_OF_NOTE:
            continue
        used.update((one, other))
        suggestions.append(_suggestion(network, one, other, score))
        if len(suggestions) == limit:
            break
    return tuple(suggestions)


def suggest_links_of(
    network: Network, note: int, notes: IdArray, vectors: FloatArray, *, limit: int
) -> tuple[SuggestedLink, ...]:
    """The notes most similar to one and not linked with it; empty if it has no vector."""
    suggestions: list[SuggestedLink] = []
    for other, score in _most_similar_to(note, notes, vectors):
        if len(suggestions) == limit:
            break
        if not network.linked(note, other):
            suggestions.append(_suggestion(network, note, other, score))
    return tuple(suggestions)


def similar_notes(
    note: int, notes: IdArray, vectors: FloatArray, *, excluded: Collection[int]
) -> tuple[int, ...]:
    """The few notes most similar to one, best first; empty if it has no vector."""
    others = (other for other, _ in _most_similar_to(note, notes, vectors) if other not in excluded)
    return tuple(other for other, _ in zip(others, range(MAX_SIMILAR_TO_START), strict=False))


def similar_pairs_among(
    drawn: Iterable[int], notes: IdArray, vectors: FloatArray
) -> tuple[tuple[int, int, float], ...]:
    """The most similar pairs of the notes in a picture, best first.

    Each pair has two positions in `drawn`, the lower one first, and their cosine. `vectors` are the
    centred ones of `notes`; notes without a vector are in no pair.
    """
    position = {note: n for n, note in enumerate(drawn)}
    if not len(notes):
        return ()
    rows = np.flatnonzero(np.isin(notes, np.fromiter(position, np.int64, len(position))))
    positions = [position[note] for note in notes[rows].tolist()]
    pairs = _most_similar_pairs(vectors[rows], _PAIRS_DRAWN_PER_NOTE * len(position))
    return tuple(
        (
            min(positions[first], positions[other]),
            max(positions[first], positions[other]),
            round(min(score, 1.0), 4),
        )
        for first, other, score in pairs
    )


def _most_similar_pairs(vectors: FloatArray, count: int) -> Iterator[tuple[int, int, float]]:
    """At most `count` pairs (row, column, cosine) of at least MIN_SIMILARITY, best first.

    The threshold rises as pairs are found, so that few are in memory at once.
    """
    threshold = np.float32(MIN_SIMILARITY)
    rows, columns = np.empty(0, np.int64), np.empty(0, np.int64)
    scores = np.empty(0, np.float32)
    for start in range(0, len(vectors), _BLOCK_ROWS):
        block = vectors[start : start + _BLOCK_ROWS] @ vectors[start:].T
        above = np.argwhere(np.triu(block, 1) >= threshold)
        scores = np.concatenate((scores, block[above[:, 0], above[:, 1]]))
        rows = np.concatenate((rows, above[:, 0] + start))
        columns = np.concatenate((columns, above[:, 1] + start))
        if len(scores) > count:
            best = np.lexsort((columns, rows, -scores))[:count]
            rows, columns, scores = rows[best], columns[best], scores[best]
            threshold = scores[-1]
    for at in np.lexsort((columns, rows, -scores)).tolist():
        yield int(rows[at]), int(columns[at]), float(scores[at])


def _most_similar_to(note: int, notes: IdArray, vectors: FloatArray) -> Iterator[tuple[int, float]]:
    """The other notes with a cosine of at least MIN_SIMILARITY to one, best first."""
    (rows,) = np.nonzero(notes == note)
    if not len(rows):
        return
    scores = vectors @ vectors[rows[0]]
    for row in np.argsort(-scores, kind="stable").tolist():
        if scores[row] < MIN_SIMILARITY:
            return
        if row != rows[0]:
            yield int(notes[row]), float(scores[row])


def _suggestion(network: Network, one: int, other: int, score: float) -> SuggestedLink:
    shared = set(network.both[one]).intersection(network.both[other])
    return SuggestedLink(one, other, score, len(shared))
