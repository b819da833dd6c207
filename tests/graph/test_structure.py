"""The shape of a network: parts, cuts, communities, PageRank; networkx is the reference."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given

from notewell.graph.communities import find_communities, modularity
from notewell.graph.cuts import find_cuts
from notewell.graph.network import Network
from notewell.graph.pagerank import DAMPING, pagerank
from tests.graph.networks import PAIRS, directed, network, undirected


def test_a_note_is_not_next_to_itself_and_unknown_notes_are_not_there() -> None:
    made = Network.of([1, 2], lambda _: {1, 2, 99})

    assert (made.out, made.into) == ({1: (2,), 2: (1,)}, {1: (2,), 2: (1,)})
    assert made.edge_count == 2


@given(PAIRS)
def test_components_are_those_of_networkx(pairs: list[tuple[int, int]]) -> None:
    made = network(pairs)
    wanted = {frozenset(part) for part in nx.connected_components(undirected(made))}

    assert {frozenset(part) for part in made.components()} == wanted


@given(PAIRS)
def test_without_notes_their_links_are_gone(pairs: list[tuple[int, int]]) -> None:
    left = network(pairs).without({0, 1})
    kept = [(a, b) for a, b in pairs if not {a, b} & {0, 1}]

    assert left.both == network(kept, left.out).both


@given(PAIRS)
def test_bridges_and_cut_points_are_those_of_networkx(pairs: list[tuple[int, int]]) -> None:
    made = network(pairs)
    graph = undirected(made)

    cuts = find_cuts(made)

    assert {(one.one, one.other) for one in cuts.bridges} == {
        (min(pair), max(pair)) for pair in nx.bridges(graph)
    }
    assert {one.note for one in cuts.points} == set(nx.articulation_points(graph))
    for bridge in cuts.bridges:
        cut = graph.copy()
        cut.remove_edge(bridge.one, bridge.other)
        sizes = [len(nx.node_connected_component(cut, end)) for end in (bridge.one, bridge.other)]
        assert bridge.cut_off == min(sizes)
    for point in cuts.points:
        near = nx.node_connected_component(graph, point.note)
        parts = nx.connected_components(graph.subgraph(near - {point.note}))
        assert point.cut_off == len(near) - 1 - max(map(len, parts))


def test_a_long_chain_needs_no_deep_recursion() -> None:
    made = network([(note, note + 1) for note in range(5000)])

    assert len(find_cuts(made).bridges) == 5000


@given(PAIRS)
def test_pagerank_is_a_share_of_visits(pairs: list[tuple[int, int]]) -> None:
    made = network(pairs)
    ranks = pagerank(made)

    assert ranks.keys() == made.out.keys()
    if ranks:
        assert sum(ranks.values()) == pytest.approx(1)
        ends = sum(rank for note, rank in ranks.items() if not made.out[note])
        for note, rank in ranks.items():  # each note has what its linkers give and chance adds
            given_on = sum(ranks[one] / len(made.out[one]) for one in made.into[note])
            anywhere = (DAMPING * ends + 1 - DAMPING) / len(ranks)
            assert rank == pytest.approx(DAMPING * given_on + anywhere, abs=1e-8)


@given(PAIRS)
def test_every_note_is_in_one_community(pairs: list[tuple[int, int]]) -> None:
    made = network(pairs)
    found = find_communities(made)

    assert sorted(note for group in found for note in group) == list(made.both)
    assert found == find_communities(made)
    graph = undirected(made)
    if graph.number_of_edges():
        wanted = nx.community.modularity(graph, found)
        assert modularity(made, found) == pytest.approx(wanted)
        assert wanted >= modularity(made, tuple((note,) for note in made.both)) - 1e-9


def test_the_karate_club_falls_apart_as_it_did() -> None:
    club = nx.karate_club_graph()
    made = network(club.edges)

    found = find_communities(made)

    assert modularity(made, found) > 0.4  # the best that is known has 0.4198
    assert not any({0, 33} <= set(group) for group in found)


def test_an_empty_vault_has_nothing() -> None:
    made = network([])

    assert (made.components(), find_communities(made), pagerank(made)) == ((), (), {})
    assert modularity(made, ()) == 0
    assert directed(made).number_of_nodes() == 0
