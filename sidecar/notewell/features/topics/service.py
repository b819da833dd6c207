"""Topics of one vault as the contract shows them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import UnreadableNoteError
from notewell.api.notes import read_frontmatter
from notewell.base.errors import near
from notewell.features.topics.requests import (
    AlikeTopics,
    CheckTopics,
    TopicCheckReply,
    TopicFolder,
    TopicsReply,
    TopicsRequest,
    TopicView,
    UnknownTopic,
)
from notewell.vault.parse import one_line_end
from notewell.vault.topics import (
    MIN_COSINE,
    Ontology,
    Topic,
    alike_in_name,
    counts_of,
    read_ontology,
    topic_values,
)

_PURPOSE_CHARS = 500  # of a folder's index note
_INSTRUCTION_CHARS = 10_000


def open_feature(vault: OpenVault) -> OpenFeature:
    """The topics of a vault, with what answers each request."""
    topics = Topics(vault)
    return OpenFeature(
        answers={TopicsRequest: lambda _: topics.reply(), CheckTopics: lambda _: topics.check()}
    )


class Topics:
    """The topics of one vault. Any thread may call."""

    def __init__(self, vault: OpenVault) -> None:
        """The folder of topics may be missing in the vault: then it has none."""
        self._open = vault
        self._vault = vault.record.name
        self._folder = vault.settings().topics.folder
        self._index = vault.index

    def reply(self) -> TopicsReply:
        """The topics, how many notes name each, and what their folders are for."""
        notes = self._index.all_notes()
        ontology = read_ontology(notes, self._folder)
        counts = counts_of(topic_values(notes, ontology))
        folders = tuple(
            TopicFolder(folder, self._body(path, _PURPOSE_CHARS))
            for folder, path in sorted(ontology.index_notes.items())
        )
        topics = tuple(
            TopicView(topic.name, topic.path, topic.aliases, counts.get(topic.path, 0))
            for topic in ontology.topics
        )
        told = ontology.instructions
        instructions = None if told is None else self._body(told, _INSTRUCTION_CHARS)
        return TopicsReply(self._vault, topics, folders, instructions)

    def check(self) -> TopicCheckReply:
        """Values that are no topic, topics that no note names, and topics that are alike."""
        notes = self._index.all_notes()
        ontology = read_ontology(notes, self._folder)
        values = tuple(topic_values(notes, ontology))
        counts = counts_of(values)
        names = {
            name: topic.path for topic in ontology.topics for name in (topic.name, *topic.aliases)
        }
        nearest = {
            value.written: near(value.written.strip("[]"), names)
            for value in values
            if value.topic is None
        }
        unknown = tuple(
            UnknownTopic(value.note, value.written, names.get(nearest[value.written] or ""))
            for value in values
            if value.topic is None
        )
        unused = tuple(topic.path for topic in ontology.topics if topic.path not in counts)
        return TopicCheckReply(self._vault, unknown, unused, tuple(self._alike(ontology)))

    def _alike(self, ontology: Ontology) -> Iterator[AlikeTopics]:
        named = set()
        for first, other, score in alike_in_name(ontology.topics):
            named.add((first.path, other.path))
            yield AlikeTopics(first.path, other.path, round(score, 3), "name")
        for first, other, score in self._alike_in_meaning(ontology.topics):
            if (first.path, other.path) not in named:
                yield AlikeTopics(first.path, other.path, round(score, 3), "meaning")

    def _alike_in_meaning(self, topics: tuple[Topic, ...]) -> Iterator[tuple[Topic, Topic, float]]:
        if len(topics) < 2:
            return
        self._open.embedder()  # makes its vectors known, where a process has not loaded it
        ids, means = self._index.vectors.note_means()
        row_of = {note: row for row, note in enumerate(ids.tolist())}
        known = [topic for topic in topics if topic.id in row_of]
        if len(known) < 2:
            return
        vectors = means[[row_of[topic.id] for topic in known]].astype(np.float32)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-6))
        cosines = vectors @ vectors.T
        for first, other in combinations(range(len(known)), 2):
            if cosines[first, other] >= MIN_COSINE:
                yield known[first], known[other], float(min(cosines[first, other], 1.0))

    def _body(self, path: str, most: int) -> str:
        """The beginning of a note without its properties; "" if it is being changed."""
        try:
            read = self._open.source.read(self._open.source.stamp(path))
        except UnreadableNoteError:
            return ""
        text = one_line_end(read.text)
        return text[read_frontmatter(text).body :].strip()[:most]
