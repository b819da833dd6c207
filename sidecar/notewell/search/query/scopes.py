"""Tests the text of a note as it is written: patterns, and conditions within a line or a task.

The index has the words of passages without markup, so these conditions read the notes that may
meet them. A block is a paragraph, an item of a list, a heading or a block of code; a section is
what stands between two headings, the first included; a task is an item of a list with a box.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from notewell.index.analyze import words
from notewell.search.query.language import All, Either, Matches, Node, Not, SearchText, Text, Within
from notewell.search.query.parser import compile_pattern
from notewell.vault.parse import one_line_end

TextTest = Callable[[str], bool]
MakeTextTest = Callable[..., TextTest]  # of a text, `exact`, as `conditions.text_matcher`
FindMatch = Callable[[str], tuple[int, int] | None]

_FENCE = re.compile(r"[ \t>]*+(`{3,}+|~{3,}+)")
_HEADING = re.compile(r"#{1,6}[ \t]")
_ITEM = re.compile(r"[ \t>]*+(?:[-*+]|\d{1,9}[.)])[ \t]+")
_TASK = re.compile(r"[ \t>]*+(?:[-*+]|\d{1,9}[.)])[ \t]+\[(?P<box>[^\n])\][ \t]")


def needed_words(node: Node) -> Sequence[str]:
    """Words that a note must have to meet a condition, as the index has them."""
    match node:
        case Text(text, _):
            return words(text.lower())
        case Within(_, part):
            return needed_words(part)
        case All(parts):
            return [word for part in parts for word in needed_words(part)]
        case _:
            return ()


def written_test(node: Node, matching: MakeTextTest, *, cased: bool = False) -> TextTest:
    """A test whether a text meets a condition. `matching` makes tests that ignore case."""
    make = partial(written_test, matching=matching, cased=cased)
    match node:
        case Text(text, exact):
            test = partial(_holds_as_written, text) if cased else matching(text, exact=exact)
        case Matches(pattern):
            test = partial(_has_match, compile_pattern(pattern, cased=cased))
        case Not(part):
            test = partial(_none, [make(part)])
        case All(parts):
            test = partial(_every, [make(part) for part in parts])
        case Either(parts):
            test = partial(_some, [make(part) for part in parts])
        case Within("match-case" | "ignore-case" as scope, part):
            test = written_test(part, matching, cased=scope == "match-case")
        case Within("content", part):
            test = make(part)
        case Within(scope, part):
            test = partial(_some_piece, make(part), scope)
        case _:
            test = partial(_every, ())  # the parser lets no other condition stand in a scope
    return test


def match_finder(node: Node | None) -> FindMatch | None:
    """Finds the first match of a query's patterns in a text, as (start, end); None: it has none."""
    searches = [compile_pattern(pattern.pattern, cased=False) for pattern in _patterns(node)]
    return partial(_first_match, searches) if searches else None


def _patterns(node: Node | None) -> list[Matches]:
    match node:
        case Matches():
            return [node]
        case Within(_, part):
            return _patterns(part)
        case All(parts) | Either(parts):
            return [pattern for part in parts for pattern in _patterns(part)]
        case _:
            return []


def _first_match(searches: Sequence[SearchText], text: str) -> tuple[int, int] | None:
    spans = (match.span() for search in searches if (match := search(text)) is not None)
    return next((span for span in spans if span[0] < span[1]), None)


def _has_match(search: SearchText, text: str) -> bool:
    return search(text) is not None


def _every(tests: Sequence[TextTest], text: str) -> bool:
    return all(test(text) for test in tests)


def _some(tests: Sequence[TextTest], text: str) -> bool:
    return any(test(text) for test in tests)


def _none(tests: Sequence[TextTest], text: str) -> bool:
    return not _some(tests, text)


def _some_piece(test: TextTest, scope: str, text: str) -> bool:
    return any(map(test, pieces(text, scope)))


def _holds_as_written(wanted: str, text: str) -> bool:
    """True if a text has words in their own case, not within longer words."""
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        joined = text[at - 1 : at].isalnum() and wanted[0].isalnum() and at > 0
        if not joined and not (text[end : end + 1].isalnum() and wanted[-1].isalnum()):
            return True
        at = text.find(wanted, at + 1)
    return False


def pieces(text: str, scope: str) -> Iterator[str]:
    """The pieces of a text that a scope speaks of, in order."""
    lines = one_line_end(text).split("\n")
    if scope == "line":
        yield from lines
    elif scope == "section":
        yield from _join(lines, lambda line, _: _HEADING.match(line) is not None)
    else:
        blocks = (block for block in _join(lines, _begins_block) if block.strip())
        yield from blocks if scope == "block" else filter(partial(_is_task, scope), blocks)


def _begins_block(line: str, before: str) -> bool:
    begins = not line.strip(" \t>") or not before.strip(" \t>")
    return (
        begins
        or any(pattern.match(line) for pattern in (_HEADING, _ITEM))
        or bool(_HEADING.match(before))
    )


def _join(lines: Sequence[str], begins: Callable[[str, str], bool]) -> Iterator[str]:
    """Lines together, up to the next that begins a piece; none begins in a block of code."""
    piece: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if not fence and piece and begins(line, piece[-1]):
            yield "\n".join(piece)
            piece = []
        piece.append(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
    yield "\n".join(piece)


def _is_task(scope: str, block: str) -> bool:
    match = _TASK.match(f"{block}\n")
    if match is None:
        return False
    is_open = match["box"] == " "
    return scope == "task" or is_open == (scope == "task-todo")
