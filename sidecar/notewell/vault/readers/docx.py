"""Word documents (`.docx`, Office Open XML): headings, paragraphs, lists, tables and footnotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from notewell.base.types import PropertyValue, SpanKind
from notewell.vault.parse import file_title
from notewell.vault.readers.note_builder import FileDescription, NoteBuilder
from notewell.vault.readers.packed import Package, XmlEvent
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote

_SUFFIX = ".docx"
_DOCUMENT = "word/document.xml"
_HEADING = re.compile(r"heading (\d)\Z", re.IGNORECASE)
# Text that is not shown: the older version of a revision, and what a drawing says a second time.
_HIDDEN = frozenset({"del", "moveFrom", "Fallback"})
_BREAKS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_MAX_INDENT = 6


def _read(raw: bytes, file: FileFacts) -> ReadNote:
    package = Package(raw, file.path, "Word document")
    if _DOCUMENT not in package:
        raise package.refused("it has no text")
    builder = NoteBuilder()
    levels = _levels(package.elements("word/styles.xml"))
    _Body(builder, levels).write(package.elements(_DOCUMENT))
    for part, heading in (("footnotes", "Footnotes"), ("endnotes", "Endnotes")):
        below = _Body(builder, levels, heading)
        below.write(package.elements(f"word/{part}.xml"))
    return builder.note(file, _describe(package, file))


def _levels(events: Iterable[XmlEvent]) -> Mapping[str, int]:
    """The heading level of each style that is one. Names of built-in styles are English."""
    levels: dict[str, int] = {}
    style = ""
    for event in events:
        if event.kind != "start":
            continue
        value = event.attributes.get("val", "")
        if event.tag == "style":
            style = event.attributes.get("styleId", "")
        elif event.tag == "name" and (match := _HEADING.match(value)):
            levels[style] = int(match[1])
        elif event.tag == "name" and value.lower() == "title":
            levels[style] = 1
        elif event.tag == "outlineLvl" and value.isdecimal() and int(value) < 9:
            levels.setdefault(style, int(value) + 1)
    return levels


class _Body:
    """Writes the paragraphs of a part as they end."""

    def __init__(self, builder: NoteBuilder, levels: Mapping[str, int], heading: str = "") -> None:
        """`heading` is written above the first paragraph."""
        self._builder, self._levels, self._heading = builder, levels, heading
        self._hidden = 0
        self._in_text = False
        self._text: list[str] = []
        self._level = 0
        self._indent: int | None = None  # of an item of a list
        self._tables = 0
        self._cells: list[list[str]] = []
        self._rows: list[str] = []
        self._items: list[str] = []

    def write(self, events: Iterable[XmlEvent]) -> None:
        for event in events:
            if event.kind == "text":
                if self._in_text and not self._hidden:
                    self._text.append(event.text)
            elif event.kind == "start":
                self._start(event)
            else:
                self._end(event.tag)
        self._end_items()

    def _start(self, event: XmlEvent) -> None:
        tag = event.tag
        if tag == "t":
            self._in_text = True
        elif tag in _HIDDEN:
            self._hidden += 1
        elif tag in _BREAKS and not self._hidden:
            self._text.append(_BREAKS[tag])
        elif tag == "tbl":
            self._end_items()
            self._tables += 1
        elif self._tables == 1 and tag == "tr":
            self._cells = []
        elif self._tables == 1 and tag == "tc":
            self._cells.append([])
        else:
            self._style(tag, event.attributes.get("val", ""))

    def _style(self, tag: str, value: str) -> None:
        """Note what the properties of a paragraph say."""
        number = int(value) if value.isdecimal() and len(value) == 1 else None
        if tag == "pStyle":
            self._level = self._levels.get(value, 0)
        elif tag == "outlineLvl" and number is not None and number < 9:
            self._level = number + 1
        elif tag == "numPr":
            self._indent = self._indent or 0
        elif tag == "ilvl" and number is not None:
            self._indent = min(number, _MAX_INDENT)

    def _end(self, tag: str) -> None:
        match tag:
            case "t":
                self._in_text = False
            case "p":
                self._end_paragraph()
            case "tr" if self._tables == 1:
                self._rows.append(" | ".join(" ".join(cell) for cell in self._cells))
            case "tbl":
                self._tables -= 1
                if not self._tables:
                    self._put("\n".join(self._rows), "table")
                    self._rows = []
            case tag if tag in _HIDDEN:
                self._hidden -= 1

    def _end_paragraph(self) -> None:
        text, level, indent = "".join(self._text).strip(), self._level, self._indent
        self._text, self._level, self._indent = [], 0, None
        if self._tables:
            if self._cells and text:
                self._cells[-1].append(" ".join(text.split()))
            return
        if indent is not None and not level and text:
            self._items.append(f"{'  ' * indent}- {' '.join(text.split())}")
            return
        self._end_items()
        if level:
            self._builder.heading(level, text)
        else:
            self._put(text, "paragraph")

    def _end_items(self) -> None:
        if self._items:
            self._put("\n".join(self._items), "list")
            self._items = []

    def _put(self, text: str, kind: SpanKind) -> None:
        if text.strip() and self._heading:
            self._builder.heading(1, self._heading)
            self._heading = ""
        self._builder.paragraph(text, kind)


def _describe(package: Package, file: FileFacts) -> FileDescription:
    stated: dict[str, str] = {}
    tag = ""
    for event in package.elements("docProps/core.xml"):
        tag = event.tag if event.kind == "start" else tag
        if event.kind == "text":
            stated[tag] = " ".join((stated.get(tag, "") + event.text).split())
    names = (("author", "creator"), ("subject", "subject"), ("keywords", "keywords"))
    properties: dict[str, PropertyValue] = {
        name: stated[key] for name, key in names if stated.get(key)
    }
    return FileDescription(
        stated.get("title") or file_title(file.path, _SUFFIX),
        properties,
        description=stated.get("description") or None,
        created=_moment(stated.get("created", "")),
    )


def _moment(text: str) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


DOCX = Reader(_SUFFIX, "Word documents", _read, "docx", in_child=True, binary=True)
