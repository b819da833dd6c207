"""Topics for notes that have none: linked ones, those of similar notes, the nearest by meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from notewell.api.types import FloatArray
from notewell.features.gardener.garden import (
    NEIGHBOURS,
    Garden,
    NoteFacts,
    centre_vectors,
    neighbours,
    votes,
)
from notewell.features.gardener.mentions import property_link
from notewell.features.gardener.plans import suggestion
from notewell.features.gardener.requests import GardenCheck, SuggestedEdit, SuggestionView
from notewell.vault.topics import topic_values

NAME: GardenCheck = "missing_topics"
MIN_SHARE = 0.6  # of the votes
_LINKED = 0.85  # confidence in a topic that the note links to
_MIN_VOTERS = 3
# A topic whose own note is so near, and so much nearer than any other topic's (cosines without what
# all notes have in common).
_NEAREST, _MIN_COSINE, _MIN_LEAD = 0.7, 0.4, 0.08
_MOST = 3  # topics for one note
_PROPERTIES = frozenset({"topics", "topic"})


def find(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest topics for the notes without any."""
    topics = topics_of(garden)
    own = {topic.path for topic in garden.ontology.topics} | set(
        garden.ontology.index_notes.values()
    )
    bare = [
        note
        for note in garden.tended_notes()
        if note.path not in own and not garden.is_daily(note) and not _states_topics(note)
    ]
    if not own or not bare:
        return
    vectors = centre_vectors(garden)
    around = dict(neighbours(garden, [note.path for note in bare], vectors))
    nearest = _nearest_topics(garden, bare, vectors)
    for note in bare:
        linked = [target for _, target in note.links if target in own]
        by_topic = dict.fromkeys(linked, (_LINKED, "the note links to it"))
        for vote in votes(around.get(note.path, ()), topics):
            if vote.share >= MIN_SHARE and len(vote.notes) >= _MIN_VOTERS:
                why = f"{len(vote.notes)} of the {NEIGHBOURS} most similar notes have it"
                by_topic.setdefault(vote.what, (min(vote.share, 1.0), why))
        if note.path in nearest:
            topic, cosine = nearest[note.path]
            by_topic.setdefault(
                topic, (_NEAREST, f"it is by far the nearest by meaning ({cosine:.2f})")
            )
        best = sorted(by_topic, key=lambda path: (-by_topic[path][0], path))[:_MOST]
        for path in best:
            yield _suggest(garden, note, path, *by_topic[path])


def _nearest_topics(
    garden: Garden, notes: Sequence[NoteFacts], vectors: FloatArray
) -> Mapping[str, tuple[str, float]]:
    """The topic whose own note is clearly nearest to each of `notes`, with the cosine, by path."""
    topics = sorted({topic.path for topic in garden.ontology.topics} & garden.row_of.keys())
    known = [note.path for note in notes if note.path in garden.row_of]
    if not topics or not known:
        return {}
    rows = vectors[[garden.row_of[path] for path in topics]]
    cosines = vectors[[garden.row_of[path] for path in known]] @ rows.T
    best = cosines.argmax(axis=1)
    nearest = np.take_along_axis(cosines, best[:, np.newaxis], axis=1)[:, 0]
    np.put_along_axis(cosines, best[:, np.newaxis], -1.0, axis=1)
    clear = (nearest >= _MIN_COSINE) & (nearest - cosines.max(axis=1) >= _MIN_LEAD)
    return {
        known[at]: (topics[best[at]], float(nearest[at])) for at in np.flatnonzero(clear).tolist()
    }


def topics_of(garden: Garden) -> Mapping[str, frozenset[str]]:
    """The topics that each note names, by path."""
    by_note: dict[str, set[str]] = {}
    for value in topic_values(garden.notes.values(), garden.ontology):
        if value.topic is not None:
            by_note.setdefault(value.note, set()).add(value.topic)
    return {note: frozenset(topics) for note, topics in by_note.items()}


def _states_topics(note: NoteFacts) -> bool:
    """True if a note names topics, known ones or not."""
    return any(value for name, value in note.properties.items() if name.lower() in _PROPERTIES)


def _suggest(
    garden: Garden, note: NoteFacts, topic: str, confidence: float, why: str
) -> SuggestionView:
    name = next(
        (property_ for property_ in note.properties if property_.lower() in _PROPERTIES), "topics"
    )
    link = property_link(garden, topic)
    return suggestion(
        NAME,
        note.path,
        f"topic {garden.notes[topic].name}",
        f"{note.path} has no topic; {why}.",
        round(confidence, 2),
        edits=(SuggestedEdit(note.path, note.hash, add={name: (link,)}),),
        subject=topic,
    )
