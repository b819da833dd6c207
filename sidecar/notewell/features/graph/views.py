"""The links between notes at one moment: as plain adjacency, the notes near a note, dead links.

Nearby notes are found here and not by networkx: only the notes around the start are read, where
networkx would first need a graph of the whole vault and a quarter of a second to be imported.
"""

from __future__ import annotations

import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from notewell.base.types import Direction, FloatArray, IdArray, Link, StoredNote, VaultRecord
from notewell.contract.notes import LinkDirection, Neighbor
from notewell.contract.request import iso
from notewell.features.graph.requests import (
    BridgeLink,
    Community,
    CutNote,
    DanglingTarget,
    GraphNote,
    Hub,
    MissingLink,
    NeighborhoodNote,
    PathStep,
)
from notewell.index.link_graph import TopicLinks
from notewell.index.port import IndexReader
from notewell.vault.daily import DailyNotes
from notewell.vault.paths import ATTACHMENTS
from notewell.vault.readers import link_name

if TYPE_CHECKING:
    from notewell.features.graph.structure import Bridge, CutPoint, Structure


Adjacency = Mapping[int, tuple[int, ...]]
MIN_SIMILARITY = 0.4  # centred cosine from which two notes are worth a look
MAX_COMPARED = 8_000  # notes compared pairwise; the time grows with the square
MAX_SIMILAR_TO_START = 12  # notes in a picture only because they are similar to its start
_MAX_PAIRS_OF_NOTE = 3  # suggestions for one note in a list for the whole vault
_POOL_FACTOR = 16  # pairs found for each one requested: most are linked or exceed a note's maximum
_PAIRS_DRAWN_PER_NOTE = 2  # on average; more would hide the links of a picture
_BLOCK_ROWS = 512
_SHOWN_TAGS = 3
_SHOWN_SOURCES = 10


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
    found: list[NearbyNote] = []
    for hop in range(1, hops + 1):
        ways: dict[int, int] = {}
        for note in frontier:
            for other in {*adjacent[note], *(known & set(also(note)))}:
                if other not in seen:
                    ways[other] = ways.get(other, 0) + 1
        if not ways:
            break
        order = sorted(ways, key=lambda note: (-ways[note], note))
        found += [NearbyNote(note, hop, decay**hop, ways[note]) for note in order]
        seen.update(ways)
        frontier = ways
    return tuple(found)


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
    found: dict[str, tuple[dict[str, int], set[int]]] = {}
    for source, link in unresolved:
        if source not in within:
            continue
        if link.target.lower().endswith(ATTACHMENTS):
            attachments += 1
            continue
        shared = link_name(unicodedata.normalize("NFC", link.target).casefold()).strip()
        spellings, sources = found.setdefault(shared, ({}, set()))  # by what all spellings share
        spellings[link.target] = spellings.get(link.target, 0) + 1
        sources.add(source)
    targets = [
        DanglingLinks(
            max(spellings, key=lambda one: (spellings[one], one)),
            sum(spellings.values()),
            tuple(sorted(sources)),
        )
        for spellings, sources in found.values()
    ]
    targets.sort(key=lambda one: (-len(one.sources), -one.links, one.target))
    return tuple(targets), attachments


@dataclass(frozen=True, slots=True)
class SuggestedLink:
    """Two notes to link. `score` is their centred cosine; `shared` notes are linked with both."""

    one: int
    other: int
    score: float
    shared: int


def suggest_links(
    network: Network, notes: IdArray, vectors: FloatArray, *, limit: int
) -> tuple[SuggestedLink, ...]:
    """The most similar pairs of notes that no link connects, each note in a few pairs at most.

    `vectors` are the centred ones of `notes`, in the same order; all notes are in the network.
    """
    ids = notes.tolist()
    used: Counter[int] = Counter()
    found: list[SuggestedLink] = []
    for row, column, score in _most_similar_pairs(vectors, limit * _POOL_FACTOR):
        one, other = ids[row], ids[column]
        if network.linked(one, other) or max(used[one], used[other]) >= _MAX_PAIRS_OF_NOTE:
            continue
        used.update((one, other))
        found.append(_suggestion(network, one, other, score))
        if len(found) == limit:
            break
    return tuple(found)


def suggest_links_of(
    network: Network, note: int, notes: IdArray, vectors: FloatArray, *, limit: int
) -> tuple[SuggestedLink, ...]:
    """The notes most similar to one and not linked with it; empty if it has no vector."""
    found: list[SuggestedLink] = []
    for other, score in _most_similar_to(note, notes, vectors):
        if len(found) == limit:
            break
        if not network.linked(note, other):
            found.append(_suggestion(network, note, other, score))
    return tuple(found)


