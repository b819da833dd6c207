"""A block's cleaned text to the rows a reader sees, with the block's own marks taken off."""

from __future__ import annotations

import re

from notewell.types import SpanKind

_TASK = re.compile(r"^([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[.\](?:[ \t]+|$)", re.MULTILINE)
_QUOTE_MARK = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_CALLOUT_MARK = re.compile(r"^([ \t]*)\[!([^\]\n]{1,50})\][+-]?[ \t]*(.*)$", re.MULTILINE)
_CELL_EDGE = re.compile(r"[ \t]*\|[ \t]*")


def rows_of(kind: SpanKind, text: str) -> list[str]:
    """Return the rows of a block, one for each of its lines; a row with nothing to see is empty.

    Lists keep their bullets and indents, which tell outer items from inner ones.
    """
    if kind == "list":
        text = _TASK.sub(r"\1", text) if "]" in text else text
        return [row.rstrip() for row in text.split("\n")]
    if kind in ("quote", "callout"):
        text = _QUOTE_MARK.sub("", text)
        if "[!" in text:
            text = _CALLOUT_MARK.sub(_callout_title, text)
    rows = [row.strip() for row in text.split("\n")]
    if kind == "table":
        rows = [_CELL_EDGE.sub(" | ", row.strip("|").strip()) for row in rows]
        rows[1] = ""  # the rule between head and body
    return rows


def code_rows(source: str, *, quoted: bool) -> list[str]:
    """Return the rows of code or math, whose indents count; `quoted` code stands in a quote."""
    rows = [row.rstrip() for row in source.rstrip().split("\n")]
    return [_QUOTE_MARK.sub("", row, count=1) for row in rows] if quoted else rows


def _callout_title(match: re.Match[str]) -> str:
    """Show a callout's title, or its kind where it has none, as Obsidian does."""
    kind = match[2].partition("|")[0].strip()
    return match[1] + (match[3] or kind.capitalize())
