"""Likeness of sentences with a question: by meaning, or by words where no model is loaded."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from notewell.api.errors import ModelError
from notewell.api.types import FloatArray
from notewell.api.vault import Embedder, IndexReader
from notewell.features.evidence.confidence import AnswerSentence, Question, by_words
from notewell.search.rank.candidates import CosineMap

# A reply is expected in 10 s, and the search before took its part. Sentences are read in groups.
_BUDGET_S, _GROUP = 4.0, 20
_BY_WORDS = 0.5  # of a sentence's words, beside the cosine of its passage, before it is embedded


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


def passage_cosines(
    index: IndexReader, asked: FloatArray | None, chunk_ids: Iterable[int]
) -> Mapping[int, float]:
    """The cosine of the question with each passage that has a vector, by its id."""
    if asked is None:
        return {}
    known, vectors = index.vectors.of_chunks(np.unique([*chunk_ids]).astype(np.int64))
    if not len(known) or vectors.shape[1] != len(asked):  # they are of another model
        return {}
    return dict(zip(known.tolist(), (vectors @ asked).tolist(), strict=True))


def likelihood(question: Question, sentence: AnswerSentence, cosine: float) -> float:
    """Rate a sentence before it is embedded; `cosine` is that of its passage."""
    return cosine + _BY_WORDS * question.share(sentence.stems)


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
