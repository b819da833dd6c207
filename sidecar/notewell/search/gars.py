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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from notewell.contract.search import Reason, Result
from notewell.index.port import IndexReader
from notewell.search.rank import RankedNote
from notewell.search.similar_reasons import linked, step
from notewell.types import FloatArray, GarsRules, IdArray, StoredNote

SEEDS, SEED_SHARE = 5, 0.7  # the most seeds, and their least similarity
# Backlinks of a note from which it joins its notes as siblings no more: it says nothing of them.
_MOST_SIBLINGS = 200


@dataclass(frozen=True, slots=True)
class Activated:
    """The activation of a note, 0..1, and where the most of it came from.

    `through` is the note that the seed and a sibling have in common; None: they are linked.
    """

    activation: float
    seed: int
    through: int | None = None


def seeds_of(ids: IdArray, similarity: FloatArray) -> Mapping[int, float]:
    """The ids of the most similar notes with their similarity; both arrays (n,), aligned."""
    best = np.argsort(-similarity, kind="stable")[:SEEDS]
    found = zip(ids[best].tolist(), similarity[best].tolist(), strict=True)
    return {note_id: share for note_id, share in found if share >= SEED_SHARE}


def spread(
    index: IndexReader, seeds: Mapping[int, float], rules: GarsRules
) -> Mapping[int, Activated]:
    """The activation of the notes around the seeds, by id.

    A linked note has `decay` times the similarity of its seed; a sibling (in mode `ontology`)
    has that once more decayed, divided by the logarithm of the backlinks of the note in common.
    Of several activations the highest counts.
    """
    found: dict[int, Activated] = {}
    for seed, similarity in seeds.items():
        for note_id, share, through in _around(index, seed, rules):
            activation = similarity * share
            if note_id not in found or activation > found[note_id].activation:
                found[note_id] = Activated(activation, seed, through)
    return found


def _around(
    index: IndexReader, seed: int, rules: GarsRules
) -> Iterator[tuple[int, float, int | None]]:
    """Notes around a seed: id, share of its similarity, and the note in common with a sibling."""
    near = step(index, seed, rules.direction)
    for note_id in near:
        yield note_id, rules.decay, None
    if rules.mode == "simple":
        return
    for through in near:
        siblings = index.graph.backlinks(through)
        if len(siblings) > _MOST_SIBLINGS:
            continue
        share = rules.decay**2 / max(1.0, math.log10(len(siblings) + 1))
        for sibling in siblings - {seed}:
            yield sibling, share, through


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
    if found.through is not None:
        through = notes.get(found.through)
        named = "the same note" if through is None else f"'{through.title}'"
        return Reason("links", f"links to {named} like '{seed.title}'")
    direction = linked(index, found.seed, note_id)
    if direction == "in":
        return Reason("links", f"links to '{seed.title}'")
    return Reason("links", f"linked from '{seed.title}'")
