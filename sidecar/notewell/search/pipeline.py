"""Runs a search through its stages: parse, filter, retrieve, fuse, boost, rank, build results.

Every interface searches through `search`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from notewell.contract.search import (
    Contribution,
    Fusion,
    Result,
    SearchReply,
    SearchRequest,
)
from notewell.errors import ModelError
from notewell.index.port import IndexReader
from notewell.search import expand, filters, fuse, query, results, retrieve, signals
from notewell.search import scope as scopes
from notewell.search.boosts import Boosts
from notewell.search.candidates import Candidates, by_note, with_whole_note_scores
from notewell.search.expand import Retrieved
from notewell.search.explain import Trace, below_threshold, contributions, first_paths
from notewell.search.note_facts import FactsCache
from notewell.search.postprocess import FindReranker, Postprocessing
from notewell.search.query import ParsedQuery
from notewell.search.rank import RankedNote, Ranking, rank
from notewell.search.retrieve import KeywordResult
from notewell.search.scope import Scope
from notewell.search.sentences import ClosestSentence
from notewell.search.signals import Signals
from notewell.search.snippet import Snippets
from notewell.search.terms import Terms
from notewell.sources import source_of
from notewell.types import (
    Embedder,
    FloatArray,
    IdArray,
    KnowsTokens,
    SearchMode,
    SearchRules,
    VaultRecord,
)

T = TypeVar("T")


def search(
    index: IndexReader,
    embedder: Embedder | None,
    request: SearchRequest,
    rules: SearchRules,
    vault: VaultRecord,
    *,
    semantic_reason: str | None,
    helpers: Executor | None = None,
    facts: FactsCache | None = None,
    reranker: FindReranker | None = None,
) -> SearchReply:
    """Answer a search request.

    Without an `embedder`, hybrid mode searches by keywords only and semantic mode finds nothing;
    both add a warning with the `semantic_reason`.

    `helpers` runs the keyword half in another thread while the model embeds the query. `facts` is
    a cache to reuse between searches of this index. `reranker` returns the reranking model, and is
    called only if the request or the rules enable reranking.

    Raises:
        QueryTooLongError: the query has more characters than the limit.
        IndexFailure: the index cannot be read.

    """
    cache = facts or FactsCache(vault.path, rules.shelved_status)
    run = _Run(index, embedder, request, rules, vault, semantic_reason, helpers, cache, reranker)
    return run.reply()


@dataclass(slots=True)
class _Run:
    """The state of one search; stages store here what the reply reports."""

    index: IndexReader
    embedder: Embedder | None
    request: SearchRequest
    rules: SearchRules
    vault: VaultRecord
    semantic_reason: str | None
    helpers: Executor | None
    facts: FactsCache
    reranker: FindReranker | None
    began: float = field(default_factory=time.perf_counter)
    warnings: list[str] = field(default_factory=list)
    filtered: dict[str, int] = field(default_factory=dict)
    fusion: Fusion = field(default_factory=lambda: Fusion("none"))
    total: int = 0
    confidence: float | None = None
    expansion: tuple[str, ...] = ()
    contributions: tuple[Contribution, ...] = ()

    def reply(self) -> SearchReply:
        trace = Trace(enabled=self.request.explain)
        generation = self.index.generation
        parsed = query.parse(self.request.q, plain=self.request.plain)
        self.warnings += parsed.warnings
        trace.stage("parse", count_in=1, count_out=1)
        scope = self.scope(parsed, self.filter(parsed, trace), trace)
        found: tuple[Result, ...] = ()
        if parsed.text:
            found = self.scored(parsed, scope, trace)
        elif scope.notes is not None:
            found = self.listed(scope.notes, trace)
        return SearchReply(
            query=self.request.q,
            vault=self.vault.name,
            mode=self.request.mode,
            fusion=self.fusion,
            expanded=self.expansion,
            filtered=self.filtered,
            generation=generation,
            took_ms=round((time.perf_counter() - self.began) * 1000, 3),
            total=self.total,
            confidence=self.confidence,
            results=found,
            warnings=tuple(self.warnings),
            explain=trace.explain(query.describe_query(parsed), self.contributions),
        )

    def filter(self, parsed: ParsedQuery, trace: Trace) -> IdArray | None:
        """Ids of the notes that meet the conditions; None: no conditions."""
        if parsed.condition is None and not (parsed.text and self.request.hidden):
            return None
        allowed = filters.allowed(parsed.condition, self.index, hidden=self.request.hidden)
        self.filtered.update(allowed.filtered)
        trace.stage(
            "filter",
            count_in=len(self.index.all_notes()),
            count_out=len(allowed.notes),
            removed=allowed.removed,
        )
        return allowed.notes

    def scope(self, parsed: ParsedQuery, notes: IdArray | None, trace: Trace) -> Scope:
        """`notes` without those that a search excludes by default."""
        if self.request.everything or (notes is None and not parsed.text):
            return Scope(notes, scopes.NO_NOTES)
        facts = self.facts.current(self.index)
        scope = scopes.default_scope(notes, facts, parsed, self.rules)
        for part in scope.removed:
            self.filtered[part.reason] = self.filtered.get(part.reason, 0) + part.count
        count = len(facts.ids) if notes is None else len(notes)
        removed = sum(part.count for part in scope.removed)
        trace.stage("scope", count_in=count, count_out=count - removed, removed=scope.removed)
        return scope

    def listed(self, notes: IdArray, trace: Trace) -> tuple[Result, ...]:
        """Results of a query of conditions only: all notes that meet them, newest first."""
        wanted = set(notes.tolist())
        listed = [note for note in self.index.all_notes() if note.id in wanted]
        listed.sort(key=lambda note: (-(note.modified or 0.0), note.path))
        self.total = len(listed)
        shown = results.list_notes(
            self.index,
            listed[: self.request.limit],
            Snippets({}, self.rules.snippet_chars),
            source_of(self.vault).uri,
        )
        trace.stage(
            "list",
            count_in=len(listed),
            count_out=len(shown),
            top=lambda: [result.path for result in shown],
        )
        return shown

    def scored(self, parsed: ParsedQuery, scope: Scope, trace: Trace) -> tuple[Result, ...]:
        """Results for the text of the query, best first."""
        first = self.retrieved(parsed.text, scope, trace)
        if not first.keyword.terms.weights:
            self.warnings.append("The query has no letters, digits or emoji to search for.")
            return ()
        retrieved = self.expanded(parsed.text, first, scope, trace)
        keyword, vector = retrieved.keyword, retrieved.vector
        chunks = retrieve.merge_hits(self.index, keyword.chunks, retrieved.semantic)
        trace.stage("retrieve", count_in=self.index.keywords.document_count, count_out=len(chunks))
        ranking = self.ranked(parsed, keyword, vector, chunks, trace)
        notes = self.postprocessed(ranking, parsed.text, trace)
        if trace.enabled:
            terms = keyword.terms.query if self.request.mode != "semantic" else ()
            self.contributions = contributions(self.index, ranking, notes, terms)
            trace.stage("explain", count_in=len(notes), count_out=len(self.contributions))
        shown = results.build(
            self.index,
            notes,
            self.snippets(parsed.text, keyword.terms, vector),
            source_of(self.vault).uri,
        )
        trace.stage("snippet", count_in=len(ranking), count_out=len(shown))
        return shown

    def retrieved(self, text: str, scope: Scope, trace: Trace) -> Retrieved:
        """The hits of both halves of the search."""
        limit = retrieve.depth(self.request.limit)
        search_keywords = partial(
            retrieve.search_keywords,
            self.index,
            text,
            limit=limit,
            notes=scope.notes,
            excluded=scope.excluded,
            scored=self.request.mode != "semantic",
            typing=self.request.typing and not self.request.q[-1:].isspace(),
        )
        keyword = self.start(search_keywords)
        vector = self.vector(text)
        trace.stage("embed", count_in=1, count_out=int(vector is not None))
        semantic = retrieve.semantic_hits(self.index, vector, limit=limit, notes=scope.notes)
        semantic = retrieve.exclude_hits(self.index, semantic, scope.excluded)
        return Retrieved(keyword(), vector, semantic)

    def start(self, task: Callable[[], T]) -> Callable[[], T]:
        """Start a task in a helper thread, if there is one; the returned function waits for it."""
        if self.helpers is None or self.request.mode == "keyword":
            return task
        return self.helpers.submit(task).result

    def snippets(self, text: str, terms: Terms, vector: FloatArray | None) -> Snippets:
        """Makes snippets around the terms of the query, or else around the closest sentence."""
        model: object = self.embedder if vector is not None else None
        closest = ClosestSentence(model, text) if isinstance(model, KnowsTokens) else None
        return Snippets(terms.highlight_weights(), self.rules.snippet_chars, closest=closest)

    def postprocessed(self, ranking: Ranking, text: str, trace: Trace) -> Sequence[RankedNote]:
        """The notes of the reply: reranked and without near-duplicates, if enabled."""
        postprocessing = Postprocessing(self.index, self.request, self.rules, self.reranker, trace)
        notes = postprocessing.apply(ranking, text)
        self.warnings += postprocessing.warnings
        if postprocessing.duplicate_count:
            self.filtered["near_duplicate"] = postprocessing.duplicate_count
            self.total -= postprocessing.duplicate_count
        if postprocessing.reranked_by is not None:
            params = {**self.fusion.params, "reranker": postprocessing.reranked_by}
            self.fusion = Fusion(self.fusion.method, params)
        return notes

    def expanded(self, text: str, first: Retrieved, scope: Scope, trace: Trace) -> Retrieved:
        """The hits of the expanded query, if the query is short and expansion is enabled."""
        enabled = self.rules.expand if self.request.expand is None else self.request.expand
        if not enabled or not expand.is_short(text):
            return first
        found = expand.retrieve_expanded(
            self.index,
            text,
            first,
            scope,
            limit=retrieve.depth(self.request.limit),
            keywords=self.request.mode != "semantic",
        )
        self.expansion = found.expanded
        trace.stage("expand", count_in=1, count_out=1 + len(found.expanded))
        return found

    def ranked(
        self,
        parsed: ParsedQuery,
        found: KeywordResult,
        vector: FloatArray | None,
        chunks: Candidates,
        trace: Trace,
    ) -> Ranking:
        """The notes of the candidate chunks in order."""
        notes = by_note(chunks)
        measured = signals.query_signals(
            notes,
            parsed.text,
            known_idf=found.terms.total_idf(known=True),
            total_idf=found.terms.total_idf(known=False),
        )
        plan = self.plan(parsed.text, measured, vector)
        scored = notes
        if "whole_notes" not in self.request.ignore:
            scored = with_whole_note_scores(notes, found.note_ids, found.note_bm25)
        boosts = Boosts(
            self.index,
            self.facts,
            self.rules,
            self.request,
            found.terms,
            dated=scopes.mentions_date(parsed),
        )
        threshold = max(self.request.min_score, self.rules.min_score)
        ranking, below = rank(chunks, scored, plan, min_score=threshold, boost=boosts.multipliers)
        self.warnings += boosts.warnings
        mode = _possible_mode(self.request.mode, vector)
        self.confidence = signals.confidence(notes, measured, mode)
        self.report(ranking, below)
        trace.stage(
            "fuse",
            count_in=len(notes),
            count_out=len(ranking),
            removed=below_threshold(self.index, ranking, below) if trace.enabled else (),
            top=lambda: first_paths(self.index, ranking),
        )
        return ranking

    def vector(self, text: str) -> FloatArray | None:
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
            return self.embedder.embed_query(text)
        except ModelError as error:
            self.warnings.append(f"Semantic search is unavailable: {error.message}")
            return None

    def plan(self, text: str, measured: Signals, vector: FloatArray | None) -> fuse.Plan:
        """The fusion method and weights for this query."""
        if self.request.mode == "semantic":
            return fuse.SEMANTIC_ONLY
        if vector is None or self.embedder is None:
            return fuse.KEYWORD_ONLY
        if self.request.fusion != "auto":
            return fuse.plan(self.request.fusion, self.request.alpha)
        unreadable = 0.0
        if "spelling" not in self.request.ignore:
            unreadable = signals.unreadable_share(text, self.embedder.count_tokens)
        return signals.adaptive_plan(measured, unreadable, self.request.alpha)

    def report(self, ranking: Ranking, below: int) -> None:
        """Store what the reply reports of the whole ranking."""
        if below:
            self.filtered["min_score"] = below
        self.total = len(ranking)
        plan = ranking.plan
        weights = {"keyword_weight": plan.keyword_weight, "semantic_weight": plan.semantic_weight}
        params = {name: round(value, 6) for name, value in {**weights, **plan.params}.items()}
        self.fusion = Fusion(plan.method, {**params, "best": ranking.best})


def _possible_mode(mode: SearchMode, vector: FloatArray | None) -> SearchMode:
    return "keyword" if mode == "hybrid" and vector is None else mode
