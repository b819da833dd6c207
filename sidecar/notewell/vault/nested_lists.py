"""Finds the parent items of a line in a nested list, from list marks and indentation."""

from __future__ import annotations

import re
from collections.abc import Iterator

_INDENT = re.compile(r"[ \t]*")
_ITEM_MARK = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_MAX_LOOK_BACK = 500  # lines; a list whose items all hang under one far above names no parent


def parent_item(text: str, begin: int, at: int) -> str | None:
    """The text of the item above the line at `at` that is indented less; not before `begin`."""
    line = _line_of(text, begin, at)
    own = _indent(text, line)
    if not own:
        return None
    for above in _above(text, begin, line):
        if _ITEM_MARK.match(text, above) and _indent(text, above) < own:
            return item_text(text, above)
    return None


def items_around(text: str, at: int) -> tuple[int, ...]:
    """The offsets of the lines of all list items around `at`, innermost first; () outside a list.

    Outer items that begin before `text` are not included.
    """
    line = _line_of(text, 0, at)
    items: list[int] = []
    for each in (line, *_above(text, 0, line)):
        indent = _indent(text, each)
        if not _ITEM_MARK.match(text, each):
            if not indent:
                break  # neither an item nor what continues one
        elif not items or indent < _indent(text, items[-1]):
            items.append(each)
            if not indent:
                break
    return tuple(items)


def item_text(text: str, line: int) -> str | None:
    """The text of the item whose first line starts at `line`, without its list mark."""
    marked = _ITEM_MARK.match(text, line)
    end = text.find("\n", line)
    start = marked.end() if marked else line
    return text[start : end if end >= 0 else len(text)].strip() or None


def _line_of(text: str, begin: int, at: int) -> int:
    """The offset at which the line containing `at` starts."""
    return text.rfind("\n", begin, at) + 1 or begin


def _above(text: str, begin: int, line: int) -> Iterator[int]:
    """The offsets of the lines before `line`, nearest first."""
    for _ in range(_MAX_LOOK_BACK):
        if line <= begin:
            return
        line = text.rfind("\n", begin, line - 1) + 1 or begin
        yield line


def _indent(text: str, line: int) -> int:
    match = _INDENT.match(text, line)
    return len(match[0].expandtabs(4)) if match else 0
