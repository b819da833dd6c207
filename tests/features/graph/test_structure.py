"""The shape of a network: parts, cuts, communities, PageRank; networkx is the reference."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.features.graph.structure import DAMPING, Structure
from tests.features.graph.networks import PAIRS, directed, network, undirected


@given(PAIRS)
def test_components_agree_with_networkx(pairs: list[tuple[int, int]]) -> None:
    made = network(pairs)
    wanted = {frozenset(part) for part in nx.connected_components(undirected(made))}

    assert {frozenset(part) for part in Structure(made).components} == wanted


@given(PAIRS)
def test_bridges_and_cut_points_agree_with_networkx(pairs: list[tuple[int, int]]) -> None:
    made = network(pairs)
    graph = undirected(made)

    cuts = Structure(made).cuts

    assert {(bridge.one, bridge.other) for bridge in cuts.bridges} == {
        (min(pair), max(pair)) for pair in nx.bridges(graph)
    }
    assert {point.note for point in cuts.points} == set(nx.articulation_points(graph))
    for bridge in cuts.bridges:
        cut = graph.copy()
        cut.remove_edge(bridge.one, bridge.other)
        sizes = [len(nx.node_connected_component(cut, end)) for end in (bridge.one, bridge.other)]
        assert bridge.cut_off == min(sizes)
    for point in cuts.points:
        near = nx.node_connected_component(graph, point.note)
        parts = nx.connected_components(graph.subgraph(near - {point.note}))
        assert point.cut_off == len(near) - 1 - max(map(len, parts))


def test_a_long_chain_does_not_exceed_the_recursion_limit() -> None:
    made = network([(note, note + 1) for note in range(5000)])

    assert len(Structure(made).cuts.bridges) == 5000


@given(PAIRS)
def test_pagerank_is_a_share_of_visits(pairs: list[tuple[int, int]]) -> None:
    made = network(pairs)
    ranks = Structure(made).pagerank

    assert ranks.keys() == made.out.keys()
    if ranks:
        assert sum(ranks.values()) == pytest.approx(1)
        ends = sum(rank for note, rank in ranks.items() if not made.out[note])
        for note, rank in ranks.items():  # each note has what its linkers give and chance adds
            given_on = sum(ranks[each] / len(made.out[each]) for each in made.into[note])
            anywhere = (DAMPING * ends + 1 - DAMPING) / len(ranks)
            assert rank == pytest.approx(DAMPING * given_on + anywhere, abs=1e-8)


@given(PAIRS)
def test_every_note_is_in_one_community(pairs: list[tuple[int, int]]) -> None:
    made = network(pairs)
    found = Structure(made).communities

    assert sorted(note for group in found for note in group) == list(made.both)
    assert found == Structure(made).communities
    graph = undirected(made)
    if graph.number_of_edges():
        wanted = nx.community.modularity(graph, found)
        assert Structure(made).modularity == pytest.approx(wanted)
        assert wanted >= nx.community.modularity(graph, [{note} for note in made.both]) - 1e-9


def test_the_karate_club_has_its_known_communities() -> None:
    club = nx.karate_club_graph()
    made = network(club.edges)

    found = Structure(made).communities

    assert Structure(made).modularity > 0.4  # the best that is known has 0.4198
    assert not any({0, 33} <= set(group) for group in found)


def test_an_empty_vault_has_empty_results() -> None:
    made = network([])
    empty = Structure(made)

    assert (empty.components, empty.communities, empty.pagerank) == ((), (), {})
    assert empty.modularity == 0
    assert directed(made).number_of_nodes() == 0


@given(PAIRS, st.booleans())
def test_a_found_path_is_a_shortest_path(pairs: list[tuple[int, int]], along: bool) -> None:
    made = network(pairs, [0, 1])
    graph = directed(made) if along else undirected(made)

    found = Structure(made).shortest_path(0, 1, directed=along)

    if not nx.has_path(graph, 0, 1):
        assert found is None
        return
    assert found is not None
    assert (found[0], found[-1]) == (0, 1)
    assert nx.is_path(graph, found)
    assert len(found) == nx.shortest_path_length(graph, 0, 1) + 1
    links = [sum(len(made.both[n]) for n in path) for path in nx.all_shortest_paths(graph, 0, 1)]
    assert sum(len(made.both[n]) for n in found) == min(links)


def test_among_shortest_paths_the_hub_is_avoided() -> None:
    hub = [(9, note) for note in range(8)]

    made = Structure(network([*hub, (0, 8), (8, 1)]))

    assert made.shortest_path(0, 1, directed=False) == (0, 8, 1)


def test_the_path_from_a_note_to_itself_is_the_note() -> None:
    assert Structure(network([], [0])).shortest_path(0, 0, directed=True) == (0,)
