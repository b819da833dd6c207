"""Puts the large tensors of an ONNX model into a file beside it, from which they can be mapped.

As the format has it ("External Data" in its specification): a tensor names the file, and where in
it its bytes stand.
"""

from __future__ import annotations

from onnx import ModelProto, TensorProto
from onnx.external_data_helper import set_external_data

_LARGE_BYTES = 64 * 1024
_ALIGN = 64 * 1024  # where Windows, the strictest, can begin a mapping


def apart(model: bytes, file: str) -> tuple[bytes, bytes]:
    """A serialised model without its large tensors, and the content of the file `file` of those."""
    proto = ModelProto.FromString(model)
    content = bytearray()
    for tensor in proto.graph.initializer:
        if len(tensor.raw_data) < _LARGE_BYTES:
            continue
        content.extend(bytes(-len(content) % _ALIGN))
        set_external_data(tensor, file, offset=len(content), length=len(tensor.raw_data))
        content.extend(tensor.raw_data)
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
    return bytes(proto.SerializeToString()), bytes(content)
