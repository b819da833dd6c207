"""Questions about a vault as a whole: topics over time, completions of a query."""

from __future__ import annotations

import threading
from collections.abc import Callable

from notewell.contract.explore import (
    ArchaeologyReply,
    ArchaeologyRequest,
    CompleteReply,
    CompleteRequest,
)
from notewell.contract.search import SearchReply, SearchRequest
from notewell.index.port import IndexReader
from notewell.search.archaeology import archaeology
from notewell.search.complete import complete
from notewell.search.names import Vocabulary
from notewell.types import StoredNote, VaultRecord
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
    ) -> None:
        """`search` is the vault's search function. Nothing is computed yet."""
        self._index = index
        self._vault = vault
        self._search = search
        self._learning = threading.Lock()
        self._vocabulary: tuple[tuple[StoredNote, ...], Vocabulary] | None = None

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
