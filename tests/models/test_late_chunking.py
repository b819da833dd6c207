"""Passages that are read together with their neighbours, and pooled each by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from notewell.base.errors import ModelError
from notewell.base.types import Embedder, EmbedsWindows, FloatArray, Window
from notewell.models.encoder import read_encoder
from tests.models import reference
from tests.tiny_model import tiny_tokenizer

TITLE, FIRST, SECOND = "garden plan", "the tree and the bread", "a new moon by the sea"
TEXT = f"{TITLE}\n{FIRST}\n{SECOND}"


def place_of(text: str) -> tuple[int, int]:
    start = TEXT.index(text)
    return start, start + len(text)


@pytest.fixture
def late(load_tiny: Callable[..., Embedder]) -> Embedder:
    return load_tiny(quantisation="fp32", late_chunking=True)


def windows(embedder: Embedder, *given: Window) -> list[FloatArray]:
    assert isinstance(embedder, EmbedsWindows)
    return embedder.embed_windows(given)


def test_a_passage_is_the_mean_of_its_tokens_in_the_whole_window(
    late: Embedder, tiny_folder: Path
) -> None:
    passages = tuple((place_of(TITLE), place_of(text)) for text in (FIRST, SECOND))
    (found,) = windows(late, Window(TEXT, passages))

    encoding = tiny_tokenizer().encode(TEXT)
    states = reference.hidden(read_encoder(tiny_folder), encoding.ids)
    for row, ranges in zip(found, passages, strict=True):
        own = [
            special == 1 or any(start <= place < end for start, end in ranges)
            for (place, _), special in zip(
                encoding.offsets, encoding.special_tokens_mask, strict=True
            )
        ]
        mean = states[own].mean(axis=0)
        assert row == pytest.approx(mean / np.linalg.norm(mean), abs=1e-4)


def test_a_window_of_one_passage_a_passage_and_a_query_are_as_without_windows(
    late: Embedder, load_tiny: Callable[..., Embedder]
) -> None:
    plain = load_tiny(quantisation="fp32")
    (alone,) = windows(late, Window(FIRST, (((0, len(FIRST)),),)))

    assert alone[0] == pytest.approx(plain.embed_passages([FIRST])[0], abs=1e-5)
    assert late.embed_passages([FIRST])[0] == pytest.approx(alone[0], abs=1e-6)
    assert late.embed_query(FIRST) == pytest.approx(plain.embed_query(FIRST), abs=1e-5)


def test_vectors_of_both_ways_are_never_mixed(
    late: Embedder, load_tiny: Callable[..., Embedder]
) -> None:
    plain = load_tiny(quantisation="fp32")

    assert late.key != plain.key
    assert isinstance(plain, EmbedsWindows)
    assert plain.window_tokens == 0
    assert load_tiny(late_chunking=True).key.quantisation == "int8+late"


def test_a_service_and_a_model_that_does_not_average_refuse(
    load_tiny: Callable[..., Embedder], tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match="late_chunking"):
        load_tiny(provider="ollama", late_chunking=True)
