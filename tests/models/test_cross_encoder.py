"""The cross-encoder: equal to the reference, within its time, with reasons for errors."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from notewell.base.errors import ModelDamagedError, ModelError, ModelUnavailableError, NotFoundError
from notewell.base.types import Quantisation
from notewell.models.bert_onnx import build_cross_encoder
from notewell.models.catalogue import RERANKERS, find, find_model
from notewell.models.cross_encoder import CrossEncoder
from notewell.models.encoder import GRAPH_INPUT, GRAPH_OUTPUT, GRAPH_SEGMENTS, read_cross_encoder
from notewell.models.graphs import open_session
from notewell.models.loading import load_reranker
from notewell.models.pool import RerankerSlot
from notewell.models.tokens import TextTokenizer
from tests.models.reference import judge
from tests.tiny_model import tiny_tokenizer, write_tiny_judge

PASSAGES = ("the dog and the cat", "water and light for the garden", "seven red notes", "bread")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_judge(tmp_path_factory.mktemp("judge") / "tiny")


@pytest.fixture(scope="module")
def reranker(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> CrossEncoder:
    return load_reranker("tiny", model_dir=tmp_path_factory.mktemp("models"), folder=folder)


@pytest.mark.parametrize(("quantisation", "within"), [("fp32", 1e-5), ("int8", 0.03)])
def test_the_graph_agrees_with_the_reference(
    folder: Path, quantisation: Quantisation, within: float
) -> None:
    encoder = read_cross_encoder(folder)
    assert encoder.score_head is not None
    session = open_session(
        build_cross_encoder(encoder, encoder.score_head, quantisation=quantisation)
    )
    tokenizer = TextTokenizer(tiny_tokenizer(), 64)
    for passage in PASSAGES:
        ids, segments = tokenizer.pair("my cat", passage)
        given = {GRAPH_INPUT: np.array([ids]), GRAPH_SEGMENTS: np.array([segments])}
        (score,) = session.run([GRAPH_OUTPUT], given)
        expected = judge(encoder, encoder.score_head, ids, segments)
        assert score[0, 0] == pytest.approx(expected, abs=within)


def test_every_passage_is_scored_within_the_time_limit(reranker: CrossEncoder) -> None:
    scores = reranker.judge("my cat", PASSAGES, budget_s=60)
    assert scores.shape == (4,)
    assert ((scores > 0) & (scores < 1)).all()
    again = reranker.judge("my cat", PASSAGES[::-1], budget_s=60)
    assert again[::-1] == pytest.approx(scores, abs=1e-6)


def test_without_time_no_passage_is_scored(reranker: CrossEncoder) -> None:
    assert np.isnan(reranker.judge("my cat", PASSAGES, budget_s=0)).all()


def test_pairs_are_truncated_to_the_models_limit() -> None:
    tokenizer = TextTokenizer(tiny_tokenizer(), 16)
    ids, segments = tokenizer.pair("cat " * 40, "dog " * 40)
    assert len(ids) == len(segments) == 16
    assert segments == [0] * 8 + [1] * 8
    short, kinds = tokenizer.pair("cat", "dog " * 40)
    assert (len(short), kinds) == (16, [0] * 3 + [1] * 13)
    assert short[-1] == ids[-1] == ids[7]  # what ends a text
    assert tokenizer.pair("cat", "dog")[1] == [0, 0, 0, 1, 1]


def test_a_closed_reranker_raises_a_clear_error(folder: Path, tmp_path: Path) -> None:
    slot = RerankerSlot(lambda: load_reranker("tiny", model_dir=tmp_path, folder=folder))
    held = slot.get()
    assert slot.get() is held
    slot.close()
    with pytest.raises(ModelError, match="closed"):
        held.judge("x", PASSAGES, budget_s=1)


def test_a_model_without_a_classifier_is_refused(folder: Path, tmp_path: Path) -> None:
    other = shutil.copytree(folder, tmp_path / "other")
    tensors = load_file(str(other / "model.safetensors"))
    del tensors["classifier.weight"]
    save_file(tensors, str(other / "model.safetensors"))
    with pytest.raises(ModelDamagedError, match="classifier"):
        load_reranker("tiny", model_dir=tmp_path, folder=other)


def test_the_error_about_a_missing_reranker_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError) as caught:
        load_reranker("ms-marco-MiniLM-L-6-v2", model_dir=tmp_path)
    assert "notewell models get ms-marco-MiniLM-L-6-v2" in caught.value.brief
    assert "reranker" in caught.value.message
    with pytest.raises(NotFoundError, match="ms-marco"):
        load_reranker("nobody", model_dir=tmp_path)


def test_rerankers_can_be_fetched_and_are_not_embedders() -> None:
    for spec in RERANKERS:
        assert find(spec.name) is spec
        assert find_model(spec.name) is None
