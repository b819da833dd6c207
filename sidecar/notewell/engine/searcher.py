"""Search over one open index: wires the index, models and threads to a search."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from notewell.base.support.disk import expand_user
from notewell.base.types import Embedder, Reranker, SearchRules, Settings, VaultRecord
from notewell.contract.search import (
    AroundReply,
    AroundRequest,
    SearchReply,
    SearchRequest,
    SimilarRequest,
    SimilarTextRequest,
)
from notewell.engine.ingest.active_model import Models
from notewell.index.port import IndexReader
from notewell.models.loading import load_remote_reranker, load_reranker
from notewell.models.pool import RerankerSlot
from notewell.models.query_table_file import FindTable
from notewell.search import run
from notewell.search.context import Caches, SearchContext, Uri
from notewell.search.show import similar as similar_notes
from notewell.search.show.around import around as notes_around
from notewell.search.weights import UNTUNED, Tuning

T = TypeVar("T")


class SearchTurns:
    """Lets searches take turns in everything but their models.

    Most of a search is Python, and Python runs in one thread at a time. Threads that search
    together would hand its lock to each other hundreds of times a search, and each hand-over costs
    a switch of threads and cold caches. So one search runs until it asks a model, which needs no
    Python.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()

    @contextmanager
    def take_turn(self) -> Iterator[None]:
        """Wait for the turn and keep it for the code inside."""
        with self._turn:
            yield

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Let others have the turn during the code inside; called by the thread that has it."""
        self._turn.release()
        try:
            yield
        finally:
            self._turn.acquire()


@dataclass(frozen=True, slots=True)
class _InUse:
    """The rules of the next search, and what depends on them."""

    rules: SearchRules
    caches: Caches
    reranker: RerankerSlot


class Searcher:
    """Runs searches in the calling threads."""

    def __init__(
        self,
        index: IndexReader,
        record: VaultRecord,
        settings: Settings,
        models: Models,
        tuning: Callable[[], Tuning] | None,
        *,
        find_table: FindTable,
        uri: Uri,
    ) -> None:
        """`tuning` gives the vault's factors on the weights, `uri` the address of a note.

        `find_table` gives the table by which a model's queries are answered while they are typed.
        """
        self._uri = uri
        self._index = index
        self._record = record
        self._model_dir = settings.model_dir
        self._offline = settings.offline
        self._consent = () if settings.offline else settings.model.consent
        self._models = models
        self._tuning = tuning or (lambda: UNTUNED)
        self._find_table = find_table
        self._rerankers: dict[tuple[str | None, ...], RerankerSlot] = {}
        self._changing = threading.Lock()
        self._turns = SearchTurns()
        rules = settings.search
        self._in_use = _InUse(
            rules, Caches.of(record, rules, settings.topics.folder), self._reranker(rules)
        )

    def use_rules(self, rules: SearchRules) -> None:
        """Search by other rules from the next search on; searches that run end by the old ones."""
        with self._changing:
            caches = self._in_use.caches.with_rules(self._record, rules)
            self._in_use = _InUse(rules, caches, self._reranker(rules))

    def use_consent(self, hosts: tuple[str, ...]) -> None:
        """Send results to these hosts alone to be reranked, from the next search on."""
        with self._changing:
            self._consent = () if self._offline else hosts
            for slot in self._rerankers.values():
                slot.close()
            self._rerankers.clear()
            used = self._in_use
            self._in_use = _InUse(used.rules, used.caches, self._reranker(used.rules))

    def _reranker(self, rules: SearchRules) -> RerankerSlot:
        """The reranker of the rules; it stays loaded, because a search may still be using it."""
        return self._rerankers.setdefault(
            (rules.reranker, rules.rerank_folder, rules.rerank_provider, rules.rerank_url),
            RerankerSlot(partial(_load_reranker, rules, self._model_dir, self._consent)),
        )

    def prepare(self) -> None:
        """Read what every search needs, before the first one asks; seconds in a huge vault."""
        caches = self._in_use.caches
        caches.facts.current(self._index)
        caches.names.current(self._index)
        index = self._index  # what follows is loaded on first use
        _ = index.graph, index.chunk_count, index.vectors.count

    def search(self, request: SearchRequest) -> SearchReply:
        """Search the vault. Keyword mode does not wait for the model."""
        if request.mode != "keyword":
            self._models.for_search()
        with self._turns.take_turn():
            return self._search(request)

    def _search(self, request: SearchRequest) -> SearchReply:
        now = self._in_use
        context = SearchContext(
            self._index,
            self._record,
            now.rules,
            now.caches,
            request,
            find_reranker=now.reranker.get,
            tuning=self._tuning(),
            uri=self._uri,
            release_turn=self._turns.aside,
        )
        if request.mode == "keyword":
            return run.search(context)
        reason = self._models.reason
        if request.typing:
            table = self._find_table(self._index.vectors.model)
            context = replace(context, query_table=table)

        def ask(embedder: Embedder | None) -> SearchReply:
            return run.search(replace(context, embedder=embedder, semantic_reason=reason))

        return self._models.with_one_model(ask)

    def similar(self, request: SimilarRequest | SimilarTextRequest) -> SearchReply:
        copies = self._in_use.caches.copies.current(self._index)
        return self._with_model(partial(similar_notes.similar, request=request, copies=copies))

    def around(self, request: AroundRequest) -> AroundReply:
        return self._with_model(partial(notes_around, request=request))

    def _with_model(self, find: Callable[..., T]) -> T:
        """The notes that `find` gives with the index, the rules and the model of now."""
        self._models.for_search()
        ask = partial(
            find,
            self._index,
            rules=self._in_use.rules,
            vault=self._record,
            semantic_reason=self._models.reason,
            uri=self._uri,
        )
        return self._models.with_one_model(ask)

    def close(self) -> None:
        """Release the rerankers; no search may be running."""
        for reranker in self._rerankers.values():
            reranker.close()


def _load_reranker(rules: SearchRules, model_dir: Path, consent: tuple[str, ...]) -> Reranker:
    """The model that reads first results: on this computer, or the service of the settings."""
    if rules.rerank_provider != "local":
        return load_remote_reranker(rules, model_dir=model_dir, consent=consent)
    folder = expand_user(rules.rerank_folder) if rules.rerank_folder else None
    return load_reranker(rules.reranker, model_dir=model_dir, folder=folder)
