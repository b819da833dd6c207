"""A note's source by lines, as the block scanner reads it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate

from notewell.vault.regions import Region

# Stands in for a region's first line, so that whatever block is being read ends before it.
REGION_LINE = "```"


@dataclass(frozen=True, slots=True)
class Body:
    """The lines of a note. A region's first line reads `REGION_LINE`, its others are unread.

    `starts` are the offsets of the lines; `regions` are by the index of their first line. Scanning
    begins at the line of index `first`.
    """

    text: str
    lines: list[str]
    starts: list[int]
    regions: dict[int, Region]
    first: int


def make_body(text: str, regions: tuple[Region, ...], start: int) -> Body:
    r"""Cut `text` into lines; `start` is the offset of the first line that is not properties."""
    lines = text.split("\n")
    starts = [0, *accumulate(map((1).__add__, map(len, lines[:-1])))]
    by_line: dict[int, Region] = {}
    for region in regions:
        index = bisect_right(starts, region.start) - 1
        by_line[index] = region
        lines[index] = REGION_LINE
    return Body(text, lines, starts, by_line, bisect_left(starts, start))
