"""Groups of notes that link to each other more than to the rest.

The Louvain method (Blondel, Guillaume, Lambiotte and Lefebvre 2008, "Fast unfolding of communities
in large networks"), without regard to directions, in a fixed order: the same links always give the
same groups.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

from notewell.graph.network import Network

_SEED = 0
_MIN_GAIN = 1e-9  # what rounding alone can seem to gain

_Weights = list[dict[int, float]]  # node -> neighbour -> weight; to itself: links within, twice
_Partition = tuple[tuple[int, ...], ...]


def find_communities(network: Network) -> _Partition:
    """Every note in one group, largest group first; each ascending."""
    notes = list(network.both)
    place = {note: at for at, note in enumerate(notes)}
    weights: _Weights = [{place[near]: 1.0 for near in network.both[note]} for note in notes]
    members = [[note] for note in notes]
    order = random.Random(_SEED)  # noqa: S311 - an order of visits, not a secret
    while True:
        group = _moved(weights, order)
        count = max(group, default=-1) + 1
        if count == len(weights):
            break
        weights = _merged(weights, group, count)
        joined: list[list[int]] = [[] for _ in range(count)]
        for node, into in enumerate(group):
            joined[into] += members[node]
        members = joined
    return tuple(sorted((tuple(sorted(m)) for m in members), key=lambda m: (-len(m), m)))


def modularity(network: Network, communities: _Partition) -> float:
    """How much more links lie within the groups than chance would put there (Newman 2006)."""
    doubled = sum(map(len, network.both.values()))
    if not doubled:
        return 0.0
    value = 0.0
    for community in communities:
        inside = set(community)
        degrees = sum(len(network.both[note]) for note in community)
        within = sum(near in inside for note in community for near in network.both[note])
        value += within / doubled - (degrees / doubled) ** 2
    return value


def _moved(weights: _Weights, order: random.Random) -> list[int]:
    """The group of each node, numbered from 0, after no move of one node gains anything."""
    degree = [sum(near.values()) for near in weights]
    doubled = sum(degree)
    group = list(range(len(weights)))
    if not doubled:
        return group
    total = degree[:]  # of each group
    nodes = list(range(len(weights)))
    order.shuffle(nodes)
    moving = True
    while moving:
        moving = False
        for node in nodes:
            home = group[node]
            links: defaultdict[int, float] = defaultdict(float)
            links[home] = 0.0
            for near, weight in weights[node].items():
                if near != node:
                    links[group[near]] += weight
            total[home] -= degree[node]
            share = degree[node] / doubled
            best, most = home, links[home] - total[home] * share + _MIN_GAIN
            for other, weight in links.items():
                gain = weight - total[other] * share
                if gain > most:
                    best, most = other, gain
            total[best] += degree[node]
            if best != home:
                group[node] = best
                moving = True
    return _renumbered(group)


def _merged(weights: _Weights, group: Sequence[int], count: int) -> _Weights:
    """The network of groups: what linked their nodes links them."""
    merged: list[defaultdict[int, float]] = [defaultdict(float) for _ in range(count)]
    for node, nears in enumerate(weights):
        into = merged[group[node]]
        for near, weight in nears.items():
            into[group[near]] += weight
    return [dict(nears) for nears in merged]


def _renumbered(group: Sequence[int]) -> list[int]:
    numbers: dict[int, int] = {}
    return [numbers.setdefault(one, len(numbers)) for one in group]
