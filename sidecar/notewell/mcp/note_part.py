"""A part of a note's text: a section, some lines, and what of it a budget has room for."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

from notewell.errors import NotFoundError, UsageError
from notewell.mcp.tool import Document
from notewell.types import CountTokens


@dataclass(frozen=True, slots=True)
class Part:
    """Lines `first` to `last` (1-based) of `total`; `cut`: the part went on behind them."""

    first: int
    last: int
    total: int
    text: str
    cut: bool


def part_of(
    note: Document,
    *,
    section: str | None,
    lines: str | None,
    budget: int,
    count: CountTokens,
) -> Part:
    """The part of a note (a `/api/note` document) that is asked for, within `budget` tokens.

    Raises:
        NotFoundError: no heading is called like `section`; the message has the nearest.
        UsageError: both are given, or the lines are not in the note.

    """
    if section is not None and lines is not None:
        raise UsageError("Give either `section` or `lines`, not both.")
    rows = note["content"].splitlines()
    first, last = 1, len(rows)
    if section is not None:
        first, last = _section(note["headings"], section, len(rows))
    elif lines is not None:
        first, last = _lines(lines, len(rows))
    kept = _fitting(rows[first - 1 : last], budget, count)
    return Part(
        first=first,
        last=first + len(kept) - 1,
        total=len(rows),
        text="\n".join(kept),
        cut=len(kept) < last - first + 1,
    )


def _section(headings: list[dict[str, Any]], wanted: str, total: int) -> tuple[int, int]:
    """First and last line under a heading: to the next of its level or above."""
    name = wanted.rpartition(">")[2].strip().lstrip("#").strip().casefold()
    for at, heading in enumerate(headings):
        if heading["text"].strip().casefold() == name:
            following = (one for one in headings[at + 1 :] if one["level"] <= heading["level"])
            end = next((one["line"] - 1 for one in following), total)
            return heading["line"], end
    names = [one["text"] for one in headings]
    near = difflib.get_close_matches(wanted, names, n=3, cutoff=0.3) or names[:10]
    shown = f"its headings: {', '.join(near)}" if near else "it has no headings"
    raise NotFoundError(f"no heading '{wanted}' in the note; {shown}")


def _lines(wanted: str, total: int) -> tuple[int, int]:
    begin, _, end = wanted.partition("-")
    first, last = int(begin), int(end or begin)
    if not 1 <= first <= last or first > max(total, 1):
        raise UsageError(f"The note has lines 1 to {total}; `{wanted}` are not of them.")
    return first, min(last, total)


def _fitting(rows: list[str], budget: int, count: CountTokens) -> list[str]:
    """The first rows that have at most `budget` tokens together; at least a part of the first."""
    if count("\n".join(rows)) <= budget:
        return rows
    low, high = 0, len(rows) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if count("\n".join(rows[:middle])) <= budget:
            low = middle
        else:
            high = middle - 1
    return rows[:low] or [_beginning(rows[0], budget, count)]


def _beginning(row: str, budget: int, count: CountTokens) -> str:
    """As much of one long line as fits."""
    size = len(row)
    while size > 1 and count(row[:size]) > budget:
        size = size * 3 // 4
    return f"{row[:size]}…"
