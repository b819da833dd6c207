"""Draws how figures grow with the index: small charts beside each other, in one SVG file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 220, 190  # of one chart
LEFT, RIGHT, TOP, BOTTOM = 14, 30, 40, 34
INK, FAINT, LINE = "#2b2924", "#7a756a", "#1d6b5c"


@dataclass(frozen=True)
class Chart:
    """A title with its unit, and a value for each size, with how it is written."""

    title: str
    values: Sequence[float]
    texts: Sequence[str]


def picture(sizes: Sequence[int], charts: Sequence[Chart]) -> str:
    """The charts over the same sizes, which are drawn by their logarithm; values begin at zero."""
    whole = WIDTH * len(charts)
    box = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {HEIGHT}"'
    parts = [
        f'<svg {box} font-family="system-ui, sans-serif" font-size="11" role="img">',
        f'<rect width="{whole}" height="{HEIGHT}" fill="#fffefb"/>',
    ]
    for at, chart in enumerate(charts):
        parts.append(f'<g transform="translate({at * WIDTH} 0)">{_drawn(sizes, chart)}</g>')
    return "\n".join([*parts, "</svg>", ""])


def _drawn(sizes: Sequence[int], chart: Chart) -> str:
    logs = [math.log10(size) for size in sizes]
    across = (logs[-1] - logs[0]) or 1.0
    most = max(chart.values) or 1.0
    floor, room = HEIGHT - BOTTOM, HEIGHT - TOP - BOTTOM
    points = [
        (LEFT + (WIDTH - LEFT - RIGHT) * (log - logs[0]) / across, floor - room * value / most)
        for log, value in zip(logs, chart.values, strict=True)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [
        f'<text x="{LEFT}" y="18" fill="{INK}" font-weight="600">{escape(chart.title)}</text>',
        f'<path d="M{LEFT} {floor}H{WIDTH - RIGHT}" stroke="{FAINT}" stroke-width="0.6"/>',
        f'<polyline points="{line}" fill="none" stroke="{LINE}" stroke-width="2"/>',
    ]
    for (x, y), size, text in zip(points, sizes, chart.texts, strict=True):
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{LINE}"/>')
        parts.append(_label(x, y - 8, text, INK))
        parts.append(_label(x, floor + 16, _short(size), FAINT))
    return "".join(parts)


def _label(x: float, y: float, text: str, colour: str) -> str:
    anchor = "start" if x < LEFT + 1 else "middle"
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}">{escape(text)}</text>'


def _short(size: int) -> str:
    return f"{size // 1_000_000}M" if size >= 1_000_000 else f"{size // 1000}k"
