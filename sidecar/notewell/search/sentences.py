"""The sentence of a passage that is closest to a query, for passages that share no word with it.

To embed every sentence takes longer than the whole search. Tokens are looked up instead, without
their context: each token of the query is held against its likest token in the sentence (MaxSim of
Khattab and Zaharia 2020, "ColBERT"). Where the model chooses a sentence of a passage, this chooses
the same one more than half of the time, at a fiftieth of the cost; docs/search.md has the figures.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from notewell.types import FloatArray, KnowsTokens

SENTENCE = re.compile("(?:[.!?…]\\s|[。\uff01\uff1f]|\\n)\\s*")
_MARK = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+(?:\[.\]\s+)?)?")
MAX_PASSAGES = 2  # of a reply; each takes almost a millisecond
_LEAST_CHARS = 12  # a shorter stretch is a marker or a number, not a sentence


class ClosestSentence:
    """Finds the sentence of a passage closest to one query, in the first few passages asked."""

    def __init__(self, model: KnowsTokens, query: str, *, passages: int = MAX_PASSAGES) -> None:
        """Nothing is looked up before the first passage."""
        self._model = model
        self._query = query
        self._left = passages
        self._asked: FloatArray | None = None

    def __call__(self, text: str) -> tuple[int, int] | None:
        """Where the sentence stands in `text`; None: there is nothing to choose, or no more."""
        if self._left <= 0:
            return None
        sentences = sentences_of(text)
        if len(sentences) < 2:
            return None
        self._left -= 1
        asked, read = self._query_vectors(), self._model.token_vectors(text)
        if asked is None or read is None or not len(asked) or not len(read.starts):
            return None
        owners = np.searchsorted([start for start, _ in sentences], read.starts, side="right") - 1
        numbers, firsts = np.unique(owners, return_index=True)
        likest = np.maximum.reduceat(asked @ read.vectors.T, firsts, axis=1).mean(axis=0)
        likest[numbers < 0] = -np.inf  # what stands before the first sentence
        return sentences[max(int(numbers[np.argmax(likest)]), 0)]

    def _query_vectors(self) -> FloatArray | None:
        if self._asked is None:
            read = self._model.token_vectors(self._query)
            self._asked = read.vectors if read is not None else None
        return self._asked


def sentences_of(text: str) -> list[tuple[int, int]]:
    """Where sentences and lines stand in `text`, less list marks and white space around them."""
    cuts = [0, *(match.end() for match in SENTENCE.finditer(text)), len(text)]
    found = []
    for start, end in pairwise(cuts):
        marked = _MARK.match(text, start)
        first = marked.end() if marked else start
        stretch = text[first:end].rstrip()
        if len(stretch) >= _LEAST_CHARS:
            found.append((first, first + len(stretch)))
    return found
