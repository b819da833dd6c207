"""The ONNX graphs compute the same as the reference."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from onnxruntime import InferenceSession

from notewell.base.types import Quantisation
from notewell.models.bert_onnx import build_graph, quantise_columns
from notewell.models.catalogue import Pooling
from notewell.models.encoder import Encoder, read_encoder
from notewell.models.graphs import open_session, run
from notewell.models.onnx_writer import INT32, UINT8, GraphBuilder
from tests.models.reference import embed


@pytest.fixture(scope="module")
def bert(tiny_folder: Path) -> Encoder:
    return read_encoder(tiny_folder)


@pytest.fixture(scope="module")
def mpnet(bert: Encoder) -> Encoder:
    """The same weights with a bias by distance, strong enough to matter."""
    reach = bert.config.max_positions - 1
    bias = np.random.default_rng(1).standard_normal((2 * reach + 1, bert.config.heads)) * 3
    return replace(bert, distance_bias=bias.astype(np.float32))


def _session(
    encoder: Encoder, quantisation: Quantisation = "fp32", pooling: Pooling = "mean"
) -> InferenceSession:
    return open_session(build_graph(encoder, quantisation=quantisation, pooling=pooling))


def _ids(count: int) -> list[int]:
    return np.random.default_rng(count).integers(5, 100, count).tolist()


@pytest.mark.parametrize("architecture", ["bert", "mpnet"])
@pytest.mark.parametrize("count", [1, 2, 17, 256])
def test_fp32_agrees_with_the_reference(
    architecture: str, count: int, request: pytest.FixtureRequest
) -> None:
    encoder = request.getfixturevalue(architecture)
    expected = embed(encoder, _ids(count))
    assert run(_session(encoder), _ids(count)) == pytest.approx(expected, abs=1e-5)


def test_the_relative_position_bias_is_applied(bert: Encoder, mpnet: Encoder) -> None:
    assert run(_session(bert), _ids(17)) @ run(_session(mpnet), _ids(17)) < 0.999


@pytest.mark.parametrize("architecture", ["bert", "mpnet"])
@pytest.mark.parametrize("count", [1, 2, 17, 256])
def test_int8_stays_close_to_the_reference(
    architecture: str, count: int, request: pytest.FixtureRequest
) -> None:
    encoder = request.getfixturevalue(architecture)
    vector = run(_session(encoder, "int8"), _ids(count))
    assert vector @ embed(encoder, _ids(count)) > 0.98
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_cls_pooling_takes_the_first_token(bert: Encoder) -> None:
    mean, cls = _session(bert), _session(bert, pooling="cls")
    assert run(cls, [7]) == pytest.approx(run(mean, [7]), abs=1e-5)
    assert run(cls, _ids(9)) @ run(mean, _ids(9)) < 0.999


def test_texts_of_equal_length_can_be_batched(bert: Encoder) -> None:
    rows = np.array([_ids(12), _ids(12)[::-1]], np.int64)
    (vectors,) = _session(bert).run(None, {"input_ids": rows})
    for row, vector in zip(rows, vectors, strict=True):
        assert vector == pytest.approx(embed(bert, row), abs=1e-5)


@settings(max_examples=50, deadline=None)
@given(arrays(np.float32, (5, 3), elements=st.floats(-1e3, 1e3, width=32)))
def test_quantisation_error_is_at_most_half_a_step(weight: np.ndarray) -> None:
    quantised, scales = quantise_columns(weight)
    assert np.all(np.abs(quantised * scales - weight) <= scales * 0.501 + 1e-6)


@settings(max_examples=50, deadline=None)
@given(arrays(np.float32, (7, 3), elements=st.floats(-1e3, 1e3, width=32)))
@example(np.full((7, 3), 1e3, np.float32))
def test_two_products_of_neighbouring_weights_fit_in_16_bits(weight: np.ndarray) -> None:
    quantised, _ = quantise_columns(weight)
    wide = np.vstack([quantised, np.zeros((1, 3), np.int8)]).astype(np.int64)
    assert np.abs(np.maximum(wide, 0).reshape(-1, 2, 3).sum(axis=1)).max() * 255 <= 2**15 - 1
    assert np.abs(np.minimum(wide, 0).reshape(-1, 2, 3).sum(axis=1)).max() * 255 <= 2**15 - 1


@pytest.mark.parametrize("inputs", [64, 384])
def test_products_in_int8_are_exact_on_this_processor(inputs: int) -> None:
    chance = np.random.default_rng(inputs)
    weight = np.abs(chance.standard_normal((inputs, 48))).astype(np.float32)  # of one sign
    quantised, _ = quantise_columns(weight)
    values = chance.integers(200, 256, (9, inputs)).astype(np.uint8)
    builder = GraphBuilder()
    product = builder.node("MatMulInteger", "values", builder.constant(quantised))
    builder.rename(product, "products")
    graph = builder.finish(
        {"values": (UINT8, values.shape)}, {"products": (INT32, (len(values), 48))}
    )
    (products,) = open_session(graph).run(None, {"values": values})
    assert np.array_equal(products, values.astype(np.int64) @ quantised.astype(np.int64))
