"""Questions about a vault as a whole: its links, topics over time, completions of a query."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property, partial

from notewell.contract.explore import (
    ArchaeologyReply,
    ArchaeologyRequest,
    CompleteReply,
    CompleteRequest,
)
from notewell.contract.graph import MissingLinksRequest
from notewell.contract.graph_replies import MissingLinksReply
from notewell.contract.search import SearchReply, SearchRequest
from notewell.graph.queries import GraphAnswers
from notewell.index.port import IndexReader
from notewell.index.topic_links import TopicLinksCache
from notewell.search.archaeology import archaeology
from notewell.search.complete import complete
from notewell.search.names import Vocabulary, find_note
from notewell.types import StoredNote, TopicRules, VaultRecord
from notewell.vault.daily import DailyNotes


class Explorer:
    """Answers questions about one vault, in any thread; caches results until the text changes.

    Every method raises NotFoundError if the request names a note that does not exist (the message
    has the most similar names), and IndexFailure if the index cannot be read.
    """

    def __init__(
        self,
        index: IndexReader,
        vault: VaultRecord,
        search: Callable[[SearchRequest], SearchReply],
        load_models: Callable[[], None],
        topics: str = TopicRules().folder,
    ) -> None:
        """`search` is the vault's search function, `topics` the folder of its topics.

        Nothing is computed yet.
        """
        self._topics = TopicLinksCache(topics)
        self._index = index
        self._vault = vault
        self._search = search
        self._load_models = load_models
        self._learning = threading.Lock()
        self._vocabulary: tuple[tuple[StoredNote, ...], Vocabulary] | None = None

    @cached_property
    def graph(self) -> GraphAnswers:
        """Answers questions about the links."""
        topics = partial(self._topics.of, self._index)
        return GraphAnswers(self._index, self._vault, self._find, topics)

    def missing_links(self, request: MissingLinksRequest) -> MissingLinksReply:
        """Similar notes that are not linked; waits for the model whose vectors are compared."""
        self._load_models()
        return self.graph.missing(request)

    def archaeology(self, request: ArchaeologyRequest) -> ArchaeologyReply:
        """When the notes about a topic were written."""
        return archaeology(request, self._search, DailyNotes.read(self._vault.path))

    def complete(self, request: CompleteRequest) -> CompleteReply:
        """Completions of the last term of a query."""
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
