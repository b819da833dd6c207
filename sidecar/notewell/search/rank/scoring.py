"""Scores the candidate notes of a search by its mode and fusion method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import lru_cache, partial

import numpy as np

from notewell.base.types import CountTokens, FloatArray, IdArray, SearchRules, Signal, VectorHits
from notewell.base.types.frozen import frozen
from notewell.contract.search import SearchRequest
from notewell.index.port import IndexReader
from notewell.index.topic_links import NO_TOPICS, TopicLinksCache
from notewell.search.query.terms import Terms
from notewell.search.rank import evidence, fuse, gars
from notewell.search.rank.boosts import linked_from_best
from notewell.search.rank.candidates import Candidates, or_zero
from notewell.search.rank.evidence import (
    UNTUNED,
    Addends,
    EvidenceWeights,
    NoteEvidence,
    QueryEvidence,
    Tuning,
    digit_share,
    unreadable_share,
)
from notewell.search.rank.fuse import SUMS, Fused, Plan
from notewell.search.rank.gars import Activated
from notewell.search.rank.ranking import Scored

_DEFAULT = SearchRules()
_NEUTRAL_ALPHA = 0.5  # the share of meaning that leaves the addends as they are


def query_evidence(
    text: str,
    terms: Terms,
    notes: NoteEvidence,
    hits: VectorHits,
    count_tokens: CountTokens | None,
) -> QueryEvidence:
    """The evidence of a query; `count_tokens` is the model's, None if it reads everything."""
    hits = notes.cosines.mapped_hits(hits)
    embedded = ~np.isnan(notes.cosine)
    cosines, coverage = notes.meaning[embedded], notes.coverage[embedded]
    nearest = np.argsort(-cosines)[: evidence.NEAREST]
    return QueryEvidence(
        known_idf=terms.total_idf(known=True),
        words=len(terms.weights),
        digits=digit_share(text),
        unreadable=0.0 if count_tokens is None else unreadable_share(text, count_tokens),
        nearest=float(cosines[nearest[-1]]) if len(nearest) else 0.0,
        cosine_mean=hits.mean,
        cosine_deviation=hits.deviation,
        passages=hits.searched,
        nearest_coverage=float(coverage[nearest].mean()) if len(nearest) else 1.0,
    )


