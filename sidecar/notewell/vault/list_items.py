"""Reads nested lists from list marks and indentation: items, what they hang under, paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

_INDENT = re.compile(r"[ \t]*")
_ITEM_MARK = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_ITEM = re.compile(rf"^{_ITEM_MARK.pattern}", re.MULTILINE)
_FENCES = ("```", "~~~")
_BLANKS, _MARKS = frozenset(" \t"), frozenset("-*+")
# A list whose items all hang under one far above names no parent.
_MAX_LOOK_BACK = 500  # lines
_MAX_CHARACTERS_BACK = 50_000
_LONGEST_NAME = 1_000  # characters of an item that others are said to hang under


def parent_item(text: str, begin: int, at: int) -> str | None:
    """The text of the item above the line at `at` that is indented less; not before `begin`."""
    if at - begin > _MAX_CHARACTERS_BACK:
        begin = text.find("\n", at - _MAX_CHARACTERS_BACK, at) + 1
        if not begin:
            return None
    line = _line_of(text, begin, at)
    own = indent_of(text, line)
    if not own:
        return None
    for above in _above(text, begin, line):
        if _ITEM_MARK.match(text, above) and indent_of(text, above) < own:
            return item_text(text, above)
    return None


def items_around(text: str, at: int) -> tuple[int, ...]:
    """The offsets of the lines of all list items around `at`, innermost first; () outside a list.

    Outer items that begin before `text` are not included.
    """
    line = _line_of(text, 0, at)
    items: list[int] = []
    for start in chain((line,), _above(text, 0, line)):
        indent = indent_of(text, start)
        if not _ITEM_MARK.match(text, start):
            if not indent:
                break  # neither an item nor what continues one
        elif not items or indent < indent_of(text, items[-1]):
            items.append(start)
            if not indent:
                break
    return tuple(items)


def items_beyond(before: Iterable[str], indent: int) -> list[str]:
    """The texts of the items that a line of this indentation is inside, outermost first.

    They are looked for in `before`: the passages of the same list above it, nearest first.
    """
    items: list[str] = []
    lines = chain.from_iterable(reversed(text.split("\n")) for text in before)
    for line in islice(lines, _MAX_LOOK_BACK):
        if not indent:
            break
        own = indent_of(line, 0)
        if not _ITEM_MARK.match(line):
            if not own:
                break  # neither an item nor what continues one
        elif own < indent:
            indent = own
            name = item_text(line, 0)
            items[:0] = [name] if name else []
    return items


def may_have_items(text: str) -> bool:
    """True if a line of `text` begins like a list item; it may be in a code block."""
    return _ITEM.search(text) is not None


def item_text(text: str, line: int) -> str | None:
    """The text of the item whose first line starts at `line`, without its list mark."""
    marked = _ITEM_MARK.match(text, line)
    start = marked.end() if marked else line
    most = start + _LONGEST_NAME
    end = text.find("\n", start, most)
    return text[start : end if end >= 0 else most].strip() or None


@dataclass(slots=True)
class TextBlock:
    """A list item without the items in it, or a paragraph: text[start:end], without its list mark.

    `line` is the offset of its first line, `parents` are those of the items around it, innermost
    first, `children` is the number of items directly in it.
    """

    line: int
    start: int
    end: int
    is_item: bool
    parents: tuple[int, ...]
    children: int = 0


def text_blocks(text: str) -> tuple[TextBlock, ...]:
    """The list items and paragraphs of `text`, in order; a code block is part of its paragraph."""
    blocks: list[TextBlock] = []
    open_items: list[tuple[int, TextBlock]] = []  # with their indentation, outermost first
    current: TextBlock | None = None
    fenced, at = False, 0
    has_fences = any(fence in text for fence in _FENCES)
    for line in text.split("\n"):
        begins, bare = line[:1], line.rstrip()  # most lines are neither items nor indented
        indented = begins in _BLANKS
        fence = has_fences and bare.lstrip().startswith(_FENCES)
        may_be_item = indented or begins in _MARKS or begins.isdigit()
        marked = _ITEM_MARK.match(line) if may_be_item and not fenced else None
        indent = indent_of(line, 0) if indented else 0
        if not (bare or fenced):
            current = None
        elif marked or current is None or not (fenced or indent or not current.is_item):
            while open_items and open_items[-1][0] >= indent:
                open_items.pop()
            begin = marked.end() if marked else len(line) - len(line.lstrip())
            current = TextBlock(at, at + begin, at, marked is not None, _lines_of(open_items))
            blocks.append(current)
            if marked:
                if open_items:
                    open_items[-1][1].children += 1
                open_items.append((indent, current))
        if current is not None:
            current.end = max(current.start, at + len(bare))
        fenced = fenced != fence
        at += len(line) + 1
    return tuple(blocks)


def _lines_of(open_items: list[tuple[int, TextBlock]]) -> tuple[int, ...]:
    """Where the items begin, innermost first."""
    return tuple([item.line for _, item in reversed(open_items)]) if open_items else ()


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


def indent_of(text: str, line: int) -> int:
    """The width of the indentation of the line at `line`; a tab reaches the next multiple of 4."""
    match = _INDENT.match(text, line)
    return len(match[0].expandtabs(4)) if match else 0
