"""A model's table of token vectors, looked up row by row.

The table of a weights file is made smaller by three quarters once, to int8 at unit length, and that
copy is mapped, not loaded: a look-up touches the rows it needs. A few hundred searches would
load every page of the default model's 47 MB. Rounding turns one vector by two degrees and most by
less than half a degree, which is small against the angles that are compared.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

from notewell.support import atomic
from notewell.types import FloatArray, IdArray

# The layout of safetensors: the length of a JSON header, the header, the tensors.
_TABLE = "embeddings.word_embeddings.weight"
_TYPES = {"F32": np.float32, "F16": np.float16}
_LENGTH_BYTES = 8
_MOST_HEADER = 100_000_000  # as the format has it; a longer one is noise
_TINY = np.float32(1e-9)
_INT8_MAX = np.float32(127)
_BLOCK = 4096

Rows = npt.NDArray[np.int8] | npt.NDArray[np.float16] | npt.NDArray[np.float32]


class WordTable:
    """Unit vectors of tokens by their ids."""

    def __init__(self, rows: Rows) -> None:
        """`rows` is (vocabulary, dimensions), of any length; use `open`."""
        self._rows = rows

    @classmethod
    def open(cls, weights: Path, small: Path) -> WordTable | None:
        """Map the copy `small` of a weights file's table; None where no table can be read.

        The copy is made where it is missing. Where it cannot be written, the weights are mapped.
        """
        rows = _table_of(weights)
        if rows is None:
            return None
        copy = _small_copy(small, rows.shape)
        if copy is None:
            try:
                atomic.replace(small, _made_small(rows), mode=atomic.SHARED)
            except OSError:
                return cls(rows)
            copy = _small_copy(small, rows.shape)
        return cls(rows if copy is None else copy)

    def of(self, ids: IdArray) -> FloatArray:
        """Vectors of shape (len(ids), dimensions)."""
        return _at_unit_length(self._rows[ids])


def _at_unit_length(rows: Rows) -> FloatArray:
    vectors = np.asarray(rows, dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = vectors / np.maximum(lengths, _TINY)
    return unit


def _table_of(weights: Path) -> Rows | None:
    try:
        with weights.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            header = json.loads(file.read(min(length, _MOST_HEADER)))
        (name,) = (key for key in header if key.endswith(_TABLE))
        entry = header[name]
        rows = np.memmap(
            weights,
            dtype=_TYPES[entry["dtype"]],
            mode="r",
            offset=_LENGTH_BYTES + length + entry["data_offsets"][0],
            shape=tuple(entry["shape"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return rows.view(np.ndarray)


def _small_copy(path: Path, shape: tuple[int, ...]) -> npt.NDArray[np.int8] | None:
    try:
        rows = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    fits = rows.shape == shape and rows.dtype == np.int8
    return rows.view(np.ndarray) if fits else None


def _made_small(rows: Rows) -> bytes:
    """The content of a .npy file: each row in int8, its largest component 127."""
    small = np.empty(rows.shape, np.int8)
    for start in range(0, len(rows), _BLOCK):
        block = np.asarray(rows[start : start + _BLOCK], np.float32)
        largest = np.abs(block).max(axis=1, keepdims=True)
        small[start : start + _BLOCK] = np.rint(block * (_INT8_MAX / np.maximum(largest, _TINY)))
    file = io.BytesIO()
    np.save(file, small)
    return file.getvalue()
