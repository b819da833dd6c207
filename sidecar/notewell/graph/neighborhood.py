"""A part of the network to draw: some notes, the links among them, and which of them are alike."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from notewell.graph.missing import LIKE, likest
from notewell.graph.network import Network
from notewell.types import FloatArray, IdArray

ALIKE_OF_START = 12  # notes shown for their likeness with the start alone
_ALIKE_EACH = 2  # likenesses drawn for a note, on average: more would hide the links


def links_among(network: Network, notes: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Places of the notes in their order, each linked pair once."""
    place = {note: n for n, note in enumerate(notes)}
    return tuple(
        (here, place[other])
        for note, here in place.items()
        for other in network.both[note]
        if place.get(other, -1) > here
    )


def alike_among(
    notes: Iterable[int], compared: IdArray, vectors: FloatArray
) -> tuple[tuple[int, int, float], ...]:
    """Places of the likest pairs in the notes' order, with their score, likest first.

    `vectors` are the `centred` ones of the notes `compared`; notes without one are like none.
    """
    place = {note: n for n, note in enumerate(notes)}
    if not len(compared):
        return ()
    rows = np.flatnonzero(np.isin(compared, np.fromiter(place, np.int64, len(place))))
    places = [place[note] for note in compared[rows].tolist()]
    found = likest(vectors[rows], _ALIKE_EACH * len(place))
    return tuple(
        (
            min(places[one], places[other]),
            max(places[one], places[other]),
            round(min(score, 1.0), 4),
        )
        for one, other, score in found
    )


def likest_to(
    note: int, compared: IdArray, vectors: FloatArray, *, but: Collection[int]
) -> tuple[int, ...]:
    """The notes likest to one, without those in `but`; none where it has no vector."""
    places = np.flatnonzero(compared == note)
    if not len(places):
        return ()
    scores = vectors @ vectors[places[0]]
    order = np.argsort(-scores, kind="stable")
    near = (int(compared[n]) for n in order.tolist() if scores[n] >= LIKE)
    found = (other for other in near if other != note and other not in but)
    return tuple(other for other, _ in zip(found, range(ALIKE_OF_START), strict=False))
