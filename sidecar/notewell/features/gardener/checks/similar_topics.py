"""Topics that may be one: alike in name, or by their vectors.

The notes that name the topic that is used less are given the other, and its note is marked. No
note is deleted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from notewell.features.gardener.garden import Garden
from notewell.features.gardener.mentions import property_link
from notewell.features.gardener.plans import suggestion
from notewell.features.gardener.requests import GardenCheck, SuggestedEdit, SuggestionView
from notewell.vault.topics import MIN_COSINE, Topic, alike_in_name, topic_values

NAME: GardenCheck = "similar_topics"
PROPERTY = "duplicate_of"
MOST_NOTES = 100  # that one suggestion edits
_PROPERTIES = frozenset({"topics", "topic"})


def find(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest to use one topic where two are alike."""
    topics = [topic for topic in garden.ontology.topics if topic.path in garden.tended]
    values: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for value in topic_values(garden.notes.values(), garden.ontology):
        if value.topic is not None:
            values[value.topic].append((value.note, value.written))
    uses = Counter(
        {path: len({note for note, _ in given_values}) for path, given_values in values.items()}
    )
    used: set[str] = set()
    for first, other, score, why in alike(garden, topics):
        kept, left = sorted((first, other), key=lambda topic: (-uses[topic.path], topic.path))
        marked = PROPERTY in garden.notes[left.path].properties
        if marked or left.path in used or uses[left.path] > MOST_NOTES:
            continue
        edits = tuple(merge_edits(garden, kept, left, values[left.path]))
        if all(edit.path in garden.tended for edit in edits):
            used.add(left.path)
            yield suggestion(
                NAME,
                left.path,
                f"topic {left.name} → {kept.name}",
                f"{left.path} ({uses[left.path]} notes) and {kept.path} ({uses[kept.path]} notes)"
                f" are alike in {why}.",
                round(score, 2),
                edits=edits,
                subject=kept.path,
            )


def alike(garden: Garden, topics: list[Topic]) -> Iterator[tuple[Topic, Topic, float, str]]:
    """Yield pairs of topics that are alike, how much, and in what."""
    named = set()
    for first, other, score in alike_in_name(topics):
        named.add((first.path, other.path))
        yield first, other, score, "name"
    known = [topic for topic in topics if topic.path in garden.row_of]
    for first, other in combinations(known, 2):
        if (first.path, other.path) not in named:
            rows = garden.row_of[first.path], garden.row_of[other.path]
            cosine = float(garden.vectors[rows[0]] @ garden.vectors[rows[1]])
            if cosine >= MIN_COSINE:
                yield first, other, min(cosine, 1.0), "meaning"


def merge_edits(
    garden: Garden, kept: Topic, left: Topic, values: Sequence[tuple[str, str]]
) -> Iterator[SuggestedEdit]:
    """Yield the edits of the notes that name a topic, and the mark of the topic itself.

    `values` are the notes that name the topic to give up, each with what it writes.
    """
    by_note: dict[str, dict[str, str]] = defaultdict(dict)
    for path, written in values:
        by_note[path][written] = _rewrite(garden, written, kept)
    for path, words in sorted(by_note.items()):
        note = garden.notes[path]
        swap: Mapping[str, Mapping[str, str]] = {
            name: words for name in note.properties if name.lower() in _PROPERTIES
        }
        yield SuggestedEdit(path, note.hash, swap=swap)
    link = property_link(garden, kept.path)
    yield SuggestedEdit(left.path, garden.notes[left.path].hash, set={PROPERTY: link})


def _rewrite(garden: Garden, written: str, topic: Topic) -> str:
    """A value of `topics` that names another topic, in the form in which it was written."""
    return property_link(garden, topic.path) if written.strip()[:1] == "[" else topic.name
