"""Lines that many notes have, such as those of a template: counted as notes change.

Template lines: lines that many notes of a vault share, such as footers, badges and captions. They
say what a note was made from, and not what it is about. So their words have no weight: they are not
in the frequencies and lengths of BM25, and neither in the coverage of a query. They are still
found: by phrases and conditions, and where a word stands nowhere else. Which lines these are
depends on the notes alone and not on their history, so that an index that was changed step by step
equals a new one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from zlib import crc32

import numpy as np
import numpy.typing as npt

from notewell.base.types import IdArray

# A line is one of a template if a twentieth of the notes have it, and ten of them at least. Chosen
# on the development sets (docs/search.md).
_SHARE, _LEAST = 20, 10
_COARSE_BITS = 3
_MOST_STEPS = 20_000  # lines that may have changed before the arrays are made anew
LineHashes = npt.NDArray[np.uint32]  # different lines by hash, ascending
NO_LINES: LineHashes = np.empty(0, np.uint32)


def hash_of_line(line: str) -> int:
    """The number that stands for a line, whatever its case and spaces; 0 for an empty one."""
    return crc32(" ".join(line.split()).casefold().encode("utf-8"))


def line_hashes(texts: Iterable[str]) -> LineHashes:
    """The lines of some texts."""
    hashes = {hash_of_line(line) for text in texts for line in text.split("\n")}
    return np.array(sorted(hashes - {0}), np.uint32)


def divide_lines(text: str, template: Collection[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
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
    """True if a text has no other lines than these."""
    return all(hash_of_line(line) in template for line in text.split("\n") if line.strip())


def least_notes(note_count: int) -> int:
    """The least number of notes that must have a line for it to be one of a template.

    The number of notes is rounded down to its highest three bits, so that a line near the limit is
    not taken in and out again by every few notes that are added.
    """
    low_bits = max(note_count.bit_length() - _COARSE_BITS, 0)
    return max(_LEAST, -(-(note_count >> low_bits << low_bits) // _SHARE))


def holders(
    lines: Collection[int], ids: Sequence[int] | IdArray, rows: Sequence[LineHashes]
) -> set[int]:
    """The notes that have any of the lines: `rows` are those of each of `ids`."""
    owners = np.repeat(np.asarray(ids, np.int64), [len(row) for row in rows])
    held = np.isin(np.concatenate([NO_LINES, *rows]), np.array(sorted(lines), np.uint32))
    return set(owners[held].tolist())


@dataclass(frozen=True, eq=False)
class LineCounts:
    """In how many notes each line is: `hashes` (n,) ascending, `counts` (n,); of `notes` notes.

    `steps` are what has changed since these arrays were made, by line: a saved note changes a few
    of millions. `common` caches the lines of the arrays that so many notes have at least.
    """

    hashes: LineHashes
    counts: npt.NDArray[np.int32]
    notes: int
    steps: Mapping[int, int] = field(default_factory=dict)
    common: dict[int, frozenset[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Sequence[LineHashes]) -> LineCounts:
        hashes, counts = np.unique(np.concatenate([NO_LINES, *rows]), return_counts=True)
        return cls(hashes, counts.astype(np.int32), len(rows))

    def changed(self, *, old: Sequence[LineHashes], new: Sequence[LineHashes]) -> LineCounts:
        """The counts after notes with the lines `old` went, and notes with the lines `new` came."""
        steps = dict(self.steps)
        for rows, step in ((old, -1), (new, 1)):
            for line in chain.from_iterable(row.tolist() for row in rows):
                steps[line] = steps.get(line, 0) + step
        changed = replace(self, notes=self.notes - len(old) + len(new), steps=steps)
        return changed.merged() if len(steps) > _MOST_STEPS else changed

    def merged(self) -> LineCounts:
        """The same counts in arrays alone."""
        if not self.steps:
            return self
        touched, change = self._apply_steps()
        order = np.argsort(touched)
        touched, change = touched[order], change[order]
        at, known = self._places(touched)
        counts = np.array(self.counts)
        counts[at[known]] += change[known]
        hashes = np.insert(self.hashes, at[~known], touched[~known])
        counts = np.insert(counts, at[~known], change[~known])
        kept = counts > 0
        return LineCounts(hashes[kept], counts[kept], self.notes)

    @cached_property
    def template(self) -> frozenset[int]:
        least = least_notes(self.notes)
        common = self.common.get(least)
        if common is None:
            common = self.common[least] = frozenset(self.hashes[self.counts >= least].tolist())
        if not self.steps:
            return common
        touched, counts = self._apply_steps()
        at, known = self._places(touched)
        counts[known] += self.counts[at[known]]
        return common.difference(self.steps).union(touched[counts >= least].tolist())

    def _apply_steps(self) -> tuple[LineHashes, npt.NDArray[np.int32]]:
        """The lines that have changed, and by how much."""
        count = len(self.steps)
        changes = np.fromiter(self.steps.values(), np.int32, count)
        return np.fromiter(self.steps, np.uint32, count), changes

    def _places(self, lines: LineHashes) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
        """The places of lines in the arrays, or where they would be, and a mask of those there."""
        at = np.searchsorted(self.hashes, lines)
        known = np.zeros(len(lines), np.bool_)
        inside = at < len(self.hashes)
        known[inside] = self.hashes[at[inside]] == lines[inside]
        return at, known
