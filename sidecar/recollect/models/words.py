"""A model's table of token vectors, read row by row from its weights file.

The file is mapped, not loaded: a look-up touches the rows it needs, and no memory is held for the
others. The layout is that of safetensors: eight bytes with the length of a JSON header, the header,
the tensors.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from recollect.types import FloatArray, IdArray

_TABLE = "embeddings.word_embeddings.weight"
_TYPES = {"F32": np.float32, "F16": np.float16}
_LENGTH_BYTES = 8
_MOST_HEADER = 100_000_000  # as the format has it; a longer one is noise
_TINY = np.float32(1e-9)


class WordTable:
    """Unit vectors of tokens by their ids."""

    def __init__(self, rows: np.memmap) -> None:
        """`rows` is (vocabulary, dimensions); use `open`."""
        self._rows = rows

    @classmethod
    def open(cls, path: Path) -> WordTable | None:
        """Map the table of a weights file; None where there is none that reads."""
        try:
            with path.open("rb") as file:
                length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
                header = json.loads(file.read(min(length, _MOST_HEADER)))
            (name,) = (key for key in header if key.endswith(_TABLE))
            entry = header[name]
            rows = np.memmap(
                path,
                dtype=_TYPES[entry["dtype"]],
                mode="r",
                offset=_LENGTH_BYTES + length + entry["data_offsets"][0],
                shape=tuple(entry["shape"]),
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return cls(rows)

    def of(self, ids: IdArray) -> FloatArray:
        """Vectors of shape (len(ids), dimensions)."""
        vectors = np.asarray(self._rows[ids], dtype=np.float32)
        lengths: FloatArray = np.sqrt(np.vecdot(vectors, vectors))
        vectors /= np.maximum(lengths, _TINY)[:, np.newaxis]
        return vectors
