"""Approximate vectors of passages, from a sample of them that the model has read.

A table of tokens is fitted to the sample, to spans of it and to the tokens alone. A sum of tokens
is nearer to the mean of all passages than the model's vector is, as a regression shrinks what it
predicts; so vectors are stretched away from the mean.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from notewell.api.types import FloatArray
from notewell.features.query_table.fit import Lessons, Pull, fit, sums_of
from notewell.features.query_table.teacher import Teacher
from notewell.features.query_table.texts import spans_of

_SPANS = 6000
_PROCESSOR_S = 90.0  # for the spans and the tokens alone
_PULL = Pull(ridge=0.2, prior=0.8)  # chosen with _STRETCH, see tests/eval/README.md
_STRETCH = 1.6
_SEED = 7
_TINY = np.float32(1e-9)


@dataclass(frozen=True, slots=True, eq=False)
class TokenSums:
    """Vectors of texts as sums of rows (tokens + 1, dimensions), stretched away from a mean."""

    teacher: Teacher
    rows: FloatArray
    mean: FloatArray

    def vectors(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors (texts, dimensions)."""
        teacher = self.teacher
        sums = _to_unit_length(sums_of(self.rows, teacher.tokens(texts), teacher.check))
        return _to_unit_length(self.mean + _STRETCH * (sums - self.mean))


def fit_passages(
    model: object, texts: Sequence[str], vectors: FloatArray, check: Callable[[], None]
) -> TokenSums | None:
    """Fit a table to the model's `vectors` (texts, dimensions) of a sample of passages.

    None: the model cannot teach one. `check` is called between steps of some milliseconds, and may
    pause or raise.
    """
    teacher = Teacher.of(model, seconds=_PROCESSOR_S, check=check)
    if teacher is None or not len(texts):
        return None
    chance = random.Random(_SEED)  # noqa: S311 - of spans to learn from
    spans = spans_of(texts, _SPANS, chance)
    teacher.keep_tokens_of(texts)
    of_spans = teacher.vectors(spans, _PROCESSOR_S / 2)
    alone = teacher.alone(0.0)
    tokens = teacher.tokens([*texts, *spans[: len(of_spans)]])
    lessons = Lessons(tokens, np.concatenate([vectors, of_spans]) if len(of_spans) else vectors)
    rows = fit(lessons, alone, check, _PULL).rows
    sums = _to_unit_length(sums_of(rows, tokens[: len(texts)], check))
    return TokenSums(teacher, rows, sums.mean(axis=0))


def _to_unit_length(vectors: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = vectors / np.maximum(lengths, _TINY)
    return unit
