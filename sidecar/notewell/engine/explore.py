"""Questions about a vault as a whole: its links, topics over time, completions of a query."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias, assert_never

from notewell.contract.explore import (
    ArchaeologyReply,
    ArchaeologyRequest,
    CompleteReply,
    CompleteRequest,
    ExploreRequest,
)
from notewell.contract.graph import (
    BridgesRequest,
    CommunitiesRequest,
    DanglingRequest,
    GraphStatsRequest,
    HubsRequest,
    MissingLinksRequest,
    NeighborhoodRequest,
    NeighborsRequest,
    OrphansRequest,
    PathRequest,
)
from notewell.contract.graph_replies import (
    BridgesReply,
    CommunitiesReply,
    DanglingReply,
    GraphStatsReply,
    HubsReply,
    MissingLinksReply,
    NeighborhoodReply,
    NeighborsReply,
    OrphansReply,
    PathReply,
)
from notewell.contract.search import SearchReply, SearchRequest
from notewell.graph.queries import GraphAnswers
from notewell.index.port import IndexReader
from notewell.search.archaeology import archaeology
from notewell.search.complete import complete
from notewell.search.names import Vocabulary, find_note
from notewell.types import StoredNote, VaultRecord
from notewell.vault.daily import DailyNotes

ExploreReply: TypeAlias = (
    NeighborsReply
    | NeighborhoodReply
    | PathReply
    | HubsReply
    | GraphStatsReply
    | BridgesReply
    | CommunitiesReply
    | OrphansReply
    | DanglingReply
    | MissingLinksReply
    | ArchaeologyReply
    | CompleteReply
)


class Explorer:
    """Answers questions about one vault; results are cached until the text changes."""

    def __init__(
        self,
        index: IndexReader,
        vault: VaultRecord,
        search: Callable[[SearchRequest], SearchReply],
    ) -> None:
        """`search` is the vault's ordinary one. Nothing is computed yet."""
        self._index = index
        self._vault = vault
        self._search = search
        self._learning = threading.Lock()
        self._vocabulary: tuple[tuple[StoredNote, ...], Vocabulary] | None = None

    def answer(self, question: ExploreRequest) -> ExploreReply:  # noqa: C901, PLR0911 - a table of kinds
        """Answer one question, in any thread.

        Raises:
            NotFoundError: it names a note that is not there; the message has the nearest ones.
            IndexFailure: the index does not read.

        """
        match question:
            case NeighborsRequest():
                return self._graph.neighbors(question)
            case NeighborhoodRequest():
                return self._graph.neighborhood(question)
            case PathRequest():
                return self._graph.path(question)
            case HubsRequest():
                return self._graph.hubs(question)
            case GraphStatsRequest():
                return self._graph.stats(question)
            case BridgesRequest():
                return self._graph.bridges(question)
            case CommunitiesRequest():
                return self._graph.communities(question)
            case OrphansRequest():
                return self._graph.orphans(question)
            case DanglingRequest():
                return self._graph.dangling(question)
            case MissingLinksRequest():
                return self._graph.missing(question)
            case ArchaeologyRequest():
                return archaeology(question, self._search, DailyNotes.read(self._vault.path))
            case CompleteRequest():
                return self._complete(question)
        assert_never(question)

    @cached_property
    def _graph(self) -> GraphAnswers:
        return GraphAnswers(self._index, self._vault, self._find)

    def neighbors(self, request: NeighborsRequest) -> NeighborsReply:
        """The notes near a note, for callers that need nothing else."""
        return self._graph.neighbors(request)

    def _complete(self, request: CompleteRequest) -> CompleteReply:
        generation = self._index.generation
        return CompleteReply(
            prefix=request.prefix,
            vault=self._vault.name,
            generation=generation,
            completions=complete(self._words(), request.prefix, limit=request.limit),
        )

    def _words(self) -> Vocabulary:
        with self._learning:
            notes = self._index.all_notes()  # the same tuple until the text changes
            if self._vocabulary is None or self._vocabulary[0] is not notes:
                graph = self._index.graph
                known = Vocabulary(notes, lambda note: len(graph.backlinks(note)))
                self._vocabulary = (notes, known)
            return self._vocabulary[1]

    def _find(self, name: str) -> StoredNote:
        """The note at a path; else the one that a link of this name leads to."""
        note = self._index.note_at(name)
        if note is None:
            linked = self._index.graph.resolve(name, "")
            note = self._index.notes([linked]).get(linked) if linked is not None else None
        return note or find_note(self._index, name)
