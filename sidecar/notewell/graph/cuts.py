"""What holds a network together: links and notes without which a part of it is cut off.

Hopcroft and Tarjan 1973, "Efficient algorithms for graph manipulation" (one depth-first search),
with the sizes of subtrees counted along the way. Directions of links play no part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from notewell.graph.network import Network


@dataclass(frozen=True, slots=True)
class Bridge:
    """A link that alone connects two parts; the smaller one has `cut_off` notes."""

    one: int
    other: int
    cut_off: int


@dataclass(frozen=True, slots=True)
class CutPoint:
    """A note that alone connects several parts; all but the largest have `cut_off` notes."""

    note: int
    cut_off: int


@dataclass(frozen=True, slots=True)
class Cuts:
    """Bridges and cut points, those that cut off most first."""

    bridges: tuple[Bridge, ...]
    points: tuple[CutPoint, ...]


def find_cuts(network: Network) -> Cuts:
    """All bridges and cut points of a network."""
    search = _Search(network)
    for note in network.both:
        if note not in search.found:
            search.explore(note)
    bridges = sorted(search.bridges, key=lambda one: (-one.cut_off, one.one, one.other))
    points = sorted(search.points, key=lambda one: (-one.cut_off, one.note))
    return Cuts(tuple(bridges), tuple(points))


@dataclass(slots=True)
class _Search:
    """A depth-first search; `low` is the earliest found note that a subtree has a link to."""

    network: Network
    found: dict[int, int] = field(default_factory=dict)  # note -> when it was found
    low: dict[int, int] = field(default_factory=dict)
    size: dict[int, int] = field(default_factory=dict)  # of the subtree beneath a note
    bridges: list[Bridge] = field(default_factory=list)
    points: list[CutPoint] = field(default_factory=list)

    def explore(self, root: int) -> None:
        """Search one component; what it cuts is known when its size is."""
        parents: dict[int, int] = {}  # in the order of finding
        stack: list[tuple[int, int | None, Iterator[int]]] = [self._enter(root, None)]
        while stack:
            note, parent, nexts = stack[-1]
            for near in nexts:
                if near == parent:
                    continue
                if near in self.found:
                    self.low[note] = min(self.low[note], self.found[near])
                    continue
                parents[near] = note
                stack.append(self._enter(near, note))
                break
            else:
                stack.pop()
                if parent is not None:
                    self.low[parent] = min(self.low[parent], self.low[note])
                    self.size[parent] += self.size[note]
        self._conclude(root, parents)

    def _enter(self, note: int, parent: int | None) -> tuple[int, int | None, Iterator[int]]:
        self.found[note] = self.low[note] = len(self.found)
        self.size[note] = 1
        return note, parent, iter(self.network.both[note])

    def _conclude(self, root: int, parents: dict[int, int]) -> None:
        total = self.size[root]
        loose: dict[int, list[int]] = {}  # note -> sizes of the subtrees that hang on it alone
        for note, parent in parents.items():
            if self.low[note] > self.found[parent]:
                cut_off = min(self.size[note], total - self.size[note])
                self.bridges.append(Bridge(min(note, parent), max(note, parent), cut_off))
            if self.low[note] >= self.found[parent]:
                loose.setdefault(parent, []).append(self.size[note])
        for note, sizes in loose.items():
            rest = total - 1 - sum(sizes)
            parts = [size for size in (*sizes, rest) if size]
            if len(parts) > 1:
                self.points.append(CutPoint(note, sum(parts) - max(parts)))
