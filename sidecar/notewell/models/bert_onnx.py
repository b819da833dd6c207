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
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeAlias

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

# Writes models in the ONNX format: operators, constants, and large tensors beside the model.
#
# A model is a message of protobuf. Its fields and their numbers are those of `onnx.proto`
# (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto), and they are written in the order of
# their numbers: the bytes are those that the package `onnx` writes, which has 27 MB.
#
# Large tensors are not copied into the serialised model: that takes five times their size while it
# is built. They are external, as the ONNX format says under "External Data".

ALIGN = 64 * 1024  # a mapping may begin at multiples of this; Windows is the strictest
MICROSOFT = "com.microsoft"  # the domain of onnxruntime's own operators
_LARGE_BYTES = 64 * 1024
_OPSET = 17
_IR_VERSION = 9
_EXTERNAL = 1  # the place of a tensor's content
# The wire types of protobuf.
_VARINT, _LENGTH, _FIXED32 = 0, 2, 5

Attribute: TypeAlias = int | float | Sequence[int]
Shape: TypeAlias = Sequence[int | str]  # sizes, or names of sizes that vary


@dataclass(frozen=True, slots=True)
class ElementType:
    """A type of numbers, by its number in the format."""

    number: int
    dtype: npt.DTypeLike


FLOAT = ElementType(1, np.float32)
UINT8 = ElementType(2, np.uint8)
INT8 = ElementType(3, np.int8)
INT32 = ElementType(6, np.int32)
INT64 = ElementType(7, np.int64)
FLOAT16 = ElementType(10, np.float16)
_NUMBERS = {
    np.dtype(kind.dtype): kind.number for kind in (FLOAT, UINT8, INT8, INT32, INT64, FLOAT16)
}


@dataclass(frozen=True, slots=True, eq=False)
class BuiltGraph:
    """`tensors` are those that `model` names as external, by name, in the order of their file.

    They stay the arrays that the encoder has, so that building copies none of them.
    """

    model: bytes
    tensors: Mapping[str, npt.NDArray[Any]]

    def write_tensors(self, stream: BinaryIO) -> None:
        """Write the file of the tensors, each at its offset."""
        place = 0
        for tensor in self.tensors.values():
            gap = -place % ALIGN
            stream.write(bytes(gap))
            stream.write(tensor.data)
            place += gap + tensor.nbytes


class GraphBuilder:
    """A graph under construction; its methods add nodes and return the names of their outputs."""

    def __init__(self, file: str = "") -> None:
        """Large tensors will be in the file named `file`, if they do not stay in memory."""
        self._file = file or "tensors"
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self._large: dict[str, npt.NDArray[Any]] = {}
        self._end = 0  # of the last large tensor in the file

    def constant(self, value: npt.NDArray[Any] | np.generic) -> str:
        """Add a tensor of one of the types above."""
        name = f"constant_{len(self._constants)}"
        array = np.ascontiguousarray(value) if np.ndim(value) else np.asarray(value)
        large = array.nbytes >= _LARGE_BYTES
        content = self._external(array, name) if large else _bytes(9, array.tobytes())
        dimensions = b"".join(_number(1, size) for size in array.shape)
        kind = _number(2, _NUMBERS[array.dtype])
        self._constants.append(dimensions + kind + _bytes(8, name) + content)
        return name

    def integers(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def node(self, operator: str, *inputs: str, domain: str = "", **attributes: Attribute) -> str:
        """Add an operator with one output."""
        return self.nodes(operator, *inputs, outputs=1, domain=domain, **attributes)[0]

    def nodes(
        self, operator: str, *inputs: str, outputs: int, domain: str = "", **attributes: Attribute
    ) -> list[str]:
        """Add an operator with several outputs."""
        names = [f"{operator}_{len(self._nodes)}_{output}" for output in range(outputs)]
        self._add(operator, inputs, names, _bytes(7, domain), **attributes)
        return names

    def rename(self, value: str, name: str) -> None:
        self._add("Identity", [value], [name])

    def finish(
        self,
        inputs: Mapping[str, tuple[ElementType, Shape]],
        outputs: Mapping[str, tuple[ElementType, Shape]],
    ) -> BuiltGraph:
        graph = b"".join(
            (
                *(_bytes(1, node) for node in self._nodes),
                _bytes(2, "encoder"),
                *(_bytes(5, constant) for constant in self._constants),
                *(_bytes(11, _value_info(*each)) for each in inputs.items()),
                *(_bytes(12, _value_info(*each)) for each in outputs.items()),
            )
        )
        operators = (("", _OPSET), (MICROSOFT, 1))
        versions = b"".join(_bytes(8, _bytes(1, name) + _number(2, n)) for name, n in operators)
        return BuiltGraph(_number(1, _IR_VERSION) + _bytes(7, graph) + versions, self._large)

    def _add(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        domain: bytes = b"",
        **attributes: Attribute,
    ) -> None:
        parts = (
            *(_bytes(1, name) for name in inputs),
            *(_bytes(2, name) for name in outputs),
            _bytes(4, operator),
            *(_bytes(5, _attribute(*each)) for each in sorted(attributes.items())),
            domain,
        )
        self._nodes.append(b"".join(parts))

    def _external(self, array: npt.NDArray[Any], name: str) -> bytes:
        """The place of a tensor's content in the file."""
        offset = self._end + -self._end % ALIGN
        self._large[name] = array
        self._end = offset + array.nbytes
        place = (("location", self._file), ("offset", offset), ("length", array.nbytes))
        entries = (_bytes(13, _bytes(1, key) + _bytes(2, str(value))) for key, value in place)
        return b"".join(entries) + _number(14, _EXTERNAL)


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        content = _key(2, _FIXED32) + struct.pack("<f", value) + _number(20, 1)
    elif isinstance(value, int):
        content = _number(3, value) + _number(20, 2)
    else:
        content = b"".join(_number(8, each) for each in value) + _number(20, 7)
    return _bytes(1, name) + content


def _value_info(name: str, kind: tuple[ElementType, Shape]) -> bytes:
    element, shape = kind
    sizes = (_bytes(2, one) if isinstance(one, str) else _number(1, one) for one in shape)
    dimensions = b"".join(_bytes(1, size) for size in sizes)
    tensor = _number(1, element.number) + _bytes(2, dimensions)
    return _bytes(1, name) + _bytes(2, _bytes(1, tensor))


def _key(field: int, wire_type: int) -> bytes:
    return bytes(_varint(field << 3 | wire_type))


def _number(field: int, value: int) -> bytes:
    """A field of an integer; negative ones are written as the 64 bits of their two's complement."""
    return _key(field, _VARINT) + bytes(_varint(value % 2**64))


def _bytes(field: int, value: bytes | str) -> bytes:
    content = value.encode() if isinstance(value, str) else value
    return _key(field, _LENGTH) + bytes(_varint(len(content))) + content


def _varint(value: int) -> Iterator[int]:
    """Seven bits a byte, the lowest first; the top bit says that more follow."""
    while value > 0x7F:
        yield value & 0x7F | 0x80
        value >>= 7
    yield value


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
