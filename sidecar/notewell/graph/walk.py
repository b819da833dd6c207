"""Walks along links: what lies within some hops of a note, and what lies between two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from notewell.contract.questions import Direction, LinkDirection
from notewell.graph.network import Adjacency, Network


@dataclass(frozen=True, slots=True)
class Reached:
    """A note that a walk comes to first after `hops` links.

    `score` is decay to the power of `hops`; `ways` counts the notes one hop nearer that lead to it.
    """

    note: int
    hops: int
    score: float
    ways: int


def within(
    network: Network, start: int, *, hops: int, direction: Direction, decay: float
) -> tuple[Reached, ...]:
    """The notes at most `hops` links away, nearest first, then those that more ways lead to."""
    near = _along(network, direction)
    seen = {start}
    ring: Mapping[int, int] = {start: 1}
    reached: list[Reached] = []
    for hop in range(1, hops + 1):
        ways: dict[int, int] = {}
        for note in ring:
            for other in near[note]:
                if other not in seen:
                    ways[other] = ways.get(other, 0) + 1
        if not ways:
            break
        order = sorted(ways, key=lambda note: (-ways[note], note))
        reached += [Reached(note, hop, decay**hop, ways[note]) for note in order]
        seen.update(ways)
        ring = ways
    return tuple(reached)


def shortest_path(
    network: Network, source: int, target: int, *, directed: bool
) -> tuple[int, ...] | None:
    """The notes from `source` to `target`, both included; None: nothing connects them.

    Of several equally short paths, the one whose notes in between have the fewest links: a note
    that everything links to says little of how two others belong together.
    """
    onward = _along(network, "out" if directed else "both")
    levels = _levels(onward, source, target)
    if levels is None:
        return None
    cost: dict[int, tuple[int, int]] = {source: (0, source)}  # links so far, the note before
    for level in levels[:-1]:
        reached: dict[int, tuple[int, int]] = {}
        for note in level:
            spent = cost[note][0] + (len(network.both[note]) if note != source else 0)
            for other in onward[note]:
                if other not in cost and (other not in reached or (spent, note) < reached[other]):
                    reached[other] = (spent, note)
        cost.update(reached)
    path = [target]
    while path[-1] != source:
        path.append(cost[path[-1]][1])
    return tuple(reversed(path))


def link_between(network: Network, one: int, other: int) -> LinkDirection | None:
    """How `one` is linked with `other`, seen from `one`; None: not at all."""
    out, into = other in network.out[one], one in network.out[other]
    if out and into:
        return "both"
    if not out and not into:
        return None
    return "out" if out else "in"


def _along(network: Network, direction: Direction) -> Adjacency:
    return {"out": network.out, "in": network.into, "both": network.both}[direction]


def _levels(onward: Adjacency, source: int, target: int) -> list[list[int]] | None:
    """Notes by their distance from `source`, up to that of `target`."""
    seen = {source}
    levels = [[source]]
    while target not in seen:
        level = sorted({near for note in levels[-1] for near in onward[note]} - seen)
        if not level:
            return None
        seen.update(level)
        levels.append(level)
    return levels
