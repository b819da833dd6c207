"""Judges how surely a sentence answers a question, by its meaning, its words and its kind.

A logistic model of six features, fitted on questions about obsidian-help-en
(tests/eval/evidence): the cosine of the question with the sentence, and with the sentence below
its title and heading; how many of the question's words it has, by idf, and how many more are in
its title and headings; whether it has what the question asks for, such as a number; and how much
it says beyond the question. A question is never an answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from notewell.api.text import sentences_of, stem, words
from notewell.api.types import FloatArray
from notewell.api.vault import StoredChunk, StoredNote
from notewell.engine.model_suggestions import language_of
from notewell.search.query.question_words import QuestionWords, stems_of
from notewell.search.query.terms import says_little
from notewell.search.show.blocks import line_at
from notewell.vault.sections import headings_at

# The least confidence with which anything is said. In cross-validation, 53 of 70 questions have a
# right sentence among the first three at it, and none of 40 without an answer gets one.
_SAID = 0.1
# What is asked for is known of English questions alone (_OF_KIND), and words that inflect are found
# less often: at this, 81 of 147 German questions are answered, and 3 of 153 that have no answer.
# Chosen in German; words of Chinese and Japanese are found by chance more often than English ones.
_SAID_INFLECTED = 0.055
_AS_ENGLISH = frozenset({None, "en", "ja", "th", "zh"})
_ALONE, _WITHIN, _COVERED, _ABOVE, _OF_KIND, _NEW = 8.7, 5.8, 3.2, 3.2, 0.6, 2.4
_BIAS = -15.1
_MOST_NEW = 6  # words beyond the question's; more say no more of what was asked
# Without a model, words stand in for the cosine: so much for all words of a question. At it, 36 of
# the 70 questions have a right sentence among the first three, and one of the 40 gets one.
_LIKE_WORDS = 1.1
# What a question asks for, by how it begins, and what a sentence that tells it has. English.
_KINDS = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(told))
    for asked, told in (
        (
            r"\b(when|how (long|often)|which day|what date)\b",
            r"\d|(?i:\b(day|week|month|year|hour|minute|always|never))",
        ),
        (
            r"\b(how (many|much|big|tall|fast|old|far)|what .*cost)\b",
            r"\d|(?i:\b(one|two|three|four|five|six|ten|unlimited)\b)",
        ),
        (r"^who\b", r"[a-z] [A-Z][a-z]+|(?i:\b(owner|team|user|author|we)\b)"),
        (r"\b(key|hotkey|shortcut)\b", r"`"),
        (
            r"^how (do|can|to|does)\b",
            r"(?i:\b(select|click|open|press|enter|use|type|add|go to|choose|run|drag|tap|to)\b)",
        ),
    )
)
_SHORTEST = 4  # characters of a value
_FRAGMENT = 4  # words of a value, at most
_ABOUT = 0.6  # of the question's words, in a value and above it
_SIGNS = re.compile(r"\d|\w[^\w\s'’]+\w|[^\w\s]\w")  # noqa: RUF001
_ENDS = re.compile(r"\w[.!?…:;,。！？]\s*$")  # noqa: RUF001
_QUESTION = re.compile(r"[?\uff1f]\W*$")


class Question(QuestionWords):
    """A question, with what is asked of sentences."""

    def answers_by_kind(self, text: str) -> float:
        """1 if `text` has what the question asks for, -1 if it lacks it, 0 if it is not known."""
        told = [bool(tells.search(text)) for asks, tells in _KINDS if asks.search(self.text)]
        return 0.0 if not told else float(max(-1, min(1, 2 * sum(told) - len(told))))


@dataclass(frozen=True)
class AnswerSentence:
    """A sentence of a passage, from `start` to `end` in its text."""

    note: StoredNote
    passage: StoredChunk
    start: int
    end: int

    @property
    def text(self) -> str:
        """The sentence, word for word."""
        return self.passage.text[self.start : self.end]

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The headings that it stands below, outermost first."""
        return headings_at(self.passage, self.start)

    @property
    def in_place(self) -> str:
        """The sentence below its title and heading, as it is embedded."""
        return f"{self.note.title} {' '.join(self.headings[-1:])}: {self.text}"

    @property
    def is_heading(self) -> bool:
        """True if it is the heading of what follows, which answers nothing itself."""
        return self.headings[-1:] == (self.text.strip(),)

    @property
    def is_fragment(self) -> bool:
        """True if it is a key, a command or another value of few words, and no sentence."""
        is_short = len(self.text.split()) <= _FRAGMENT and not _ENDS.search(self.text)
        return is_short and (self.text[0].islower() or bool(_SIGNS.search(self.text)))

    @property
    def asks(self) -> bool:
        """True if it is a question itself."""
        return bool(_QUESTION.search(self.text))

    @cached_property
    def stems(self) -> set[str]:
        return stems_of(self.text)

    @property
    def line(self) -> int:
        """Its line in the file, from 1."""
        return line_at(self.passage, self.start)


def answer_sentences(note: StoredNote, passage: StoredChunk) -> Iterator[AnswerSentence]:
    """The sentences and values of a passage that may answer: no questions and no headings."""
    for start, end in sentences_of(passage.text, shortest=_SHORTEST):
        sentence = AnswerSentence(note, passage, start, end)
        if not sentence.asks and not sentence.is_heading:
            yield sentence


def confidences(
    question: Question, sentences: Sequence[AnswerSentence], alone: FloatArray, within: FloatArray
) -> list[float]:
    """The likelihood that each sentence answers, 0..1.

    `alone` and `within` are cosines with the question, (sentences,), on the scale of
    all-MiniLM-L6-v2: of the sentence, and of the sentence in its place.
    """
    return [
        1 / (1 + math.exp(-_evidence(question, sentence, float(alone[at]), float(within[at]))))
        for at, sentence in enumerate(sentences)
    ]


def _evidence(question: Question, sentence: AnswerSentence, alone: float, within: float) -> float:
    covered = question.share(sentence.stems)
    headings = " ".join((sentence.note.title, *sentence.headings))
    above = question.share(sentence.stems | stems_of(headings)) - covered
    new = [word for word in words(sentence.text) if not says_little(word)]
    beyond = len({stem(word) for word in new} - question.weights.keys())
    if sentence.is_fragment and covered + above >= _ABOUT and beyond:
        # It has no words to be like the question: what stands above it says what it is.
        alone, beyond = within, _MOST_NEW
    return (
        _BIAS
        + _ALONE * alone
        + _WITHIN * within
        + _COVERED * covered
        + _ABOVE * above
        + _OF_KIND * question.answers_by_kind(sentence.text)
        + _NEW * min(beyond, _MOST_NEW) / _MOST_NEW
    )


def least_said(sentences: Sequence[AnswerSentence]) -> float:
    """The least confidence with which anything is said, by the language of the sentences."""
    language = language_of(" ".join(sentence.text for sentence in sentences))
    return _SAID if language in _AS_ENGLISH else _SAID_INFLECTED


def by_words(question: Question, sentences: Sequence[AnswerSentence]) -> list[float]:
    """Stand-ins for cosines where no model is loaded: by the words that a sentence has."""
    return [_LIKE_WORDS * question.share(sentence.stems) for sentence in sentences]
