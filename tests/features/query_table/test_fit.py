"""Fitting a query table: sums of rows point where a model's vectors point."""

from __future__ import annotations

import random

import numpy as np
import pytest

from notewell.base.errors import CancelledError
from notewell.features.query_table.fit import Lessons, fit, measure_agreement, table_of
from notewell.models.query_table import WORDPIECE, TableHead, TokenVocabulary

WORDS = [f"w{number}" for number in range(60)]
HEAD = TableHead("tiny/1/fp32", 0.0, 10, 0.0, 0.0, (0.0, 0.0, 0.0, 0.0))


def nothing() -> None:
    pass


def taught(count: int, *, seed: int = 1) -> tuple[list[list[int]], np.ndarray, np.ndarray]:
    """Texts of a world in which meaning is a sum; frequent words mean little."""
    chance = np.random.default_rng(seed)
    truth = np.random.default_rng(0).standard_normal((len(WORDS), 16)).astype(np.float32)
    truth[:5] *= 0.05
    texts = [
        [*chance.choice(len(WORDS), chance.integers(1, 8)).tolist(), int(chance.integers(5))]
        for _ in range(count)
    ]
    sums = np.array([truth[text].sum(axis=0) for text in texts])
    alone = truth / np.linalg.norm(truth, axis=1, keepdims=True)
    return texts, sums / np.linalg.norm(sums, axis=1, keepdims=True), alone


def test_sums_point_where_the_model_does() -> None:
    texts, vectors, alone = taught(3000)
    held, wanted, _ = taught(200, seed=2)
    vocabulary = TokenVocabulary(WORDPIECE, 15, tuple(WORDS), np.empty(0, np.float32))

    fitted = fit(Lessons(texts, vectors), alone, nothing)
    table = table_of(fitted, vocabulary, HEAD)
    spoken = [" ".join(WORDS[each] for each in text) for text in held]
    table = measure_agreement(table, spoken, wanted)

    assert table.head.agreement > 0.95
    cosines, predicted = [], []
    for text, vector in zip(spoken, wanted, strict=True):
        guess = table.guess(text)
        assert guess is not None
        cosines.append(float(guess.vector @ vector))
        predicted.append(guess.agreement)
    assert np.mean(cosines) == pytest.approx(np.mean(predicted), abs=0.05)


def test_what_is_unknown_is_expected_to_agree_less() -> None:
    texts, vectors, alone = taught(3000)
    held, wanted, _ = taught(400, seed=2)
    vocabulary = TokenVocabulary(WORDPIECE, 15, tuple(WORDS), np.empty(0, np.float32))
    table = table_of(fit(Lessons(texts, vectors), alone, nothing), vocabulary, HEAD)
    table = measure_agreement(table, [" ".join(WORDS[n] for n in text) for text in held], wanted)

    known, half = table.guess("w20 w21 w22"), table.guess("w20 gibberish w21 nonsense")

    assert known is not None
    assert half is None or half.agreement < known.agreement
    assert table.guess("gibberish nonsense") is None
    assert table.guess("w20 " + "gibberish " * 20) is None


def test_rows_without_texts_are_the_model_s_own() -> None:
    _, _, alone = taught(1)
    fitted = fit(Lessons([[7]], alone[7:8]), alone, nothing)

    assert np.vecdot(fitted.rows[20], alone[20]) / np.linalg.norm(fitted.rows[20]) > 0.99
    assert fitted.weights[20] == 0


def test_the_order_of_texts_does_not_matter_much() -> None:
    texts, vectors, alone = taught(500)
    order = list(range(500))
    random.Random(3).shuffle(order)
    mixed = Lessons([texts[each] for each in order], vectors[order])

    first, second = fit(Lessons(texts, vectors), alone, nothing), fit(mixed, alone, nothing)

    np.testing.assert_allclose(first.rows, second.rows, atol=1e-3)


def test_it_stops_between_two_steps() -> None:
    texts, vectors, alone = taught(100)

    def stop() -> None:
        raise CancelledError("stop")

    with pytest.raises(CancelledError):
        fit(Lessons(texts, vectors), alone, stop)
