"""Search over one open index: wires the index, models and threads to the pipeline."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from notewell.contract.search import SearchReply, SearchRequest, SimilarRequest, SimilarTextRequest
from notewell.index.port import IndexReader
from notewell.ingest.active_model import Models
from notewell.models import load_reranker
from notewell.models.pool import RerankerSlot
from notewell.search import pipeline
from notewell.search import similar as similar_notes
from notewell.search.note_facts import FactsCache
from notewell.types import Reranker, SearchRules, Settings, VaultRecord

# Words are looked up in one of these threads while the model reads the query.
HELPERS = 2


class Searcher:
    """Runs searches in the calling threads, with a few worker threads of its own."""

    def __init__(
        self,
        index: IndexReader,
        record: VaultRecord,
        settings: Settings,
        models: Models,
        load_models: Callable[[], None],
    ) -> None:
        """`load_models` is called before a search needs a model."""
        self._index = index
        self._record = record
        self._rules = settings.search
        self._models = models
        self._load_models = load_models
        self._helpers = ThreadPoolExecutor(HELPERS, thread_name_prefix=f"words-{record.id}")
        self._facts = FactsCache(record.path, settings.search.shelved_status)
        self._reranker = RerankerSlot(partial(_load_reranker, settings.search, settings.model_dir))

    def search(self, request: SearchRequest) -> SearchReply:
        """Search the vault. Keyword mode does not wait for the model."""
        ask = partial(
            pipeline.search,
            self._index,
            request=request,
            rules=self._rules,
            vault=self._record,
            helpers=self._helpers,
            facts=self._facts,
            reranker=self._reranker.get,
        )
        if request.mode == "keyword":
            return ask(None, semantic_reason=None)
        self._load_models()
        return self._models.steadily(partial(ask, semantic_reason=self._models.reason))

    def similar(self, request: SimilarRequest | SimilarTextRequest) -> SearchReply:
        """Notes like a note, or like a text."""
        self._load_models()
        ask = partial(
            similar_notes.similar,
            self._index,
            request=request,
            rules=self._rules,
            vault=self._record,
            semantic_reason=self._models.reason,
        )
        return self._models.steadily(ask)

    def close(self) -> None:
        """Release the threads and the reranker; no search may be running."""
        self._helpers.shutdown(wait=True)
        self._reranker.close()


def _load_reranker(rules: SearchRules, model_dir: Path) -> Reranker:
    """The model that reads first results, from this computer alone."""
    folder = Path(rules.rerank_folder).expanduser() if rules.rerank_folder else None
    return load_reranker(rules.reranker, model_dir=model_dir, folder=folder)
