"""The words of a question that tell what is asked, each weighed by how rare it is."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from notewell.index.analyze import spans, stem, words
from notewell.index.port import KeywordIndex
from notewell.search.query.terms import function_words, says_little

_FEWEST_SAME, _SAME = 4, 0.75  # letters at the beginning of two forms of a word, and their share


@dataclass(frozen=True)
class QuestionWords:
    """A question, and how much of it a text says."""

    text: str
    keywords: KeywordIndex

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """The stems of its words with their idf, function words apart."""
        asked = dict.fromkeys(words(self.text))
        light = function_words(asked)
        telling = [word for word in asked if word not in light and not says_little(word)]
        return {stem(word): self._idf(stem(word)) for word in telling or asked}

    def share(self, stems: Collection[str]) -> float:
        """The share of its words, by idf, that are among `stems`, 0..1, perhaps in another form."""
        whole = sum(self.weights.values())
        begins = tuple(word[:_FEWEST_SAME] for word in self.weights)
        near = [other for other in stems if other.startswith(begins)]  # few: the rest is no form
        shared = (word for word in self.weights if any(_alike(word, other) for other in near))
        return sum(self.weights[word] for word in shared) / whole if whole else 0

    def without(self, stems: Collection[str]) -> str:
        """The question without the words whose stem is among `stems`."""
        kept, at = [], 0
        for token in spans(self.text):
            if token.start >= at and stem(token.text) in stems:
                kept.append(self.text[at : token.start])
                at = token.end
        return " ".join("".join((*kept, self.text[at:])).split())

    def _idf(self, token: str) -> float:
        count = self.keywords.document_frequency(token)
        return math.log1p((self.keywords.document_count + 0.5) / (count + 0.5))


def stems_of(text: str) -> set[str]:
    """The stems of all words of a text."""
    return {stem(word) for word in words(text)}


def _alike(one: str, other: str) -> bool:
    """True if two words are one, or may be forms of one: most of the longer one is the same."""
    least = max(_FEWEST_SAME, math.ceil(_SAME * max(len(one), len(other))))
    return one[:least] == other[:least]
