"""How often each word stands in a whole note, so that notes are scored beside their passages.

A note's tally is its stems as 32-bit hashes and how often each stands in it. Two stems that share
a hash (one pair of 4,000 in five hundred notes) count as one, which no ranking shows.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from recollect.types import FloatArray

_MOST = 4096  # stems of one note; of a longer one the commonest are kept
_MOST_OFTEN = 255  # BM25 hardly tells more from it
_K1, _B = 1.2, 0.75  # as tantivy has them for passages


def hash_of(stem: str) -> int:
    """The number that stands for a stem."""
    return zlib.crc32(stem.encode("utf-8"))


def pack(stems: Iterable[str]) -> bytes:
    """The tally of a note: hashes (uint32, little endian), then as many counts (uint8)."""
    counted = Counter(map(hash_of, stems)).most_common(_MOST)
    hashes = np.array([number for number, _ in counted], "<u4")
    counts = np.array([min(count, _MOST_OFTEN) for _, count in counted], np.uint8)
    return hashes.tobytes() + counts.tobytes()


def bm25(tallies: Sequence[bytes], asked: Mapping[int, float]) -> FloatArray:
    """BM25 of whole notes: one score for each tally.

    `asked` maps hashes to weights, the idf included. Lengths are held against the median of the
    notes given: those that have the words of a query at all.
    Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
    """
    if not tallies:
        return np.empty(0, np.float32)
    sizes = np.array([len(tally) // 5 for tally in tallies])
    hashes = np.concatenate(
        [np.frombuffer(tally, "<u4", size) for tally, size in zip(tallies, sizes, strict=True)]
    )
    counts = np.concatenate(
        [np.frombuffer(tally, np.uint8, -1, 4 * size)
         for tally, size in zip(tallies, sizes, strict=True)]
    )  # fmt: skip
    owners = np.repeat(np.arange(len(tallies)), sizes)
    lengths = np.bincount(owners, weights=counts, minlength=len(tallies))
    norms = _K1 * (1 - _B + _B * lengths / max(float(np.median(lengths)), 1.0))
    scores = np.zeros(len(tallies))
    for number, weight in asked.items():
        at = np.flatnonzero(hashes == number)
        often = counts[at].astype(np.float64)
        scores[owners[at]] += weight * often * (_K1 + 1) / (often + norms[owners[at]])
    return scores.astype(np.float32)
