"""Finds the regions of a note whose content is not Markdown.

Code, math, comments and scripts are found in a single pass, because each kind hides the others:
`%%` in code is text, and a fence in a comment does not open code. The data of an Excalidraw
drawing is found by its headings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from notewell.base.types import PropertyValue
from notewell.base.types.frozen import frozen
from notewell.vault.indents import INDENT_OF_CODE, NEEDS_INDENTS, Indents, column_of

RegionKind = Literal["code", "math"]

# Every alternative begins with a literal: the search then skips by character set.
_FENCES = re.compile(r"````*+|~~~~*+|\$\$")
_FENCE_MARKS = ("```", "~~~", "$$")
_HIDING_MARKS = ("%%", "<!--", "<script", "<style")
# Inline code matters only where something in it could be taken for a comment or a script. A group
# that matched means a whole comment on one line, which is what most comments are.
_ALL_MARKS = re.compile(
    r"``*+|%%([^%\n]*+%%)|<!--([^-<\n]*+(?:(?:-(?!->)|<(?!!--))[^-<\n]*+)*-->)|~~~~*+|\$\$|%%|<!--|<script\b|<style\b"
)
# A fence may stand in a quote or behind a list marker, and math in a quote.
_LEAD = re.compile(r"[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)?\Z")
_MAX_LEAD = 200
_NOT_QUOTED = re.compile(r"^(?![ \t]*>)", re.MULTILINE)
_NOT_NEWLINE = re.compile(r"[^\n]")
_LISTED_FENCE = re.compile(
    r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:```|~~~)|^ +(?:```|~~~)", re.MULTILINE
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_TICKS = re.compile(r"`+")
_DRAWING = re.compile(r"[^\n]*\n\s*\{\s*\"type\"\s*:\s*\"excalidraw")
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


@frozen
class Region:
    """A stretch of whole lines that is one block. `inner` is its content without the marks.

    `quoted` blocks stand in a quote: each of their lines begins with `>`.
    """

    kind: RegionKind
    start: int
    end: int
    inner_start: int
    inner_end: int
    quoted: bool = False
    indent: int = 0  # columns before each line that are no part of it


@frozen
class Regions:
    """The source with comments and scripts blanked out (same length), and the blocks of code.

    `comments` are the places of Obsidian's own comments (`%%`): their links and tags count.
    """

    text: str
    blocks: tuple[Region, ...]
    comments: tuple[tuple[int, int], ...] = ()


def find_regions(text: str, start: int) -> Regions:
    r"""Scan `text` from `start`; its line ends must all be `\n`."""
    # Looking for a few plain strings is many times as fast as for one pattern of them all.
    is_indented = _may_be_indented(text, start)
    if any(text.find(mark, start) >= 0 for mark in _HIDING_MARKS):
        return _Scan(text, start, is_indented=is_indented).run(_ALL_MARKS, start)
    if is_indented or any(text.find(mark, start) >= 0 for mark in _FENCE_MARKS):
        return _Scan(text, start, is_indented=is_indented).run(_FENCES, start)
    return Regions(text, ())


def _may_be_indented(text: str, start: int) -> bool:
    """True if a note may hold indented code, or a fence that an item of a list ends."""
    return ("    " in text or "\t" in text or _LISTED_FENCE.search(text, start) is not None) and (
        NEEDS_INDENTS.search(text, start) is not None
    )


class _Scan:
    """The state of one pass: regions found so far, and caches that keep the pass linear."""

    def __init__(self, text: str, start: int, *, is_indented: bool) -> None:
        """`is_indented`: indents are looked at, which takes a look at every line."""
        self._text = text
        self._indents = Indents(text, start) if is_indented else None
        self._blocks: list[Region] = []
        self._comments: list[tuple[int, int]] = []
        self._kept: list[str] = []
        self._kept_until = 0
        # Caches that keep the pass linear: marks that do not occur any more, and the ends of the
        # current line and quote, and the inline code of the current line.
        self._absent: set[str] = set()
        self._line = (0, -1)
        self._quoted_until = -1
        self._spans: dict[int, int] = {}
        self._spans_until = -1

    def run(self, marks: re.Pattern[str], position: int) -> Regions:
        text = self._text
        while match := marks.search(text, position):
            mark = match.group()
            if (code_end := self._read_indented(match.start())) is not None:
                position = max(position, code_end)
                continue
            if match.lastindex:
                position = match.end()
                self._blank(match.start(), position)
                if match.lastindex == 1:
                    self._comments.append(match.span(1))
            elif mark == "%%":
                position = self._blank_out(match, "%%", match.end())
            elif mark == "<!--":
                position = self._blank_out(match, "-->", match.end() - 2)
            elif mark[0] == "<":
                position = self._blank_out(match, f"</{mark[1:]}>", match.end())
            else:
                position = self._fence_or_span(match)
        while self._read_indented(len(text)) is not None:
            pass
        comments = tuple(self._comments)
        if not self._kept:
            return Regions(text, tuple(self._blocks), comments)
        self._kept.append(text[self._kept_until :])
        return Regions("".join(self._kept), tuple(self._blocks), comments)

    def _read_indented(self, until: int) -> int | None:
        """Read the next indented code up to `until`; where it ends, None if there is none."""
        indented = self._indents.walk(until) if self._indents is not None else None
        if indented is None:
            return None
        start, end, indent = indented
        self._blocks.append(Region("code", start, end, start, end, indent=indent))
        return end

    def _fence_or_span(self, match: re.Match[str]) -> int:
        """Read a code fence, display math or inline code, depending on the text before the mark."""
        text, mark = self._text, match.group()
        if mark[0] == "`" and len(mark) < 3:
            return self._code_span(match, self._line_end(match.end()))
        lead = self._lead(match.start())
        at_start = lead is not None and _LEAD.match(lead) is not None
        if mark == "$$":
            start = match.start() - len(lead or "")
            return self._math(start, match.end()) if at_start else match.end()
        line_end = self._line_end(match.end())
        fence = mark[0] == "~" or text.find("`", match.end(), line_end) < 0
        if self._indents is not None and self._indents.continues:
            at_start = False
        if fence and at_start:
            end = self._fence(match, lead or "", line_end)
            if self._indents is not None:
                self._indents.skip(end)
            return end
        return self._code_span(match, line_end) if mark[0] == "`" else match.end()

    def _lead(self, position: int) -> str | None:
        """Return the text before `position` on its line; None if that is very long."""
        floor = max(0, position - _MAX_LEAD)
        line_start = self._text.rfind("\n", floor, position)
        return (
            self._text[max(line_start + 1, floor) : position]
            if line_start >= 0 or not floor
            else None
        )

    def _line_end(self, position: int) -> int:
        # Kept between calls: a line of a million marks is searched for its end once.
        if not self._line[0] <= position <= self._line[1]:
            line_end = self._text.find("\n", position)
            self._line = (position, len(self._text) if line_end < 0 else line_end)
        return self._line[1]

    def _fence(self, match: re.Match[str], lead: str, line_end: int) -> int:
        text, mark = self._text, match.group()
        start, limit = match.start() - len(lead), len(text)
        quoted = ">" in lead
        if quoted:
            if self._quoted_until <= line_end:
                outside = _NOT_QUOTED.search(text, line_end + 1)
                self._quoted_until = outside.start() if outside else limit
            limit = self._quoted_until
        elif self._indents is not None:
            limit = self._indents.item_end(line_end + 1)
        if quoted:
            pattern = rf"^[ \t>]*+{mark[0]}{{{len(mark)},}}[ \t]*$"
            closing = re.compile(pattern, re.MULTILINE).search(text, line_end + 1, limit)
        else:
            closing = self._closing(mark, line_end + 1, limit)
        inner_start = min(line_end + 1, limit)
        inner_end = closing.start() if closing else limit
        end = min(closing.end() + 1, len(text)) if closing else limit
        words = text[match.end() : line_end].split()
        language = words[0].lower() if words else ""
        if language == "compressed-json" or _DRAWING.match(text, match.end()):
            self._blank(inner_start, inner_end)
        self._blocks.append(Region("code", start, end, inner_start, inner_end, quoted))
        return end

    def _closing(self, mark: str, start: int, limit: int) -> re.Match[str] | None:
        """The fence that closes one: at most three columns right of where the content begins."""
        content = 0 if self._indents is None else self._indents.content
        pattern = re.compile(rf"^([ \t]*+){mark[0]}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
        for match in pattern.finditer(self._text, start, limit):
            if column_of(match[1]) - content < INDENT_OF_CODE:
                return match
        return None

    def _math(self, start: int, after: int) -> int:
        """Read `$$ … $$` as a block if it has no blank line and no text after it."""
        text = self._text
        closing = self._find("$$", after)
        if closing < 0 or _BLANK_LINE.search(text, after, closing):
            return after
        line_end = self._line_end(closing + 2)
        if text[closing + 2 : line_end].strip():
            return closing + 2
        end = min(line_end + 1, len(text))
        self._blocks.append(Region("math", start, end, after, closing))
        return end

    def _code_span(self, match: re.Match[str], line_end: int) -> int:
        """Skip inline code, which for this pass ends on its own line."""
        if self._spans_until < match.end():
            self._spans = code_spans(self._text, match.start(), line_end)
            self._spans_until = line_end
        return self._spans.get(match.start(), match.end())

    def _blank_out(self, match: re.Match[str], closing: str, after: int) -> int:
        """Blank out a comment or script. An unclosed one hides the rest if it began its line."""
        text = self._text
        close = self._find(closing, after)
        start = match.start()
        if close >= 0:
            end = close + len(closing)
        elif (lead := self._lead(start)) is None or lead.strip():
            return match.end()
        else:
            end = len(text)
        self._blank(start, end)
        if closing == "%%":
            self._comments.append((after, max(after, end - 2)))
        if self._indents is not None and "\n" in text[start:end]:
            self._indents.skip(end)
        return end

    def _find(self, needle: str, position: int) -> int:
        if needle in self._absent:
            return -1
        place = self._text.find(needle, position)
        if place < 0:
            self._absent.add(needle)
        return place

    def _blank(self, start: int, end: int) -> None:
        self._kept.append(self._text[self._kept_until : start])
        hidden = self._text[start:end]
        blank = " " * len(hidden) if "\n" not in hidden else _NOT_NEWLINE.sub(" ", hidden)
        self._kept.append(blank)
        self._kept_until = end


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


@frozen
class DrawnText:
    """One text of a drawing: its place in the source, and the id it can be linked by."""

    start: int
    end: int
    block: str | None


@frozen
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
