"""Tells, line by line, which list item a line belongs to, and which lines are indented code.

In CommonMark an indent of four means code, unless a list item is open: then it counts from the
item's content. A fence belongs to the item that it stands in, and ends with it. The lines of
quotations are not looked into. Source: https://spec.commonmark.org/0.31.2/#container-blocks
"""

from __future__ import annotations

import re

_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)")
_RULE = re.compile(r"(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_HEADING = re.compile(r"#{1,6}(?=[ \t]|$)")
INDENT_OF_CODE = 4  # columns
_TAB = 4
# Only a note with such lines needs a look at all lines: indented after a blank one, or a fence that
# is indented or in a list.
NEEDS_INDENTS = re.compile(
    r"(?:\n[ \t]*|^(?:#{1,6}[ \t][^\n]*|(?:```|~~~)[^\n]*|(?:[-*_][ \t]*){3,}"
    r"|[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]*))\n(?: {4}| {0,3}\t)"
    r"|^(?:[ \t]+|[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(?:```|~~~)|\A\n*(?: {4}| {0,3}\t)",
    re.MULTILINE,
)


class Indents:
    """Walks once through the lines of a text, from its beginning to its end."""

    def __init__(self, text: str, start: int) -> None:
        """Begin at the line that begins at `start`."""
        self._text = text
        self._at = start
        self._items: list[int] = []  # columns at which the content of open items begins
        self._in_paragraph = False
        self._is_empty_item = False  # the line before begins an item and has nothing else
        self.continues = False  # the last line goes on with a paragraph, whatever it begins with

    @property
    def content(self) -> int:
        """The column at which the content of the innermost open item begins; 0 outside of lists."""
        return self._items[-1] if self._items else 0

    def walk(self, until: int) -> tuple[int, int, int] | None:
        """Walk on to the line that holds `until`, and past its list markers.

        Returns the place of the next indented code on the way, with its line ends, and the column
        at which it begins, and stands behind it; None if there is none.
        """
        text = self._text
        while self._at <= until and self._at < len(text):
            end = text.find("\n", self._at)
            end = len(text) if end < 0 else end
            line = text[self._at : end]
            if not line.strip():
                if self._is_empty_item:  # an item may begin with one blank line at most
                    self._items.pop()
                self._in_paragraph = self._is_empty_item = self.continues = False
                self._at = end + 1
                continue
            column, bare = _indent(line)
            self.continues = self._in_paragraph and column - self.content >= INDENT_OF_CODE
            if self._is_code(column):
                return self._code()
            self._open(column, bare)
            self._at = end + 1
        return None

    def skip(self, position: int) -> None:
        """Go on at the line of `position`: what lies before it is a block that ends there."""
        if position > self._at:
            line_end = self._text.rfind("\n", 0, position)
            self._at = position if line_end == position - 1 else line_end + 1
            if self._at < position:  # the rest of this line follows a block
                self._at = self._text.find("\n", position) + 1 or len(self._text)
        self._in_paragraph = False

    def item_end(self, position: int) -> int:
        """Where the open item ends, of which a block begins on the line before `position`.

        That is the first line that is not blank and is indented less than the item's content.
        """
        text, content = self._text, self.content
        if not content:
            return len(text)
        at = position
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            line = text[at:end]
            if line.strip() and _indent(line)[0] < content:
                return at
            at = end + 1
        return len(text)

    def _is_code(self, column: int) -> bool:
        if self._in_paragraph:
            return False
        content = self.content
        if self._items and column < content:
            content = max((item for item in self._items if item <= column), default=0)
        return column - content >= INDENT_OF_CODE

    def _code(self) -> tuple[int, int, int]:
        """The lines of code from here on, and their indent; blank lines count if code follows."""
        text = self._text
        first = text.find("\n", self._at)
        self._close(_indent(text[self._at : len(text) if first < 0 else first])[0])
        least = self.content + INDENT_OF_CODE
        begin = end = at = self._at
        while at < len(text):
            stop = text.find("\n", at)
            stop = len(text) if stop < 0 else stop
            line = text[at:stop]
            if line.strip():
                if _indent(line)[0] < least:
                    break
                end = min(stop + 1, len(text))
            at = stop + 1
        self._at = end
        self._in_paragraph = False
        return begin, end, least

    def _close(self, column: int) -> None:
        while self._items and column < self._items[-1]:
            self._items.pop()

    def _open(self, column: int, bare: str) -> None:
        """Close items that end before this line, and open those that it begins."""
        if self.continues:
            return
        is_rule = _RULE.match(bare) is not None
        item = None if is_rule else _ITEM.match(bare)
        if item is not None and self._in_paragraph and column >= self.content:
            # In a paragraph only 1 begins a list, else a number at the end of a sentence would.
            item = item if item[0] in {"-", "*", "+", "1.", "1)"} and bare != item[0] else None
        begins = item is not None or is_rule or bare[0] in "#>" or bare.startswith(("```", "~~~"))
        if begins or not self._in_paragraph:
            self._close(column)
        while item is not None:
            rest = bare[item.end() :]
            gap, inner = _indent(rest, column + item.end())
            width = gap - column - item.end()
            width = 1 if not inner or width > INDENT_OF_CODE else width
            self._items.append(column + item.end() + width)
            column, bare = self._items[-1], inner
            item = None if _RULE.match(bare or "x") else _ITEM.match(bare)
        self._is_empty_item = not bare
        ends = not bare or is_rule or bare[0] == ">" or _HEADING.match(bare) is not None
        self._in_paragraph = not ends


def without_indent(line: str, columns: int) -> str:
    """The line without so many columns of white space at its beginning, or as many as it has."""
    column, bare = _indent(line)
    return " " * max(0, column - columns) + bare


def column_of(space: str) -> int:
    """The column behind white space that begins a line."""
    return _indent(f"{space}.")[0]


def _indent(line: str, column: int = 0) -> tuple[int, str]:
    """The column of the first character that is no white space, and the line from there on."""
    for at, char in enumerate(line):
        if char == " ":
            column += 1
        elif char == "\t":
            column += _TAB - column % _TAB
        else:
            return column, line[at:]
    return column, ""
