"""A query's way, each stage once: parse, filter, retrieve, fuse, rank, show.

All doors search through `search`; none assembles a search of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from notewell.contract.search import (
    Contribution,
    Fusion,
    Removed,
    Result,
    SearchReply,
    SearchRequest,
)
from notewell.errors import ModelError
from notewell.index.port import IndexReader
from notewell.search import (
    expand,
    filters,
    fuse,
    query,
    results,
    retrieve,
    scope,
)
from notewell.search.boosts import Lift
from notewell.search.candidates import Candidates, by_note, with_whole
from notewell.search.expand import Sides
from notewell.search.explain import FOLLOWED, Trace, contributions, left_below
from notewell.search.note_facts import FactsBook
from notewell.search.postprocess import Arrangement, FindReranker
from notewell.search.query import ParsedQuery
from notewell.search.rank import RankedNote, Ranking, rank
from notewell.search.retrieve import LookedUp
from notewell.search.scope import Scope
from notewell.search.sentences import Closest
from notewell.search.signals import Signals, confidence, query_signals, semantic_share, unreadable
from notewell.search.snippet import Snippets
from notewell.search.terms import Terms
from notewell.sources import source_of
from notewell.types import (
    Embedder,
    FloatArray,
    IdArray,
    KnowsTokens,
    PropertyValue,
    SearchMode,
    SearchRules,
    VaultRecord,
)

T = TypeVar("T")

_HIGHLIGHTED = 0.1  # tokens rarer than this part of the rarest one are worth marking


def search(
    index: IndexReader,
    embedder: Embedder | None,
    request: SearchRequest,
    rules: SearchRules,
    vault: VaultRecord,
    *,
    semantic_reason: str | None,
    helpers: Executor | None = None,
    facts: FactsBook | None = None,
    reranker: FindReranker | None = None,
) -> SearchReply:
    """Answer a search. `semantic_reason` says why there is no `embedder`, for the warning.

    With `helpers` words are looked up in one of their threads while the model reads the query.
    `facts` are kept from search to search by whoever searches this index often. `reranker` gives
    the model that reads the first results, where that is asked for.

    Without an embedder hybrid mode answers by keywords and semantic mode finds nothing; both say
    so in `warnings`.

    Raises:
        QueryTooLongError: more characters than a query may have.
        IndexFailure: the index does not read.

    """
    book = facts or FactsBook(vault.path, rules.shelved_status)
    run = _Run(index, embedder, request, rules, vault, semantic_reason, helpers, book, reranker)
    return run.reply()


@dataclass(slots=True)
class _Run:
    """One search. What stages leave for the reply is gathered here."""

    index: IndexReader
    embedder: Embedder | None
    request: SearchRequest
    rules: SearchRules
    vault: VaultRecord
    semantic_reason: str | None
    helpers: Executor | None
    facts: FactsBook
    reranker: FindReranker | None
    began: float = field(default_factory=time.perf_counter)
    warnings: list[str] = field(default_factory=list)
    filtered: dict[str, int] = field(default_factory=dict)
    fusion: Fusion = field(default_factory=lambda: Fusion("none"))
    total: int = 0
    confidence: float | None = None
    expansion: tuple[str, ...] = ()
    made_of: tuple[Contribution, ...] = ()

    def reply(self) -> SearchReply:
        trace = Trace(enabled=self.request.explain)
        generation = self.index.generation
        parsed = query.parse(self.request.q, plain=self.request.plain)
        self.warnings += parsed.warnings
        trace.stage("parse", count_in=1, count_out=1)
        among = self.scoped(parsed, self.filter(parsed, trace), trace)
        found: tuple[Result, ...] = ()
        if parsed.text:
            found = self.scored(parsed, among, trace)
        elif among.notes is not None:
            found = self.listed(among.notes, trace)
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
            explain=trace.explain(_described(parsed), self.made_of),
        )

    def filter(self, parsed: ParsedQuery, trace: Trace) -> IdArray | None:
        """Ids of the notes that may be found; None: all of them."""
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

    def scoped(self, parsed: ParsedQuery, notes: IdArray | None, trace: Trace) -> Scope:
        """Of those notes, the ones that are not left out by default."""
        if self.request.everything or (notes is None and not parsed.text):
            return Scope(notes, scope.NO_NOTES)
        facts = self.facts.of(self.index)
        among = scope.narrowed(notes, facts, parsed, self.rules)
        for part in among.removed:
            self.filtered[part.reason] = self.filtered.get(part.reason, 0) + part.count
        count = len(facts.ids) if notes is None else len(notes)
        removed = sum(part.count for part in among.removed)
        trace.stage("scope", count_in=count, count_out=count - removed, removed=among.removed)
        return among

    def listed(self, notes: IdArray, trace: Trace) -> tuple[Result, ...]:
        """A query of conditions alone: all notes that meet them, the latest first."""
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

    def scored(self, parsed: ParsedQuery, among: Scope, trace: Trace) -> tuple[Result, ...]:
        """The notes that answer the words of the query, best first."""
        limit = retrieve.depth(self.request.limit)
        look_up = partial(
            retrieve.look_up,
            self.index,
            parsed.text,
            limit=limit,
            notes=among.notes,
            without=among.without,
            scored=self.request.mode != "semantic",
            typing=self.request.typing and not self.request.q[-1:].isspace(),
        )
        looking_up = self.beside(look_up)
        vector = self.vector(parsed.text)
        trace.stage("embed", count_in=1, count_out=int(vector is not None))
        semantic = retrieve.by_meaning(self.index, vector, limit=limit, notes=among.notes)
        semantic = retrieve.remaining(self.index, semantic, among.without)
        found = looking_up()
        if not found.terms.weights:
            self.warnings.append("The query has no letters, digits or emoji to search for.")
            return ()
        sides = self.widened(parsed.text, Sides(found, vector, semantic), among, trace)
        found = sides.words
        chunks = retrieve.both(self.index, found.chunks, sides.meaning)
        trace.stage("retrieve", count_in=self.index.keywords.document_count, count_out=len(chunks))
        ranking = self.ranked(parsed, found, vector, chunks, trace)
        notes = self.shown(ranking, parsed.text, trace)
        if trace.enabled:
            terms = found.terms.query if self.request.mode != "semantic" else ()
            self.made_of = contributions(self.index, ranking, notes, terms)
            trace.stage("explain", count_in=len(notes), count_out=len(self.made_of))
        shown = results.build(
            self.index,
            notes,
            self.snippets(parsed.text, found.terms, vector),
            source_of(self.vault).uri,
        )
        trace.stage("snippet", count_in=len(ranking), count_out=len(shown))
        return shown

    def snippets(self, text: str, terms: Terms, vector: FloatArray | None) -> Snippets:
        """What shows the passages: by the telling words, else by the closest sentence."""
        model: object = self.embedder if vector is not None else None
        closest = Closest(model, text) if isinstance(model, KnowsTokens) else None
        return Snippets(_highlighted(terms), self.rules.snippet_chars, closest=closest)

    def beside(self, lookup: Callable[[], T]) -> Callable[[], T]:
        """Begin `lookup` where a helper is at hand; what is given back waits for its answer."""
        if self.helpers is None or self.request.mode == "keyword":
            return lookup
        return self.helpers.submit(lookup).result

    def shown(self, ranking: Ranking, text: str, trace: Trace) -> Sequence[RankedNote]:
        """The notes of the reply, arranged as is asked."""
        arrangement = Arrangement(self.index, self.request, self.rules, self.reranker, trace)
        notes = arrangement.of(ranking, text)
        self.warnings += arrangement.warnings
        if arrangement.repeated:
            self.filtered["near_duplicate"] = arrangement.repeated
            self.total -= arrangement.repeated
        if arrangement.read_by is not None:
            params = {**self.fusion.params, "reranker": arrangement.read_by}
            self.fusion = Fusion(self.fusion.method, params)
        return notes

    def widened(self, text: str, sides: Sides, among: Scope, trace: Trace) -> Sides:
        """What both sides find when more is asked for: of a short query, where that is wanted."""
        wanted = self.rules.expand if self.request.expand is None else self.request.expand
        if not wanted or not expand.is_short(text):
            return sides
        by_words = self.request.mode != "semantic"
        limit = retrieve.depth(self.request.limit)
        more = expand.widened(self.index, text, sides, among, limit=limit, by_words=by_words)
        self.expansion = more.expanded
        trace.stage("expand", count_in=1, count_out=1 + len(more.expanded))
        return more

    def ranked(
        self,
        parsed: ParsedQuery,
        found: LookedUp,
        vector: FloatArray | None,
        chunks: Candidates,
        trace: Trace,
    ) -> Ranking:
        """The notes of the chunks in order; what the reply says of the whole list is noted."""
        notes = by_note(chunks)
        asked = found.terms.asked
        signals = query_signals(
            notes, parsed.text, known=asked(known=True), asked=asked(known=False)
        )
        plan = self.plan(parsed.text, signals, vector)
        scored = notes
        if "whole_notes" not in self.request.ignore:
            scored = with_whole(notes, found.note_ids, found.note_bm25)
        lift = Lift(
            self.index,
            self.facts,
            self.rules,
            self.request,
            found.terms,
            dated=scope.asks_for_dates(parsed),
        )
        least = max(self.request.min_score, self.rules.min_score)
        ranking, below = rank(chunks, scored, plan, min_score=least, lift=lift.of)
        self.warnings += lift.warnings
        self.confidence = confidence(notes, signals, _possible(self.request.mode, vector))
        self.conclude(ranking, below)
        trace.stage(
            "fuse",
            count_in=len(notes),
            count_out=len(ranking),
            removed=self.removed_below(ranking, below, trace),
            top=lambda: self.paths(ranking),
        )
        return ranking

    def vector(self, text: str) -> FloatArray | None:
        """The query's embedding, where the mode asks for meaning and a model answers."""
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

    def plan(self, text: str, signals: Signals, vector: FloatArray | None) -> fuse.Plan:
        """How the sides are weighed for this query."""
        if self.request.mode == "semantic":
            return fuse.MEANING_ALONE
        if vector is None or self.embedder is None:
            return fuse.KEYWORDS_ALONE
        alpha = self.request.alpha
        if self.request.fusion != "auto":
            return fuse.plan(self.request.fusion, alpha)
        unread = 0.0
        if "spelling" not in self.request.ignore:
            unread = unreadable(text, self.embedder.count_tokens)
        share = semantic_share(signals, unread) if alpha is None else alpha
        return fuse.Plan("auto", 1.0 - share, share, {**signals.as_params(), "unreadable": unread})

    def conclude(self, ranking: Ranking, below: int) -> None:
        """Note what the reply says of the whole list."""
        if below:
            self.filtered["min_score"] = below
        self.total = len(ranking)
        plan = ranking.plan
        weights = {"keyword_weight": plan.keyword_weight, "semantic_weight": plan.semantic_weight}
        rounded = {name: round(value, 6) for name, value in {**weights, **plan.why}.items()}
        self.fusion = Fusion(plan.method, {**rounded, "best": ranking.best})

    def removed_below(self, ranking: Ranking, below: int, trace: Trace) -> Sequence[Removed]:
        """What fell below the least score, for the trace."""
        if not below or not trace.enabled:
            return ()
        return (Removed("min_score", below, left_below(self.index, ranking)),)

    def paths(self, ranking: Ranking) -> list[str]:
        """Paths of the first notes, for the trace."""
        ids = ranking.note_ids(FOLLOWED)
        notes = self.index.notes(ids)
        return [notes[note_id].path for note_id in ids if note_id in notes]


def _possible(mode: SearchMode, vector: FloatArray | None) -> SearchMode:
    return "keyword" if mode == "hybrid" and vector is None else mode


def _highlighted(terms: Terms) -> Mapping[str, float]:
    """Tokens worth marking: not those that nearly every passage has."""
    telling = {token: terms.rarity[token] * weight for token, weight in terms.weights.items()}
    least = _HIGHLIGHTED * max(telling.values())
    return {token: worth for token, worth in telling.items() if worth >= least}


def _described(parsed: ParsedQuery) -> Mapping[str, PropertyValue]:
    return {
        "text": parsed.text,
        "phrases": parsed.phrases,
        "condition": query.describe(parsed.condition),
    }
