"""Products and sign bits of many vectors at once."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray

Rows = npt.NDArray[np.float32] | npt.NDArray[np.float16]
Bits = npt.NDArray[np.uint64]

_WORD = 64
_BLOCK = 65_536  # slots at a time: the three scratch arrays stay in the processor's cache
_SHARED = 500_000  # slots; with fewer, a second thread is not worth its start


def sign_bits(rows: npt.NDArray[np.floating[Any]], mean: FloatArray) -> npt.NDArray[np.uint64]:
    """One bit a component, set where it lies above the mean: (words, len(rows)).

    Word-major, because a scan reads one word of all vectors at a time. Dimensions that do not
    fill the last word leave zeros, which never differ.
    """
    packed = np.packbits(rows > mean, axis=1)
    words = -(-len(mean) // _WORD)
    padded = np.zeros((len(rows), words * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(padded.view(np.uint64).T)


def differing_bits(
    bits: npt.NDArray[np.uint64], used: int, signs: npt.NDArray[np.uint64]
) -> npt.NDArray[np.uint16]:
    """The number of signs that differ from a query's (words,), for the first `used` slots.

    Two threads share many slots: numpy does not hold the interpreter's lock while it counts.
    """
    distance = np.empty(used, np.uint16)
    if used < _SHARED:
        _count(bits, signs, distance, 0)
        return distance
    half = used // 2
    other = threading.Thread(target=_count, args=(bits, signs, distance[:half], 0))
    other.start()
    _count(bits, signs, distance[half:], half)
    other.join()
    return distance


def _count(
    bits: npt.NDArray[np.uint64],
    signs: npt.NDArray[np.uint64],
    distance: npt.NDArray[np.uint16],
    first: int,
) -> None:
    """Write into `distance` how many signs differ, from the slot `first` on."""
    block = min(_BLOCK, len(distance))
    scratch = np.empty(block, np.uint64)
    counted = np.empty(block, np.uint8)
    for start in range(0, len(distance), _BLOCK):
        total = distance[start : start + _BLOCK]
        unlike, count = scratch[: len(total)], counted[: len(total)]
        at = slice(first + start, first + start + len(total))
        for word, sign in enumerate(signs):
            np.bitwise_xor(bits[word, at], sign, out=unlike)
            np.bitwise_count(unlike, out=count)
            if word:
                total += count
            else:
                total[:] = count


_HALF_BITS = np.int32(0x8FFFE000 - (1 << 32))  # sign, exponent and fraction of a widened half float
HALF_SCALE = np.float32(2.0**112)  # the difference of the exponents' biases


def cosines(rows: Rows, query: FloatArray) -> FloatArray:
    """Cosines of unit vectors, in one thread.

    `@` would share the work between threads, which wait for each other for ten milliseconds when
    the machine is busy, a hundred times longer than the work takes.
    """
    if rows.dtype == np.float16:
        rows, query = widen_rows(rows), query * HALF_SCALE
    scores: FloatArray = np.vecdot(rows, query)
    return scores


def widen_rows(rows: Rows) -> FloatArray:
    """Half floats as floats, each 2**-112 of its value, four times as fast as `astype`.

    IEEE 754: with its exponent and fraction moved to where binary32 has them, a binary16 number is
    read as itself times 2**(15 - 127). Infinities and NaN, which no vector has, would not be.
    """
    bits = rows.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= _HALF_BITS
    return bits.view(np.float32)
