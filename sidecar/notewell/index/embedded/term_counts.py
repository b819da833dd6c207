"""How often each word stands in a whole note, so that notes are scored beside their passages.

A note's tally is its stems as 32-bit hashes and how often each stands in it. Two stems that share
a hash (one pair of 4,000 in five hundred notes) count as one, which no ranking shows.

Packed, little endian: how many words there are and how many stems (uint32 each), the hashes (uint32
each), the counts (uint8 each), and zeros up to a multiple of four bytes, so that many tallies are
searched as one array of numbers.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from notewell.index.bm25 import K1, B
from notewell.types import FloatArray

_MOST = 4096  # stems of one note; of a longer one the commonest are kept
_MOST_OFTEN = 255  # BM25 hardly tells more from it
_WORD = 4  # bytes of a number
_HEADER = 2  # numbers before the hashes


def hash_of(stem: str) -> int:
    """The number that stands for a stem."""
    return zlib.crc32(stem.encode("utf-8"))


def pack(stems: Iterable[str]) -> bytes:
    """The tally of a note."""
    counted = Counter(map(hash_of, stems)).most_common(_MOST)
    hashes = np.array([number for number, _ in counted], "<u4")
    counts = np.zeros(-(-len(counted) // _WORD) * _WORD, np.uint8)
    counts[: len(counted)] = [min(count, _MOST_OFTEN) for _, count in counted]
    header = np.array([counts.sum(dtype=np.uint32), len(counted)], "<u4")
    return header.tobytes() + hashes.tobytes() + counts.tobytes()


def bm25(tallies: Sequence[bytes], asked: Mapping[int, float]) -> FloatArray:
    """BM25 of whole notes: one score for each tally.

    `asked` maps hashes to weights, the idf included. Lengths are held against the median of the
    notes given: those that have the words of a query at all.
    Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
    """
    if not tallies:
        return np.empty(0, np.float32)
    joined = b"".join(tallies)
    numbers, single = np.frombuffer(joined, "<u4"), np.frombuffer(joined, np.uint8)
    starts = np.cumsum([0, *map(len, tallies[:-1])]) // _WORD
    lengths, sizes = numbers[starts], numbers[starts + 1].astype(np.int64)
    norms = K1 * (1 - B + B * lengths / max(float(np.median(lengths)), 1.0))
    hashes = starts + _HEADER  # where those of each tally begin
    scores = np.zeros(len(tallies))
    for number, weight in asked.items():
        at = np.flatnonzero(numbers == number)
        owners = np.searchsorted(starts, at, side="right") - 1
        places = at - hashes[owners]
        real = (places >= 0) & (places < sizes[owners])  # the others are no hash but look like one
        owners, places = owners[real], places[real]
        often = single[_WORD * (hashes + sizes)[owners] + places].astype(np.float64)
        scores[owners] += weight * often * (K1 + 1) / (often + norms[owners])
    return scores.astype(np.float32)
