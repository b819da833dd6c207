"""Graph-Augmented Relevance Score: similarity, centrality, and activation along links.

    score = similarity_weight * similarity + centrality_weight * centrality
            + activation_weight * activation

As in the plugin Vault Intelligence. Similarity is the sum of the other evidence of a note, relative
to the most similar note. Centrality is the share of all other notes that link to a note (degree
centrality; Freeman 1978, "Centrality in social networks"). The most similar notes, the seeds,
spread their similarity along links; what arrives at a note is its activation (Crestani 1997,
"Application of spreading activation techniques in information retrieval"). A note that a seed
leads to becomes a candidate, even if neither its words nor its meaning were found.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np

from notewell.base.types import Direction, FloatArray, GarsRules, IdArray, StoredNote
from notewell.base.types.frozen import frozen
from notewell.contract.search import Reason, Result
from notewell.index.port import IndexReader
from notewell.index.topic_links import NO_TOPICS, TopicLinks
from notewell.search.context import SearchContext
from notewell.search.query.note_scope import Scope
from notewell.search.rank import retrieve
from notewell.search.rank.evidence import Addends, NoteEvidence
from notewell.search.rank.ranking import FusionPlan, RankedNote
from notewell.search.rank.relevance import Relevance
from notewell.search.rank.retrieve import Retrieved

SEEDS, SEED_SHARE = 5, 0.7  # the most seeds, and their least similarity
# Notes that link to a note, or name a topic, from which it joins them no more: it says nothing of
# them.
_MOST_SIBLINGS = 200
How = Literal["linked", "topic", "named", "sibling", "same topic"]


@frozen
class Activated:
    """The activation of a note, 0..1, and where the most of it came from.

    `how`: it is `linked` with the seed, a `topic` of the seed, `named` it as its topic, is its
    `sibling` because both link to the note `through`, or has the `same topic`, `through`.
    """

    activation: float
    seed: int
    how: How = "linked"
    through: int | None = None


@frozen
class Spreading:
    """The activated notes of one search, by id, and the constants they are weighed with."""

    index: IndexReader
    rules: GarsRules
    activated: Mapping[int, Activated]

    def with_activation(self, addends: Addends, ids: IdArray) -> Addends:
        """The addends of the notes `ids`, with the links that this method adds up."""
        central = centrality(self.index, ids)
        received = [
            active.activation if (active := self.activated.get(i)) else 0.0 for i in ids.tolist()
        ]
        activation = np.array(received, np.float32)
        links = np.float32(self.rules.centrality) * central
        links += np.float32(self.rules.activation) * activation
        return replace(addends, links=links, centrality=central, activation=activation)

    def with_linked(self, relevance: Relevance, ids: IdArray) -> Relevance:
        """The relevance of the notes `ids`, ascending: none is weak whose seed is not."""
        seeds = [active.seed if (active := self.activated.get(i)) else -1 for i in ids.tolist()]
        places = np.searchsorted(ids, seeds)
        return relevance.with_linked(np.where(np.isin(seeds, ids), places, -1))

    def with_reasons(
        self, index: IndexReader, shown: Sequence[Result], ranked: Sequence[RankedNote]
    ) -> tuple[Result, ...]:
        """The results with the links that activated them; `ranked` has their notes."""
        activated = self.activated
        known = {
            note.note_id: activated[note.note_id] for note in ranked if note.note_id in activated
        }
        if not known:
            return tuple(shown)
        named = {activated.seed for activated in known.values()} | {
            activated.through for activated in known.values() if activated.through is not None
        }
        notes = index.notes([*known, *named])
        reasons = {
            notes[note_id].path: _reason(index, note_id, activation, notes)
            for note_id, activation in known.items()
            if note_id in notes
        }
        return tuple(
            replace(result, reasons=(*result.reasons, reason))
            if (reason := reasons.get(result.path)) is not None
            else result
            for result in shown
        )


def is_wanted(context: SearchContext) -> bool:
    """Tell whether the first notes spread activation to others (`fusion=gars`)."""
    method = context.request.fusion or context.rules.fusion
    return method == "gars" and context.request.mode == "hybrid"


def spread(
    context: SearchContext, notes: NoteEvidence, similarity: FloatArray, plan: FusionPlan
) -> tuple[FusionPlan, Spreading]:
    """The plan of this method, made from one by evidence, and the activated notes.

    `similarity` (n,) are the sums of all other evidence of the notes by that plan.
    """
    best = (float(similarity.max()) if len(similarity) else 0.0) or 1.0
    rules = context.rules.gars
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
    topics = NO_TOPICS
    if rules.mode == "ontology":
        topics = context.caches.topics.of(context.index)
    seeds = seeds_of(notes.ids, similarity / np.float32(best))
    activated = activation_around(context.index, seeds, rules, topics)
    return FusionPlan("gars", *weights, params), Spreading(context.index, rules, activated)


def with_hits(index: IndexReader, hits: Retrieved, scope: Scope, spreading: Spreading) -> Retrieved:
    """The hits with the activated notes that the scope has, and their passages by meaning."""
    ids = np.array(sorted(spreading.activated), np.int64)
    ids = ids[scope.among(ids)]
    semantic = hits.semantic
    if len(ids) and hits.vector is not None:
        owners = index.note_ids_of(semantic.chunk_ids)
        more = retrieve.semantic_hits(
            index,
            hits.vector,
            limit=retrieve.depth(len(ids)),
            notes=ids[~np.isin(ids, owners)],
        )
        semantic = replace(
            semantic,
            chunk_ids=np.concatenate((semantic.chunk_ids, more.chunk_ids)),
            scores=np.concatenate((semantic.scores, more.scores)),
        )
    return replace(hits, semantic=semantic, also=ids)


def seeds_of(ids: IdArray, similarity: FloatArray) -> Mapping[int, float]:
    """The ids of the most similar notes with their similarity; both arrays (n,), aligned."""
    best = np.argsort(-similarity, kind="stable")[:SEEDS]
    seeds = zip(ids[best].tolist(), similarity[best].tolist(), strict=True)
    return {note_id: share for note_id, share in seeds if share >= SEED_SHARE}


def activation_around(
    index: IndexReader, seeds: Mapping[int, float], rules: GarsRules, topics: TopicLinks
) -> Mapping[int, Activated]:
    """The activation of the notes around the seeds, by id.

    A linked note has `decay` times the similarity of its seed. In mode `ontology` so has a topic of
    the seed; a note that names the seed as its topic has that divided by the logarithm of how many
    do; and a sibling, with a linked note or a topic in common, has it once more decayed, divided by
    the logarithm of how many have that in common. Of several activations the highest counts.
    """
    activation: dict[int, Activated] = {}
    for seed, similarity in seeds.items():
        around = chain(_find_linked(index, seed, rules), _by_topics(index, seed, rules, topics))
        for near in around:
            known = activation.get(near.note)
            if known is None or similarity * near.share > known.activation:
                activation[near.note] = Activated(
                    similarity * near.share, seed, near.how, near.through
                )
    return activation


class _Near(NamedTuple):
    """A note around a seed, and its share of the seed's similarity."""

    note: int
    share: float
    how: How
    through: int | None = None


