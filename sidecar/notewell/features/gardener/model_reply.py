"""Reads what a language model suggests, and keeps what is well formed.

The model is not trusted: whatever is not as `model_prompt.SPEC` says is left out, and counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from notewell.base.types.frozen import frozen
from notewell.features.gardener.model_prompt import TOOL
from notewell.models.chat.messages import Turn

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_MOST_TOPICS = 8  # for one note
_MOST_ENTRIES = 100  # of each kind
_LONGEST = 400  # characters of one sentence
_LONGEST_NAME = 80
# What no file of Obsidian may be called, and what links end with.
_BAD_NAME = re.compile(r'[\\/:*?"<>|#^\[\]\x00-\x1f]|^\.|\.$')


@frozen
class NoteAdvice:
    """The model's advice on one note. `topics` are names, `description` may be ""."""

    path: str
    topics: tuple[str, ...]
    description: str
    why: str


@frozen
class NewTopic:
    """A topic that does not exist yet. `folder` may be ""."""

    name: str
    definition: str
    folder: str


@frozen
class TopicAdvice:
    """A topic to give up, for another one (`target`) or for none ("")."""

    topic: str
    target: str
    why: str


@frozen
class Advice:
    """A reply of the model, as far as it is well formed; `ignored` counts the rest."""

    notes: tuple[NoteAdvice, ...] = ()
    new: tuple[NewTopic, ...] = ()
    merge: tuple[TopicAdvice, ...] = ()
    archive: tuple[TopicAdvice, ...] = ()
    ignored: int = 0


def read_advice(turn: Turn) -> Advice | None:
    """The advice in a turn of the model: a call of its tool, or JSON in its text.

    None if there is neither: a refusal, broken JSON, or an answer that was cut off.
    """
    given = _object(turn)
    if given is None or turn.cut or not isinstance(given.get("notes"), list):
        return None
    notes = tuple(map(_note, _entries(given, "notes")))
    new = tuple(map(_new, _entries(given, "new_topics")))
    merge = tuple(_topic(one, "source", "target") for one in _entries(given, "merge"))
    archive = tuple(_topic(one, "topic", "") for one in _entries(given, "archive"))
    found = (*notes, *new, *merge, *archive)
    return Advice(
        tuple(one for one in notes if one is not None),
        tuple(one for one in new if one is not None),
        tuple(one for one in merge if one is not None),
        tuple(one for one in archive if one is not None),
        sum(one is None for one in found),
    )


def _object(turn: Turn) -> Mapping[str, object] | None:
    texts = [one.arguments for one in turn.calls if one.name == TOOL]
    texts += [found[0]] if (found := _OBJECT.search(turn.text)) else []
    for text in texts:
        try:
            given = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(given, dict):
            return given
    return None


def _entries(given: Mapping[str, object], name: str) -> Iterator[Mapping[str, object]]:
    entries = given.get(name)
    for one in entries[:_MOST_ENTRIES] if isinstance(entries, list) else ():
        yield one if isinstance(one, dict) else {}


def _note(entry: Mapping[str, object]) -> NoteAdvice | None:
    path, topics = entry.get("path"), entry.get("topics", [])
    if not isinstance(path, str) or not isinstance(topics, list | None):
        return None
    names = (_line(one, _LONGEST_NAME) for one in (topics or [])[:_MOST_TOPICS])
    kept = tuple(dict.fromkeys(name for name in names if name))
    return NoteAdvice(path, kept, _sentence(entry.get("description")), _sentence(entry.get("why")))


def _new(entry: Mapping[str, object]) -> NewTopic | None:
    name, definition = _line(entry.get("name"), _LONGEST_NAME), _sentence(entry.get("definition"))
    if not name or not definition or _BAD_NAME.search(name):
        return None
    return NewTopic(name, definition, _line(entry.get("folder"), _LONGEST))


def _topic(entry: Mapping[str, object], source: str, target: str) -> TopicAdvice | None:
    names = [_line(entry.get(one), _LONGEST_NAME) for one in (source, target) if one]
    if not all(names):
        return None
    return TopicAdvice(names[0], names[1] if target else "", _sentence(entry.get("why")))


def _line(value: object, most: int) -> str:
    """One line of text without the brackets of a link; "" if it is none, or too long."""
    text = " ".join(value.split()).strip("[]") if isinstance(value, str) else ""
    return text if len(text) <= most else ""


def _sentence(value: object) -> str:
    """A text of one line; "" if it is none or more than a few sentences."""
    return _line(value, _LONGEST) if _is_plain(value) else ""


def _is_plain(value: object) -> bool:
    return isinstance(value, str) and "```" not in value
