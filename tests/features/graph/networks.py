"""Networks for tests: drawn by hypothesis, or written as pairs."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx
from hypothesis import strategies as st

from notewell.features.graph.network import Network

PAIRS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30)


def network(pairs: Iterable[tuple[int, int]], notes: Iterable[int] = ()) -> Network:
    """A network of the notes in `pairs` (one links to the other) and of `notes`."""
    pairs = list(pairs)
    links: dict[int, set[int]] = {}
    for one, other in pairs:
        links.setdefault(one, set()).add(other)
    known = {*notes, *(note for pair in pairs for note in pair)}
    return Network.of(known, lambda note: links.get(note, set()))


def undirected(made: Network) -> nx.Graph[int]:
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(made.both)
    graph.add_edges_from((note, near) for note, nears in made.both.items() for near in nears)
    return graph


def directed(made: Network) -> nx.DiGraph[int]:
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(made.out)
    graph.add_edges_from((note, near) for note, nears in made.out.items() for near in nears)
    return graph
