"""The links of a vault as replies have them: notes, neighbours, hubs, bridges, communities."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from notewell.api.notes import DailyNotes
from notewell.api.requests import iso
from notewell.api.types import VaultRecord
from notewell.api.vault import IndexReader, StoredNote
from notewell.contract.notes import Neighbor
from notewell.features.graph.network import DanglingLinks, NearbyNote, Network
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
from notewell.features.graph.suggestions import SuggestedLink
from notewell.index.topic_links import TopicLinks

if TYPE_CHECKING:
    from notewell.features.graph.structure import Bridge, CutPoint, Structure


_SHOWN_TAGS = 3
_SHOWN_SOURCES = 10


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
