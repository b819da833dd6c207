"""Finds the earlier passage of a note whose vector represents a changed one until its own is made.

Every engine asks it. Takes time linear in the number of passages, of which one file may have
many thousands.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from notewell.base.types import Chunk


@dataclass(frozen=True, slots=True)
class Replaced:
    """A passage that a note had before; `vector_hash` names the text whose vector it used."""

    start: int
    end: int
    text: str
    vector_hash: bytes | None


class VectorHeirs:
    """The passages that one note had before, in their order."""

    def __init__(self, replaced: Iterable[Replaced]) -> None:
        """Passages without a vector have nothing to give."""
        self._before = [each for each in replaced if each.vector_hash is not None]
        self._all: _Ranges | None = None
        self._by_text: dict[str, _Ranges] | None = None

    def vector_hash(self, chunk: Chunk) -> bytes | None:
        """That of the same text under another title, else of the passage it overlaps most."""
        if not self._before:
            return None
        if self._all is None or self._by_text is None:
            texts: defaultdict[str, list[Replaced]] = defaultdict(list)
            for each in self._before:
                texts[each.text].append(each)
            self._by_text = {text: _Ranges(alike) for text, alike in texts.items()}
            self._all = _Ranges(self._before)
        alike = self._by_text.get(chunk.text)
        if alike is None:
            found = self._all.overlapping(chunk.start, chunk.end)
        else:
            found = alike.overlapping(chunk.start, chunk.end) or alike.first
        return None if found is None else found.vector_hash


class _Ranges:
    """Passages by their places in the note."""

    def __init__(self, passages: Sequence[Replaced]) -> None:
        self.first = passages[0]
        # All pieces of one long block may have its place: the first stands for them.
        different: dict[tuple[int, int], tuple[int, Replaced]] = {}
        for order, each in enumerate(passages):
            different.setdefault((each.start, each.end), (order, each))
        self._ordered = sorted(different.values(), key=lambda pair: pair[1].start)
        self._starts = [each.start for _, each in self._ordered]
        self._reach = list(accumulate((each.end for _, each in self._ordered), max))

    def overlapping(self, start: int, end: int) -> Replaced | None:
        """The passage with most characters in [start, end), the first of several; None: none."""
        best, chosen = (0, 0), None
        for at in range(bisect_right(self._reach, start), bisect_left(self._starts, end)):
            order, each = self._ordered[at]
            rank = (min(end, each.end) - max(start, each.start), -order)
            if rank[0] > 0 and (chosen is None or rank > best):
                best, chosen = rank, each
        return chosen
