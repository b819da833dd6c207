"""Finds the readable text in Excalidraw notes and hides the data of the drawing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from notewell.types import PropertyValue

_SUFFIX = ".excalidraw.md"
_DATA = re.compile(
    r"^(?:%%[ \t]*\n+)?(?:#[ \t]+Excalidraw Data|#{1,2}[ \t]+(?:Text Elements|Drawing))[ \t]*$",
    re.MULTILINE,
)
_SECTION = re.compile(
    r"^(?:%%[ \t]*\n*)?#{1,2}[ \t]+"
    r"(Excalidraw Data|Text Elements|Element Links|Embedded Files|Drawing)[ \t]*$",
    re.MULTILINE,
)
_ELEMENT_END = re.compile(r"(?:^|[ \t]+)\^([A-Za-z0-9_-]{8})[ \t]*$", re.MULTILINE)
_FENCE_END = re.compile(r"^```[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DrawnText:
    """One text of a drawing: its place in the source, and the id it can be linked by."""

    start: int
    end: int
    block: str | None


@dataclass(frozen=True, slots=True)
class Drawing:
    """Where a drawing's data lies: [start, end) is to be hidden from the scan of the note."""

    start: int
    end: int
    texts: tuple[DrawnText, ...]
    links: tuple[tuple[int, int, bool], ...]  # start, end, whether they are embedded files


def is_drawing(path: str, properties: Mapping[str, PropertyValue]) -> bool:
    """Tell whether a note is an Excalidraw drawing."""
    return "excalidraw-plugin" in properties or path.lower().endswith(_SUFFIX)


def find_drawing(text: str, body: int) -> Drawing | None:
    r"""Find the drawing's data after offset `body`, if there is one. Lines must end with `\n`."""
    data = _DATA.search(text, body)
    if data is None:
        return None
    sections = list(_SECTION.finditer(text, data.start()))
    texts: list[DrawnText] = []
    links: list[tuple[int, int, bool]] = []
    end = len(text)
    for section, following in zip(sections, [*sections[1:], None], strict=True):
        start = section.end()
        stop = following.start() if following else len(text)
        if section[1] == "Text Elements":
            texts.extend(_texts(text, start, stop))
        elif section[1] in ("Element Links", "Embedded Files"):
            links.append((start, stop, section[1] == "Embedded Files"))
        elif section[1] == "Drawing":
            end = _drawing_end(text, start)
            break
    return Drawing(data.start(), end, tuple(texts), tuple(links))


def _texts(text: str, start: int, stop: int) -> list[DrawnText]:
    """Cut a section into texts; each ends with its id, the last may lack one."""
    texts: list[DrawnText] = []
    position = start
    for match in _ELEMENT_END.finditer(text, start, stop):
        texts.append(DrawnText(position, match.start(), match[1]))
        position = match.end()
    rest = text[position:stop]
    if rest.strip().strip("%").strip():
        texts.append(DrawnText(position, position + len(rest.rstrip().rstrip("%")), None))
    return texts


def _drawing_end(text: str, start: int) -> int:
    """Return the offset behind the drawing's fence and the `%%` that closes it."""
    opening = text.find("```", start)
    closing = _FENCE_END.search(text, opening + 3) if opening >= 0 else None
    if closing is None:
        return len(text)
    rest = text[closing.end() :]
    marked = rest.lstrip()
    return len(text) - len(marked) + 2 if marked.startswith("%%") else closing.end()