def similar_notes(
    note: int, notes: IdArray, vectors: FloatArray, *, excluded: Collection[int]
) -> tuple[int, ...]:
    """The few notes most similar to one, best first; empty if it has no vector."""
    others = (other for other, _ in _most_similar_to(note, notes, vectors) if other not in excluded)
    return tuple(other for other, _ in zip(others, range(MAX_SIMILAR_TO_START), strict=False))


def similar_pairs_among(
    drawn: Iterable[int], notes: IdArray, vectors: FloatArray
) -> tuple[tuple[int, int, float], ...]:
    """The most similar pairs of the notes in a picture, best first.

    Each pair has two positions in `drawn`, the lower one first, and their cosine. `vectors` are the
    centred ones of `notes`; notes without a vector are in no pair.
    """
    position = {note: n for n, note in enumerate(drawn)}
    if not len(notes):
        return ()
    rows = np.flatnonzero(np.isin(notes, np.fromiter(position, np.int64, len(position))))
    positions = [position[note] for note in notes[rows].tolist()]
    pairs = _most_similar_pairs(vectors[rows], _PAIRS_DRAWN_PER_NOTE * len(position))
    return tuple(
        (
            min(positions[one], positions[other]),
            max(positions[one], positions[other]),
            round(min(score, 1.0), 4),
        )
        for one, other, score in pairs
    )


def _most_similar_pairs(vectors: FloatArray, count: int) -> Iterator[tuple[int, int, float]]:
    """At most `count` pairs (row, column, cosine) of at least MIN_SIMILARITY, best first.

    The threshold rises as pairs are found, so that few are in memory at once.
    """
    threshold = np.float32(MIN_SIMILARITY)
    rows, columns = np.empty(0, np.int64), np.empty(0, np.int64)
    scores = np.empty(0, np.float32)
    for start in range(0, len(vectors), _BLOCK_ROWS):
        block = vectors[start : start + _BLOCK_ROWS] @ vectors[start:].T
        above = np.argwhere(np.triu(block, 1) >= threshold)
        scores = np.concatenate((scores, block[above[:, 0], above[:, 1]]))
        rows = np.concatenate((rows, above[:, 0] + start))
        columns = np.concatenate((columns, above[:, 1] + start))
        if len(scores) > count:
            best = np.lexsort((columns, rows, -scores))[:count]
            rows, columns, scores = rows[best], columns[best], scores[best]
            threshold = scores[-1]
    for at in np.lexsort((columns, rows, -scores)).tolist():
        yield int(rows[at]), int(columns[at]), float(scores[at])


def _most_similar_to(note: int, notes: IdArray, vectors: FloatArray) -> Iterator[tuple[int, float]]:
    """The other notes with a cosine of at least MIN_SIMILARITY to one, best first."""
    (rows,) = np.nonzero(notes == note)
    if not len(rows):
        return
    scores = vectors @ vectors[rows[0]]
    for row in np.argsort(-scores, kind="stable").tolist():
        if scores[row] < MIN_SIMILARITY:
            return
        if row != rows[0]:
            yield int(notes[row]), float(scores[row])


def _suggestion(network: Network, one: int, other: int, score: float) -> SuggestedLink:
    shared = set(network.both[one]).intersection(network.both[other])
    return SuggestedLink(one, other, score, len(shared))


class GraphView:
    """The notes of one generation of the index and the links between them."""

    def __init__(self, generation: int, notes: Mapping[int, StoredNote], network: Network) -> None:
        self.generation = generation
        self.notes = notes
        self.network = network

    @cached_property
    def structure(self) -> Structure:
        """Results of computing with the whole network; kept with the view."""
        # Importing networkx takes longer than answering any other question.
        from notewell.features.graph.structure import Structure  # noqa: PLC0415

        return Structure(self.network)

    def path(self, note: int) -> str:
        return self.notes[note].path

    def by_backlinks(self, notes: Iterable[int]) -> list[int]:
        """Notes in order: those that most notes link to first, then by path."""
        into = self.network.into
        return sorted(notes, key=lambda note: (-len(into[note]), self.path(note)))


