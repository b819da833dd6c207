"""Template lines: lines that many notes of a vault share, such as footers, badges and captions.

They say what a note was made from, and not what it is about. So their words have no weight: they
are not in the frequencies and lengths of BM25, and neither in the coverage of a query. They are
still found: by phrases and conditions, and where a word stands nowhere else.

Which lines these are depends on the notes alone and not on their history, so that an index that
was changed step by step equals a new one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

import numpy as np
import numpy.typing as npt

# A line is one of a template if a twentieth of the notes have it, and ten of them at least. Chosen
# on the development sets (docs/search.md).
_SHARE, _LEAST = 20, 10
_COARSE_BITS = 3

LineHashes = npt.NDArray[np.uint32]  # different lines by hash, ascending
NO_LINES: LineHashes = np.empty(0, np.uint32)


def hash_of_line(line: str) -> int:
    """The number that stands for a line, whatever its case and spaces; 0 for an empty one."""
    return crc32(" ".join(line.split()).casefold().encode("utf-8"))


def line_hashes(texts: Iterable[str]) -> LineHashes:
    """The lines of some texts."""
    found = {hash_of_line(line) for text in texts for line in text.split("\n")}
    return np.array(sorted(found - {0}), np.uint32)


def divided(text: str, template: Collection[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The template lines of a text, and what is left between them, both in order."""
    left_out: list[str] = []
    parts: list[list[str]] = [[]]
    for line in text.split("\n"):
        if hash_of_line(line) in template:
            left_out.append(line)
            parts.append([])
        else:
            parts[-1].append(line)
    return tuple(left_out), tuple("\n".join(lines) for lines in parts if lines)


def is_template(text: str, template: Collection[int]) -> bool:
    """Whether a text has no other lines than these."""
    return all(hash_of_line(line) in template for line in text.split("\n") if line.strip())


def least_notes(note_count: int) -> int:
    """How many notes of a vault must have a line for it to be one of a template.

    The number of notes is rounded down to its highest three bits, so that a line near the limit is
    not taken in and out again by every few notes that are added.
    """
    low_bits = max(note_count.bit_length() - _COARSE_BITS, 0)
    return max(_LEAST, -(-(note_count >> low_bits << low_bits) // _SHARE))


@dataclass(frozen=True, eq=False)
class LineCounts:
    """In how many notes each line is: `hashes` (n,) ascending, `counts` (n,); of `notes` notes."""

    hashes: LineHashes
    counts: npt.NDArray[np.int32]
    notes: int

    @classmethod
    def of(cls, rows: Sequence[LineHashes]) -> LineCounts:
        """The counts of notes, each given by its lines."""
        hashes, counts = np.unique(np.concatenate([NO_LINES, *rows]), return_counts=True)
        return cls(hashes, counts.astype(np.int32), len(rows))

    def changed(self, *, old: Sequence[LineHashes], new: Sequence[LineHashes]) -> LineCounts:
        """The counts after notes with the lines `old` went, and notes with the lines `new` came."""
        lost, gained = (np.concatenate([NO_LINES, *rows]) for rows in (old, new))
        touched, places = np.unique(np.concatenate([lost, gained]), return_inverse=True)
        steps = np.repeat(np.array([-1.0, 1.0]), [len(lost), len(gained)])
        change = np.bincount(places.ravel(), steps, len(touched)).astype(np.int32)
        at = np.searchsorted(self.hashes, touched)
        known = np.zeros(len(touched), np.bool_)
        inside = at < len(self.hashes)
        known[inside] = self.hashes[at[inside]] == touched[inside]
        counts = self.counts.copy()
        counts[at[known]] += change[known]
        hashes = np.insert(self.hashes, at[~known], touched[~known])
        counts = np.insert(counts, at[~known], change[~known])
        kept = counts > 0
        return LineCounts(hashes[kept], counts[kept], self.notes - len(old) + len(new))

    @cached_property
    def template(self) -> frozenset[int]:
        """The template lines, by hash."""
        return frozenset(self.hashes[self.counts >= least_notes(self.notes)].tolist())
