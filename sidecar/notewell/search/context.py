"""All that one search works with, and what its stages report for the reply."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from statistics import median

from notewell.base.types import Embedder, Reranker, SearchRules, TopicRules, VaultRecord
from notewell.base.types.frozen import frozen
from notewell.contract.search import (
    Contribution,
    Corrected,
    Fusion,
    Result,
    SearchReply,
    SearchRequest,
)
from notewell.index.port import IndexReader
from notewell.index.topic_links import TopicLinksCache
from notewell.models.query_table import QueryTable
from notewell.search.facts.copies import CopiesCache
from notewell.search.facts.embeds import EmbedsCache
from notewell.search.facts.inflections import InflectionsCache
from notewell.search.facts.names_cache import NamesCache
from notewell.search.facts.note_facts import FactsCache
from notewell.search.facts.proper_names import ProperNamesCache
from notewell.search.facts.readability import ReadabilityCache
from notewell.search.facts.word_list import WordListCache
from notewell.search.query.language import ParsedQuery, describe_query
from notewell.search.query.note_columns import ColumnsCache
from notewell.search.query.synonyms import SynonymsCache
from notewell.search.trace import Trace
from notewell.search.weights import UNTUNED, Tuning
from notewell.vault.sources import source_of

Uri = Callable[[str, str | None], str]  # the link that opens a path at an anchor
FindReranker = Callable[[], Reranker]  # raises a NotewellError if there is no model


SLOW_S = 0.008  # a query: a faster model is asked at every key
_KNOWN_S = 0.0002  # a query whose vector the model still has


class QueryPace:
    """Measures how long a model takes for a query. Any thread may call."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=9)

    def add(self, seconds: float) -> None:
        if seconds > _KNOWN_S:
            self._seconds.append(seconds)

    @property
    def is_slow(self) -> bool:
        """True if a person who types would wait for it; False until it is known."""
        return median([*self._seconds] or [0.0]) > SLOW_S


def _facts_cache(vault: VaultRecord, rules: SearchRules) -> FactsCache:
    return FactsCache(vault.path, rules.shelved_status, rules.exclude_types)


@frozen
class Caches:
    """Data of one index that its searches share; each cache is updated on access."""

    facts: FactsCache
    names: NamesCache = field(default_factory=NamesCache)
    proper_names: ProperNamesCache = field(default_factory=ProperNamesCache)
    words: WordListCache = field(default_factory=WordListCache)
    inflections: InflectionsCache = field(default_factory=InflectionsCache)
    columns: ColumnsCache = field(default_factory=ColumnsCache)
    embeds: EmbedsCache = field(default_factory=EmbedsCache)
    copies: CopiesCache = field(default_factory=CopiesCache)
    synonyms: SynonymsCache = field(default_factory=SynonymsCache)
    topics: TopicLinksCache = field(default_factory=TopicLinksCache)
    readability: ReadabilityCache = field(default_factory=ReadabilityCache)
    pace: QueryPace = field(default_factory=QueryPace)

    @classmethod
    def of(
        cls, vault: VaultRecord, rules: SearchRules, topics: str = TopicRules().folder
    ) -> Caches:
        """Empty caches; `topics` is the folder of the vault's topics."""
        facts = _facts_cache(vault, rules)
        synonyms = SynonymsCache(rules.synonyms)
        return cls(facts, topics=TopicLinksCache(topics), synonyms=synonyms)

    def with_rules(self, vault: VaultRecord, rules: SearchRules) -> Caches:
        """These caches for other rules; what depends on the rules is read again."""
        caches = self
        if self.facts.left_out != (frozenset(rules.shelved_status), frozenset(rules.exclude_types)):
            caches = replace(caches, facts=_facts_cache(vault, rules))
        if self.synonyms.entries != rules.synonyms:
            caches = replace(caches, synonyms=SynonymsCache(rules.synonyms))
        return caches


@frozen
class SearchContext:
    """The index, the models, the rules and the request of one search.

    Without an `embedder`, hybrid mode searches by keywords only and semantic mode finds nothing;
    both add a warning with the `semantic_reason`. `find_reranker` returns the reranking model, and
    is called only if the request or the rules enable reranking. `tuning` are the factors that were
    fitted to this vault. A `query_table` stands for a slow model while a query is typed. `uri`
    gives the address of a note; None: that of the vault alone. `release_turn` is entered while
    a model works, so that other searches may run.
    """

    index: IndexReader
    vault: VaultRecord
    rules: SearchRules
    caches: Caches
    request: SearchRequest
    embedder: Embedder | None = None
    semantic_reason: str | None = None
    find_reranker: FindReranker | None = None
    tuning: Tuning = UNTUNED
    query_table: QueryTable | None = None
    uri: Uri | None = None
    release_turn: Callable[[], AbstractContextManager[None]] = nullcontext

    @property
    def address(self) -> Uri:
        """The function that gives the link to a note."""
        return self.uri or source_of(self.vault).uri

    @property
    def is_typing(self) -> bool:
        """True if the last word may be unfinished."""
        return self.request.typing and not self.request.q[-1:].isspace()

    @property
    def least_score(self) -> float:
        """The score below which notes are left out."""
        return max(self.request.min_score, self.rules.min_score)

    @property
    def further_passages(self) -> int:
        """The further passages of a note that are shown; blocks are looked for in all of them."""
        most = self.request.passages
        if most is None or self.request.group == "block":
            return self.rules.passages
        return min(self.rules.passages, most)


@dataclass(slots=True)
class Report:
    """Reports of the stages of one search, for its reply."""

    trace: Trace
    warnings: list[str] = field(default_factory=list)
    filtered: dict[str, int] = field(default_factory=dict)
    fusion: Fusion = field(default_factory=lambda: Fusion("none"))
    total: int = 0
    confidence: float | None = None
    expanded: tuple[str, ...] = ()
    corrected: Corrected | None = None
    approximate: bool = False
    contributions: tuple[Contribution, ...] = ()
    began: float = field(default_factory=time.perf_counter)

    def reply(
        self,
        context: SearchContext,
        parsed: ParsedQuery,
        generation: int,
        results: tuple[Result, ...],
    ) -> SearchReply:
        """The reply with these results; `generation` is that of the index before the search."""
        return SearchReply(
            query=context.request.q,
            vault=context.vault.name,
            mode=context.request.mode,
            fusion=self.fusion,
            expanded=self.expanded,
            corrected=self.corrected,
            filtered=self.filtered,
            generation=generation,
            took_ms=round((time.perf_counter() - self.began) * 1000, 3),
            total=self.total,
            confidence=self.confidence,
            results=results,
            approximate=self.approximate,
            warnings=tuple(self.warnings),
            explain=self.trace.explain(describe_query(parsed), self.contributions),
        )
