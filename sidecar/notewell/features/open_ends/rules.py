"""Finds sentences that promise, decide or ask something, by rules for English and German.

A rule is a pattern that such sentences have and others rarely have: who will do it stands in the
first person, or the sentence is a reminder without anybody. Sentences about what was, what would
be, and what somebody else should do are left out; so are questions to a reader, which a text
answers itself or asks for effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from notewell.api.text import sentences_of
from notewell.api.types import frozen
from notewell.features.open_ends.lines import Line
from notewell.features.open_ends.patterns import (
    ANSWER,
    ANSWERS_BELOW,
    ASKED_MARK,
    DECIDED,
    HOW_TO,
    KEEPS_INFORMED,
    NOT_PROMISED,
    OWN_QUESTION,
    PROMISED,
    QUESTIONS_BELOW,
    REMINDER,
    TO_A_READER,
)
from notewell.features.open_ends.requests import Kind

_SHORTEST, _LONGEST = 8, 300  # characters of a sentence
_TAIL = re.compile(r"[\s*_~)\]\"'\N{RIGHT DOUBLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}]*$")


@frozen
class Said:
    """A sentence that leaves something open, in the line `line`."""

    kind: Kind
    text: str
    line: Line


def said_in(lines: Sequence[Line]) -> Iterator[Said]:
    """The sentences of a note that leave something open, unless the line itself says it is done."""
    for line, below in zip_longest(lines, lines[1:]):
        if line.is_closed:
            continue
        sentences = [line.text[start:end] for start, end in sentences_of(line.text, shortest=2)]
        for place, sentence in enumerate(sentences):
            if not _SHORTEST <= len(sentence) <= _LONGEST:
                continue
            kind = kind_of(sentence, line)
            if kind == "asked" and _is_answered(sentences[place + 1 :], line, below):
                continue
            if kind:
                yield Said(kind, sentence, line)


def kind_of(sentence: str, line: Line) -> Kind | None:
    """The kind of what a sentence leaves open, by its words and its place; None: nothing."""
    plain = _TAIL.sub("", sentence.replace("**", "").replace("__", ""))
    if plain.endswith("?"):
        return "asked" if _is_asked(plain, line) else None
    if DECIDED.search(plain):
        return "decided"
    stands_alone = line.text == sentence
    reminds = stands_alone and REMINDER.search(plain) and not TO_A_READER.search(plain)
    if not reminds and not PROMISED.search(plain):
        return None
    binds = KEEPS_INFORMED.search(plain) or not NOT_PROMISED.search(plain)
    return "promised" if binds else None


def _is_asked(question: str, line: Line) -> bool:
    """Tell whether a question waits for its writer, and is not asked for effect or of others."""
    if any(map(ANSWERS_BELOW.search, line.headings)):
        return False
    if line.task == "open" or ASKED_MARK.search(line.text):
        return True
    if any(map(QUESTIONS_BELOW.search, line.headings[-1:])):
        return line.is_item or bool(OWN_QUESTION.search(question))
    if line.speaker or HOW_TO.search(question):
        return False
    return (line.is_item or line.is_remark) and bool(OWN_QUESTION.search(question))


def _is_answered(rest: Sequence[str], line: Line, below: Line | None) -> bool:
    """Tell whether a statement follows a question in its line, or an answer right below it."""
    if any(not sentence.rstrip().endswith("?") for sentence in rest if len(sentence) >= _SHORTEST):
        return True
    if below is None or below.number > line.number + 2:
        return False
    deeper = below.is_item and line.is_item and below.depth > line.depth
    return deeper or bool(ANSWER.search(below.text)) or bool(line.speaker and below.speaker)
