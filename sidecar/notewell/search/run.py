"""Runs a search through its stages: parse, retrieve, group, evidence, score, cut, show.

Every client searches through `search`. Steps that a search may do without are one condition each:
expansion, `gars`, boosts, reranking, the removal of near-duplicates, notes of attachments, phrases.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from notewell.base.errors import ModelError
from notewell.base.types import (
    FloatArray,
    IdArray,
    SearchMode,
    knows_tokens,
    looks_up,
)
from notewell.contract.search import Fusion, Result, SearchReply
from notewell.index.note_terms import field_weights
from notewell.search.context import Report, SearchContext
from notewell.search.query import note_scope, parser
from notewell.search.query.date_mentions import DateMention, find_date
from notewell.search.query.date_writings import day_of, other_writings
from notewell.search.query.language import ParsedQuery
from notewell.search.query.note_scope import NO_NOTES, Scope
from notewell.search.query.scopes import match_finder
from notewell.search.query.spacing import with_spacing_of_vault
from notewell.search.query.spelling import Speller, correct_query, correct_text, is_word_of
from notewell.search.query.synonyms import WithSynonyms
from notewell.search.query.terms import Terms, content_words, is_english, query_terms
from notewell.search.rank import expand, gars, rerank, retrieve
from notewell.search.rank.boosts import WITHIN_PERIOD, Boosts
from notewell.search.rank.candidates import Candidates, CosineMap
from notewell.search.rank.evidence import NoteEvidence, QueryEvidence, depends_on_names
from notewell.search.rank.gars import Spreading
from notewell.search.rank.guarantees import (
    Guarantees,
    HeldWords,
    content_words_of,
    is_beginning,
)
from notewell.search.rank.ranking import (
    SUMS,
    FusionPlan,
    RankedNote,
    Ranking,
    Scored,
    rank,
)
from notewell.search.rank.relevance import (
    MOST_WORDS,
    NEAREST_PASSAGES,
    USUALLY_NEARER,
    QueryRequirements,
    judge,
    odds_by_meaning,
)
from notewell.search.rank.retrieve import Retrieved, notes_headed_by
from notewell.search.rank.scoring import Scoring, SearchReader, query_evidence, without_whole_notes
from notewell.search.scope import find_scope, with_daily_notes
from notewell.search.show import duplicates, results
from notewell.search.show.closest_sentence import ClosestSentence
from notewell.search.show.copies import with_copies
from notewell.search.show.embedding_notes import with_embedding_notes
from notewell.search.show.explain import contributions, trace_limit, trace_ranking, trace_relevance
from notewell.search.show.phrases import QueryPhrases
from notewell.search.show.snippets import Snippets
from notewell.search.trace import Trace


def search(context: SearchContext) -> SearchReply:
    """Answer the search request of a context.

    Raises:
        QueryTooLongError: the query has more characters than the limit.
        IndexFailure: the index cannot be read.

    """
    report = Report(Trace(enabled=context.request.explain))
    generation = context.index.generation
    request = context.request
    parsed = parser.parse(request.q, plain=request.plain, scopes=True, typing=request.typing)
    report.warnings += parsed.warnings
    report.trace.stage("parse", count_in=1, count_out=1)
    scope = find_scope(context, parsed, report)
    shown: tuple[Result, ...] = ()
    if parsed.text:
        text = with_spacing_of_vault(context.index.keywords, parsed.text, typing=request.typing)
        parsed = replace(parsed, text=text)
        synonyms = context.caches.synonyms.current(context.index)
        report.warnings += [MISSING_SYNONYMS.format(name) for name in synonyms.missing]
        said = synonyms.applied(parsed.text)
        period = find_date(parsed.text, time.time())
        shown = _TextSearch(context, parsed, scope, report, said, period).results()
    elif scope.notes is not None:
        shown = _list_notes(context, parsed, scope.notes, report)
    shown = with_copies(shown, context.caches.copies.current(context.index))
    return report.reply(context, parsed, generation, shown)


def _list_notes(
    context: SearchContext, parsed: ParsedQuery, notes: IdArray, report: Report
) -> tuple[Result, ...]:
    """Results of a query of conditions only: all notes that meet them, newest first."""
    listed = results.latest(context.index, notes)
    report.total = len(listed)
    template = context.index.keywords.template_lines
    finds = match_finder(parsed.condition)
    snippets = Snippets({}, context.rules.snippet_chars, closest=finds, template=template)
    shown = results.list_notes(
        context.index,
        listed[: context.request.limit],
        snippets,
        context.address,
        finds=finds,
    )
    report.trace.stage(
        "list",
        count_in=len(listed),
        count_out=len(shown),
        top=lambda: [result.path for result in shown],
    )
    return shown


MISSING_SYNONYMS = "The note “{}” of search.synonyms is not in the vault."


@dataclass(frozen=True, slots=True, eq=False)
class _ScoredCandidates:
    """Candidate passages, and their notes with all evidence and the scores that it makes."""

    chunks: Candidates
    notes: NoteEvidence
    query: QueryEvidence
    plan: FusionPlan
    scored: Scored
    spreading: Spreading | None  # along links, by the method `gars`
    guarantees: Guarantees | None


@dataclass(frozen=True, slots=True, eq=False)
class _TextSearch:
    """A search for the text of a query in some notes.

    `said` is that text with synonyms, `period` the time that it names.
    """

    context: SearchContext
    parsed: ParsedQuery
    scope: Scope
    report: Report
    said: WithSynonyms
    period: DateMention | None

    def results(self) -> tuple[Result, ...]:
        """The results, best first."""
        terms = self.terms()
        if not len(self.scope.daily):
            return self.results_for(terms)
        content = content_words_of(terms, self.said.text, typing=self.context.is_typing)
        scope = with_daily_notes(self.context, self.scope, content, self.report)
        return replace(self, scope=scope).results_for(terms)

    def results_for(self, terms: Terms) -> tuple[Result, ...]:
        """The results of these words, best first."""
        retrieved = self.retrieve(terms)
        if not retrieved.terms.weights:
            self.report.warnings.append("The query has no letters, digits or emoji to search for.")
            if self.parsed.lists and self.scope.notes is not None:
                return _list_notes(self.context, self.parsed, self.scope.notes, self.report)
            return ()
        candidates = self.score_candidates(retrieved)
        ranking, below = self.rank_notes(retrieved, candidates)
        ranking = self.with_relevance(retrieved, candidates, ranking)
        if below:
            self.report.filtered["min_score"] = below
        return self.build_results(retrieved, candidates, ranking)

    def retrieve(self, terms: Terms) -> Retrieved:
        """The hits of the text by its words, corrected, and by its meaning."""
        index, request = self.context.index, self.context.request
        corrected = self.parsed.text
        if terms.fixes:
            self.report.corrected = correct_query(request.q, terms.fixes, plain=request.plain)
            corrected = correct_text(self.parsed.text, terms.fixes)
        limit, weights = retrieve.depth(request.limit), field_weights(self.context.rules)
        text = correct_text(correct_text(self.said.text, terms.fixes), terms.completed)
        vector = self.embed_query(text)
        self.report.trace.stage("embed", count_in=1, count_out=int(vector is not None))
        keyword = (
            retrieve.only_terms(index, terms, weights)
            if request.mode == "semantic"
            else retrieve.search_keywords(
                index,
                corrected,
                terms,
                self.scope,
                limit=limit,
                weights=weights,
                names=self.context.caches.names.current(index),
                typing=self.context.is_typing,
            )
        )
        semantic = retrieve.semantic_candidates(index, vector, keyword, self.scope, limit=limit)
        retrieved = Retrieved(text, keyword, vector, semantic, also=self.notes_of_day())
        if terms.weights and expand.is_wanted(self.context, self.parsed.text):
            retrieved = expand.retrieve_expanded(
                self.context, self.parsed.text, retrieved, self.scope
            )
            self.report.expanded = retrieved.expanded
            self.report.trace.stage("expand", count_in=1, count_out=1 + len(retrieved.expanded))
        return retrieved

    def notes_of_day(self) -> IdArray:
        """Ids of the daily notes of a day that the query names; those of a longer time are many."""
        period = self.period
        if period is None or day_of(period) is None:
            return NO_NOTES
        facts = self.context.caches.facts.current(self.context.index)
        notes = facts.daily_of(period.start, period.end)
        return notes[self.scope.among(notes)]

    def terms(self) -> Terms:
        """The words of the query, with what they may stand for."""
        index, caches, request = self.context.index, self.context.caches, self.context.request
        model = None if request.mode == "keyword" else self.context.embedder
        speller = Speller(index, caches.words, caches.names.current(index), is_word_of(model))
        days = {} if self.period is None else other_writings(self.period)
        return query_terms(
            index,
            self.said.text,
            typing=self.context.is_typing,
            finished=request.q[-1:].isspace(),
            correct="spelling" not in request.ignore,
            speller=speller,
            inflected=caches.inflections.finder(index, caches.words, self.said.text),
            synonyms={**days, **self.said.others},
        )

    def embed_query(self, text: str) -> FloatArray | None:
        """The embedding of the query (dimensions,); None in keyword mode or without a model."""
        if self.context.request.mode == "keyword":
            return None
        if self.context.embedder is None:
            reason = self.context.semantic_reason or "no embedding model is loaded"
            self.report.warnings.append(
                f"Semantic search is unavailable: {reason}.".replace("..", ".")
            )
            return None
        waiting = self.context.index.chunk_count - self.context.index.vectors.count
        if waiting > 0:
            self.report.warnings.append(
                f"{waiting} passages still wait for their embedding; until then they are found"
                " by their words alone."
            )
        elif self.context.index.vectors.has_approximate:
            self.report.warnings.append(
                "The model has yet to read many passages; until then they are found by approximate"
                " meaning."
            )
        table, pace = self.context.query_table, self.context.caches.pace
        if table is not None and pace.is_slow:
            guess = table.guess(text)
            self.report.approximate = guess is not None
            return None if guess is None else guess.vector
        try:
            with self.context.release_turn():
                began = time.perf_counter()
                vector = self.context.embedder.embed_query(text)
            pace.add(time.perf_counter() - began)
            return vector
        except ModelError as error:
            self.report.warnings.append(f"Semantic search is unavailable: {error.message}")
            return None

    def requirements(self, retrieved: Retrieved) -> QueryRequirements:
        """The demands of the query on its results."""
        has_conditions = bool(self.parsed.phrases) or self.parsed.lists
        required = QueryRequirements.of(retrieved.terms, required=has_conditions)
        words = content_words(retrieved.text)
        if len(words) < 2:
            return required
        beyond_words = partial(self.semantic_lead, retrieved, words[:MOST_WORDS])
        groups = retrieved.terms.content_groups()
        together = partial(self.context.index.keywords.notes_with_each, groups)
        return replace(required, words=len(words), beyond_words=beyond_words, together=together)

    def semantic_lead(self, retrieved: Retrieved, words: Sequence[str]) -> float:
        """The lead of the query over the words: how much nearer to it the nearest passages are.

        It is not measured where a service would be asked for every word, nor by a query table,
        in which a text is the sum of its words.
        """
        model = self.context.embedder
        if (
            retrieved.vector is None
            or model is None
            or self.report.approximate
            or not looks_up(model, words[0])
        ):
            return USUALLY_NEARER
        nearest = np.argsort(-retrieved.semantic.scores, kind="stable")[:NEAREST_PASSAGES]
        chunks = np.sort(retrieved.semantic.chunk_ids[nearest])
        passages = self.context.index.vectors.of_chunks(chunks)[1]
        try:
            with self.context.release_turn():
                of_words = [passages @ model.embed_query(word) for word in words]
        except ModelError:
            return USUALLY_NEARER
        nearer = passages @ retrieved.vector - np.max(of_words, axis=0)
        return CosineMap.of(model).scale * float(nearer.mean()) if len(nearer) else USUALLY_NEARER

    def score_candidates(self, retrieved: Retrieved) -> _ScoredCandidates:
        """The candidates of both halves, scored by their evidence."""
        index = self.context.index
        chunks, notes = self.evidence(retrieved)
        self.report.trace.stage(
            "retrieve", count_in=index.keywords.document_count, count_out=len(chunks)
        )
        query = query_evidence(
            self.parsed.text,
            retrieved.terms,
            notes,
            retrieved.semantic,
            self.reader(retrieved),
            dated=self.period is not None,
            english=is_english(index.keywords),
        )
        query = self.with_proper_name(retrieved, query)
        scoring = Scoring(self.context, query)
        plan = scoring.plan(notes, has_vector=retrieved.vector is not None)
        spreading = None
        if gars.is_wanted(self.context):
            plan, spreading = gars.spread(
                self.context, notes, scoring.similarity(notes, plan), plan
            )
            chunks, notes = self.evidence(gars.with_hits(index, retrieved, self.scope, spreading))
            self.report.trace.stage(
                "neighbours", count_in=len(spreading.activated), count_out=len(notes)
            )
        scored = scoring.score(notes, plan, spreading)
        guarantees = None
        if plan.method in {"auto", "keyword"} and self.is_plain:
            guarantees = self.guarantees(retrieved, notes, query)
            scored = guarantees.applied(scored)
        return _ScoredCandidates(chunks, notes, query, plan, scored, spreading, guarantees)

    def with_proper_name(self, retrieved: Retrieved, query: QueryEvidence) -> QueryEvidence:
        """The evidence, with `has_name` set where it matters; only English vaults tell names."""
        if retrieved.vector is None or not query.english or not depends_on_names(query):
            return query
        terms = retrieved.terms
        guessed = {token for word in terms.begun for token in terms.alternatives.get(word, ())}
        groups = terms.content_groups()
        tokens = [token for group in groups for token in group if token not in guessed]
        names = self.context.caches.proper_names
        return replace(query, has_name=names.has_any(self.context.index, tokens))

    @property
    def is_plain(self) -> bool:
        """True unless the request weighs the evidence in its own way."""
        return self.context.request.alpha is None and not self.context.request.ignore

    def guarantees(
        self,
        retrieved: Retrieved,
        notes: NoteEvidence,
        query: QueryEvidence,
    ) -> Guarantees:
        """The orders that hold whatever the sums are."""
        index = self.context.index
        said = () if self.period is None else self.period.words
        typing = self.context.is_typing
        content = content_words_of(retrieved.terms, retrieved.text, typing=typing, dates=said)
        only_day = not content.count
        if only_day:  # a note may hold the words of the date as they stand
            content = content_words_of(retrieved.terms, retrieved.text, typing=typing)
        of_day = np.isin(notes.ids, retrieved.also) if len(retrieved.also) else None
        together = partial(index.keywords.notes_with_each, content.groups)
        headed = partial(notes_headed_by, index, retrieved.text)
        held = HeldWords.of(index.keywords, content, notes.ids, together, headed)
        odds = None if retrieved.vector is None else odds_by_meaning(notes, query)
        count = index.keywords.note_count
        facts, templates = self.context.caches.facts.current(index), None
        if facts.has_templates and not note_scope.means_templates(self.parsed):
            templates = facts.are_templates(notes.ids) & ~notes.is_named
        unknown, quoted = () if typing else content.all_unknown, None
        if content.quotation:
            quoted = np.isin(notes.ids, index.keywords.notes_with_phrase(content.quotation))
        begins = is_beginning(self.parsed.text, typing=typing)
        return Guarantees(
            notes, held, count, odds, of_day, only_day, templates, unknown, quoted, begins
        )

    def evidence(self, retrieved: Retrieved) -> tuple[Candidates, NoteEvidence]:
        """The candidate passages, and what is known of the notes that they belong to."""
        cosines = CosineMap.of(self.context.embedder)
        chunks, notes = retrieve.collect(
            self.context.index, retrieved.keyword, retrieved.semantic, retrieved.also, cosines
        )
        if "whole_notes" in self.context.request.ignore:
            notes = without_whole_notes(notes)
        return chunks, notes

    def reader(self, retrieved: Retrieved) -> SearchReader | None:
        """The model as a reader, if it read the query."""
        embedder = self.context.embedder
        if retrieved.vector is None or embedder is None:
            return None
        index, caches = self.context.index, self.context.caches
        note_ids = caches.facts.current(index).ids
        unreadable = caches.readability.unreadable(index, note_ids, embedder)
        return SearchReader(embedder.count_tokens, unreadable)

    def rank_notes(
        self, retrieved: Retrieved, candidates: _ScoredCandidates
    ) -> tuple[Ranking, int]:
        """The candidate notes in order, boosted; and how many are below the least score."""
        plan, chunks = candidates.plan, candidates.chunks
        boosts = Boosts(
            self.context,
            retrieved.terms,
            dated=note_scope.mentions_date(self.parsed),
            period=self.period,
            summed=plan.method in SUMS,
            sink_templates=not note_scope.means_templates(self.parsed),
            named=candidates.notes.ids[candidates.notes.is_named],
        )
        if plan.method in SUMS:
            chunks = candidates.notes.cosines.mapped_chunks(chunks)
        ranking, below = rank(
            chunks,
            candidates.scored,
            plan,
            min_score=self.context.least_score,
            boost=boosts.multipliers,
            paths=self.context.index.paths,
        )
        self.report.warnings += boosts.warnings
        trace_ranking(self.report.trace, self.context.index, ranking, below)
        weights = {"keyword_weight": plan.keyword_weight, "semantic_weight": plan.semantic_weight}
        params = {name: round(value, 6) for name, value in {**weights, **plan.params}.items()}
        self.report.fusion = Fusion(plan.method, {**params, "best": ranking.best})
        return ranking, below

    def with_relevance(
        self, retrieved: Retrieved, candidates: _ScoredCandidates, whole: Ranking
    ) -> Ranking:
        """The ranking with the relevance of its notes; without the weak ones, unless requested.

        Notes with words of the query that are not among the best are counted, but not ranked.
        """
        notes = candidates.notes
        required = self.requirements(retrieved)
        mode = _possible_mode(self.context.request.mode, notes)
        shares = candidates.scored.fused.fused if candidates.plan.method == "auto" else None
        relevance = judge(notes, candidates.query, mode, required, shares)
        if self.period is not None and whole.multipliers.recency is not None:
            relevance = relevance.with_certain(whole.multipliers.recency > WITHIN_PERIOD)
        if candidates.guarantees is not None:
            kept, filler = candidates.guarantees.never_cut, candidates.guarantees.filler
            relevance = relevance.with_certain(kept)
            if not required.required:
                relevance = relevance.without(filler & ~kept)
            if candidates.guarantees.unknown:
                self.report.warnings.append(_tell_unknown(candidates.guarantees.unknown))
                relevance = relevance.less_confident_if_all_weak()
            first = next((at for at in whole.order if not relevance.weak[at]), None)
            relevance = relevance.with_strong(
                candidates.guarantees.strong(relevance.likely_strong, first)
            )
        self.report.confidence = round(relevance.confidence, 3)
        if candidates.spreading is not None:
            relevance = candidates.spreading.with_linked(relevance, notes.ids)
        ranking = replace(whole, relevance=relevance)
        # With a least score, these are below it: their words say less than those of the others.
        held, ids = retrieved.keyword.unranked(notes.ids)
        if len(ranking) < len(notes):
            held, ids = held[:0], ids[:0]
        self.report.total = len(ranking) + len(ids)
        if self.context.request.weak:
            trace_relevance(self.report.trace, self.context.index, whole, ranking)
            return ranking
        ranking, weak = ranking.without_weak()
        weak += int(np.count_nonzero(~required.is_all_in(held, ids, answered=relevance.answered)))
        if weak:
            self.report.filtered["weak"] = weak
        if weak and not len(ranking):
            self.report.warnings.append(
                f"Nothing matches well. {weak} notes hardly match; search with `weak` to see them."
            )
        trace_relevance(self.report.trace, self.context.index, whole, ranking)
        return ranking

    def build_results(
        self, retrieved: Retrieved, candidates: _ScoredCandidates, ranking: Ranking
    ) -> tuple[Result, ...]:
        """The results of the reply: the first notes, with passages, snippets and reasons."""
        index, request, trace = self.context.index, self.context.request, self.report.trace
        ranked = self.first_notes(ranking)
        others = NO_NOTES
        if self.parsed.lists and self.context.least_score <= 0:
            others = results.without_words(self.scope, retrieved.keyword, ranking, ranked)
        self.report.total += len(others)
        trace_limit(trace, index, self.report.total - self.report.filtered.get("weak", 0), ranked)
        if trace.enabled:
            terms = retrieved.terms if request.mode != "semantic" else None
            self.report.contributions = contributions(index, ranking, ranked, terms)
            trace.stage("explain", count_in=len(ranked), count_out=len(self.report.contributions))
        snippets = self.snippets(retrieved)
        phrases = QueryPhrases(self.parsed.phrases)
        ranked = phrases.lead(index, ranked)
        build = partial(results.build, further=request.passages)
        if request.group == "block":
            build = partial(results.build_blocks, limit=request.limit)
        shown = build(index, ranked, snippets, self.context.address)
        shown = phrases.with_reasons(index, shown, snippets)
        if self.said.used:
            shown = results.with_synonyms(index, shown, ranked, self.said.used)
        if candidates.spreading is not None:
            shown = candidates.spreading.with_reasons(index, shown, ranked)
        room = request.limit - len(shown)
        shown += results.list_unscored(index, others, room, snippets, self.context.address)
        trace.stage("snippet", count_in=len(ranking), count_out=len(shown))
        return shown

    def first_notes(self, ranking: Ranking) -> Sequence[RankedNote]:
        """The notes of the reply; reranked and without near-duplicates, if enabled."""
        request, limit = self.context.request, self.context.request.limit
        reranks, collapses = rerank.is_wanted(self.context), duplicates.is_collapsed(self.context)
        wanted = max(limit, rerank.MAX_RERANKED) if reranks else limit
        if collapses:
            wanted = max(wanted, min(2 * wanted, max(wanted, duplicates.MAX_COMPARED)))
        index, report, further = self.context.index, self.report, self.context.further_passages
        notes: Sequence[RankedNote] = ranking.top(wanted, further)
        if duplicates.find_copies(index, notes):
            notes = ranking.top(2 * wanted, further)  # others take their places
            notes = duplicates.without(index, notes, duplicates.find_copies(index, notes), report)
        if reranks:
            notes = rerank.rerank_notes(self.context, notes, self.parsed.text, report)
        if collapses:
            repeated = duplicates.find_duplicates(index, notes)
            notes = duplicates.without(index, notes, repeated, report)
        notes = notes[:limit]
        if request.group == "note" and "links" not in request.ignore:
            count = len(notes)
            notes = with_embedding_notes(index, notes, ranks=ranking.holds, among=self.scope.among)
            report.total += len(notes) - count
        return notes[:limit]

    def snippets(self, retrieved: Retrieved) -> Snippets:
        """Makes snippets around the terms of the query, or else around the closest sentence."""
        model: object = self.context.embedder if retrieved.vector is not None else None
        closest = ClosestSentence(model, self.parsed.text) if knows_tokens(model) else None
        weights, chars = retrieved.terms.highlight_weights(), self.context.rules.snippet_chars
        template = self.context.index.keywords.template_lines
        phrases = self.parsed.phrases
        return Snippets(weights, chars, phrases=phrases, closest=closest, template=template)


def _tell_unknown(words: Sequence[str]) -> str:
    """The warning that no note has any of these words."""
    *others, last = (f"“{word}”" for word in words)
    if not others:
        return f"Nothing has the word {last}."
    return f"Nothing has the words {', '.join(others)} or {last}."


def _possible_mode(mode: SearchMode, notes: NoteEvidence) -> SearchMode:
    """The mode of the ranking: hybrid mode without a model is keyword mode."""
    return "keyword" if mode == "hybrid" and np.isnan(notes.cosine).all() else mode
