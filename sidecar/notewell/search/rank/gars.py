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

from notewell.base.types import FloatArray, GarsRules, IdArray, StoredNote
from notewell.base.types.frozen import frozen
from notewell.contract.search import Reason, Result
from notewell.index.port import IndexReader
from notewell.index.topic_links import TopicLinks
from notewell.search.rank.ranking import RankedNote
from notewell.search.show.similarity import linked, step

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


def seeds_of(ids: IdArray, similarity: FloatArray) -> Mapping[int, float]:
    """The ids of the most similar notes with their similarity; both arrays (n,), aligned."""
    best = np.argsort(-similarity, kind="stable")[:SEEDS]
    found = zip(ids[best].tolist(), similarity[best].tolist(), strict=True)
    return {note_id: share for note_id, share in found if share >= SEED_SHARE}


def spread(
    index: IndexReader, seeds: Mapping[int, float], rules: GarsRules, topics: TopicLinks
) -> Mapping[int, Activated]:
    """The activation of the notes around the seeds, by id.

    A linked note has `decay` times the similarity of its seed. In mode `ontology` so has a topic of
    the seed; a note that names the seed as its topic has that divided by the logarithm of how many
    do; and a sibling, with a linked note or a topic in common, has it once more decayed, divided by
    the logarithm of how many have that in common. Of several activations the highest counts.
    """
    found: dict[int, Activated] = {}
    for seed, similarity in seeds.items():
        around = chain(_linked(index, seed, rules), _by_topics(index, seed, rules, topics))
        for one in around:
            known = found.get(one.note)
            if known is None or similarity * one.share > known.activation:
                found[one.note] = Activated(similarity * one.share, seed, one.how, one.through)
    return found


class _Near(NamedTuple):
    """A note around a seed, and its share of the seed's similarity."""

    note: int
    share: float
    how: How
    through: int | None = None


def _linked(index: IndexReader, seed: int, rules: GarsRules) -> Iterator[_Near]:
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


def places_of_seeds(ids: IdArray, activated: Mapping[int, Activated]) -> IdArray:
    """The place in `ids` (n,), ascending, of the seed that activated each note; -1: none did."""
    seeds = [found.seed if (found := activated.get(i)) else -1 for i in ids.tolist()]
    places = np.searchsorted(ids, seeds)
    return np.where(np.isin(seeds, ids), places, -1)


def with_reasons(
    index: IndexReader,
    shown: Sequence[Result],
    ranked: Sequence[RankedNote],
    activated: Mapping[int, Activated],
) -> tuple[Result, ...]:
    """The results with the links that activated them; `ranked` has their notes."""
    known = {note.note_id: activated[note.note_id] for note in ranked if note.note_id in activated}
    if not known:
        return tuple(shown)
    named = {one.seed for one in known.values()} | {
        one.through for one in known.values() if one.through is not None
    }
    notes = index.notes([*known, *named])
    reasons = {
        notes[note_id].path: _reason(index, note_id, one, notes)
        for note_id, one in known.items()
        if note_id in notes
    }
    return tuple(
        replace(result, reasons=(*result.reasons, reason))
        if (reason := reasons.get(result.path)) is not None
        else result
        for result in shown
    )


def _reason(
    index: IndexReader, note_id: int, found: Activated, notes: Mapping[int, StoredNote]
) -> Reason | None:
    """Why the note was activated; `notes` are those that may be named, by id."""
    seed = notes.get(found.seed)
    if seed is None:
        return None
    if found.how == "linked":
        is_back = linked(index, found.seed, note_id) == "in"
        return Reason("links", f"{'links to' if is_back else 'linked from'} '{seed.title}'")
    through = notes.get(found.through) if found.through is not None else None
    named = "the same note" if through is None else f"'{through.title}'"
    text = {
        "topic": f"a topic of '{seed.title}'",
        "named": f"has the topic '{seed.title}'",
        "sibling": f"links to {named} like '{seed.title}'",
        "same topic": f"has the topic {named} like '{seed.title}'",
    }[found.how]
    return Reason("links", text)
