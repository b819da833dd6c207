"""Likeness of sentences with a question: by meaning, or by words where no model is loaded."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from notewell.api.errors import ModelError
from notewell.api.types import FloatArray
from notewell.api.vault import Embedder
from notewell.features.evidence.confidence import AnswerSentence, Question, by_words
from notewell.search.rank.candidates import CosineMap

# A reply is expected in 10 s, and the search before took its part. Sentences are read in groups.
_BUDGET_S, _GROUP = 4.0, 20


class Cosines(NamedTuple):
    """Cosines of sentences with a question (n,): alone, and below their title and heading."""

    alone: FloatArray
    within: FloatArray


def embed_question(embedder: Embedder | None, text: str) -> FloatArray | None:
    """The vector of a question; None without a model."""
    try:
        return None if embedder is None else embedder.embed_query(text)
    except ModelError:  # the search said so; words still answer
        return None


def sentence_cosines(
    embedder: Embedder | None,
    asked: FloatArray | None,
    question: Question,
    sentences: Sequence[AnswerSentence],
) -> Cosines:
    """Cosines with the question on the scale of all-MiniLM-L6-v2, one of each kind a sentence.

    There are fewer than sentences where the budget was spent on the first of them.
    """
    try:
        if embedder is not None and asked is not None:
            vectors = read_within_budget(embedder, sentences)
            cosines = CosineMap.of(embedder).mapped(vectors @ asked)
            return Cosines(cosines[0::2], cosines[1::2])
    except ModelError:
        pass
    alike = np.array(by_words(question, sentences), np.float32)
    return Cosines(alike, alike)


def read_within_budget(
    embedder: Embedder,
    sentences: Sequence[AnswerSentence],
    clock: Callable[[], float] = time.monotonic,
) -> FloatArray:
    """The vectors of sentences, each alone and in its place, (2 n, dimensions); at least a group's.

    Raises ModelError.
    """
    until = clock() + _BUDGET_S
    groups: list[FloatArray] = []
    for start in range(0, len(sentences), _GROUP):
        group = sentences[start : start + _GROUP]
        texts = [text for sentence in group for text in (sentence.text, sentence.in_place)]
        groups.append(embedder.embed_passages(texts))
        if clock() > until:
            break
    return np.concatenate(groups)
