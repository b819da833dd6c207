"""Approximate vectors of passages: sums of tokens, fitted to what the model has read."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from notewell.base.errors import CancelledError
from notewell.base.types import Embedder, FloatArray
from notewell.features.query_table.passages import TokenSums, fit_passages
from notewell.features.query_table.texts import spans_of
from tests.vaults import tiny_model

WORDS = ["bee", "hive", "honey", "garden", "roof", "sun", "bread", "flour", "water", "oven", "snow", "winter", "lake", "boat", "tyre", "oil", "bicycle"]  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    with tiny_model(tmp_path_factory.mktemp("model")) as loaded:
        yield loaded


def texts_of(seeds: range) -> list[str]:
    return [" ".join(random.Random(seed).choices(WORDS, k=15)) for seed in seeds]


@pytest.fixture(scope="module")
def fitted(model: Embedder) -> TokenSums:
    texts = texts_of(range(80))
    sums = fit_passages(model, texts, model.embed_passages(texts), lambda: None)
    assert sums is not None
    return sums


def test_texts_that_it_has_not_seen_point_where_the_model_points(
    fitted: TokenSums, model: Embedder
) -> None:
    texts = texts_of(range(1000, 1030))
    real, found = model.embed_passages(texts), fitted.vectors(texts)
    cosines = found @ real.T
    own = np.diag(cosines)
    assert own.mean() > cosines.mean() + 0.1
    assert (cosines.argmax(axis=1) == np.arange(len(texts))).mean() > 0.5


@limits(max_examples=60, deadline=None)
@given(st.lists(st.text(), min_size=1, max_size=5))
def test_any_text_has_a_unit_vector(fitted: TokenSums, texts: list[str]) -> None:
    readable = [text.encode("utf-8", "replace").decode() for text in texts]
    lengths = np.linalg.norm(fitted.vectors(readable), axis=1)
    assert lengths == pytest.approx(np.ones(len(texts)), abs=1e-4)


def test_the_same_sample_gives_the_same_vectors(model: Embedder, fitted: TokenSums) -> None:
    texts = texts_of(range(80))
    again = fit_passages(model, texts, model.embed_passages(texts), lambda: None)
    assert again is not None
    assert again.vectors(["bee and honey"]) == pytest.approx(fitted.vectors(["bee and honey"]))


def test_a_service_teaches_nothing(model: Embedder) -> None:
    texts = texts_of(range(3))
    vectors: FloatArray = model.embed_passages(texts)
    assert fit_passages(object(), texts, vectors, lambda: None) is None
    assert fit_passages(model, [], vectors[:0], lambda: None) is None


def test_it_may_be_stopped(model: Embedder) -> None:
    asked = []

    def check() -> None:
        asked.append(True)
        if len(asked) == 3:
            raise CancelledError("stopped")

    texts = texts_of(range(5))
    with pytest.raises(CancelledError):
        fit_passages(model, texts, model.embed_passages(texts), check)


def test_spans_are_pieces_of_the_passages() -> None:
    passages = texts_of(range(10))
    spans = spans_of(passages, 50, random.Random(1))
    assert len(spans) == 50
    assert all(any(span in passage for passage in passages) for span in spans)
