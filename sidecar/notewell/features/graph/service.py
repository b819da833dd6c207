"""Answers to the contract's questions about the links of a vault."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import NotFoundError
from notewell.api.search import NeighborsRequest, SearchRequest
from notewell.api.text import find_note
from notewell.api.types import FloatArray
from notewell.base.types import IdArray
from notewell.contract.notes import NeighborsReply
from notewell.features.graph import views
from notewell.features.graph.network import dangling_links, nearby_notes
from notewell.features.graph.requests import (
    BridgesReply,
    BridgesRequest,
    CommunitiesReply,
    CommunitiesRequest,
    DanglingReply,
    DanglingRequest,
    GraphStatsReply,
    GraphStatsRequest,
    HubsReply,
    HubsRequest,
    MissingLinksReply,
    MissingLinksRequest,
    NeighborhoodReply,
    NeighborhoodRequest,
    OrphansReply,
    OrphansRequest,
    PathReply,
    PathRequest,
)
from notewell.features.graph.suggestions import (
    MAX_COMPARED,
    similar_notes,
    similar_pairs_among,
    suggest_links,
    suggest_links_of,
)
from notewell.features.graph.views import GraphView, GraphViews
from notewell.index.topic_links import NO_TOPICS, TopicLinksCache
from notewell.search.rank.candidates import centred_vectors

STATS_HUBS = 5
MAX_RESULTS = 500  # of a search that are drawn
_NO_NOTES: IdArray = np.empty(0, np.int64)
_NO_VECTORS: FloatArray = np.empty((0, 0), np.float32)
_NO_VECTOR_YET = "No note has a vector yet, so none can be compared."


class GraphAnswers:
    """Answers the questions about one vault, in any thread; keeps results until the text changes.

    Every method raises NotFoundError if the request names a note that does not exist (the message
    has the most similar names), and IndexFailure if the index cannot be read.
    """

    def __init__(self, vault: OpenVault) -> None:
        self._index = vault.index
        self._vault = vault.record.name
        self._views = GraphViews(vault.index, vault.record)
        self._topics = TopicLinksCache(vault.settings().topics.folder)
        self._load_model = vault.embedder
        self._ask = vault.ask

    def neighbors(self, question: NeighborsRequest) -> NeighborsReply:
        view, (start,) = self._view_of(question.path, daily=question.daily)
        topics = self._topics.of(self._index) if question.mode == "ontology" else NO_TOPICS
        near = sorted(
            nearby_notes(
                view.network,
                start,
                hops=question.hops,
                direction=question.direction,
                decay=question.decay,
                also=topics.around,
            ),
            key=lambda note: (note.hops, -note.ways, view.path(note.note)),
        )
        return NeighborsReply(
            vault=self._vault,
            generation=view.generation,
            path=view.path(start),
            hops=question.hops,
            direction=question.direction,
            decay=question.decay,
            total=len(near),
            neighbors=tuple(
                views.neighbor(view, start, note, topics) for note in near[: question.limit]
            ),
        )

    def neighborhood(self, question: NeighborhoodRequest) -> NeighborhoodReply:
        """The notes of a picture: around a note, found by a search, or the most linked of all."""
        paths = () if question.path is None else (question.path,)
        view, starts = self._view_of(*paths, daily=question.daily)
        ids, vectors = self._centre(view) if question.similar else (_NO_NOTES, _NO_VECTORS)
        hops = _hops_around(view, starts, question.hops)
        notes = list(hops) if starts else self._notes_of(view, question)
        total = len(notes)
        for start in starts:
            similar = similar_notes(start, ids, vectors, excluded=hops)
            notes = [*notes[: max(1, question.limit - len(similar))], *similar]
        notes = notes[: question.limit]
        no_vectors = question.similar and not len(ids)
        groups = view.structure.community_numbers if question.communities else {}
        return NeighborhoodReply(
            vault=self._vault,
            generation=view.generation,
            path=view.path(starts[0]) if starts else None,
            total=total,
            nodes=tuple(
                views.neighborhood_note(view, note, hops.get(note), groups.get(note))
                for note in notes
            ),
            links=view.network.links_among(notes),
            similar=similar_pairs_among(notes, ids, vectors),
            warnings=(_NO_VECTOR_YET,) * no_vectors,
        )

    def _notes_of(self, view: GraphView, question: NeighborhoodRequest) -> list[int]:
        """The results of the search, best first, or all notes, the most linked first."""
        if question.q is None:
            return view.by_backlinks(view.network.out)
        asked = SearchRequest(
            q=question.q, limit=min(question.limit, MAX_RESULTS), weak=question.weak, passages=0
        )
        ranked = [self._index.note_at(result.path) for result in self._ask(asked).results]
        return [note.id for note in ranked if note is not None and note.id in view.network.out]

    def path(self, question: PathRequest) -> PathReply:
        """A shortest path between two notes; these may be daily notes, whatever `daily` is."""
        ends = question.source, question.target
        view, (source, target) = self._view_of(*ends, daily=question.daily)
        path = view.structure.shortest_path(source, target, directed=question.directed)
        return PathReply(
            vault=self._vault,
            generation=view.generation,
            source=view.path(source),
            target=view.path(target),
            directed=question.directed,
            length=None if path is None else len(path) - 1,
            steps=views.path_steps(view, path or ()),
        )

    def hubs(self, question: HubsRequest) -> HubsReply:
        """The notes with the most backlinks or the highest PageRank."""
        view = self._whole_view(daily=question.daily)
        linked = [note for note, linking in view.network.into.items() if linking]
        if question.by == "pagerank":
            ranks = view.structure.pagerank
            order = sorted(linked, key=lambda note: (-ranks[note], view.path(note)))
        else:
            order = view.by_backlinks(linked)
        return HubsReply(
            vault=self._vault,
            generation=view.generation,
            by=question.by,
            total=len(order),
            hubs=tuple(views.hub(view, note) for note in order[: question.limit]),
        )

    def stats(self, question: GraphStatsRequest) -> GraphStatsReply:
        """Numbers of notes, links and components."""
        view = self._whole_view(daily=question.daily)
        network = view.network
        components = view.structure.components
        targets, _ = dangling_links(self._index.graph.unresolved(), within=network.out.keys())
        hubs = view.by_backlinks(note for note, linking in network.into.items() if linking)
        return GraphStatsReply(
            vault=self._vault,
            generation=view.generation,
            nodes=len(network),
            edges=network.edge_count,
            unresolved=sum(len(target.sources) for target in targets),
            components=len(components),
            largest=len(components[0]) if components else 0,
            isolated=sum(not near for near in network.both.values()),
            orphans=sum(not linking for linking in network.into.values()),
            hubs=tuple(views.hub(view, note) for note in hubs[:STATS_HUBS]),
        )

    def bridges(self, question: BridgesRequest) -> BridgesReply:
        """The links and notes without which a part of the vault is cut off."""
        view = self._whole_view(daily=question.daily)
        cuts = view.structure.cuts
        shown = slice(question.limit)
        return BridgesReply(
            vault=self._vault,
            generation=view.generation,
            total_bridges=len(cuts.bridges),
            total_notes=len(cuts.points),
            bridges=tuple(views.bridge_link(view, bridge) for bridge in cuts.bridges[shown]),
            notes=tuple(views.cut_note(view, point) for point in cuts.points[shown]),
        )

    def communities(self, question: CommunitiesRequest) -> CommunitiesReply:
        paths = () if question.path is None else (question.path,)
        view, starts = self._view_of(*paths, daily=question.daily)
        everything = view.structure.communities
        groups = [group for group in everything if len(group) > 1]
        chosen = [group for group in groups if all(note in group for note in starts)]
        return CommunitiesReply(
            vault=self._vault,
            generation=view.generation,
            total=len(groups),
            single=len(everything) - len(groups),
            modularity=round(view.structure.modularity, 4),
            communities=tuple(
                views.community(view, group, question.members) for group in chosen[: question.limit]
            ),
        )

    def orphans(self, question: OrphansRequest) -> OrphansReply:
        view = self._whole_view(daily=question.daily)
        orphans = [note for note, linking in view.network.into.items() if not linking]
        orphans.sort(key=view.path)
        return OrphansReply(
            vault=self._vault,
            generation=view.generation,
            total=len(orphans),
            isolated=sum(not view.network.out[note] for note in orphans),
            notes=tuple(views.graph_note(view, note) for note in orphans[: question.limit]),
        )

    def dangling(self, question: DanglingRequest) -> DanglingReply:
        view = self._whole_view(daily=question.daily)
        targets, attachments = dangling_links(
            self._index.graph.unresolved(), within=view.network.out.keys()
        )
        return DanglingReply(
            vault=self._vault,
            generation=view.generation,
            total=len(targets),
            attachments=attachments,
            targets=tuple(
                views.dangling_target(view, target) for target in targets[: question.limit]
            ),
        )

    def missing(self, question: MissingLinksRequest) -> MissingLinksReply:
        """The notes that are alike and not linked; waits for the model that compares them."""
        self._load_model()
        paths = () if question.path is None else (question.path,)
        view, starts = self._view_of(*paths, daily=question.daily)
        notes, vectors = self._centre(view)
        warnings = [] if len(notes) else [_NO_VECTOR_YET]
        if starts:
            (start,) = starts
            suggestions = suggest_links_of(
                view.network, start, notes, vectors, limit=question.limit
            )
        else:
            if len(notes) > MAX_COMPARED:
                latest = _last_modified(view, notes.tolist(), MAX_COMPARED)
                notes, vectors = notes[latest], vectors[latest]
                warnings.append(f"Only the {MAX_COMPARED:,} notes changed last were compared.")
            suggestions = suggest_links(view.network, notes, vectors, limit=question.limit)
        return MissingLinksReply(
            vault=self._vault,
            generation=view.generation,
            compared=len(notes),
            links=tuple(views.missing_link(view, link) for link in suggestions),
            warnings=tuple(warnings),
        )

    def _centre(self, view: GraphView) -> tuple[IdArray, FloatArray]:
        """The notes in the view that have vectors, and their centred vectors in the same order."""
        notes, means = self._index.vectors.note_means()
        known = np.isin(notes, np.fromiter(view.network.out, np.int64, len(view.network)))
        notes, means = notes[known], means[known]
        folders = [view.path(note).rpartition("/")[0] for note in notes.tolist()]
        return notes, centred_vectors(means, folders)

    def _whole_view(self, *, daily: bool) -> GraphView:
        return self._views.whole() if daily else self._views.without_daily()

    def _view_of(self, *paths: str, daily: bool) -> tuple[GraphView, tuple[int, ...]]:
        """The view to answer from and the notes at `paths`, which stay in it even if daily."""
        notes = tuple(find_note(self._index, path).id for path in paths)
        view = self._views.whole() if daily else self._views.without_daily(except_for=notes)
        for path, note in zip(paths, notes, strict=True):
            if note not in view.network.out:
                raise NotFoundError(f"'{path}' was indexed just now; try again.")
        return view, notes


def open_feature(vault: OpenVault) -> OpenFeature:
    """The graph of a vault."""
    graph = GraphAnswers(vault)
    return OpenFeature(
        answers={
            NeighborsRequest: graph.neighbors,
            NeighborhoodRequest: graph.neighborhood,
            PathRequest: graph.path,
            HubsRequest: graph.hubs,
            GraphStatsRequest: graph.stats,
            BridgesRequest: graph.bridges,
            CommunitiesRequest: graph.communities,
            OrphansRequest: graph.orphans,
            DanglingRequest: graph.dangling,
            MissingLinksRequest: graph.missing,
        }
    )


def _hops_around(view: GraphView, starts: Sequence[int], hops: int) -> dict[int, int]:
    """The hops from a start to each note near it, nearest first; empty without a start."""
    near = dict.fromkeys(starts, 0)
    for start in starts:
        distances = nearby_notes(view.network, start, hops=hops, direction="both", decay=1.0)
        near.update({note.note: note.hops for note in distances})
    return near


def _last_modified(view: GraphView, notes: Sequence[int], count: int) -> IdArray:
    """Positions in `notes` of those modified last, ascending."""
    modified = np.array([view.notes[note].modified or 0.0 for note in notes])
    return np.sort(np.argsort(-modified, kind="stable")[:count])
