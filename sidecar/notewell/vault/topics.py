"""The topics of a vault: notes of a folder that a person chose, named by the property `topics`.

Pure functions over notes as the index has them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Protocol
from urllib.parse import unquote

from notewell.types import PropertyValue, StoredNote
from notewell.types.frozen import frozen
from notewell.vault.links import NoteNames

INSTRUCTIONS = "Instructions"
_PROPERTIES = ("topics", "topic")
_IGNORED = frozenset({"ignore", "exclude"})
_MARKDOWN_LINK = re.compile(r"\[[^\[\]]*\]\((?P<target>[^()]*(?:\([^()]*\)[^()]*)*)\)")
_WIKILINK = re.compile(r"\[\[(?P<target>[^\[\]|#]+)(?:#[^\[\]|]*)?(?:\|[^\[\]]*)?\]\]")


@frozen
class Topic:
    """A note that is a topic."""

    id: int
    name: str
    path: str
    aliases: tuple[str, ...]


@frozen
class Ontology:
    """The topics, and the index note of each folder that has one, by folder."""

    topics: tuple[Topic, ...]
    index_notes: Mapping[str, str]
    instructions: str | None  # path of the note


@frozen
class Value:
    """A value of `topics` in a note, as written; `topic` is the path of what it means, or None."""

    note: str
    written: str
    topic: str | None


def read_ontology(notes: Iterable[StoredNote], folder: str) -> Ontology:
    """The topics in `folder`: all its notes but index notes, instructions and ignored ones."""
    within = f"{folder.strip('/')}/".casefold()
    topics: list[Topic] = []
    index_notes: dict[str, str] = {}
    instructions: str | None = None
    for note in notes:
        place = PurePosixPath(note.path)
        if not note.path.casefold().startswith(within) or place.suffix.lower() != ".md":
            continue
        if place.stem.casefold() == place.parent.name.casefold():
            index_notes[str(place.parent)] = note.path
        elif str(place.parent).casefold() + "/" == within and place.stem == INSTRUCTIONS:
            instructions = note.path
        elif not _is_ignored(note.properties):
            topics.append(Topic(note.id, place.stem, note.path, note.aliases))
    topics.sort(key=lambda one: one.path)
    return Ontology(tuple(topics), index_notes, instructions)


class HasProperties(Protocol):
    """A note, as far as its topics go."""

    @property
    def path(self) -> str:
        """Where it is in the vault."""
        ...

    @property
    def properties(self) -> Mapping[str, PropertyValue]:
        """Its properties as written."""
        ...


def topic_values(notes: Iterable[HasProperties], ontology: Ontology) -> Iterator[Value]:
    """Yield each value of `topics` of notes that are no topics themselves."""
    names = NoteNames()
    for topic in ontology.topics:
        names.add(topic.path, topic.aliases)
    own = {topic.path for topic in ontology.topics} | set(ontology.index_notes.values())
    for note in notes:
        if note.path in own:
            continue
        for written in _written(note.properties):
            target = target_of(written)
            yield Value(note.path, written, names.resolve(target, "") if target else None)


def target_of(written: str) -> str:
    """What a value names: the target of a link, with %20 and the like decoded, or the value."""
    text = written.strip()
    if found := _WIKILINK.fullmatch(text):
        return found["target"].strip()
    if found := _MARKDOWN_LINK.fullmatch(text):
        return unquote(found["target"].strip().strip("<>")).lstrip("/")
    return text


def counts_of(values: Iterable[Value]) -> Mapping[str, int]:
    """How many notes name each topic, by path."""
    return Counter(topic for _, topic in {(one.note, one.topic) for one in values} if topic)


def _is_ignored(properties: Mapping[str, PropertyValue]) -> bool:
    value = next((v for name, v in properties.items() if name.lower() == "gardener"), None)
    return isinstance(value, str) and value.strip().casefold() in _IGNORED


def _written(properties: Mapping[str, PropertyValue]) -> Iterator[str]:
    for name, value in properties.items():
        if name.lower() in _PROPERTIES:
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, str) and one.strip():
                    yield one
