"""Answers to questions about a vault's links, in the words of the contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from notewell.contract.graph import (
    BridgeLink,
    BridgesReply,
    CommunitiesReply,
    Community,
    CutNote,
    DanglingReply,
    DanglingTarget,
    GraphStatsReply,
    HubsReply,
    MissingLink,
    MissingLinksReply,
    Neighbor,
    NeighborhoodNote,
    NeighborhoodReply,
    NeighborsReply,
    OrphansReply,
    PathReply,
    PathStep,
)
from notewell.contract.questions import (
    BridgesQuestion,
    CommunitiesQuestion,
    DanglingQuestion,
    GraphStatsQuestion,
    HubsQuestion,
    MissingLinksQuestion,
    NeighborhoodQuestion,
    NeighborsQuestion,
    OrphansQuestion,
    PathQuestion,
)
from notewell.errors import NotFoundError
from notewell.graph import walk
from notewell.graph.communities import modularity
from notewell.graph.cuts import find_cuts
from notewell.graph.dangling import dangling
from notewell.graph.missing import (
    MAX_COMPARED,
    Missing,
    centred,
    missing_links,
    missing_links_of,
)
from notewell.graph.neighborhood import alike_among, likest_to, links_among
from notewell.graph.view import GraphView, GraphViews
from notewell.index.embedded.index import Index
from notewell.types import FloatArray, IdArray, StoredNote, VaultRecord

STATS_HUBS = 5
_SHOWN_TAGS = 3
_SHOWN_SOURCES = 10
_NO_NOTES: IdArray = np.empty(0, np.int64)
_NO_VECTORS: FloatArray = np.empty((0, 0), np.float32)


class GraphAnswers:
    """Answers for one vault; `find` gives the note that a path names, or raises NotFoundError."""

    def __init__(self, index: Index, vault: VaultRecord, find: Callable[[str], StoredNote]) -> None:
        """Nothing is computed yet."""
        self._index = index
        self._vault = vault.name
        self._views = GraphViews(index, vault)
        self._find = find

    def neighbors(self, asked: NeighborsQuestion) -> NeighborsReply:
        """The notes within some hops of one."""
        view, (start,) = self._around(asked.path, daily=asked.daily)
        reached = walk.within(
            view.network, start, hops=asked.hops, direction=asked.direction, decay=asked.decay
        )
        near = sorted(reached, key=lambda one: (one.hops, -one.ways, view.path(one.note)))
        return NeighborsReply(
            vault=self._vault,
            generation=view.generation,
            path=view.path(start),
            hops=asked.hops,
            direction=asked.direction,
            decay=asked.decay,
            total=len(near),
            neighbors=tuple(_neighbor(view, start, one) for one in near[: asked.limit]),
        )

    def neighborhood(self, asked: NeighborhoodQuestion) -> NeighborhoodReply:
        """What a picture shows: the notes around one, or the most linked of all."""
        paths = () if asked.path is None else (asked.path,)
        view, around = self._around(*paths, daily=asked.daily)
        ids, own = self._compared(view) if asked.similar else (_NO_NOTES, _NO_VECTORS)
        hops = _within(view, around, asked.hops)
        notes = list(hops) if around else view.by_links(view.network.out)
        total = len(notes)
        for start in around:
            alike = likest_to(start, ids, own, but=hops)
            notes = [*notes[: max(1, asked.limit - len(alike))], *alike]
        notes = notes[: asked.limit]
        lacking = asked.similar and not len(ids)
        return NeighborhoodReply(
            vault=self._vault,
            generation=view.generation,
            path=view.path(around[0]) if around else None,
            total=total,
            nodes=tuple(_drawn(view, note, hops.get(note)) for note in notes),
            links=links_among(view.network, notes),
            similar=alike_among(notes, ids, own),
            warnings=("No note has a vector yet, so none can be compared.",) * lacking,
        )

    def path(self, asked: PathQuestion) -> PathReply:
        """A shortest path between two notes; they may be daily notes, whatever `daily` says."""
        view, (source, target) = self._around(asked.source, asked.target, daily=asked.daily)
        found = walk.shortest_path(view.network, source, target, directed=asked.directed)
        steps = [
            PathStep(
                view.path(note),
                view.notes[note].title,
                walk.link_between(view.network, before, note) if before is not None else None,
            )
            for before, note in zip((None, *(found or ())), found or (), strict=False)
        ]
        return PathReply(
            vault=self._vault,
            generation=view.generation,
            source=view.path(source),
            target=view.path(target),
            directed=asked.directed,
            length=len(found) - 1 if found is not None else None,
            steps=tuple(steps),
        )

    def hubs(self, asked: HubsQuestion) -> HubsReply:
        """The notes that most others lead to."""
        view = self._all(daily=asked.daily)
        hubs = [note for note, linking in view.network.into.items() if linking]
        if asked.by == "pagerank":
            order = sorted(hubs, key=lambda note: (-view.pagerank[note], view.path(note)))
        else:
            order = view.by_links(hubs)
        return HubsReply(
            vault=self._vault,
            generation=view.generation,
            by=asked.by,
            total=len(order),
            hubs=tuple(view.hub(note) for note in order[: asked.limit]),
        )

    def stats(self, asked: GraphStatsQuestion) -> GraphStatsReply:
        """The links in numbers."""
        view = self._all(daily=asked.daily)
        network = view.network
        parts = network.components()
        targets, _ = dangling(self._index.graph.unresolved(), within=network.out.keys())
        hubs = view.by_links(note for note, linking in network.into.items() if linking)
        return GraphStatsReply(
            vault=self._vault,
            generation=view.generation,
            nodes=len(network),
            edges=network.edge_count,
            unresolved=sum(len(one.sources) for one in targets),
            components=len(parts),
            largest=len(parts[0]) if parts else 0,
            isolated=sum(not near for near in network.both.values()),
            orphans=sum(not linking for linking in network.into.values()),
            hubs=tuple(view.hub(note) for note in hubs[:STATS_HUBS]),
        )

    def bridges(self, asked: BridgesQuestion) -> BridgesReply:
        """What holds the vault together."""
        view = self._all(daily=asked.daily)
        cuts = find_cuts(view.network)
        return BridgesReply(
            vault=self._vault,
            generation=view.generation,
            total_bridges=len(cuts.bridges),
            total_notes=len(cuts.points),
            bridges=tuple(
                BridgeLink(*_along(view, one.one, one.other), one.cut_off)
                for one in cuts.bridges[: asked.limit]
            ),
            notes=tuple(
                CutNote(view.path(one.note), view.notes[one.note].title, one.cut_off)
                for one in cuts.points[: asked.limit]
            ),
        )

    def communities(self, asked: CommunitiesQuestion) -> CommunitiesReply:
        """The communities, or the one of a note."""
        paths = () if asked.path is None else (asked.path,)
        view, around = self._around(*paths, daily=asked.daily)
        groups = [group for group in view.communities if len(group) > 1]
        chosen = [group for group in groups if all(note in group for note in around)]
        return CommunitiesReply(
            vault=self._vault,
            generation=view.generation,
            total=len(groups),
            single=len(view.communities) - len(groups),
            modularity=round(modularity(view.network, view.communities), 4),
            communities=tuple(
                _community(view, group, asked.members) for group in chosen[: asked.limit]
            ),
        )

    def orphans(self, asked: OrphansQuestion) -> OrphansReply:
        """Notes that no note links to."""
        view = self._all(daily=asked.daily)
        orphans = [note for note, linking in view.network.into.items() if not linking]
        orphans.sort(key=view.path)
        return OrphansReply(
            vault=self._vault,
            generation=view.generation,
            total=len(orphans),
            isolated=sum(not view.network.out[note] for note in orphans),
            notes=tuple(view.note(note) for note in orphans[: asked.limit]),
        )

    def dangling(self, asked: DanglingQuestion) -> DanglingReply:
        """Links that lead to no note."""
        view = self._all(daily=asked.daily)
        targets, attachments = dangling(
            self._index.graph.unresolved(), within=view.network.out.keys()
        )
        return DanglingReply(
            vault=self._vault,
            generation=view.generation,
            total=len(targets),
            attachments=attachments,
            targets=tuple(
                DanglingTarget(
                    one.target,
                    one.links,
                    len(one.sources),
                    tuple(sorted(map(view.path, one.sources))[:_SHOWN_SOURCES]),
                )
                for one in targets[: asked.limit]
            ),
        )

    def missing(self, asked: MissingLinksQuestion) -> MissingLinksReply:
        """Notes that are alike and not linked."""
        paths = () if asked.path is None else (asked.path,)
        view, around = self._around(*paths, daily=asked.daily)
        notes, own = self._compared(view)
        warnings = ["No note has a vector yet, so none can be compared."] * (not len(notes))
        if around:
            found = missing_links_of(view.network, around[0], notes, own, limit=asked.limit)
        else:
            if len(notes) > MAX_COMPARED:
                latest = _latest(view, notes.tolist(), MAX_COMPARED)
                notes, own = notes[latest], own[latest]
                warnings.append(f"Only the {MAX_COMPARED:,} notes changed last were compared.")
            found = missing_links(view.network, notes, own, limit=asked.limit)
        return MissingLinksReply(
            vault=self._vault,
            generation=view.generation,
            compared=len(notes),
            links=tuple(_suggestion(view, one) for one in found),
            warnings=tuple(warnings),
        )

    def _compared(self, view: GraphView) -> tuple[IdArray, FloatArray]:
        """The notes that have vectors, and what is their own in these."""
        notes, means = self._index.vectors.note_means()
        known = np.isin(notes, np.fromiter(view.network.out, np.int64, len(view.network)))
        notes, means = notes[known], means[known]
        return notes, centred(means, [view.path(one).rpartition("/")[0] for one in notes.tolist()])

    def _all(self, *, daily: bool) -> GraphView:
        return self._views.whole() if daily else self._views.without_daily()

    def _around(self, *paths: str, daily: bool) -> tuple[GraphView, tuple[int, ...]]:
        """The view to answer from, and the notes at `paths`, which are in it."""
        notes = tuple(self._find(path).id for path in paths)
        view = self._views.whole() if daily else self._views.without_daily(but=notes)
        for path, note in zip(paths, notes, strict=True):
            if note not in view.network.out:
                raise NotFoundError(f"'{path}' was indexed this very moment; ask again.")
        return view, notes


def _within(view: GraphView, around: Sequence[int], hops: int) -> dict[int, int]:
    """How far notes are from the start, nearest first, itself included; empty without one."""
    near = dict.fromkeys(around, 0)
    for start in around:
        reached = walk.within(view.network, start, hops=hops, direction="both", decay=1.0)
        near.update({one.note: one.hops for one in reached})
    return near


def _drawn(view: GraphView, note: int, hops: int | None) -> NeighborhoodNote:
    linked = len(view.network.both[note])
    return NeighborhoodNote(view.path(note), view.notes[note].title, hops, linked)


def _neighbor(view: GraphView, start: int, reached: walk.Reached) -> Neighbor:
    return Neighbor(
        path=view.path(reached.note),
        title=view.notes[reached.note].title,
        hops=reached.hops,
        score=round(reached.score, 6),
        ways=reached.ways,
        link=walk.link_between(view.network, start, reached.note),
    )


def _along(view: GraphView, one: int, other: int) -> tuple[str, str]:
    """Both paths, that of the note which links to the other first."""
    pair = (one, other) if other in view.network.out[one] else (other, one)
    return view.path(pair[0]), view.path(pair[1])


def _community(view: GraphView, group: Iterable[int], members: int) -> Community:
    order = view.by_links(group)
    tags = Counter(tag for note in order for tag in view.notes[note].tags)
    often = sorted(tags, key=lambda tag: (-tags[tag], tag))[:_SHOWN_TAGS]
    return Community(
        name=view.notes[order[0]].title,
        size=len(order),
        tags=tuple(often),
        notes=tuple(view.note(note) for note in order[:members]),
    )


def _latest(view: GraphView, notes: Sequence[int], count: int) -> IdArray:
    """Places in `notes` of those that changed last."""
    changed = np.array([view.notes[note].modified or 0.0 for note in notes])
    return np.sort(np.argsort(-changed, kind="stable")[:count])


def _suggestion(view: GraphView, found: Missing) -> MissingLink:
    one, other = view.notes[found.one], view.notes[found.other]
    shared = {tag.casefold() for tag in other.tags}
    return MissingLink(
        source=one.path,
        target=other.path,
        score=round(min(found.score, 1.0), 4),
        shared_links=found.shared,
        shared_tags=tuple(tag for tag in one.tags if tag.casefold() in shared),
    )
