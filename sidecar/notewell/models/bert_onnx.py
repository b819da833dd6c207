"""Builds the ONNX graph of an encoder from its weights.

Input `input_ids` (batch, tokens) int64, output `embedding` (batch, hidden) float32, pooled and of
unit length. There is no attention mask: texts are embedded one at a time and never padded, so the
mean over all tokens is the masked mean.

`fp32` is the reference. `int8` quantises what costs time: each activation once by
DynamicQuantizeLinear, all matrices of weights symmetrically per column, multiplied by
MatMulIntegerToFloat. Attention, normalisation and softmax stay float32 in standard operators,
because onnxruntime's fused attention is slower on CPUs. The vocabulary table is kept in float16,
which halves the file and is lost in the noise of int8. One that is packed in 4 bits stays so; the
graph unpacks the rows of the text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, Quantisation
from notewell.models.catalogue import Pooling
from notewell.models.encoder import (
    GRAPH_INPUT,
    GRAPH_OUTPUT,
    GRAPH_SEGMENTS,
    Encoder,
    Layer,
    Linear,
    Norm,
    PackedRows,
    ScoreHead,
)
from notewell.models.onnx_writer import FLOAT, INT64, MICROSOFT, BuiltGraph, GraphBuilder

_INT8_MAX = 127.0
_TINY = 1e-12


def build_graph(
    encoder: Encoder, *, quantisation: Quantisation, pooling: Pooling, file: str = ""
) -> BuiltGraph:
    """The ONNX model of an embedder, whose large tensors will be in the file named `file`."""
    graph = GraphBuilder(file)
    hidden = _read(graph, encoder, quantisation)
    if pooling == "none":
        graph.rename(hidden, GRAPH_OUTPUT)
        return _finish(graph, [GRAPH_INPUT], "tokens", encoder.config.hidden_size)
    _pool(graph, hidden, pooling)
    return _finish(graph, [GRAPH_INPUT], encoder.config.hidden_size)


def build_cross_encoder(
    encoder: Encoder, head: ScoreHead, *, quantisation: Quantisation, file: str = ""
) -> BuiltGraph:
    """The ONNX model of a cross-encoder, whose large tensors will be in the file named `file`.

    It has a second input `segments`, like `input_ids`, and one output a pair, (batch, 1).
    """
    graph = GraphBuilder(file)
    first = graph.constant(np.int64(0))
    token = graph.node("Gather", _read(graph, encoder, quantisation, head), first, axis=1)
    for layer, activation in ((head.pooler, "Tanh"), (head.classifier, "Sigmoid")):
        product = graph.node("MatMul", token, graph.constant(layer.weight))
        token = graph.node(activation, graph.node("Add", product, graph.constant(layer.bias)))
    graph.rename(token, GRAPH_OUTPUT)
    return _finish(graph, [GRAPH_INPUT, GRAPH_SEGMENTS], 1)


def _finish(graph: GraphBuilder, inputs: Sequence[str], *shape: int | str) -> BuiltGraph:
    """The graph whose inputs are token ids or segments, and whose output has this shape a text."""
    ids = dict.fromkeys(inputs, (INT64, ("batch", "tokens")))
    return graph.finish(ids, {GRAPH_OUTPUT: (FLOAT, ("batch", *shape))})


def _read(
    graph: GraphBuilder, encoder: Encoder, quantisation: Quantisation, head: ScoreHead | None = None
) -> str:
    """The hidden states of all tokens after the last layer."""
    quantised = quantisation == "int8"
    second = head.second_segment if head is not None else None
    hidden = _embed(graph, encoder, second, half_vocabulary=quantised)
    attention = _Attention(graph, encoder, quantised=quantised)
    for layer in encoder.layers:
        hidden = attention.layer(hidden, layer)
    return hidden


def _norm(graph: GraphBuilder, value: str, norm: Norm, epsilon: float) -> str:
    scale, shift = graph.constant(norm.scale), graph.constant(norm.shift)
    return graph.node("LayerNormalization", value, scale, shift, epsilon=epsilon, axis=-1)


def _token_count(graph: GraphBuilder) -> str:
    return graph.node("Shape", GRAPH_INPUT, start=1, end=2)


def _embed(
    graph: GraphBuilder, encoder: Encoder, second: FloatArray | None, *, half_vocabulary: bool
) -> str:
    if isinstance(encoder.words, PackedRows):
        words = _unpack(graph, encoder.words)
    elif half_vocabulary:
        table = graph.constant(encoder.words.astype(np.float16))
        words = graph.node("Cast", graph.node("Gather", table, GRAPH_INPUT), to=FLOAT.number)
    else:
        words = graph.node("Gather", graph.constant(encoder.words), GRAPH_INPUT)
    zero = graph.integers(0)
    table = graph.constant(encoder.positions)
    positions = graph.node("Slice", table, zero, _token_count(graph), zero)
    summed = graph.node("Add", words, positions)
    if second is not None:
        kinds = graph.constant(np.stack([np.zeros_like(second), second]))
        summed = graph.node("Add", summed, graph.node("Gather", kinds, GRAPH_SEGMENTS))
    return _norm(graph, summed, encoder.embedding_norm, encoder.config.norm_epsilon)


def _unpack(graph: GraphBuilder, rows: PackedRows) -> str:
    """The rows of the input, unpacked as by `PackedRows`: the low halves of the bytes go first."""
    number = graph.node(
        "Cast",
        graph.node("Gather", graph.constant(rows.nibbles), GRAPH_INPUT),
        to=FLOAT.number,
    )
    scale = graph.node(
        "Cast",
        graph.node("Gather", graph.constant(rows.scales), GRAPH_INPUT),
        to=FLOAT.number,
    )
    high = graph.node("Floor", graph.node("Div", number, graph.constant(np.float32(16.0))))
    low = graph.node("Sub", number, graph.node("Mul", high, graph.constant(np.float32(16.0))))
    block = graph.node("Concat", low, high, axis=-1)
    signed = graph.node("Sub", block, graph.constant(np.float32(8.0)))
    scaled = graph.node("Mul", signed, graph.node("Unsqueeze", scale, graph.integers(3)))
    return graph.node("Reshape", scaled, graph.integers(0, 0, rows.shape[1]))


class _Attention:
    """Adds transformer layers to a graph; holds the constants that all layers share."""

    def __init__(self, graph: GraphBuilder, encoder: Encoder, *, quantised: bool) -> None:
        config = encoder.config
        self._graph = graph
        self._quantised = quantised
        self._epsilon = config.norm_epsilon
        width = config.hidden_size // config.heads
        self._scale = 1.0 / math.sqrt(width)
        self._split = graph.integers(0, 0, config.heads, width)
        self._joined = graph.integers(0, 0, config.hidden_size)
        self._bias = _position_bias(graph, encoder.distance_bias)

    def layer(self, hidden: str, layer: Layer) -> str:
        """Attention and feed-forward, each followed by its residual and normalisation."""
        graph = self._graph
        attended = self._multiply(
            self._prepare(self._attend(hidden, layer)), layer.attention_output
        )
        residual = graph.node("Add", attended, hidden)
        hidden = _norm(graph, residual, layer.attention_norm, self._epsilon)
        wide = self._gelu(self._multiply(self._prepare(hidden), layer.intermediate))
        narrow = self._multiply(self._prepare(wide), layer.output)
        return _norm(graph, graph.node("Add", narrow, hidden), layer.output_norm, self._epsilon)

    def _attend(self, hidden: str, layer: Layer) -> str:
        graph = self._graph
        prepared = self._prepare(hidden)  # quantised once for all three
        scaled = Linear(layer.query.weight * self._scale, layer.query.bias * self._scale)
        query = self._heads(prepared, scaled, [0, 2, 1, 3])
        key = self._heads(prepared, layer.key, [0, 2, 3, 1])
        value = self._heads(prepared, layer.value, [0, 2, 1, 3])
        scores = graph.node("MatMul", query, key)
        if self._bias is not None:
            scores = graph.node("Add", scores, self._bias)
        mixed = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), value)
        mixed = graph.node("Transpose", mixed, perm=[0, 2, 1, 3])
        return graph.node("Reshape", mixed, self._joined)

    def _heads(self, prepared: list[str], linear: Linear, order: list[int]) -> str:
        split = self._graph.node("Reshape", self._multiply(prepared, linear), self._split)
        return self._graph.node("Transpose", split, perm=order)

    def _prepare(self, value: str) -> list[str]:
        if not self._quantised:
            return [value]
        return self._graph.nodes("DynamicQuantizeLinear", value, outputs=3)

    def _multiply(self, prepared: list[str], linear: Linear) -> str:
        graph = self._graph
        if not self._quantised:
            product = graph.node("MatMul", prepared[0], graph.constant(linear.weight))
            return graph.node("Add", product, graph.constant(linear.bias))
        value, scale, zero = prepared
        weight, scales = quantise_columns(linear.weight)
        return graph.node(
            "MatMulIntegerToFloat",
            value,
            graph.constant(weight),
            scale,
            graph.constant(scales),
            zero,
            graph.constant(np.zeros(len(scales), np.int8)),
            graph.constant(linear.bias),
            domain=MICROSOFT,
        )

    def _gelu(self, value: str) -> str:
        if self._quantised:
            return self._graph.node("Gelu", value, domain=MICROSOFT)
        graph = self._graph
        root = graph.node("Div", value, graph.constant(np.float32(math.sqrt(2.0))))
        raised = graph.node("Add", graph.node("Erf", root), graph.constant(np.float32(1.0)))
        half = graph.node("Mul", value, graph.constant(np.float32(0.5)))
        return graph.node("Mul", half, raised)


def _position_bias(graph: GraphBuilder, distance_bias: FloatArray | None) -> str | None:
    """Bias of shape (heads, tokens, tokens), gathered by the distance from query to key."""
    if distance_bias is None:
        return None
    reach = (len(distance_bias) - 1) // 2
    count = graph.node("Squeeze", _token_count(graph))
    zero, one = graph.constant(np.int64(0)), graph.constant(np.int64(1))
    places = graph.node("Range", zero, count, one)
    rows = graph.node("Unsqueeze", places, graph.integers(1))
    distances = graph.node("Sub", graph.node("Unsqueeze", places, graph.integers(0)), rows)
    index = graph.node("Add", distances, graph.constant(np.int64(reach)))
    bias = graph.node("Gather", graph.constant(distance_bias), index, axis=0)
    return graph.node("Transpose", bias, perm=[2, 0, 1])


def _pool(graph: GraphBuilder, hidden: str, pooling: Pooling) -> None:
    """Pool and scale to unit length, after which a sum over tokens is the same as their mean."""
    if pooling == "mean":
        pooled = graph.node("ReduceSum", hidden, graph.integers(1), keepdims=0)
    else:
        pooled = graph.node("Gather", hidden, graph.constant(np.int64(0)), axis=1)
    length = graph.node("ReduceL2", pooled, axes=[1], keepdims=1)
    length = graph.node("Max", length, graph.constant(np.float32(_TINY)))
    graph.rename(graph.node("Div", pooled, length), GRAPH_OUTPUT)


def quantise_columns(weight: FloatArray) -> tuple[npt.NDArray[np.int8], FloatArray]:
    """Symmetric int8 of a (inputs, outputs) matrix, one scale for each output column.

    Two neighbouring weights of one sign are at most 128 together: x86 processors without VNNI
    instructions add the products of two neighbouring inputs in 16 bits, and 255 * 128 is the most
    that fits. So the products are exact, and a text has the same vector, on every processor.
    """
    scales = np.maximum(np.abs(weight).max(axis=0), _largest_pairs(weight)) / _INT8_MAX
    scales[scales == 0] = 1.0
    quantised = np.clip(np.rint(weight / scales), -_INT8_MAX, _INT8_MAX).astype(np.int8)
    return quantised, scales.astype(np.float32)


def _largest_pairs(weight: FloatArray) -> FloatArray:
    """The largest sum of two weights of one sign, in rows 2n and 2n + 1, of each column."""
    even, odd = weight[:-1:2], weight[1::2]
    sums = np.where(np.sign(even) == np.sign(odd), np.abs(even + odd), np.float32(0))
    largest: FloatArray = sums.max(axis=0, initial=0.0)
    return largest
