"""Finds the hits of a query: its words corrected, searched and embedded, and expanded if asked."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from notewell.base.errors import ModelError
from notewell.base.types import Embedder, FloatArray, SearchRules, TopicRules, VaultRecord
from notewell.base.types.frozen import frozen
from notewell.contract.search import Corrected, SearchRequest
from notewell.index.note_fields import field_weights
from notewell.index.port import IndexReader
from notewell.index.topic_links import TopicLinksCache
from notewell.search.query.note_facts import FactsCache, Scope
from notewell.search.query.spelling import (
    Speller,
    WordListCache,
    corrected_query,
    corrected_text,
    is_word_of,
)
from notewell.search.query.terms import Terms, query_terms
from notewell.search.rank import expand, retrieve
from notewell.search.rank.candidates import Candidates, CosineMap
from notewell.search.rank.evidence import NoteEvidence
from notewell.search.rank.expand import Retrieved
from notewell.search.rank.name_matches import NamesCache
from notewell.search.rank.retrieve import KeywordResult, Where
from notewell.search.show.attachments import EmbedsCache
from notewell.search.show.explain import Trace

# What a search enters while a model works.
Aside: TypeAlias = Callable[[], AbstractContextManager[None]]


@frozen
class Caches:
    """What searches of one index keep between them; each is updated on access."""

    facts: FactsCache
    names: NamesCache = field(default_factory=NamesCache)
    words: WordListCache = field(default_factory=WordListCache)
    embeds: EmbedsCache = field(default_factory=EmbedsCache)
    topics: TopicLinksCache = field(default_factory=TopicLinksCache)

    @classmethod
    def of(
        cls, vault: VaultRecord, rules: SearchRules, topics: str = TopicRules().folder
    ) -> Caches:
        """Empty caches; `topics` is the folder of the vault's topics."""
        facts = FactsCache(vault.path, rules.shelved_status)
        return cls(facts, topics=TopicLinksCache(topics))

    def with_rules(self, vault: VaultRecord, rules: SearchRules) -> Caches:
        """These caches for other rules; what depends on the rules is read again."""
        if self.facts.shelved == frozenset(rules.shelved_status):
            return self
        return replace(self, facts=FactsCache(vault.path, rules.shelved_status))


@dataclass(slots=True)
class Finder:
    """Finds the hits of one query.

    `warnings` say what was left out, `corrected` what was misspelt.
    """

    index: IndexReader
    embedder: Embedder | None
    request: SearchRequest
    rules: SearchRules
    semantic_reason: str | None
    caches: Caches
    aside: Aside = nullcontext
    warnings: list[str] = field(default_factory=list)
    corrected: Corrected | None = None

    def find(self, text: str, scope: Scope, trace: Trace) -> Retrieved:
        """The hits of the text, or of its expansion if it is short and expansion is on."""
        first = self._retrieved(text, scope, trace)
        enabled = self.rules.expand if self.request.expand is None else self.request.expand
        if not enabled or not expand.is_short(text) or not first.keyword.terms.weights:
            return first
        return self._expanded(text, first, scope, trace)

    def collect(
        self, found: Retrieved, scope: Scope, also: Collection[int] = ()
    ) -> tuple[Candidates, NoteEvidence]:
        """The candidates with their evidence; notes `also` are added, if the scope has them."""
        ids = np.array(sorted(also), np.int64)
        ids = ids[Where(scope.notes, scope.excluded).among(ids)]
        semantic = found.semantic
        if len(ids) and found.vector is not None:
            owners = self.index.note_ids_of(semantic.chunk_ids)
            more = retrieve.semantic_hits(
                self.index,
                found.vector,
                limit=retrieve.depth(len(ids)),
                notes=ids[~np.isin(ids, owners)],
            )
            semantic = replace(
                semantic,
                chunk_ids=np.concatenate((semantic.chunk_ids, more.chunk_ids)),
                scores=np.concatenate((semantic.scores, more.scores)),
            )
        cosines = CosineMap.of(self.embedder)
        return retrieve.collect(self.index, found.keyword, semantic, ids, cosines)

    def _terms(self, text: str) -> Terms:
        """The words of the query, with what they may stand for."""
        names = self.caches.names.current(self.index)
        model = None if self.request.mode == "keyword" else self.embedder
        speller = Speller(self.index, self.caches.words, names, is_word_of(model))
        return query_terms(
            self.index,
            text,
            typing=self._typing(),
            correct="spelling" not in self.request.ignore,
            speller=speller,
        )

    def _typing(self) -> bool:
        """Whether the last word may be unfinished."""
        return self.request.typing and not self.request.q[-1:].isspace()

    def _retrieved(self, text: str, scope: Scope, trace: Trace) -> Retrieved:
        """The hits of both halves of the search."""
        terms = self._terms(text)
        if terms.fixes:
            self.corrected = corrected_query(self.request.q, terms.fixes, plain=self.request.plain)
            text = corrected_text(text, terms.fixes)
        limit = retrieve.depth(self.request.limit)
        weights = field_weights(self.rules)
        if self.request.mode == "semantic":
            keyword: Callable[[], KeywordResult] = partial(
                retrieve.only_terms, self.index, terms, weights
            )
        else:
            search_keywords = partial(
                retrieve.search_keywords,
                self.index,
                text,
                terms,
                Where(scope.notes, scope.excluded),
                limit=limit,
                weights=weights,
                names=self.caches.names.current(self.index),
                typing=self._typing(),
            )
            keyword = search_keywords
        vector = self._vector(text)
        trace.stage("embed", count_in=1, count_out=int(vector is not None))
        found = keyword()
        where = Where(scope.notes, scope.excluded)
        semantic = retrieve.semantic_candidates(self.index, vector, found, where, limit=limit)
        return Retrieved(found, vector, semantic)

    def _expanded(self, text: str, first: Retrieved, scope: Scope, trace: Trace) -> Retrieved:
        """The hits of the expanded query."""
        found = expand.retrieve_expanded(
            self.index,
            text,
            first,
            scope,
            limit=retrieve.depth(self.request.limit),
            weights=field_weights(self.rules),
            keywords=self.request.mode != "semantic",
        )
        trace.stage("expand", count_in=1, count_out=1 + len(found.expanded))
        return found

    def _vector(self, text: str) -> FloatArray | None:
        """The embedding of the query (dimensions,); None in keyword mode or without a model."""
        if self.request.mode == "keyword":
            return None
        if self.embedder is None:
            reason = self.semantic_reason or "no embedding model is loaded"
            self.warnings.append(f"Semantic search is unavailable: {reason}.".replace("..", "."))
            return None
        waiting = self.index.chunk_count - self.index.vectors.count
        if waiting > 0:
            self.warnings.append(
                f"{waiting} passages still wait for their embedding; until then they are found"
                " by their words alone."
            )
        try:
            with self.aside():
                return self.embedder.embed_query(text)
        except ModelError as error:
            self.warnings.append(f"Semantic search is unavailable: {error.message}")
            return None
