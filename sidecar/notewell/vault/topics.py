"""The topics of a vault: notes of a folder that a person chose, named by the property `topics`.

Pure functions over notes as the index has them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import PurePosixPath
from typing import Protocol
from urllib.parse import unquote

from notewell.base.types import PropertyValue, StoredNote
from notewell.base.types.frozen import frozen
from notewell.vault.link_targets import NoteNames

INSTRUCTIONS = "Instructions"
MIN_NAME_LIKENESS = 0.88  # shares of equal letters; plurals and other separators count as equal
MIN_COSINE = 0.85
_NUMBERS = re.compile(r"\d+")
_SHORTEST = 5  # letters of a name that may be misspelled; shorter ones differ by what they mean
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
    topics.sort(key=lambda topic: topic.path)
    return Ontology(tuple(topics), index_notes, instructions)


class NoteWithTopics(Protocol):
    """A note, as far as its topics go."""

    @property
    def path(self) -> str:
        """Where it is in the vault."""

    @property
    def properties(self) -> Mapping[str, PropertyValue]: ...


def topic_values(notes: Iterable[NoteWithTopics], ontology: Ontology) -> Iterator[Value]:
    """Yield each value of `topics` of notes that are no topics themselves."""
    names = NoteNames()
    for topic in ontology.topics:
        names.add(topic.path, topic.aliases)
    own = {topic.path for topic in ontology.topics} | set(ontology.index_notes.values())
    for note in notes:
        if note.path in own:
            continue
        for written in _written_topics(note.properties):
            target = target_of(written)
            yield Value(note.path, written, names.resolve(target, "") if target else None)


def target_of(written: str) -> str:
    """The name in a value: the target of a link, with %20 and the like decoded, or the value."""
    text = written.strip()
    if match := _WIKILINK.fullmatch(text):
        return match["target"].strip()
    if match := _MARKDOWN_LINK.fullmatch(text):
        return unquote(match["target"].strip().strip("<>")).lstrip("/")
    return text


def counts_of(values: Iterable[Value]) -> Mapping[str, int]:
    """The number of notes that name each topic, by path."""
    return Counter(topic for _, topic in {(value.note, value.topic) for value in values} if topic)


def alike_in_name(topics: Sequence[Topic]) -> Iterator[tuple[Topic, Topic, float]]:
    """Yield pairs of topics with almost the same name or alias, and how alike they are, 0..1."""
    keys = [
        (topic, {_key(name) for name in (topic.name, *topic.aliases)} - {""}) for topic in topics
    ]
    for (first, some), (other, others) in combinations(keys, 2):
        score = max((_likeness(a, b) for a in some for b in others), default=0.0)
        if score >= MIN_NAME_LIKENESS:
            yield first, other, score


def _is_ignored(properties: Mapping[str, PropertyValue]) -> bool:
    value = next((v for name, v in properties.items() if name.lower() == "gardener"), None)
    return isinstance(value, str) and value.strip().casefold() in _IGNORED


def _written_topics(properties: Mapping[str, PropertyValue]) -> Iterator[str]:
    for name, value in properties.items():
        if name.lower() in _PROPERTIES:
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, str) and item.strip():
                    yield item


def _likeness(one: str, other: str) -> float:
    if one == other:
        return 1.0
    # Most pairs differ in their first letter or in length, which costs nothing to see.
    if one[0] != other[0] or min(len(one), len(other)) < _SHORTEST:
        return 0.0
    # Names that are told apart by a number ("Level 1", "Level 2") are two.
    if _NUMBERS.findall(one) != _NUMBERS.findall(other):
        return 0.0
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.real_quick_ratio() < MIN_NAME_LIKENESS or matcher.quick_ratio() < MIN_NAME_LIKENESS:
        return 0.0
    return matcher.ratio()


def _key(name: str) -> str:
    """A name without case, accents, separators and a plural s."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(letter for letter in plain if letter.isalnum())
    return letters.removesuffix("s") if len(letters) > _SHORTEST else letters
