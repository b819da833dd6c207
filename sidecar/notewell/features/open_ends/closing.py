"""Finds what takes an open end up again: a later tick, answer or statement with its words."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date

from notewell.api.text import function_words, sentences_of, stem, words
from notewell.api.types import frozen
from notewell.features.open_ends.lines import Line
from notewell.features.open_ends.rules import Said, kind_of

_LEAST_WORDS = 2  # that are shared; one word alone may be about anything
_SHARE = 0.6  # of the words of an open end, weighted by rarity
# Of all statements, and how many are few in any vault; commoner stems find no candidates.
_RARE_BELOW, _ALWAYS_RARE = 0.05, 20
_DONE = re.compile(
    r"\b(?:done|finished|completed|bought|asked|called|sent|fixed|answered|solved|got|went|tried|"
    r"visited|wrote|found out|ordered|returned|paid|booked|repaired|planted|sold|met|learned|"
    r"erledigt|gekauft|gefragt|fertig|angerufen|geschickt|bezahlt|gebucht|repariert|geklärt)\b|"
    r"\b(?:I|we)(?:.ve| have)? \w+ed\b|✅|✓|\bturns? out\b|\bthe answer\b",
    re.IGNORECASE,
)
# Words of the rules themselves: they say that something is to be done, not what.
_OF_THE_RULES = """
should must need have want will plan hope promise remind remember forget todo decide
agree ask find figure look check whether sollte muss möchte werde nicht vergessen noch
tomorrow soon later next week month year really still also just definitely
"""
_SAY_LITTLE = frozenset(map(stem, _OF_THE_RULES.split()))


@frozen
class DoneStatement:
    """A sentence that says that something was done, of a note dated `day`."""

    path: str
    line: int
    day: date
    stems: frozenset[str]


def statements_in(path: str, day: date, lines: Sequence[Line]) -> Iterator[DoneStatement]:
    """The ticked tasks of a note, and its sentences about what was done."""
    for line in lines:
        for start, end in sentences_of(line.text, shortest=2):
            sentence = line.text[start:end]
            is_told = line.is_closed or (_DONE.search(sentence) and kind_of(sentence, line) is None)
            if is_told and not sentence.endswith("?"):
                stems = content_stems(sentence)
                if len(stems) >= _LEAST_WORDS:
                    yield DoneStatement(path, line.number, day, stems)


def content_stems(text: str) -> frozenset[str]:
    """The stems of a sentence that tell what it is about."""
    read = words(text)
    light = function_words(read)
    return frozenset({stem(word) for word in read if word not in light}) - _SAY_LITTLE


class DoneStatements:
    """The statements of a vault, by the words that they have."""

    def __init__(self, statements: Sequence[DoneStatement]) -> None:
        self._statements = statements
        self._having: dict[str, list[int]] = defaultdict(list)
        for number, statement in enumerate(statements):
            for name in statement.stems:
                self._having[name].append(number)

    def take_up(self, said: Said, path: str, day: date) -> bool:
        """Tell whether a later statement has most of what a sentence of a note is about.

        Later is below it in its note, or in another note of that day or after.
        """
        stems = content_stems(said.text)
        weights = {name: self._weight(name) for name in stems}
        least = _SHARE * sum(weights.values())
        commonest = max(_ALWAYS_RARE, _RARE_BELOW * len(self._statements))
        having = (self._having.get(name, ()) for name in stems)
        candidates = {
            number for numbers in having if len(numbers) <= commonest for number in numbers
        }
        for number in candidates:
            statement = self._statements[number]
            common = stems & statement.stems
            if len(common) < _LEAST_WORDS or sum(weights[name] for name in common) < least:
                continue
            if statement.path == path and statement.line > said.line.number:
                return True
            if statement.path != path and statement.day >= day:
                return True
        return False

    def _weight(self, name: str) -> float:
        """The rarity of a stem among the statements."""
        return math.log(1 + len(self._statements) / (1 + len(self._having.get(name, ()))))
