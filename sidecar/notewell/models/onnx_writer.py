"""Writes models in the ONNX format: operators, constants, and large tensors in a file beside it."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import numpy.typing as npt

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
                *(_bytes(11, _value_info(*entry)) for entry in inputs.items()),
                *(_bytes(12, _value_info(*entry)) for entry in outputs.items()),
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
            *(_bytes(5, _attribute(*attribute)) for attribute in sorted(attributes.items())),
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
        content = b"".join(_number(8, number) for number in value) + _number(20, 7)
    return _bytes(1, name) + content


def _value_info(name: str, kind: tuple[ElementType, Shape]) -> bytes:
    element, shape = kind
    sizes = (_bytes(2, size) if isinstance(size, str) else _number(1, size) for size in shape)
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
