"""Reads tensors of a safetensors file as float32, those in bfloat16 too.

numpy has no bfloat16, so the library refuses such tensors. Their bytes are read from the file: a
bfloat16 is the upper half of a float32. See https://github.com/huggingface/safetensors#format.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from notewell.base.types import FloatArray

_HEADER_SIZE_BYTES = 8


def read_tensor(path: Path, file: Any, name: str) -> FloatArray:
    """A tensor of the open `file`, which is at `path`.

    Raises what the library raises, and ValueError or KeyError for a header that is damaged.
    """
    if file.get_slice(name).get_dtype() != "BF16":
        return np.asarray(file.get_tensor(name), dtype=np.float32)
    with path.open("rb") as stream:
        size = int.from_bytes(stream.read(_HEADER_SIZE_BYTES), "little")
        entry = json.loads(stream.read(size))[name]
        begin, end = entry["data_offsets"]
        stream.seek(_HEADER_SIZE_BYTES + size + begin)
        halves = np.frombuffer(stream.read(end - begin), "<u2")
    return (halves.astype(np.uint32) << 16).view(np.float32).reshape(entry["shape"])
