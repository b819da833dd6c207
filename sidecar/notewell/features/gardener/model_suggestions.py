"""Makes suggestions of what a language model advises, with the edits of every note they touch.

Existing topics come first: a name means the topic of that name or alias, or one that is spelled
alike, and a new topic is made only with a definition. Edits are of properties alone, so aliases,
links and code of a note stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from notewell.features.gardener.checks import ARCHIVE, DESCRIBE, MERGE, UPDATE
from notewell.features.gardener.checks.similar_topics import MOST_NOTES, PROPERTY, merge_edits
from notewell.features.gardener.garden import Garden, NoteFacts
from notewell.features.gardener.link_text import property_link
from notewell.features.gardener.model_reply import Advice, NewTopic, NoteAdvice, TopicAdvice
from notewell.features.gardener.suggestion import NoteEdit, Suggestion
from notewell.vault.links import NoteNames
from notewell.vault.readers import link_name
from notewell.vault.topics import Topic, alike_in_name, topic_values

# A language model says nothing reliable of how sure it is, so these only order its suggestions.
_KNOWN, _NEW, _DESCRIBED, _OF_TOPICS = 0.6, 0.5, 0.6, 0.5
_UNTOUCHED_S = 7 * 24 * 3600.0  # a topic that is being written is not archived
_PROPERTIES = frozenset({"topics", "topic"})
_DESCRIPTION = "description"


@dataclass(frozen=True)
class Advised:
    """The advice of a model on some notes. `problem` is called for what cannot be followed."""

    garden: Garden
    folder: str  # of topics, as the settings name it
    advice: Advice
    notes: Mapping[str, NoteFacts]  # those that were sent, by path
    proposed: dict[str, NewTopic]  # new topics of earlier advice, by name; those of this are added
    problem: Callable[[str | None, str], None]

    def suggestions(self) -> Iterator[Suggestion]:
        """The suggestions that follow from the advice."""
        for one in self.advice.notes:
            note = self.notes.get(one.path)
            if note is None:
                self.problem(None, "The model named a note that it was not sent.")
                continue
            yield from self._topics(note, one)
            yield from self._described(note, one)
        for merge in self.advice.merge:
            yield from self._merged(merge)
        for archive in self.advice.archive:
            yield from self._archived(archive)

    # --- topics of a note ------------------------------------------------------------------

    def _topics(self, note: NoteFacts, advice: NoteAdvice) -> Iterator[Suggestion]:
        has = {one.topic for one in topic_values([note], self.garden.ontology)}
        for name in advice.topics:
            topic = self._known(name)
            if topic is not None:
                if topic.path not in has:
                    has.add(topic.path)
                    link = property_link(self.garden, note.path, topic.path)
                    yield self._update(note, topic.name, link, topic.path, advice.why)
            elif (new := self._new.get(name.casefold())) is not None:
                path, create = self._creation(new)
                link = self._link_to_new(note, path, new.name)
                found = self._update(note, new.name, link, path, advice.why)
                why = f"{found.evidence} A new topic: {new.definition}"
                edits = (*found.edits, create)
                yield replace(found, evidence=why, edits=edits, confidence=_NEW)
            else:
                self.problem(note.path, f"The model named “{name}”, which is no topic.")

    def _known(self, name: str) -> Topic | None:
        """The existing topic that a name means."""
        path = self._names.resolve(name, "")
        if path is None:
            asked = Topic(-1, name, "", ())
            alike = alike_in_name([asked, *self.garden.ontology.topics])
            pairs = [(score, other) for one, other, score in alike if one is asked]
            if not pairs:
                return None
            path = max(pairs, key=lambda pair: pair[0])[1].path
        return next((one for one in self._usable if one.path == path), None)

    @cached_property
    def _usable(self) -> Sequence[Topic]:
        return [one for one in self.garden.ontology.topics if one.path in self.garden.tended]

    @cached_property
    def _names(self) -> NoteNames:
        names = NoteNames()
        for one in self.garden.ontology.topics:
            names.add(one.path, one.aliases)
        return names

    @cached_property
    def _new(self) -> Mapping[str, NewTopic]:
        """The new topics that have a definition and are none that exists, by name."""
        for one in self.advice.new:
            if self._known(one.name) is None:
                self.proposed.setdefault(one.name.casefold(), one)
        return self.proposed

    def _creation(self, new: NewTopic) -> tuple[str, NoteEdit]:
        """The note of a new topic: its path, and the edit that makes it."""
        folders = {*self.garden.ontology.index_notes, self.folder.strip("/")}
        folders |= {one.path.rpartition("/")[0] for one in self._usable}
        default = next((one for one in sorted(folders) if one.endswith("/Concepts")), None)
        folder = new.folder.strip("/")
        if folder not in folders:
            folder = default or self.folder.strip("/")
        path = f"{folder}/{new.name}.md"
        return path, NoteEdit(path, b"", create=f"{new.definition}\n")

    def _link_to_new(self, note: NoteFacts, path: str, name: str) -> str:
        is_free = self.garden.names.resolve(name, note.path) is None
        return f"[[{name if is_free else link_name(path)}]]"

    def _update(self, note: NoteFacts, name: str, link: str, subject: str, why: str) -> Suggestion:
        key = next((one for one in note.properties if one.lower() in _PROPERTIES), "topics")
        return Suggestion(
            UPDATE,
            note.path,
            f"topic {name}",
            _because(f"The language model gives {note.path} this topic", why),
            _KNOWN,
            (NoteEdit(note.path, note.content_hash, add={key: (link,)}),),
            subject,
        )

    # --- the rest --------------------------------------------------------------------------

    def _described(self, note: NoteFacts, advice: NoteAdvice) -> Iterator[Suggestion]:
        if not advice.description or note.properties.get(_DESCRIPTION):
            return
        edit = NoteEdit(note.path, note.content_hash, set={_DESCRIPTION: advice.description})
        yield Suggestion(
            DESCRIBE,
            note.path,
            "a description",
            f"The language model wrote it: {advice.description}",
            _DESCRIBED,
            (edit,),
            # Another wording is the same suggestion, so that a no holds until the note changes.
            note.content_hash.hex(),
        )

    def _merged(self, advice: TopicAdvice) -> Iterator[Suggestion]:
        left, kept = self._known(advice.topic), self._known(advice.target)
        if left is None or kept is None or left.path == kept.path:
            self.problem(None, f"The model wants to merge “{advice.topic}”, and not into a topic.")
            return
        values = self._uses.get(left.path, [])
        edits = tuple(merge_edits(self.garden, kept, left, values))
        named = {path for path, _ in values}
        if PROPERTY in self.garden.notes[left.path].properties or len(named) > MOST_NOTES:
            return
        if all(edit.path in self.garden.tended for edit in edits):
            yield Suggestion(
                MERGE,
                left.path,
                f"topic {left.name} → {kept.name}",
                _because(
                    f"The language model takes both for one; {len(named)} notes name"
                    f" {left.name}: {', '.join(sorted(named)) or 'none'}",
                    advice.why,
                ),
                _OF_TOPICS,
                edits,
                kept.path,
            )

    def _archived(self, advice: TopicAdvice) -> Iterator[Suggestion]:
        topic = self._known(advice.topic)
        if topic is None:
            self.problem(None, f"The model wants to archive “{advice.topic}”, which is no topic.")
            return
        note = self.garden.notes[topic.path]
        if self._uses.get(topic.path) or self.garden.now - note.touched < _UNTOUCHED_S:
            return
        yield Suggestion(
            ARCHIVE,
            topic.path,
            f"archive topic {topic.name}",
            _because(
                f"No note names {topic.name}, and the language model has no use for it", advice.why
            ),
            _OF_TOPICS,
            (NoteEdit(topic.path, note.content_hash, set={"gardener": "ignore"}),),
            "archive",
        )

    @cached_property
    def _uses(self) -> Mapping[str, list[tuple[str, str]]]:
        """The notes that name each topic, and what they write."""
        found: dict[str, list[tuple[str, str]]] = {}
        for value in topic_values(self.garden.notes.values(), self.garden.ontology):
            if value.topic is not None:
                found.setdefault(value.topic, []).append((value.note, value.written))
        return found


def _because(what: str, why: str) -> str:
    return f"{what}: {why}" if why else f"{what}."
