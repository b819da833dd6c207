"""Sign bits of vectors, and the scan that counts how many differ."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray

_WORD = 64
_SAMPLED, _ROOM = 16, 1.3  # every so many slots are a sample; it is read somewhat generously
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
    """How many signs of each of the first `used` slots differ from a query's (words,).

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


def nearest(distance: npt.NDArray[np.uint16], at_least: int, *, ceiling: int) -> IdArray:
    """Slots of the smallest distances, all ties of the last one included, in slot order.

    Distances above `ceiling` are never taken. Counting how often each distance occurs finds the
    cut without sorting; a sample says below which distance it is enough to count.
    """
    sample = distance[::_SAMPLED]
    rank = int(_ROOM * at_least) // _SAMPLED + _SAMPLED
    if rank < len(sample):
        guess = min(int(np.partition(sample, rank)[rank]), ceiling)
        slots = np.flatnonzero(distance <= guess)
        if len(slots) >= at_least:
            near = distance[slots]
            return slots[near <= _cut(near, at_least, guess)]
    return np.flatnonzero(distance <= _cut(distance, at_least, ceiling))


def _cut(distance: npt.NDArray[np.uint16], at_least: int, ceiling: int) -> int:
    """The least distance that so many slots do not exceed; `ceiling` where there are fewer."""
    counts = np.bincount(np.minimum(distance, ceiling + 1), minlength=ceiling + 2)[: ceiling + 1]
    return min(int(np.searchsorted(np.cumsum(counts), at_least)), ceiling)
