"""Similar notes: candidates for missing links, and similarity in a drawn graph."""

from __future__ import annotations

import numpy as np

from notewell.base.types import FloatArray
from notewell.features.graph.suggestions import (
    MAX_SIMILAR_TO_START,
    MIN_SIMILARITY,
    similar_notes,
    similar_pairs_among,
    suggest_links,
    suggest_links_of,
)
from notewell.search.rank.candidates import centred_vectors
from tests.features.graph.networks import network


def unit(rows: FloatArray) -> FloatArray:
    made: FloatArray = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return made


def topics(count: int, *, template: float, seed: int = 0) -> FloatArray:
    """Notes 2n and 2n+1 share a topic; all share a template of the given weight."""
    chance = np.random.default_rng(seed)
    topic = np.repeat(unit(chance.standard_normal((count // 2, 64))), 2, axis=0)
    own = 0.3 * unit(chance.standard_normal((count, 64)))
    return unit(topic + own + template * unit(chance.standard_normal((1, 64))))


def test_text_shared_by_a_folder_does_not_make_notes_similar() -> None:
    means = topics(60, template=4.0)
    assert (means @ means.T).min() > 0.8

    own = centred_vectors(means, ["people"] * 60)
    found = suggest_links(network([], range(60)), np.arange(60), own, limit=30)

    assert {(link.one, link.other) for link in found} == {(n, n + 1) for n in range(0, 60, 2)}


def test_linked_notes_are_left_out_and_shared_links_are_counted() -> None:
    own = centred_vectors(topics(40, template=0.0), list(range(40)))
    made = network([(0, 1), (2, 50), (50, 3)], [*range(40), 50])

    found = suggest_links(made, np.arange(40), own, limit=100)

    pairs = {(link.one, link.other): link.shared for link in found}
    assert (0, 1) not in pairs
    assert pairs[2, 3] == 1
    assert [link.score for link in found] == sorted((link.score for link in found), reverse=True)


def test_a_note_is_in_few_pairs() -> None:
    rows = unit(np.ones((30, 8), np.float32))

    found = suggest_links(network([], range(30)), np.arange(30), rows, limit=30)

    assert max(sum(n in (link.one, link.other) for link in found) for n in range(30)) <= 3


def test_the_links_of_one_note() -> None:
    own = centred_vectors(topics(40, template=1.0), ["a"] * 40)
    made = network([], range(41))

    (first, *_) = suggest_links_of(made, 6, np.arange(40), own, limit=3)

    assert (first.one, first.other) == (6, 7)
    assert first.score >= MIN_SIMILARITY
    assert suggest_links_of(made, 40, np.arange(40), own, limit=3) == ()


def test_without_vectors_no_links_are_suggested() -> None:
    none = np.empty((0, 8), np.float32)

    assert centred_vectors(none, []).shape == (0, 8)
    assert suggest_links(network([]), np.empty(0, np.int64), none, limit=3) == ()


def test_similar_pairs_are_positions_of_the_notes_drawn() -> None:
    own = centred_vectors(topics(40, template=0.0), list(range(40)))
    ids = np.arange(100, 140)

    found = similar_pairs_among([107, 106, 110, 55], ids, own)

    assert [(one, other) for one, other, _ in found] == [(0, 1)]
    assert found[0][2] <= 1
    assert similar_pairs_among([107], np.empty(0, np.int64), np.empty((0, 0), np.float32)) == ()


def test_similar_notes_leave_out_the_excluded() -> None:
    own = centred_vectors(topics(40, template=0.0), list(range(40)))
    ids = np.arange(40)

    assert similar_notes(6, ids, own, excluded={6}) == (7,)
    assert similar_notes(6, ids, own, excluded={6, 7}) == ()
    assert similar_notes(99, ids, own, excluded=()) == ()
    same = np.ones((30, 4), np.float32) / 2
    assert len(similar_notes(0, np.arange(30), same, excluded={0})) == MAX_SIMILAR_TO_START
