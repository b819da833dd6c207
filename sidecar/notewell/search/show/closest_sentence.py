"""Finds the sentence of a passage that is closest to a query in which no word of it stands.

Embedding every sentence takes longer than the whole search, so context-free token vectors are
looked up instead: the score of a sentence is the mean, over the tokens of the query, of the highest
cosine with a token of the sentence (MaxSim of Khattab and Zaharia 2020, "ColBERT"). It chooses the
sentence that the model would choose in more than half of the passages, at a fiftieth of the cost
(tests/eval/README.md).
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from notewell.base.types import FloatArray, KnowsTokens

SENTENCE = re.compile("(?:[.!?…](?: ·)?\\s|[。\uff01\uff1f](?: · )?|\\n| · )\\s*")
_MARK = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+(?:\[.\]\s+)?)?")
MAX_PASSAGES = 2  # per reply; each takes almost a millisecond
_MIN_CHARS = 12  # shorter text is a marker or a number, not a sentence


class ClosestSentence:
    """Finds the closest sentence to one query in each of the first `passages` passages."""

    def __init__(self, model: KnowsTokens, query: str, *, passages: int = MAX_PASSAGES) -> None:
        """The vectors of `query` are looked up with the first passage."""
        self._model = model
        self._query = query
        self._remaining = passages
        self._query_tokens: FloatArray | None = None

    def __call__(self, text: str) -> tuple[int, int] | None:
        """(start, end) of the sentence in `text`; None with fewer than two, or no passages left."""
        if self._remaining <= 0:
            return None
        sentences = sentences_of(text)
        if len(sentences) < 2:
            return None
        self._remaining -= 1
        wanted, read = self._query_vectors(), self._model.token_vectors(text)
        if wanted is None or read is None or not len(wanted) or not len(read.starts):
            return None
        owners = np.searchsorted([start for start, _ in sentences], read.starts, side="right") - 1
        numbers, firsts = np.unique(owners, return_index=True)
        scores = np.maximum.reduceat(wanted @ read.vectors.T, firsts, axis=1).mean(axis=0)
        scores[numbers < 0] = -np.inf  # tokens before the first sentence
        return sentences[max(int(numbers[np.argmax(scores)]), 0)]

    def _query_vectors(self) -> FloatArray | None:
        if self._query_tokens is None:
            read = self._model.token_vectors(self._query)
            self._query_tokens = read.vectors if read is not None else None
        return self._query_tokens


def sentences_of(text: str, *, shortest: int = _MIN_CHARS) -> list[tuple[int, int]]:
    """(start, end) of sentences and lines, without list markers, white space and lines of tags.

    `shortest` is the least number of characters of one.
    """
    cuts = [0, *(match.end() for match in SENTENCE.finditer(text)), len(text)]
    sentences = []
    for start, end in pairwise(cuts):
        marked = _MARK.match(text, start)
        first = marked.end() if marked else start
        sentence = text[first:end].rstrip()
        if len(sentence) >= shortest and any(word[0] != "#" for word in sentence.split()):
            sentences.append((first, first + len(sentence)))
    return sentences
