"""Scores the candidate notes of a search by its mode and fusion method."""

from __future__ import annotations

import math
from dataclasses import field, replace
from functools import lru_cache, partial

import numpy as np

from notewell.base.types import (
    CountTokens,
    FloatArray,
    SearchRules,
    Signal,
    VectorHits,
)
from notewell.base.types.frozen import frozen
from notewell.index.analyze import SPACELESS_CHARACTER
from notewell.search.context import SearchContext
from notewell.search.facts.readability import digit_share, unreadable_share
from notewell.search.query.terms import Terms
from notewell.search.rank import evidence
from notewell.search.rank.candidates import Candidates, or_zero
from notewell.search.rank.evidence import Addends, NoteEvidence, QueryEvidence
from notewell.search.rank.fixed_fusion import plan
from notewell.search.rank.gars import Spreading
from notewell.search.rank.ranking import SEMANTIC_ONLY, SUMS, Fused, FusionPlan, Scored
from notewell.search.weights import UNTUNED, EvidenceWeights, Tuning

_DEFAULT = SearchRules()
_NEUTRAL_ALPHA = 0.5  # the share of meaning that leaves the addends as they are


_LETTERS = 3  # of a query that say what is looked for


@frozen
class SearchReader:
    """The model of a search as a reader: `count_tokens` counts its tokens in a text.

    `vault_unreadable`: how much of the vault's notes it splits into pieces of words, 0..1.
    """

    count_tokens: CountTokens
    vault_unreadable: float


def query_evidence(
    text: str,
    terms: Terms,
    notes: NoteEvidence,
    hits: VectorHits,
    reader: SearchReader | None,
    *,
    dated: bool = False,
    english: bool = True,
) -> QueryEvidence:
    """The evidence of a query; without a `reader`, the model reads everything.

    `dated`: the text names a day or period; `english`: the vault is written in English.
    """
    hits = notes.cosines.mapped_hits(hits)
    embedded = ~np.isnan(notes.cosine)
    cosines, coverage = notes.meaning[embedded], notes.coverage[embedded]
    nearest = np.argsort(-cosines)[: evidence.NEAREST]
    total, known = terms.total_idf(known=False), terms.total_idf(known=True)
    # One or two letters begin so many words that they add up to more than a name that begins so.
    few = bool(terms.begun) and len(text) < _LETTERS and not SPACELESS_CHARACTER.search(text)
    return QueryEvidence(
        known_idf=known,
        words=terms.word_count,
        digits=digit_share(text),
        unreadable=0.0 if reader is None else unreadable_share(text, reader.count_tokens),
        nearest=float(cosines[nearest[-1]]) if len(nearest) else 0.0,
        cosine_mean=hits.mean,
        cosine_deviation=hits.deviation,
        passages=hits.searched,
        nearest_coverage=float(coverage[nearest].mean()) if len(nearest) else 1.0,
        known=known / total if total > 0 else 0.0,
        content=terms.content_share(),
        first_coverage=evidence.first_coverage(notes),
        short_coverage=float(notes.short_coverage.max()) if len(notes) else 0.0,
        vault_unreadable=0.0 if reader is None else reader.vault_unreadable,
        dated=dated,
        english=english,
        most_words=len(text) if few else math.inf,
    )


