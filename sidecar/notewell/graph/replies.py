"""Parts of the contract's replies, made from a view of the graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from notewell.contract.fields import iso
from notewell.contract.graph_replies import (
    BridgeLink,
    Community,
    CutNote,
    DanglingTarget,
    GraphNote,
    Hub,
    MissingLink,
    Neighbor,
    NeighborhoodNote,
    PathStep,
)
from notewell.graph.dangling import DanglingLinks
from notewell.graph.network import NearbyNote
from notewell.graph.similar_notes import SuggestedLink
from notewell.graph.views import GraphView
from notewell.index.topic_links import TopicLinks

if TYPE_CHECKING:  # importing it at run time would import networkx
    from notewell.graph.structure import Bridge, CutPoint

_SHOWN_TAGS = 3
_SHOWN_SOURCES = 10


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
