"""What a picture of the links is made of."""

from __future__ import annotations

import numpy as np

from notewell.graph.missing import centred
from notewell.graph.neighborhood import ALIKE_OF_START, alike_among, likest_to, links_among
from tests.graph.networks import network
from tests.graph.test_missing import topics


def test_links_are_among_the_notes_shown_and_each_is_there_once() -> None:
    made = network([(1, 2), (2, 1), (2, 3), (3, 9)], [1, 2, 3, 9])

    assert set(links_among(made, [3, 1, 2])) == {(0, 2), (1, 2)}
    assert links_among(made, []) == ()


def test_likeness_is_told_in_places_of_the_notes_shown() -> None:
    own = centred(topics(40, template=0.0), list(range(40)))
    ids = np.arange(100, 140)

    found = alike_among([107, 106, 110, 55], ids, own)

    assert [(one, other) for one, other, _ in found] == [(0, 1)]
    assert found[0][2] <= 1
    assert alike_among([107], np.empty(0, np.int64), np.empty((0, 0), np.float32)) == ()


def test_the_likest_notes_of_a_start_are_not_those_that_are_shown_anyway() -> None:
    own = centred(topics(40, template=0.0), list(range(40)))
    ids = np.arange(40)

    assert likest_to(6, ids, own, but={6}) == (7,)
    assert likest_to(6, ids, own, but={6, 7}) == ()
    assert likest_to(99, ids, own, but=()) == ()
    same = np.ones((30, 4), np.float32) / 2
    assert len(likest_to(0, np.arange(30), same, but={0})) == ALIKE_OF_START
