"""Renders a part of a passage as one line of text, with the offsets of its highlights."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from notewell.base.types.frozen import frozen

ELLIPSIS = "…"
_GAP = re.compile(r"\s{2,}")


@frozen
class Snippet:
    """One line of text; `highlights` are UTF-16 offsets into it, in order, not overlapping.

    `at` is the offset of the best match in the passage, 0 without a match.
    """

    text: str
    highlights: tuple[tuple[int, int], ...]
    at: int


def render(text: str, start: int, end: int, marks: Sequence[tuple[int, int]], at: int) -> Snippet:
    """Collapse the white space of text[start:end] and adjust the marks."""
    before = ELLIPSIS if text[:start].strip() else ""
    after = ELLIPSIS if text[end:].strip() else ""
    plain = " ".join(text[start:end].split())
    line = f"{before}{plain}{after}"
    if not marks:
        return Snippet(line, (), at)
    if len(plain) == end - start:  # only single spaces: all offsets shift alike
        shift = len(before) - start
        return Snippet(line, _utf16(line, [(a + shift, b + shift) for a, b in marks]), at)
    first = start + len(text[start:end]) - len(text[start:end].lstrip())
    shift = len(before) - first
    gaps = [match.span() for match in _GAP.finditer(text, first, end)]
    ends = [gap_end for _, gap_end in gaps]
    shorter = list(accumulate((gap_end - begin - 1 for begin, gap_end in gaps), initial=0))

    def place(edge: int) -> int:
        return edge + shift - shorter[bisect_right(ends, edge)]

    return Snippet(line, _utf16(line, [(place(a), place(b)) for a, b in marks]), at)


def merged(marks: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Marks in order; overlapping or touching ones are joined."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(marks):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _utf16(line: str, pairs: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Code point offsets as UTF-16 offsets, which are what JavaScript slices by."""
    if not pairs or line.isascii():
        return tuple(pairs)
    if len(line.encode("utf-16-le", "surrogatepass")) == 2 * len(line):  # no character takes two
        return tuple(pairs)
    wide = [at for at, char in enumerate(line) if char > "\uffff"]  # two units each
    return tuple((a + bisect_left(wide, a), b + bisect_left(wide, b)) for a, b in pairs)
