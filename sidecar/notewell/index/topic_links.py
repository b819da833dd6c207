"""The topics that notes name, by id, cached until the text of the vault changes."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from notewell.base.types import StoredNote, TopicRules
from notewell.index.port import IndexReader
from notewell.vault.topics import read_ontology, topic_values

_NONE: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class TopicLinks:
    """The topics of each note that names any, and the notes of each topic that any names."""

    topics_of: Mapping[int, frozenset[int]] = field(default_factory=dict)
    notes_of: Mapping[int, frozenset[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, notes: tuple[StoredNote, ...], folder: str) -> TopicLinks:
        """Read what the notes name in their property `topics`; `folder` holds the topics."""
        ids = {note.path: note.id for note in notes}
        topics: defaultdict[int, set[int]] = defaultdict(set)
        named: defaultdict[int, set[int]] = defaultdict(set)
        for value in topic_values(notes, read_ontology(notes, folder)):
            if value.topic is not None:
                topics[ids[value.note]].add(ids[value.topic])
                named[ids[value.topic]].add(ids[value.note])
        return cls(_frozen(topics), _frozen(named))

    def around(self, note: int) -> frozenset[int]:
        """The topics that a note names, and the notes that name it as a topic."""
        return self.topics_of.get(note, _NONE) | self.notes_of.get(note, _NONE)

    def connecting(self, one: int, other: int) -> frozenset[int]:
        """The topics that two notes name, or that one of them is and the other names."""
        mine, theirs = self.topics_of.get(one, _NONE), self.topics_of.get(other, _NONE)
        return (mine | ({one} & theirs)) & (theirs | ({other} & mine))


NO_TOPICS = TopicLinks()


class TopicLinksCache:
    """The topics of one vault, read anew after its text changed. Any thread may ask."""

    def __init__(self, folder: str = TopicRules().folder) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._built_from: tuple[StoredNote, ...] | None = None
        self._links = NO_TOPICS

    def of(self, index: IndexReader) -> TopicLinks:
        with self._lock:
            notes = index.all_notes()  # the same tuple until the text changes
            if self._built_from is not notes:
                self._links, self._built_from = TopicLinks.of(notes, self._folder), notes
            return self._links


def _frozen(linked: Mapping[int, set[int]]) -> dict[int, frozenset[int]]:
    return {note: frozenset(others) for note, others in linked.items()}
