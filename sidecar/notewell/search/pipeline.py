"""Runs a search through its stages: parse, filter, retrieve, fuse, boost, rank, build results.

Every interface searches through `search`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from notewell.base.types import (
    CountTokens,
    Embedder,
    FloatArray,
    IdArray,
    SearchMode,
    SearchRules,
    VaultRecord,
    knows_tokens,
)
from notewell.contract.search import (
    Contribution,
    Corrected,
    Fusion,
    Result,
    SearchReply,
    SearchRequest,
)
from notewell.index.port import IndexReader
from notewell.search.finder import Aside, Caches, Finder
from notewell.search.postprocess import FindReranker, Postprocessing
from notewell.search.query import conditions, note_facts
from notewell.search.query import language as query
from notewell.search.query.dates import mentioned_date
from notewell.search.query.language import ParsedQuery
from notewell.search.query.note_facts import Scope
from notewell.search.query.terms import Terms
from notewell.search.rank import gars
from notewell.search.rank import relevance as relevances
from notewell.search.rank.boosts import Boosts
from notewell.search.rank.candidates import Candidates
from notewell.search.rank.evidence import UNTUNED, NoteEvidence, QueryEvidence, Tuning
from notewell.search.rank.expand import Retrieved
from notewell.search.rank.fuse import SUMS
from notewell.search.rank.gars import Activated
from notewell.search.rank.ranking import RankedNote, Ranking, rank
from notewell.search.rank.retrieve import NO_SHARES, KeywordResult, Where
from notewell.search.rank.scoring import Scoring, query_evidence, without_whole_notes
from notewell.search.show import results
from notewell.search.show.explain import (
    Trace,
    contributions,
    trace_limit,
    trace_ranking,
    trace_relevance,
)
from notewell.search.show.results import Phrases, Uri
from notewell.search.show.snippets import ClosestSentence, Snippets
from notewell.vault.sources import source_of


def search(
    index: IndexReader,
    embedder: Embedder | None,
    request: SearchRequest,
    rules: SearchRules,
    vault: VaultRecord,
    *,
    semantic_reason: str | None,
    caches: Caches | None = None,
    reranker: FindReranker | None = None,
    tuning: Tuning = UNTUNED,
    uri: Uri | None = None,
    aside: Aside = nullcontext,
) -> SearchReply:
    """Answer a search request.

    Without an `embedder`, hybrid mode searches by keywords only and semantic mode finds nothing;
    both add a warning with the `semantic_reason`.

    `caches` are to be reused between searches of this index. `reranker` returns the reranking
    model, and is called only if the request or the rules enable reranking. `tuning` are the
    factors that were fitted to this vault. `uri` gives the address of a note; None: that of the
    vault alone.
    `aside` is entered while a model works, so that other searches may run.

    Raises:
        QueryTooLongError: the query has more characters than the limit.
        IndexFailure: the index cannot be read.

    """
    caches = caches or Caches.of(vault, rules)
    run = _Run(
        index,
        embedder,
        request,
        rules,
        vault,
        semantic_reason,
        caches,
        reranker,
        UNTUNED if request.untuned else tuning,
        uri or source_of(vault).uri,
        aside,
    )
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
    caches: Caches
    reranker: FindReranker | None
    tuning: Tuning
    uri: Uri
    aside: Aside
    began: float = field(default_factory=time.perf_counter)
    warnings: list[str] = field(default_factory=list)
    filtered: dict[str, int] = field(default_factory=dict)
    fusion: Fusion = field(default_factory=lambda: Fusion("none"))
    total: int = 0
    confidence: float | None = None
    expansion: tuple[str, ...] = ()
    corrected: Corrected | None = None
    contributions: tuple[Contribution, ...] = ()
    activated: Mapping[int, Activated] = field(default_factory=dict)  # by note id, of `gars`

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
            corrected=self.corrected,
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
        allowed = conditions.allowed(
            parsed.condition,
            self.index,
            hidden=self.request.hidden,
            facts=self.caches.facts.current(self.index),
            embeds=self.caches.embeds.current(self.index) if parsed.text else (),
        )
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
            return Scope(notes, note_facts.NO_NOTES)
        facts = self.caches.facts.current(self.index)
        scope = note_facts.default_scope(notes, facts, parsed, self.rules)
        for part in scope.removed:
            self.filtered[part.reason] = self.filtered.get(part.reason, 0) + part.count
        count = len(facts.ids) if notes is None else len(notes)
        removed = sum(part.count for part in scope.removed)
        trace.stage("scope", count_in=count, count_out=count - removed, removed=scope.removed)
        return scope

    def listed(self, notes: IdArray, trace: Trace) -> tuple[Result, ...]:
        """Results of a query of conditions only: all notes that meet them, newest first."""
        listed = results.latest(self.index, notes)
        self.total = len(listed)
        shown = results.list_notes(
            self.index,
            listed[: self.request.limit],
            Snippets({}, self.rules.snippet_chars),
            self.uri,
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
        finder = Finder(
            self.index,
            self.embedder,
            self.request,
            self.rules,
            self.semantic_reason,
            self.caches,
            self.aside,
        )
        found = finder.find(parsed.text, scope, trace)
        self.warnings += finder.warnings
        self.corrected, self.expansion = finder.corrected, found.expanded
        if not found.keyword.terms.weights:
            self.warnings.append("The query has no letters, digits or emoji to search for.")
            return (
                self.listed(scope.notes, trace) if parsed.lists and scope.notes is not None else ()
            )
        keyword, vector = found.keyword, found.vector
        ranking = self.ranked(parsed, found, partial(finder.collect, found, scope), trace)
        where = Where(scope.notes, scope.excluded)
        shown_notes = self.postprocessed(ranking, where, parsed.text, trace)
        others = note_facts.NO_NOTES
        if parsed.lists and self.least_score <= 0:
            others = results.without_words(scope, keyword, ranking, shown_notes)
        self.total += len(others)
        trace_limit(trace, self.index, self.total - self.filtered.get("weak", 0), shown_notes)
        if trace.enabled:
            terms = keyword.terms.query if self.request.mode != "semantic" else ()
            self.contributions = contributions(self.index, ranking, shown_notes, terms)
            trace.stage("explain", count_in=len(shown_notes), count_out=len(self.contributions))
        snippets = self.snippets(parsed, keyword.terms, vector)
        phrases = Phrases(parsed.phrases)
        shown_notes = phrases.lead(self.index, shown_notes)
        build = partial(results.build, further=self.request.passages)
        if self.request.group == "block":
            build = partial(results.build_blocks, limit=self.request.limit)
        shown = build(self.index, shown_notes, snippets, self.uri)
        shown = phrases.with_reasons(self.index, shown, snippets)
        shown = gars.with_reasons(self.index, shown, shown_notes, self.activated)
        room = self.request.limit - len(shown)
        shown += results.unscored(self.index, others, room, snippets, self.uri)
        trace.stage("snippet", count_in=len(ranking), count_out=len(shown))
        return shown

    @property
    def least_score(self) -> float:
        """The score below which notes are left out."""
        return max(self.request.min_score, self.rules.min_score)

    def snippets(self, parsed: ParsedQuery, terms: Terms, vector: FloatArray | None) -> Snippets:
        """Makes snippets around the terms of the query, or else around the closest sentence."""
        model: object = self.embedder if vector is not None else None
        closest = ClosestSentence(model, parsed.text) if knows_tokens(model) else None
        weights, chars = terms.highlight_weights(), self.rules.snippet_chars
        return Snippets(weights, chars, phrases=parsed.phrases, closest=closest)

    def postprocessed(
        self, ranking: Ranking, where: Where, text: str, trace: Trace
    ) -> Sequence[RankedNote]:
        """The notes of the reply: reranked and without near-duplicates, if enabled."""
        postprocessing = Postprocessing(
            self.index, self.request, self.rules, self.reranker, trace, where, self.aside
        )
        notes = postprocessing.apply(ranking, text)
        self.warnings += postprocessing.warnings
        self.total += postprocessing.lent_count
        if postprocessing.duplicate_count:
            self.filtered["near_duplicate"] = postprocessing.duplicate_count
            self.total -= postprocessing.duplicate_count
        if postprocessing.reranked_by is not None:
            params = {**self.fusion.params, "reranker": postprocessing.reranked_by}
            self.fusion = Fusion(self.fusion.method, params)
        return notes

    def ranked(
        self,
        parsed: ParsedQuery,
        found: Retrieved,
        collect: Callable[[Collection[int]], tuple[Candidates, NoteEvidence]],
        trace: Trace,
    ) -> Ranking:
        """The candidate notes in order; `collect` gives them, with the notes of these ids."""
        terms = found.keyword.terms
        chunks, notes = collect(())
        trace.stage("retrieve", count_in=self.index.keywords.document_count, count_out=len(chunks))
        if "whole_notes" in self.request.ignore:
            notes = without_whole_notes(notes)
        query = query_evidence(parsed.text, terms, notes, found.semantic, self.tokenizer(found))
        topics = self.caches.topics
        scoring = Scoring(self.index, self.request, self.rules, topics, tuning=self.tuning)
        plan = scoring.plan(query, notes, has_vector=found.vector is not None)
        if scoring.spreads:
            plan, self.activated = scoring.spread(notes, query, plan)
            chunks, notes = collect(self.activated)
            if "whole_notes" in self.request.ignore:
                notes = without_whole_notes(notes)
            trace.stage("neighbours", count_in=len(self.activated), count_out=len(notes))
        boosts = Boosts(
            self.index,
            self.caches.facts,
            self.rules,
            self.request,
            terms,
            dated=note_facts.mentions_date(parsed),
            period=mentioned_date(parsed.text, time.time()),
            summed=plan.method in SUMS,
        )
        if plan.method in SUMS:
            chunks = notes.cosines.mapped_chunks(chunks)
        threshold = self.least_score
        scored = scoring.score(notes, query, plan, self.activated)
        ranking, below = rank(chunks, scored, plan, min_score=threshold, boost=boosts.multipliers)
        self.warnings += boosts.warnings
        trace_ranking(trace, self.index, ranking, below)
        related = self.relevant(ranking, notes, query, parsed, found.keyword)
        trace_relevance(trace, self.index, ranking, related)
        self.report(related, below)
        return related

    def relevant(
        self,
        ranking: Ranking,
        notes: NoteEvidence,
        query: QueryEvidence,
        parsed: ParsedQuery,
        keyword: KeywordResult,
    ) -> Ranking:
        """The ranking with the relevance of its notes; without the weak ones, unless requested.

        Notes with words of the query that are not among the best are counted, but not ranked.
        """
        terms = keyword.terms
        total = terms.total_idf(known=False)
        asked = relevances.Asked(
            known=terms.total_idf(known=True) / total if total > 0 else 0.0,
            content=terms.content_share(),
            required=bool(parsed.phrases) or parsed.lists,
        )
        mode = _possible_mode(self.request.mode, notes)
        relevance = relevances.judge(notes, query, mode, asked)
        self.confidence = round(relevance.confidence, 3)
        if self.activated:
            relevance = relevance.with_linked(gars.places_of_seeds(notes.ids, self.activated))
        ranking = replace(ranking, relevance=relevance)
        # With a least score, these are below it: their words say less than those of the others.
        unranked = keyword.unranked(notes.ids) if len(ranking) == len(notes) else NO_SHARES
        self.total = len(ranking) + len(unranked)
        if self.request.weak:
            return ranking
        ranking, weak = ranking.without_weak()
        weak += int(np.count_nonzero(~asked.is_all_in(unranked)))
        if weak:
            self.filtered["weak"] = weak
        if weak and not len(ranking):
            self.warnings.append(
                f"Nothing matches well. {weak} notes hardly match; search with `weak` to see them."
            )
        return ranking

    def tokenizer(self, found: Retrieved) -> CountTokens | None:
        """The model's count of tokens, if it read the query and `ignore` does not say otherwise."""
        if found.vector is None or self.embedder is None or "spelling" in self.request.ignore:
            return None
        return self.embedder.count_tokens

    def report(self, ranking: Ranking, below: int) -> None:
        """Store what the reply reports of the whole ranking."""
        if below:
            self.filtered["min_score"] = below
        plan = ranking.plan
        weights = {"keyword_weight": plan.keyword_weight, "semantic_weight": plan.semantic_weight}
        params = {name: round(value, 6) for name, value in {**weights, **plan.params}.items()}
        self.fusion = Fusion(plan.method, {**params, "best": ranking.best})


def _possible_mode(mode: SearchMode, notes: NoteEvidence) -> SearchMode:
    """The mode of the ranking: hybrid mode without a model is keyword mode."""
    return "keyword" if mode == "hybrid" and np.isnan(notes.cosine).all() else mode
