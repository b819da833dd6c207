"""Inline code: where it opens and where it ends."""

from __future__ import annotations

import re

_TICKS = re.compile(r"`+")


def code_spans(text: str, start: int = 0, end: int | None = None) -> dict[int, int]:
    """Map where inline code opens to where it ends, both with its backticks, in order.

    Code opens with a run of backticks and ends with the next run of the same length, as in
    CommonMark. A run without a partner is text. Takes time linear in the text.
    """
    stop = len(text) if end is None else end
    if text.find("``", start, stop) < 0:
        ticks = [match.start() for match in _TICKS.finditer(text, start, stop)]
        return {opened: closed + 1 for opened, closed in zip(ticks[::2], ticks[1::2], strict=False)}
    runs = [match.span() for match in _TICKS.finditer(text, start, stop)]
    following: dict[int, int] = {}
    closings: dict[int, int] = {}
    for opened, closed in reversed(runs):
        partner = following.get(closed - opened)
        if partner is not None:
            closings[opened] = partner
        following[closed - opened] = closed
    spans: dict[int, int] = {}
    position = start
    for opened, _ in runs:
        if opened >= position and opened in closings:
            spans[opened] = position = closings[opened]
    return spans
