"""The user's own synonyms: names that mean the same, as `search.synonyms` or a note lists them.

A line `k8s = kubernetes` makes each stand for the other; more names follow after a further `=` or a
comma. A name of several words, as in `ml = machine learning`, is searched for in the place of the
short one, and the short one in the place of each of its words: a passage says the name if it has
either all its words, or the short one.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from notewell.base.errors import NotFoundError
from notewell.base.types.frozen import frozen
from notewell.index.analyze import words
from notewell.index.lexical import QueryTerm
from notewell.index.port import IndexReader, KeywordIndex
from notewell.search.query.find_note import find_note
from notewell.search.query.spelling import Fix, correct_text

Name: TypeAlias = tuple[str, ...]  # words, folded
Group: TypeAlias = tuple[Name, ...]  # names that mean the same

_LIST_MARK = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_BETWEEN = re.compile(r"=+|,")
MAX_GROUPS = 2_000  # of one vault
_LONGEST_NAME = 6  # words


@frozen
class UsedSynonym:
    """A name of the query, and one that is searched for besides."""

    typed: Name
    other: Name

    @property
    def text(self) -> str:
        return f"{' '.join(self.typed)} = {' '.join(self.other)}"


@frozen
class WithSynonyms:
    """A query with the user's synonyms.

    `text` has long names in the place of short ones. `others` are the words that stand for a word
    of it.
    """

    text: str
    others: Mapping[str, Name] = field(default_factory=dict)
    used: tuple[UsedSynonym, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Synonyms:
    """The synonyms of a vault, by each of their names; `missing` are notes that are not there."""

    groups: Mapping[Name, Group] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    @classmethod
    def of(cls, lines: Iterable[str], missing: Sequence[str] = ()) -> Synonyms:
        """The synonyms of lines; one that names less than two things is skipped."""
        groups: dict[Name, Group] = {}
        for line in lines:
            parts = _BETWEEN.split(_LIST_MARK.sub("", line)) if "=" in line else ()
            names = [tuple(words(part)) for part in parts]
            group = tuple(dict.fromkeys(name for name in names if 0 < len(name) <= _LONGEST_NAME))
            if len(group) > 1 and len(groups) < MAX_GROUPS:
                for name in group:
                    groups[name] = tuple(dict.fromkeys((*groups.get(name, ()), *group)))
        return cls(groups, tuple(missing))

    def applied(self, text: str) -> WithSynonyms:
        """A query with the synonyms of the names in it; a longer name comes before a shorter."""
        others: dict[str, Name] = {}
        used: list[UsedSynonym] = []
        for typed in self._names_in(words(text)):
            group = self.groups[typed]
            name = typed
            if len(typed) == 1:
                name = next((phrase for phrase in group if len(phrase) > 1), typed)
                text = correct_text(text, [Fix(typed, " ".join(name))]) if name != typed else text
            short = [phrase[0] for phrase in group if len(phrase) == 1]
            for word in name:
                others[word] = tuple(other for other in short if other != word)
            used += [UsedSynonym(typed, other) for other in group if other != typed]
        return WithSynonyms(text, others, tuple(used))

    def _names_in(self, ordered: Sequence[str]) -> Iterator[Name]:
        at = 0
        while at < len(ordered):
            spans = (tuple(ordered[at : at + count]) for count in range(_LONGEST_NAME, 0, -1))
            name = next((span for span in spans if span in self.groups), None)
            if name is not None:
                yield name
            at += len(name or (None,))


def synonyms_of(index: IndexReader, entries: Sequence[str]) -> Synonyms:
    """The synonyms of the settings: lines with `=`, and notes that have such lines."""
    lines = [entry for entry in entries if "=" in entry]
    missing = []
    for entry in entries:
        if "=" in entry or not entry.strip():
            continue
        try:
            note = find_note(index, entry)
        except NotFoundError:
            missing.append(entry)
            continue
        lines += [line for chunk in index.chunks_of(note.id) for line in chunk.text.split("\n")]
    return Synonyms.of(lines, missing)


@frozen
class _SynonymsNow:
    generation: int = -1
    synonyms: Synonyms = field(default_factory=Synonyms)


@dataclass(eq=False, slots=True)
class SynonymsCache:
    """Caches the synonyms of one index. Thread-safe."""

    entries: tuple[str, ...] = ()  # of the settings
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _known: _SynonymsNow = field(default_factory=_SynonymsNow)

    def current(self, index: IndexReader) -> Synonyms:
        """The synonyms as the index has them; nothing is read where the settings name none."""
        if not self.entries:
            return self._known.synonyms
        with self._lock:
            if self._known.generation != index.text_generation:
                generation = index.text_generation
                self._known = _SynonymsNow(generation, synonyms_of(index, self.entries))
            return self._known.synonyms


def names_held(
    keywords: KeywordIndex, used: Collection[UsedSynonym], note_ids: Sequence[int]
) -> Iterator[tuple[int, UsedSynonym]]:
    """Of each note that says another name and not the typed one: its id, and the synonym."""
    tokens = list(
        dict.fromkeys(word for synonym in used for word in (*synonym.typed, *synonym.other))
    )
    column = {token: at for at, token in enumerate(tokens)}
    ids = np.unique(np.asarray(note_ids, np.int64))
    masks = keywords.fields_of([QueryTerm(token, 1.0) for token in tokens], ids).masks != 0
    for synonym in used:
        typed = masks[:, [column[word] for word in synonym.typed]].all(axis=1)
        other = masks[:, [column[word] for word in synonym.other]].all(axis=1)
        for note_id in ids[other & ~typed].tolist():
            yield note_id, synonym
