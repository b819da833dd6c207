"""Boosts as pure functions of numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.search.rank import boosts

DAY = 86_400.0
NO_LINKS = np.empty(0, np.int64), np.empty(0, np.int64)


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_recency_halves_with_each_half_life() -> None:
    now = 1_000 * DAY
    times = np.array([now, now - 90 * DAY, now - 180 * DAY, np.nan, now + 5 * DAY])
    lifted = boosts.by_recency(times, now, most=0.2, half_life_days=90)
    assert lifted.tolist() == pytest.approx([1.2, 1.1, 1.05, 1.0, 1.2])


def test_the_tag_boost_is_the_share_of_the_query_in_the_tag() -> None:
    tags = [
        [frozenset({"garden", "bees"})],
        [frozenset({"garden"}), frozenset({"bees"})],
        [frozenset({"cooking"})],
        [],
    ]
    lifted = boosts.by_tag(tags, {"garden": 1.0, "bees": 3.0}, most=0.4)
    assert lifted.tolist() == pytest.approx([1.4, 1.3, 1.0, 1.0])
    assert boosts.by_tag(tags, {}, most=0.4).tolist() == [1.0] * 4


def test_a_note_whose_name_is_the_query_is_boosted() -> None:
    names = [{"bees"}, {"garden", "plot"}, set()]
    assert boosts.by_name(names, "plot", most=0.5).tolist() == [1.0, 1.5, 1.0]


def test_notes_linked_by_the_best_results_are_boosted_but_hubs_less() -> None:
    scores = floats(1.0, 0.9, 0.5, 0.5, 0.5)
    links = np.array([0, 0, 1, 1]), np.array([2, 3, 2, 3])
    lifted = boosts.by_links(scores, links, floats(0, 0, 2, 50, 0), activation=0.2, centrality=0.0)
    assert lifted[2] == pytest.approx(1.2)
    assert 1.0 < lifted[3] < lifted[2]
    assert lifted[[0, 1, 4]].tolist() == [1.0, 1.0, 1.0]


def test_centrality_counts_by_the_logarithm_of_the_links() -> None:
    lifted = boosts.by_links(
        floats(1, 1, 1), NO_LINKS, floats(0, 9, 99), activation=0.2, centrality=0.1
    )
    assert lifted.tolist() == pytest.approx([1.0, 1.05, 1.1])


def test_top_results_in_one_folder_are_boosted_up_to_a_limit() -> None:
    few = boosts.by_folder_mates(floats(1.0, 0.5, 0.5), ["a", "a", "b"], most=0.1)
    assert few.tolist() == pytest.approx([1.01, 1.02, 1.0])
    many = boosts.by_folder_mates(np.ones(40, np.float32), ["a"] * 40, most=0.1)
    assert many.max() == pytest.approx(1.1)
    assert many[20:].tolist() == [1.0] * 20  # those further down lift nobody


def test_the_nearest_folder_with_a_weight_counts() -> None:
    weights = {"Archive": 0.5, "Archive/Best": 2.0}
    folders = ["Archive/2019/May", "Archive/Best", "Archives", ""]
    assert boosts.by_folder(folders, weights).tolist() == [0.5, 2.0, 1.0, 1.0]
    assert boosts.by_folder(["", "x"], {"": 0.9}).tolist() == pytest.approx([0.9, 0.9])


@given(
    scores=st.lists(st.floats(0, 1, width=32), min_size=1, max_size=30),
    most=st.floats(0, 1),
    edges=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 29)), max_size=40),
)
def test_every_boost_stays_within_its_bounds(
    scores: list[float], most: float, edges: list[tuple[int, int]]
) -> None:
    values = np.array(scores, np.float32)
    inside = sorted({edge for edge in edges if max(edge) < len(scores)})
    ends = np.array(inside, np.int64).reshape(-1, 2)
    links = ends[:, 0], ends[:, 1]
    degrees = np.zeros(len(scores), np.float32)
    lifted = boosts.by_links(values, links, degrees, activation=most, centrality=0.0)
    mates = boosts.by_folder_mates(values, ["a"] * len(scores), most=most)
    for each in (lifted, mates):
        assert np.isfinite(each).all()
        assert (each >= 1.0 - 1e-6).all()
        assert (each <= 1.0 + most + 1e-5).all()
