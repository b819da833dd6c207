"""The short texts that a query table is fitted to: what people may type about a vault.

Spans of the vault's passages and its names teach what the vault says. Queries also have words
that it lacks, so others are made of the model's own words, of spans in which near words stand for
those of the vault, and of how people ask.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from notewell.api.types import FloatArray
from notewell.api.vault import IndexReader

# A character of a script without spaces between words, or a word of others.
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\s|>#*`\[\]()!\u3040-\u30ff\u3400-\u9fff]+"
)
_LENGTHS = (1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 10, 12)
_LONGEST_NAME = 150
_LEAST_LETTERS = 2
_FIRST_CONTENT = 80  # of the model's words, by frequency: before it are function words
_MOST_NOTES = 10_000  # that are read for spans
_TRIES = 4  # for each span that is wanted
_NEAR = 12
_SHORT = 9  # words of a span in which others may stand
_FUNCTION = (
    "the", "a", "to", "of", "in", "for", "and", "with", "on", "my", "from",
    "that", "is", "it", "at", "by", "as", "i", "not", "all", "without", "or",
    "into", "your", "when", "how", "what",
)  # fmt: skip
_QUESTIONS = (
    "how do i {}", "how to {}", "what is {}", "where is {}", "why is {}", "can i {}",
    "i want to {}", "list of {}", "way to {}", "best {}", "{} not working", "stop {}", "make {}",
    "keep {}", "show {}", "find {}", "turn off {}", "which {}", "notes about {}", "my {}",
    "all {} with {}", "{} for {}", "{} without {}", "{} and {}", "{} in {}", "{} to {}",
    "{} of {}", "{} from my {}", "when did {}", "{} on my phone", "a {} for {}",
    "difference between {} and {}", "{} instead of {}",
)  # fmt: skip
_PLAIN = ("{}", "{} {}")


def names_of(index: IndexReader) -> list[str]:
    """Titles, aliases, headings and the texts of links, each once."""
    names: set[str] = set()
    for note in index.all_notes():
        names.update((note.title, *note.aliases))
        for chunk in index.chunks_of(note.id):
            names.update(chunk.headings[-1:])
    return sorted({name.strip()[:_LONGEST_NAME] for name in names if name.strip()})


def spans(index: IndexReader, count: int, chance: random.Random) -> list[str]:
    """Spans of 1 to 12 words of the vault's passages, each once; fewer in a small vault."""
    notes = list(index.all_notes())
    if len(notes) > _MOST_NOTES:
        notes = chance.sample(notes, _MOST_NOTES)
    passages = [chunk.text for note in notes for chunk in index.chunks_of(note.id)]
    return spans_of(passages, count, chance)


def spans_of(passages: Sequence[str], count: int, chance: random.Random) -> list[str]:
    """Spans of 1 to 12 words of these passages, each once; fewer where they are few."""
    weights = np.cumsum([len(text) ** 0.7 for text in passages]).tolist()
    unique: dict[str, None] = {}
    if not passages:
        return []
    for text in chance.choices(passages, cum_weights=weights, k=count * _TRIES):
        words = [match.span() for match in islice(_WORD.finditer(text), 400)]
        length = chance.choice(_LENGTHS)
        if len(words) < 2:
            continue
        first = chance.randrange(max(1, len(words) - length + 1))
        chosen = words[first : first + length]
        unique[" ".join(text[chosen[0][0] : chosen[-1][1]].split())] = None
        if len(unique) >= count:
            break
    return list(unique)


@dataclass(frozen=True, slots=True, eq=False)
class Asker:
    """Makes texts of words: `words` by frequency, and the `near` ones of some.

    `english` texts have its function words and ways to ask; others have frequent words.
    """

    words: Sequence[str]
    near: Mapping[str, Sequence[str]]
    chance: random.Random
    english: bool

    def invented(self) -> Iterator[str]:
        """Texts of the model's words, without end."""
        chance = self.chance
        while self.words:
            kind = chance.random()
            if kind < 0.35:
                yield self._some(chance.choice((2, 2, 3, 3, 4, 5, 6)))
            elif kind < 0.75:
                count = chance.choice((3, 4, 5, 6, 7, 8))
                function = _FUNCTION if self.english else self.words[:_FIRST_CONTENT]
                yield " ".join(
                    chance.choice(function) if chance.random() < 0.4 else self._content()
                    for _ in range(count)
                )
            else:
                yield self._ask(self._some(chance.choice((1, 1, 2))))

    def replaced(self, said: Sequence[str]) -> Iterator[str]:
        """Texts of the vault in which near words stand for its own, without end."""
        chance = self.chance
        short = [text for text in said if 2 <= len(text.split()) <= _SHORT]
        while short:
            words = chance.choice(short).lower().split()
            places = [at for at, word in enumerate(words) if word in self.near]
            for at in chance.sample(places, min(len(places), chance.choice((1, 2, 2, 3)))):
                words[at] = chance.choice(self.near[words[at]])
            text = " ".join(words)
            yield self._ask(text) if chance.random() < 0.3 else text

    def _content(self) -> str:
        last = len(self.words) - 1
        first = min(_FIRST_CONTENT, last)
        return self.words[int(first + self.chance.random() ** 2 * (last - first))]

    def _some(self, count: int) -> str:
        return " ".join(self._content() for _ in range(count))

    def _ask(self, first: str) -> str:
        begin, *rest = self.chance.choice(_QUESTIONS if self.english else _PLAIN).split("{}")
        fillers = [first, *(self._content() for _ in rest[1:])]
        return begin + "".join(f + r for f, r in zip(fillers, rest, strict=True))


def common_words(tokens: Sequence[str], said: Sequence[str]) -> list[str]:
    """Whole words of the model by frequency; of one that has pieces alone, those of the vault."""
    whole = [
        token
        for token in tokens
        if len(token) >= _LEAST_LETTERS and token.isascii() and token.isalpha()
    ]
    if len(whole) > len(tokens) // 3:
        return whole
    counts: dict[str, int] = {}
    for text in said:
        for word in text.split():
            if word.isalpha():
                counts[word] = counts.get(word, 0) + 1
    return sorted(counts, key=lambda word: (-counts[word], word))


def near_words(words: Sequence[str], vectors: FloatArray, wanted: set[str]) -> dict[str, list[str]]:
    """The words (n,) whose vectors (n, dimensions) are nearest, of each wanted word."""
    near: dict[str, list[str]] = {}
    places = [at for at, word in enumerate(words) if word in wanted]
    for start in range(0, len(places), 256):
        some = places[start : start + 256]
        cosines = vectors[some] @ vectors.T
        nearest = np.argpartition(-cosines, min(_NEAR, len(words) - 1), axis=1)[:, :_NEAR]
        for at, row in zip(some, nearest.tolist(), strict=True):
            near[words[at]] = [words[other] for other in row if other != at] or [words[at]]
    return near
