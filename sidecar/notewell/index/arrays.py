"""Steps on arrays of ids, scores and vectors that every engine takes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from notewell.base.errors import ModelError
from notewell.base.types import (
    FloatArray,
    IdArray,
    ModelKey,
    VectorPut,
)

_SAMPLE_FROM = 1000  # scores; fewer are compared all at once
_SAMPLED, _ROOM = 16, 1.3  # every so many scores are a sample; it is read somewhat generously


def ascending(ids: IdArray) -> IdArray:
    """The ids, each once.

    `np.unique` takes ten times as long, and the megabytes of `numpy.ma`, which it imports.
    """
    ordered: IdArray = np.sort(ids)
    return ordered[firsts(ordered)]


def firsts(ascending: IdArray) -> IdArray:
    """Index of the first occurrence of each number."""
    starts = np.flatnonzero(ascending[1:] != ascending[:-1]) + 1
    return np.concatenate((np.zeros(min(len(ascending), 1), np.int64), starts))


def without(ids: IdArray, others: IdArray) -> IdArray:
    """Those of the ids, each given once, that are not among the others; their order stays."""
    return np.setdiff1d(ids, others, assume_unique=True)


def highest(scores: FloatArray, count: int) -> float:
    """The score at rank `count`, of at least so many.

    A sample says above which score it is enough to look: that spares most of the partition.
    """
    if len(scores) >= _SAMPLE_FROM:
        sample = scores[::_SAMPLED]
        rank = int(_ROOM * count) // _SAMPLED + _SAMPLED
        if rank < len(sample):
            guess = np.partition(sample, len(sample) - rank)[len(sample) - rank]
            some = scores[scores >= guess]
            if len(some) >= count:
                scores = some
    return float(np.partition(scores, len(scores) - count)[len(scores) - count])


# Checks that every engine makes before it stores vectors of a model.

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


def among(ids: IdArray, ascending: IdArray) -> npt.NDArray[np.bool_]:
    """Mask of the ids that are in `ascending`; for some hundreds faster than `np.isin`."""
    if not len(ascending):
        return np.zeros(len(ids), np.bool_)
    at = np.searchsorted(ascending, ids)
    at[at == len(ascending)] = 0
    is_among: npt.NDArray[np.bool_] = ascending[at] == ids
    return is_among
