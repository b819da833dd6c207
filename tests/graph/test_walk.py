"""Walks: what is near, and what lies between."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.contract.questions import Direction
from notewell.graph.network import Network
from notewell.graph.walk import link_between, shortest_path, within
from tests.graph.networks import PAIRS, directed, network, undirected


def reached(made: Network, hops: int, direction: Direction = "both") -> dict[int, int]:
    found = within(made, 0, hops=hops, direction=direction, decay=0.5)
    return {one.note: one.hops for one in found}


def test_directions_are_told_apart() -> None:
    made = network([(0, 1), (2, 0), (1, 3)])

    assert reached(made, 1, "out") == {1: 1}
    assert reached(made, 1, "in") == {2: 1}
    assert reached(made, 2) == {1: 1, 2: 1, 3: 2}


def test_each_hop_costs_and_more_ways_come_first() -> None:
    made = network([(0, 1), (0, 2), (0, 3), (1, 9), (2, 9), (3, 4)])

    found = within(made, 0, hops=2, direction="out", decay=0.5)

    assert [(one.note, one.score, one.ways) for one in found[3:]] == [(9, 0.25, 2), (4, 0.25, 1)]


@given(PAIRS, st.integers(1, 5), st.sampled_from(["out", "in", "both"]))
def test_distances_are_those_of_networkx(
    pairs: list[tuple[int, int]], hops: int, direction: Direction
) -> None:
    made = network(pairs, [0])
    graph = undirected(made) if direction == "both" else directed(made)
    graph = graph.reverse() if direction == "in" else graph
    lengths = nx.single_source_shortest_path_length(graph, 0, cutoff=hops)

    assert reached(made, hops, direction) == {n: hop for n, hop in lengths.items() if n != 0}


@given(PAIRS, st.booleans())
def test_a_shortest_path_is_one(pairs: list[tuple[int, int]], along: bool) -> None:
    made = network(pairs, [0, 1])
    graph = directed(made) if along else undirected(made)

    found = shortest_path(made, 0, 1, directed=along)

    if not nx.has_path(graph, 0, 1):
        assert found is None
        return
    assert found is not None
    assert (found[0], found[-1]) == (0, 1)
    assert nx.is_path(graph, found)
    assert len(found) == nx.shortest_path_length(graph, 0, 1) + 1


def test_a_path_avoids_the_hub() -> None:
    hub = [(9, note) for note in range(8)]

    assert shortest_path(network([*hub, (0, 8), (8, 1)]), 0, 1, directed=False) == (0, 8, 1)


def test_a_note_is_on_its_own_path() -> None:
    assert shortest_path(network([], [0]), 0, 0, directed=True) == (0,)


@pytest.mark.parametrize(
    ("pairs", "link"),
    [([(0, 1)], "out"), ([(1, 0)], "in"), ([(0, 1), (1, 0)], "both"), ([], None)],
)
def test_a_link_has_a_direction(pairs: list[tuple[int, int]], link: str | None) -> None:
    assert link_between(network(pairs, [0, 1]), 0, 1) == link
