"""A graph as it was built: a serialised model, and its large tensors beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy.typing as npt

ALIGN = 64 * 1024  # a mapping may begin at multiples of this; Windows is the strictest


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
