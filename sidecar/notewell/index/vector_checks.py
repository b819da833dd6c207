"""Checks that every engine makes before it stores vectors of a model."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from notewell.base.errors import ModelError
from notewell.base.types import ModelKey, VectorPut

LENGTH_TOLERANCE = 0.01  # how far the length of a unit vector in half precision may be from 1


def is_unit(vectors: npt.NDArray[np.floating]) -> bool:
    """True if vectors of shape (dimensions,) or (count, dimensions) all have unit length.

    One with a number that is not finite has a length that is not finite either.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(vectors.astype(np.float32), axis=-1)
    return bool((np.abs(lengths - 1.0) <= LENGTH_TOLERANCE).all())


def check_dimensions(model: ModelKey, *, known: int, given: int) -> None:
    """Refuse a model whose vectors changed their dimensions.

    Raises:
        ModelError: `known` and `given` differ.

    """
    if known != given:
        raise ModelError(
            f"Vectors of {model} have {known} dimensions here, but {given} were given. The"
            " model's files were changed: fetch it again with `notewell models get`.",
            code="model_mismatch",
        )


def as_float16(put: VectorPut, dimensions: int, model: ModelKey) -> npt.NDArray[np.float16]:
    """A vector as it is stored, in half precision.

    Raises:
        ModelError: it has another dimension or is not finite; the message names its text.

    """
    vector = np.asarray(put.vector)
    with np.errstate(over="ignore"):
        rounded = vector.astype(np.float16)
    if vector.shape != (dimensions,) or not np.isfinite(rounded).all():
        raise ModelError(
            f"{model} gave a vector of shape {vector.shape} for the text {put.text_hash.hex()}"
            f" where {dimensions} finite numbers were expected. No vector was stored.",
            code="bad_vector",
        )
    return rounded
