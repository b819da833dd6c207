"""Cut a snippet out of a text around its matches, at sentences or words, with its highlights."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from notewell.base.types.frozen import frozen
from notewell.index.analyze import (
    SPACELESS,
)
from notewell.index.shown_text import NEW_ROW, ShownText
from notewell.search.show.closest_sentence import SENTENCE

_SLACK = 6  # a cut may move by this part of a window to reach the start of a sentence
_ENOUGH = 0.6  # of a window, after which it may end with a sentence
_WORD = re.compile(rf"[{SPACELESS}]|[^\s{SPACELESS}]+")


class TokenHit(NamedTuple):
    """A match of a query's token in flattened text."""

    token: str
    start: int
    end: int


def densest_window(
    hits: list[TokenHit], weights: Mapping[str, float], chars: int, shown: ShownText
) -> tuple[int, int]:
    """The window from one hit to another, at most `chars` long, with the highest weight.

    Further occurrences of a token count a tenth, so that variety wins over repetition.
    """
    best, chosen, total, first = 0.0, (0, 0), 0.0, 0
    counts: dict[str, int] = dict.fromkeys(weights, 0)
    for hit in hits:
        total += weights[hit.token] * (0.1 if counts[hit.token] else 1.0)
        counts[hit.token] += 1
        least = max(hit.end - chars, shown.between_walls(hit.start)[0])
        while hits[first].start < least and hits[first] is not hit:
            dropped = hits[first].token
            counts[dropped] -= 1
            total -= weights[dropped] * (0.1 if counts[dropped] else 1.0)
            first += 1
        if total > best:
            best, chosen = total, (hits[first].start, hit.end)
    return chosen


def widen(shown: ShownText, first: int, last: int, chars: int) -> tuple[int, int]:
    """The part of the text around [first, last) that is shown."""
    low, high = shown.between_walls(first)
    last = min(last, first + chars, high)
    if high - low <= chars:
        return low, high
    start = _start(shown.text, first, last, (low, high), chars)
    return start, _end(shown.text, start, last, high, chars)


def _start(text: str, first: int, last: int, within: tuple[int, int], chars: int) -> int:
    """Where a window around [first, last) begins: with a sentence or row, else with a word."""
    low, high = within
    slack = chars // _SLACK
    wanted = max(low, first - max(0, chars - (last - first)) // 3)
    wanted = max(low, min(wanted, high - chars))
    if wanted - low <= slack and first - low + (last - first) <= chars:
        return low
    for match in SENTENCE.finditer(text, max(low, wanted - slack), first):
        return match.end()
    word = None
    # The place may be inside a word; that would count as a word that starts there.
    for match in _WORD.finditer(text, max(low, wanted - slack)):
        if match.start() > first:
            break
        word = match.start()
        if word >= wanted:
            break
    return first if word is None else word


def _end(text: str, start: int, last: int, high: int, chars: int) -> int:
    """Where a window from `start` ends: with a sentence or row, else with a word; after `last`."""
    slack = chars // _SLACK
    limit = max(last, start + chars)
    if limit + slack >= high:
        return high
    enough = max(last, start + round(chars * _ENOUGH))
    ends = [match.end() for match in SENTENCE.finditer(text, enough - 1, limit)]
    if ends:
        return ends[-1]
    for begin in (max(start, limit - slack), start):  # nearly always, the last few words do
        ends = [match.end() for match in _WORD.finditer(text, begin, limit + 1)]
        fitting = [at for at in ends if last <= at <= limit]
        if fitting:
            return fitting[-1]
    return limit


_FULL_STOP = re.compile("[.!?…。\uff01\uff1f]['\"\u201d\u2019)]*\\Z")
ELLIPSIS = "…"


@frozen
class Snippet:
    """One line of text; `highlights` are UTF-16 offsets into it, in order, not overlapping.

    `at` is the offset of the best match in the passage, 0 without a match.
    """

    text: str
    highlights: tuple[tuple[int, int], ...]
    at: int


def render(text: str, start: int, end: int, marks: Sequence[tuple[int, int]], at: int) -> Snippet:
    """The part text[start:end] in one line, and the marks in it."""
    part = text[start:end].rstrip().removesuffix(NEW_ROW.rstrip()).rstrip()
    begins_inside = start and not SENTENCE.search(text, max(0, start - len(NEW_ROW)), start)
    before = ELLIPSIS if begins_inside else ""
    after = "" if not text[end:].strip() or _FULL_STOP.search(part) else ELLIPSIS
    line = f"{before}{part}{after}"
    last, shift = start + len(part), len(before) - start
    shown = [(min(a, last) + shift, min(b, last) + shift) for a, b in marks]
    return Snippet(line, _utf16(line, shown), at)


def merge_marks(marks: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
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