class GraphViews:
    """The views of one index, replaced after its text changed. Safe in any thread."""

    def __init__(self, index: IndexReader, vault: VaultRecord) -> None:
        self._index = index
        self._root = vault.path
        self._lock = threading.Lock()
        self._built_from: tuple[StoredNote, ...] | None = None
        self._whole: GraphView | None = None
        self._without_daily: GraphView | None = None

    def whole(self) -> GraphView:
        with self._lock:
            return self._current()

    def without_daily(self, *, except_for: Collection[int] = ()) -> GraphView:
        """The view without daily notes; those in `except_for` stay in it."""
        with self._lock:
            whole = self._current()
            if self._without_daily is None:
                self._without_daily = _without(whole, self._daily(whole))
            view = self._without_daily
            if all(note in view.network.out for note in except_for):
                return view
            return _without(whole, self._daily(whole).difference(except_for))

    def _current(self) -> GraphView:
        notes = self._index.all_notes()  # the same tuple until the text changes
        if self._whole is None or self._built_from is not notes:
            by_id = {note.id: note for note in notes}
            network = Network.of(by_id, self._index.graph.neighbours)
            self._whole = GraphView(self._index.generation, by_id, network)
            self._built_from, self._without_daily = notes, None
        return self._whole

    def _daily(self, view: GraphView) -> frozenset[int]:
        daily = DailyNotes.read(self._root)
        return frozenset(
            note.id for note in view.notes.values() if daily.holds(note.path, note.properties)
        )


def _without(whole: GraphView, notes: frozenset[int]) -> GraphView:
    return GraphView(whole.generation, whole.notes, whole.network.without(notes))


def graph_note(view: GraphView, note: int) -> GraphNote:
    """A note with its numbers of links."""
    into, out = len(view.network.into[note]), len(view.network.out[note])
    return GraphNote(view.path(note), view.notes[note].title, into, out)


def hub(view: GraphView, note: int) -> Hub:
    """A note with its numbers of links and its PageRank."""
    shown = graph_note(view, note)
    rank = round(view.structure.pagerank[note], 6)
    return Hub(shown.path, shown.title, shown.links_in, shown.links_out, rank)


def neighbor(view: GraphView, start: int, near: NearbyNote, topics: TopicLinks) -> Neighbor:
    """A note near `start`, with the topics that connect both."""
    common = topics.connecting(start, near.note) & view.network.out.keys()
    return Neighbor(
        path=view.path(near.note),
        title=view.notes[near.note].title,
        hops=near.hops,
        score=round(near.score, 6),
        ways=near.ways,
        link=view.network.link_between(start, near.note),
        topics=tuple(sorted(view.path(topic) for topic in common)),
    )


def neighborhood_note(
    view: GraphView, note: int, hops: int | None, community: int | None
) -> NeighborhoodNote:
    """A note in a picture, `hops` links from its start."""
    stored = view.notes[note]
    return NeighborhoodNote(
        path=stored.path,
        title=stored.title,
        hops=hops,
        links=len(view.network.both[note]),
        tags=stored.tags[:_SHOWN_TAGS],
        modified=iso(stored.modified),
        community=community,
    )


def path_steps(view: GraphView, path: Sequence[int]) -> tuple[PathStep, ...]:
    """The notes on a path, each with its link from the note before."""
    links = [view.network.link_between(before, note) for before, note in pairwise(path)]
    return tuple(
        PathStep(view.path(note), view.notes[note].title, link)
        for note, link in zip(path, (None, *links), strict=False)
    )


def bridge_link(view: GraphView, bridge: Bridge) -> BridgeLink:
    """A bridge, from the note that links to the note that is linked."""
    source, target = bridge.one, bridge.other
    if target not in view.network.out[source]:
        source, target = target, source
    return BridgeLink(view.path(source), view.path(target), bridge.cut_off)


def cut_note(view: GraphView, point: CutPoint) -> CutNote:
    """A note that alone connects parts."""
    return CutNote(view.path(point.note), view.notes[point.note].title, point.cut_off)


def community(view: GraphView, notes: Iterable[int], members: int) -> Community:
    """A community by its most linked notes, of which `members` are shown."""
    order = view.by_backlinks(notes)
    tags = Counter(tag for note in order for tag in view.notes[note].tags)
    frequent = sorted(tags, key=lambda tag: (-tags[tag], tag))[:_SHOWN_TAGS]
    return Community(
        name=view.notes[order[0]].title,
        size=len(order),
        tags=tuple(frequent),
        notes=tuple(graph_note(view, note) for note in order[:members]),
    )


def dangling_target(view: GraphView, links: DanglingLinks) -> DanglingTarget:
    """A target that is no note, with the first of the notes that link to it."""
    sources = sorted(map(view.path, links.sources))[:_SHOWN_SOURCES]
    return DanglingTarget(links.target, links.links, len(links.sources), tuple(sources))


def missing_link(view: GraphView, suggested: SuggestedLink) -> MissingLink:
    """A suggested link, with what the two notes share."""
    one, other = view.notes[suggested.one], view.notes[suggested.other]
    shared = {tag.casefold() for tag in other.tags}
    return MissingLink(
        source=one.path,
        target=other.path,
        score=round(min(suggested.score, 1.0), 4),
        shared_links=suggested.shared,
        shared_tags=tuple(tag for tag in one.tags if tag.casefold() in shared),
    )
