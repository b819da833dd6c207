"""The network of links: nearby notes, and links between given notes."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.types import Direction
from notewell.features.graph.network import Network, nearby_notes
from tests.features.graph.networks import PAIRS, directed, network, undirected


def reached(made: Network, hops: int, direction: Direction = "both") -> dict[int, int]:
    found = nearby_notes(made, 0, hops=hops, direction=direction, decay=0.5)
    return {note.note: note.hops for note in found}


def test_a_note_is_not_its_own_neighbor_and_unknown_notes_have_none() -> None:
    made = Network.of([1, 2], lambda _: {1, 2, 99})

    assert (made.out, made.into) == ({1: (2,), 2: (1,)}, {1: (2,), 2: (1,)})
    assert made.edge_count == 2


@given(PAIRS)
def test_removing_notes_removes_their_links(pairs: list[tuple[int, int]]) -> None:
    left = network(pairs).without({0, 1})
    kept = [(a, b) for a, b in pairs if not {a, b} & {0, 1}]

    assert left.both == network(kept, left.out).both


def test_directions_are_distinguished() -> None:
    made = network([(0, 1), (2, 0), (1, 3)])

    assert reached(made, 1, "out") == {1: 1}
    assert reached(made, 1, "in") == {2: 1}
    assert reached(made, 2) == {1: 1, 2: 1, 3: 2}


def test_the_score_decays_by_hop_and_more_paths_rank_first() -> None:
    made = network([(0, 1), (0, 2), (0, 3), (1, 9), (2, 9), (3, 4)])

    found = nearby_notes(made, 0, hops=2, direction="out", decay=0.5)

    assert [(note.note, note.score, note.ways) for note in found[3:]] == [
        (9, 0.25, 2),
        (4, 0.25, 1),
    ]


@given(PAIRS, st.integers(1, 5), st.sampled_from(["out", "in", "both"]))
def test_distances_agree_with_networkx(
    pairs: list[tuple[int, int]], hops: int, direction: Direction
) -> None:
    made = network(pairs, [0])
    graph = undirected(made) if direction == "both" else directed(made)
    graph = graph.reverse() if direction == "in" else graph
    lengths = nx.single_source_shortest_path_length(graph, 0, cutoff=hops)

    assert reached(made, hops, direction) == {n: hop for n, hop in lengths.items() if n != 0}


@pytest.mark.parametrize(
    ("pairs", "link"),
    [([(0, 1)], "out"), ([(1, 0)], "in"), ([(0, 1), (1, 0)], "both"), ([], None)],
)
def test_a_link_has_a_direction(pairs: list[tuple[int, int]], link: str | None) -> None:
    assert network(pairs, [0, 1]).link_between(0, 1) == link


def test_links_are_between_shown_notes_and_listed_once() -> None:
    made = network([(1, 2), (2, 1), (2, 3), (3, 9)], [1, 2, 3, 9])

    assert set(made.links_among([3, 1, 2])) == {(0, 2), (1, 2)}
    assert made.links_among([]) == ()
