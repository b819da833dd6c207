"""Splits a text that is too long for the model into pieces of about equal length.

Cuts are made, in order of preference, between blocks; between outer items and then at line ends in
lists, tables and code; after sentences; between words; between characters. After a cut inside a
block the next piece overlaps the end of the previous one.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from notewell.base.types import CountTokens
from notewell.base.types.frozen import frozen

_LINE = re.compile(r"\n")
_OUTER_LINE = re.compile(r"\n(?=\S)")
_SENTENCE = re.compile(
    r"[.!?…][\"'”’)\]]{0,3}\s+|[。！？｡．؟۔।][”’」』）】]{0,3}\s*|;\s+|；"  # noqa: RUF001 - the full stops of other scripts
)
_WORD = re.compile(r"\s+|[，、：,]|(?<=[-/_])(?=\w)")  # noqa: RUF001 - the commas of other scripts
_LEVELS_OF_ROWS = (_OUTER_LINE, _LINE, _SENTENCE, _WORD)
_LEVELS_OF_PROSE = (_SENTENCE, _LINE, _WORD)
# A piece may be this much shorter than it could be for a cut between blocks, and for any other.
_LEAST_AT_BLOCK = 0.25
_LEAST = 0.5
_RETRIES = 8


@frozen
class Piece:
    """A range of the text: [start, end). It may begin with what the piece before ends with."""

    start: int
    end: int


@frozen
class Block:
    """A block of the text: where it begins, its tokens, and whether it consists of rows."""

    start: int
    tokens: int
    rows: bool


class Splitter:
    """Splits one text, which `blocks` cover in order, the first from 0.

    The tokens of the blocks are used to estimate positions; every piece is checked with
    `count_tokens`.
    """

    def __init__(self, text: str, blocks: Sequence[Block], count_tokens: CountTokens) -> None:
        """Prepare; `split` does the work."""
        self._text = text
        self._count = count_tokens
        self._rows = [block.rows for block in blocks]
        self._places = [*(block.start for block in blocks), len(text)]
        self._sums = [0.0]
        for block in blocks:
            self._sums.append(self._sums[-1] + max(1, block.tokens))

    def split(self, budget: int, overlap: int) -> Iterator[Piece]:
        """Yield pieces of at most `budget` tokens; together they cover the text."""
        overlap = min(overlap, budget // 3)
        start, before = 0, 0
        while start < len(self._text):
            end = self._cut(start, before, budget)
            yield Piece(start, end)
            if end >= len(self._text):
                return
            before = end
            start = self._overlap_start(start, end, overlap)

    def _tokens_at(self, position: int) -> float:
        """Estimate the tokens before `position`."""
        n = bisect_right(self._places, position) - 1
        if n >= len(self._sums) - 1:
            return self._sums[-1]
        first, last = self._places[n], self._places[n + 1]
        return self._sums[n] + (self._sums[n + 1] - self._sums[n]) * (position - first) / (
            last - first
        )

    def _position_of(self, tokens: float) -> int:
        """Estimate the position that has `tokens` before it."""
        n = min(bisect_right(self._sums, tokens), len(self._sums) - 1) - 1
        first, last = self._places[n], self._places[n + 1]
        share = (tokens - self._sums[n]) / (self._sums[n + 1] - self._sums[n])
        return min(last, first + int((last - first) * share))

    def _cut(self, start: int, before: int, budget: int) -> int:
        """Return where the piece that begins at `start` ends, behind `before`."""
        begun = self._tokens_at(start)
        room, end = float(budget), len(self._text)
        for _ in range(_RETRIES):
            left = self._sums[-1] - begun
            pieces = max(1, -(-left // room))
            if pieces == 1:
                end = len(self._text)
            else:
                wanted = left / pieces
                high = max(before + 1, self._position_of(begun + room))
                end = self._best(start, before, high, (begun, wanted))
            tokens = self._count(self._text[start:end])
            if tokens <= budget:
                return end
            room *= min(0.9, budget / tokens * 0.95)
        return self._shrink(start, before, end, budget)

    def _shrink(self, start: int, before: int, end: int, budget: int) -> int:
        """Halve the piece up to `end`: for text whose tokens are spread too unevenly to guess."""
        while end > before + 1 and self._count(self._text[start:end]) > budget:
            end = max(before + 1, start + (end - start) // 2)
        return end

    def _best(self, start: int, before: int, high: int, aim: tuple[float, float]) -> int:
        """Choose the best place in reach: the strongest kind, then the nearest to equal sizes."""
        begun, wanted = aim
        high = min(high, len(self._text))
        target = min(self._position_of(begun + wanted), high)
        low = max(before, self._position_of(begun + wanted * _LEAST_AT_BLOCK)) + 1
        first, last = bisect_left(self._places, low), bisect_right(self._places, high)
        if first < last:
            return min(self._places[first:last], key=lambda place: abs(place - target))
        low = min(max(before + 1, self._position_of(begun + wanted * _LEAST)), high)
        rows = self._rows[bisect_left(self._places, high) - 1]
        for level in _LEVELS_OF_ROWS if rows else _LEVELS_OF_PROSE:
            found = level.finditer(self._text, low, high)
            place = min((m.end() for m in found), key=lambda p: abs(p - target), default=None)
            if place is not None and place > before:
                return place
        return max(before + 1, self._between_characters(target, start))

    def _between_characters(self, position: int, floor: int) -> int:
        """Move back from inside a character that is written with several code points."""
        lowest = max(floor + 1, position - 16)
        text = self._text
        while position > lowest and (
            unicodedata.category(text[position])[0] == "M"
            or text[position] == "\u200d"
            or text[position - 1] == "\u200d"
        ):
            position -= 1
        return position

    def _overlap_start(self, start: int, end: int, overlap: int) -> int:
        """Return where the piece after a cut at `end` begins. Rows are repeated whole or not."""
        n = bisect_left(self._places, end)
        if not overlap or self._places[n] == end:
            return end
        low = max(self._places[n - 1], self._position_of(self._tokens_at(end) - overlap), start + 1)
        if low >= end:
            return end
        rows = self._rows[n - 1]
        for level in (_OUTER_LINE,) if rows else _LEVELS_OF_PROSE:
            match = level.search(self._text, low, end)
            if match and match.end() < end:
                return match.end()
        return end if rows else self._between_characters(low, start)
