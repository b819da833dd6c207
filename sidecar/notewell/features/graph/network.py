"""The links between notes at one moment, as plain adjacency: the notes near a note, and dead links.

Nearby notes are found here and not by networkx: only the notes around the start are read, where
networkx would first need a graph of the whole vault and a quarter of a second to be imported.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from dataclasses import dataclass

from notewell.api.notes import link_name
from notewell.api.vault import Link
from notewell.base.types import Direction
from notewell.contract.notes import LinkDirection
from notewell.vault.link_targets import ATTACHMENTS

Adjacency = Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Note ids and the notes adjacent to each, ascending; a note is not adjacent to itself.

    All three mappings have every note as a key. `both` unites `out` and `into`.
    """

    out: Adjacency
    into: Adjacency
    both: Adjacency

    @classmethod
    def of(cls, notes: Iterable[int], links_of: Callable[[int], Collection[int]]) -> Network:
        """Build a network; `links_of` gives the targets of a note's links, even unknown ones."""
        ids = sorted(notes)
        known = set(ids)
        out = {note: tuple(sorted(known.intersection(links_of(note)) - {note})) for note in ids}
        sources: dict[int, list[int]] = {note: [] for note in ids}
        for note, targets in out.items():
            for target in targets:
                sources[target].append(note)
        into = {note: tuple(linking) for note, linking in sources.items()}
        both = {note: tuple(sorted({*out[note], *into[note]})) for note in ids}
        return cls(out, into, both)

    def without(self, notes: Collection[int]) -> Network:
        """A copy without some notes and their links."""
        kept = [note for note in self.out if note not in notes]
        return Network.of(kept, self.out.__getitem__)

    def __len__(self) -> int:
        return len(self.out)

    @property
    def edge_count(self) -> int:
        """The number of linked pairs of notes; links in both directions count twice."""
        return sum(map(len, self.out.values()))

    def linked(self, one: int, other: int) -> bool:
        """True if either note links to the other."""
        return other in self.both[one]

    def link_between(self, one: int, other: int) -> LinkDirection | None:
        """The direction of the link between two notes, seen from `one`; None: no link."""
        out, into = other in self.out[one], one in self.out[other]
        if out and into:
            return "both"
        if not out and not into:
            return None
        return "out" if out else "in"

    def links_among(self, notes: Iterable[int]) -> tuple[tuple[int, int], ...]:
        """Each linked pair of some notes once, as positions in their order, lower one first."""
        position = {note: n for n, note in enumerate(notes)}
        return tuple(
            (here, position[other])
            for note, here in position.items()
            for other in self.both[note]
            if position.get(other, -1) > here
        )


@dataclass(frozen=True, slots=True)
class NearbyNote:
    """A note whose shortest path from the start has `hops` links.

    `score` is decay to the power of `hops`; `ways` counts the notes one hop nearer to the start
    that are linked with it.
    """

    note: int
    hops: int
    score: float
    ways: int


def nearby_notes(
    network: Network,
    start: int,
    *,
    hops: int,
    direction: Direction,
    decay: float,
    also: Callable[[int], Iterable[int]] = lambda _: (),
) -> tuple[NearbyNote, ...]:
    """The notes at most `hops` links from `start`, by hops, then by ways (most first), then by id.

    `direction` says which links are followed; `also` gives further notes one hop from a note.
    The start itself is left out.
    """
    adjacent = {"out": network.out, "in": network.into, "both": network.both}[direction]
    seen, known = {start}, network.out.keys()
    frontier: Mapping[int, int] = {start: 1}
    nearby: list[NearbyNote] = []
    for hop in range(1, hops + 1):
        ways: dict[int, int] = {}
        for note in frontier:
            for other in {*adjacent[note], *(known & set(also(note)))}:
                if other not in seen:
                    ways[other] = ways.get(other, 0) + 1
        if not ways:
            break
        order = sorted(ways, key=lambda note: (-ways[note], note))
        nearby += [NearbyNote(note, hop, decay**hop, ways[note]) for note in order]
        seen.update(ways)
        frontier = ways
    return tuple(nearby)


@dataclass(frozen=True, slots=True)
class DanglingLinks:
    """The links to one target, in its most frequent spelling; `sources` are note ids, ascending."""

    target: str
    links: int
    sources: tuple[int, ...]


def dangling_links(
    unresolved: Iterable[tuple[int, Link]], *, within: Container[int]
) -> tuple[tuple[DanglingLinks, ...], int]:
    """The targets, those linked from most notes first, and the number of links to attachments.

    Links to attachments are not among the targets. Only links out of the notes in `within` count.
    """
    attachments = 0
    broken: dict[str, tuple[dict[str, int], set[int]]] = {}
    for source, link in unresolved:
        if source not in within:
            continue
        if link.target.lower().endswith(ATTACHMENTS):
            attachments += 1
            continue
        shared = link_name(unicodedata.normalize("NFC", link.target).casefold()).strip()
        spellings, sources = broken.setdefault(shared, ({}, set()))  # by what all spellings share
        spellings[link.target] = spellings.get(link.target, 0) + 1
        sources.add(source)
    targets = [
        DanglingLinks(
            max(spellings, key=lambda spelling: (spellings[spelling], spelling)),
            sum(spellings.values()),
            tuple(sorted(sources)),
        )
        for spellings, sources in broken.values()
    ]
    targets.sort(key=lambda target: (-len(target.sources), -target.links, target.target))
    return tuple(targets), attachments