@frozen
class Scoring:
    """Scores the candidates of one search by the rules and the weights of the evidence."""

    context: SearchContext
    query: QueryEvidence
    constants: EvidenceWeights = field(default_factory=EvidenceWeights)

    def plan(self, notes: NoteEvidence, *, has_vector: bool) -> FusionPlan:
        """The fusion method and its weights for this query."""
        request, rules, query = self.context.request, self.context.rules, self.query
        if request.mode == "semantic":
            return SEMANTIC_ONLY
        method = request.fusion or rules.fusion
        if has_vector and request.mode == "hybrid" and method not in SUMS:
            return plan(method, request.alpha, blend_w=rules.keyword_weight)
        words = 1.0 / query.known_idf if query.known_idf > 0 else 0.0
        if not has_vector:
            return FusionPlan("keyword", words, 0.0, self._params(self.weights(), 0.0))
        weights = self.weights()
        best_name = float(notes.names.max()) if len(notes) else 0.0
        meaning = evidence.meaning_weight(query, weights, best_name)
        words_share = meaning_share = 1.0
        if request.alpha is not None:
            words_share = (1.0 - request.alpha) / (1.0 - _NEUTRAL_ALPHA)
            meaning_share = request.alpha / _NEUTRAL_ALPHA
        params = self._params(weights, meaning) | {
            "words_share": words_share,
            "meaning_share": meaning_share,
            "cosine_scale": notes.cosines.scale,
            "cosine_shift": notes.cosines.shift,
        }
        return FusionPlan("auto", words * words_share, meaning * meaning_share, params)

    def similarity(self, notes: NoteEvidence, plan: FusionPlan) -> FloatArray:
        """The sums (n,) of all evidence but links, by a plan."""
        return self._addends(notes, plan).similarity

    def score(
        self, notes: NoteEvidence, plan: FusionPlan, spreading: Spreading | None = None
    ) -> Scored:
        """The notes with their scores before boosts; `spreading` is that of the method `gars`."""
        if plan.method not in SUMS:
            candidates = Candidates(notes.ids, notes.ids, notes.bm25, notes.cosine)
            return Scored.of(candidates, plan)
        addends = self._addends(notes, plan)
        if spreading is not None:
            addends = spreading.with_activation(addends, notes.ids)
        total = addends.total
        best = (float(total.max()) if len(total) else 0.0) or 1.0
        fused = total / np.float32(best)
        parts = Fused(_against_best(notes.bm25), np.maximum(notes.cosine, np.float32(0.0)), fused)
        of_notes = notes.ids, notes.bm25, notes.cosine
        return Scored(*of_notes, parts, addends, best, mean_cosine=notes.mean_cosine)

    def _addends(self, notes: NoteEvidence, plan: FusionPlan) -> Addends:
        weights, query = self.weights(), self.query
        share = np.float32(plan.params.get("words_share", 1.0))
        words = share * evidence.weigh_words(notes, query)
        coverage = share * evidence.weigh_coverage(notes, query, weights)
        names = share * notes.named(weights)
        others = words + coverage + names
        meaning = np.zeros_like(words)
        if plan.semantic_weight > 0:
            meaning = evidence.weigh_meaning(notes, others, plan.semantic_weight, weights.mean)
        find_links = partial(evidence.links_from_best, self.context.index)
        links = evidence.weigh_links(notes.ids, others + meaning, weights.links, find_links)
        return Addends(words, meaning, coverage, names, links)

    def weights(self) -> EvidenceWeights:
        """The weights, as the settings and the request change them, then the tuning."""
        rules, request = self.context.rules, self.context.request
        names = rules.name_boost / _DEFAULT.name_boost
        tuning = UNTUNED if request.untuned else self.context.tuning
        given = self.constants, rules.graph_boost, names, tuning
        return _weights(*given, links=request.graph, ignored=frozenset(request.ignore))

    def _embedded_share(self) -> float:
        """The share of the vault's passages that have their vector."""
        passages = self.context.index.chunk_count
        return min(1.0, self.context.index.vectors.count / passages) if passages else 1.0

    def _params(self, weights: EvidenceWeights, meaning: float) -> dict[str, float]:
        """The constants and measures that the addends are made from, for the reply."""
        query = self.query
        return {
            "meaning": meaning,
            "coverage_weight": weights.coverage,
            "described_weight": weights.described,
            "names": weights.names,
            "links": weights.links,
            "known_idf": query.known_idf,
            "words": float(query.words),
            "unreadable": query.unreadable,
            "digits": query.digits,
            "standing_out": evidence.standing_out(query),
            "nearest_coverage": query.nearest_coverage,
            "settled": evidence.settled(query),
            "vault_unreadable": query.vault_unreadable,
            "mean_share": weights.mean,
            "coverage": self._embedded_share(),
        }


@lru_cache(maxsize=64)  # asked several times a search, and nearly always the same
def _weights(
    weights: EvidenceWeights,
    graph_boost: float,
    names: float,
    tuning: Tuning,
    *,
    links: float | None,
    ignored: frozenset[Signal],
) -> EvidenceWeights:
    """The weights without ignored signals; a weight of `links` from the request is not tuned."""
    tuned = tuning.applied(replace(weights, links=graph_boost))
    links = tuned.links if links is None else links
    return replace(
        tuned,
        coverage=0.0 if "whole_notes" in ignored else tuned.coverage,
        described=0.0 if "whole_notes" in ignored else tuned.described,
        names=0.0 if "names" in ignored else tuned.names * names,
        exact_name=0.0 if "names" in ignored or names <= 0 else tuned.exact_name,
        links=0.0 if "links" in ignored else links,
    )


def without_whole_notes(notes: NoteEvidence) -> NoteEvidence:
    """The evidence as if passages were all that is known of a note."""
    return replace(notes, whole_bm25=np.nan_to_num(notes.passage_bm25))


def _against_best(scores: FloatArray) -> FloatArray:
    """The scores as shares of the best one; NaN stays NaN."""
    best = float(or_zero(scores).max()) if len(scores) else 0.0
    return scores / np.float32(best) if best > 0 else scores
