"""Matrices of 4-bit numbers in blocks of 32 with one scale each, as the format q4_0 has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray

BLOCK = 32


@dataclass(frozen=True, slots=True, eq=False)
class PackedRows:
    """A matrix in blocks; `rows[ids]` unpacks some of its rows, float32.

    `scales` is (rows, blocks) float16; `nibbles` is (rows, blocks, 16) uint8.
    """

    scales: npt.NDArray[np.float16]
    nibbles: npt.NDArray[np.uint8]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.scales), self.scales.shape[1] * BLOCK

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.scales)

    def __getitem__(self, ids: IdArray | slice) -> FloatArray:
        """The rows with these numbers, of shape (count, columns)."""
        packed = self.nibbles[ids]
        numbers = np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.float32) - 8
        unpacked = numbers * self.scales[ids].astype(np.float32)[..., np.newaxis]
        return np.asarray(unpacked.reshape(len(packed), self.shape[1]))