@frozen
class Scoring:
    """Scores notes for one request by the rules and the weights of the evidence.

    `topics` gives those that notes name; `tuning` are the factors that were fitted to this vault.
    """

    index: IndexReader
    request: SearchRequest
    rules: SearchRules
    topics: TopicLinksCache
    weights: EvidenceWeights = field(default_factory=EvidenceWeights)
    tuning: Tuning = UNTUNED

    def plan(self, query: QueryEvidence, notes: NoteEvidence, *, has_vector: bool) -> Plan:
        """The fusion method and its weights for this query."""
        if self.request.mode == "semantic":
            return fuse.SEMANTIC_ONLY
        method = self.request.fusion or self.rules.fusion
        if has_vector and self.request.mode == "hybrid" and method not in SUMS:
            return fuse.plan(method, self.request.alpha, blend_w=self.rules.keyword_weight)
        words = 1.0 / query.known_idf if query.known_idf > 0 else 0.0
        if not has_vector:
            return Plan("keyword", words, 0.0, self._params(query, self._own_weights(), 0.0))
        weights = self._own_weights()
        best_name = float(notes.names.max()) if len(notes) else 0.0
        meaning = evidence.meaning_weight(query, weights, best_name)
        words_share = meaning_share = 1.0
        if self.request.alpha is not None:
            words_share = (1.0 - self.request.alpha) / (1.0 - _NEUTRAL_ALPHA)
            meaning_share = self.request.alpha / _NEUTRAL_ALPHA
        params = self._params(query, weights, meaning) | {
            "words_share": words_share,
            "meaning_share": meaning_share,
            "cosine_scale": notes.cosines.scale,
            "cosine_shift": notes.cosines.shift,
        }
        return Plan("auto", words * words_share, meaning * meaning_share, params)

    @property
    def spreads(self) -> bool:
        """Whether the first notes spread activation to others (`fusion=gars`)."""
        method = self.request.fusion or self.rules.fusion
        return method == "gars" and self.request.mode == "hybrid"

    def spread(
        self, notes: NoteEvidence, query: QueryEvidence, plan: Plan
    ) -> tuple[Plan, Mapping[int, Activated]]:
        """The plan of `gars`, made from one by evidence, and the activated notes by id."""
        similarity = self._addends(notes, query, plan).similarity
        best = (float(similarity.max()) if len(similarity) else 0.0) or 1.0
        rules = self.rules.gars
        seeds = gars.seeds_of(notes.ids, similarity / np.float32(best))
        share = rules.similarity / best
        params = {
            **plan.params,
            "words_share": plan.params.get("words_share", 1.0) * share,
            "meaning_share": plan.params.get("meaning_share", 1.0) * share,
            "similarity_weight": rules.similarity,
            "centrality_weight": rules.centrality,
            "activation_weight": rules.activation,
            "decay": rules.decay,
        }
        weights = plan.keyword_weight * share, plan.semantic_weight * share
        topics = self.topics.of(self.index) if rules.mode == "ontology" else NO_TOPICS
        return Plan("gars", *weights, params), gars.spread(self.index, seeds, rules, topics)

    def score(
        self,
        notes: NoteEvidence,
        query: QueryEvidence,
        plan: Plan,
        activated: Mapping[int, Activated],
    ) -> Scored:
        """The notes with their scores before boosts; `activated` by id, of the method `gars`."""
        if plan.method not in fuse.SUMS:
            candidates = Candidates(notes.ids, notes.ids, notes.bm25, notes.cosine)
            return Scored.of(candidates, plan)
        addends = self._addends(notes, query, plan)
        if plan.method == "gars":
            addends = self._with_activation(addends, notes.ids, activated)
        total = addends.total
        best = (float(total.max()) if len(total) else 0.0) or 1.0
        fused = total / np.float32(best)
        parts = Fused(_against_best(notes.bm25), np.maximum(notes.cosine, np.float32(0.0)), fused)
        return Scored(notes.ids, notes.bm25, notes.cosine, parts, addends, best)

    def _addends(self, notes: NoteEvidence, query: QueryEvidence, plan: Plan) -> Addends:
        weights = self._own_weights()
        share = np.float32(plan.params.get("words_share", 1.0))
        words = share * evidence.weigh_words(notes, query)
        coverage = share * evidence.weigh_coverage(notes, query, weights)
        names = weights.names * notes.names + weights.exact_name * notes.exact
        names = share * names.astype(np.float32)
        others = words + coverage + names
        meaning = np.zeros_like(words)
        if plan.semantic_weight > 0:
            meaning = evidence.weigh_meaning(notes, others, plan.semantic_weight)
        links = evidence.weigh_links(
            notes.ids, others + meaning, weights.links, partial(linked_from_best, self.index)
        )
        return Addends(words, meaning, coverage, names, links)

    def _with_activation(
        self, addends: Addends, ids: IdArray, activated: Mapping[int, Activated]
    ) -> Addends:
        """The addends with the links that `gars` adds up instead of those of `auto`."""
        rules = self.rules.gars
        central = gars.centrality(self.index, ids)
        received = [found.activation if (found := activated.get(i)) else 0.0 for i in ids.tolist()]
        activation = np.array(received, np.float32)
        links = np.float32(rules.centrality) * central + np.float32(rules.activation) * activation
        return replace(addends, links=links, centrality=central, activation=activation)

    def _own_weights(self) -> EvidenceWeights:
        """The weights, as the settings and the request change them, then the tuning."""
        rules, request = self.rules, self.request
        names = rules.name_boost / _DEFAULT.name_boost
        given = self.weights, rules.graph_boost, names, self.tuning
        return _weights(*given, links=request.graph, ignored=frozenset(request.ignore))

    def _embedded(self) -> float:
        """The share of the vault's passages that have their vector."""
        passages = self.index.chunk_count
        return min(1.0, self.index.vectors.count / passages) if passages else 1.0

    def _params(
        self, query: QueryEvidence, weights: EvidenceWeights, meaning: float
    ) -> dict[str, float]:
        """The constants and measures that the addends are made from, for the reply."""
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
            "coverage": self._embedded(),
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
