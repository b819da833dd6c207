r"""Cuts a note into units that are compared: properties, lines and sentences of prose.

The texts of all units, one after another, are the note to the letter. Lines of code, tables and
headings are one unit each, so that nothing is cut within them.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

from notewell.api.types import frozen

UnitKind = Literal["edge", "property", "line", "sentence"]
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]*_]*[ \t]+(?=\S)|(?<=[。！？])(?=\S)")  # noqa: RUF001
_PROPERTIES = re.compile(
    r"---[ \t]*\r?\n(?P<inside>.*?\r?\n|)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL
)
_PROPERTY = re.compile(r"(?m)^(?=[^\s#\-\]}][^\r\n]*:(?:\s|$))")
_FENCE = re.compile(r"[ \t>]*(?P<mark>`{3,}|~{3,}|\$\$|%%)")
_WHOLE_LINE = re.compile(r"[ \t>]*(?:#{1,6}[ \t]|\||<|\[\^|!\[|\d+\.$)")
# What begins a line but is no sentence: "1." of a list stays with its text.
_MARKER = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?")


@frozen
class Unit:
    """A stretch of a note's text, with the spaces and the line end that follow it.

    An `edge` is the line above or below all properties. `name` is that of a property, else "".
    `starts_line`: nothing stands before it in its line.
    """

    kind: UnitKind
    text: str
    name: str = ""
    starts_line: bool = True

    @property
    def key(self) -> str:
        """The text by which units of two notes are equal: whatever its spaces."""
        return " ".join(self.text.split())


def cut_units(text: str) -> tuple[Unit, ...]:
    """Cut the text of a note; `"".join(unit.text for unit in …)` is the text."""
    units: list[Unit] = []
    match = _PROPERTIES.match(text)
    if match is not None:
        start, end = match.span("inside")
        units.append(Unit("edge", text[:start]))
        units += _cut_properties(text[start:end])
        units.append(Unit("edge", text[end : match.end()]))
        text = text[match.end() :]
    return (*units, *_cut_body(text))


def _cut_properties(text: str) -> list[Unit]:
    """The properties with their values; one unit without a name where they are no plain list."""
    starts = [match.start() for match in _PROPERTY.finditer(text)]
    if not text:
        return []
    if not starts or starts[0] != 0:
        return [Unit("property", text, name="\0")]
    bounds = [*starts, len(text)]
    blocks = [text[start:end] for start, end in pairwise(bounds)]
    return [Unit("property", block, name=block.partition(":")[0].strip("\"' ")) for block in blocks]


def _cut_body(text: str) -> list[Unit]:
    units: list[Unit] = []
    fence = ""
    for line in _lines(text):
        mark = _FENCE.match(line)
        if fence:
            units.append(Unit("line", line))
            if mark is not None and mark["mark"].startswith(fence):
                fence = ""
        elif mark is not None:
            units.append(Unit("line", line))
            rest = line[mark.end() :]
            fence = "" if mark["mark"] in rest else mark["mark"]
        elif _WHOLE_LINE.match(line) or not line.strip():
            units.append(Unit("line", line))
        else:
            units += _cut_sentences(line)
    return units


def _lines(text: str) -> list[str]:
    r"""The lines with their ends; `str.splitlines` would cut at other characters too."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _cut_sentences(line: str) -> list[Unit]:
    marker = _MARKER.match(line)
    begin = marker.end() if marker else 0
    bounds = [0, *(match.end() for match in _SENTENCE_END.finditer(line, begin)), len(line)]
    parts = [line[start:end] for start, end in pairwise(bounds)]
    return [Unit("sentence", part, starts_line=number == 0) for number, part in enumerate(parts)]