def _find_linked(index: IndexReader, seed: int, rules: GarsRules) -> Iterator[_Near]:
    for note in step(index, seed, rules.direction):
        yield _Near(note, rules.decay, "linked")


def _by_topics(
    index: IndexReader, seed: int, rules: GarsRules, topics: TopicLinks
) -> Iterator[_Near]:
    """The topics of a seed, the notes it is a topic of, and its siblings; none in mode `simple`."""
    if rules.mode == "simple":
        return
    own = topics.topics_of.get(seed, frozenset())
    for topic in own:
        yield _Near(topic, rules.decay, "topic")
    naming = topics.notes_of.get(seed, frozenset())
    if len(naming) <= _MOST_SIBLINGS:
        for note in naming:
            yield _Near(note, rules.decay / _commonness(naming), "named")
    for through in step(index, seed, rules.direction) | own:
        named = topics.notes_of.get(through, frozenset())
        siblings = index.graph.backlinks(through) | named
        if len(siblings) > _MOST_SIBLINGS:
            continue
        share = rules.decay**2 / _commonness(siblings)
        for note in siblings - {seed}:
            is_same = through in own and note in named
            yield _Near(note, share, "same topic" if is_same else "sibling", through)


def _commonness(notes: Collection[int]) -> float:
    return max(1.0, math.log10(len(notes) + 1))


def centrality(index: IndexReader, ids: IdArray) -> FloatArray:
    """The share of all other notes that link to each note (n,), 0..1."""
    others = max(len(index.all_notes()) - 1, 1)
    share: FloatArray = (index.graph.backlink_counts(ids) / others).astype(np.float32)
    return share


def step(index: IndexReader, note_id: int, direction: Direction) -> frozenset[int]:
    """The notes one link away from a note."""
    match direction:
        case "out":
            return index.graph.neighbours(note_id)
        case "in":
            return index.graph.backlinks(note_id)
        case "both":
            return index.graph.neighbours(note_id) | index.graph.backlinks(note_id)


def link_direction(index: IndexReader, note_id: int, other: int) -> Direction | None:
    """Direction of links between a note and another: `out` to it, `in` from it; None: no link."""
    out = other in index.graph.neighbours(note_id)
    into = other in index.graph.backlinks(note_id)
    if out and into:
        return "both"
    return "out" if out else "in" if into else None


def _reason(
    index: IndexReader, note_id: int, activation: Activated, notes: Mapping[int, StoredNote]
) -> Reason | None:
    """Why the note was activated; `notes` are those that may be named, by id."""
    seed = notes.get(activation.seed)
    if seed is None:
        return None
    if activation.how == "linked":
        is_back = link_direction(index, activation.seed, note_id) == "in"
        return Reason("links", f"{'links to' if is_back else 'linked from'} '{seed.title}'")
    through = notes.get(activation.through) if activation.through is not None else None
    named = "the same note" if through is None else f"'{through.title}'"
    text = {
        "topic": f"a topic of '{seed.title}'",
        "named": f"has the topic '{seed.title}'",
        "sibling": f"links to {named} like '{seed.title}'",
        "same topic": f"has the topic {named} like '{seed.title}'",
    }[activation.how]
    return Reason("links", text)
