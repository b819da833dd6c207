"""The records of a parsed query: its words, and the tree of conditions that must hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from notewell.base.types import PropertyValue
from notewell.base.types.frozen import frozen

Comparison = Literal["=", ">", ">=", "<", "<="]
SearchText = Callable[[str], "re.Match[str] | None"]  # as `re.Pattern.search`; RE2 has the same


@frozen
class Text:
    """The note contains this text. `exact`: as a phrase; else all its words, anywhere."""

    text: str
    exact: bool


@frozen
class Matches:
    """The note's text or path matches a pattern of RE2, ignoring case unless a scope says not."""

    pattern: str


@frozen
class Within:
    """`part` is true of one piece of the note's text: a line, a task; or with regard to case."""

    scope: str  # of SCOPES
    part: Node


@frozen
class PathContains:
    """The note's path (`path:`) or file name (`file:`) contains `text`, ignoring case.

    `is_pattern`: it matches `text` as a pattern of RE2.
    """

    field: Literal["path", "file"]
    text: str
    is_pattern: bool = False


@frozen
class Tagged:
    """The note has this tag or a child of it. `tag` is case-folded, without `#`."""

    tag: str


@frozen
class ValueTest:
    """One comparison with a property's value. `operand` None stands for "no value" (`null`).

    The comparison `~` is that with a pattern of RE2.
    """

    comparison: Comparison | Literal["~"]
    operand: str | None


@frozen
class Property:
    """The note has the property and, where `tests` are given, a value that meets one of them."""

    name: str
    tests: tuple[ValueTest, ...]
    reason: Literal["property", "type", "status"]


@frozen
class Dated:
    """The note's time lies in [start, end), POSIX seconds; None is open."""

    field: Literal["created", "modified"]
    start: float | None
    end: float | None


@frozen
class Not:
    """The note does not meet `part`."""

    part: Node


@frozen
class All:
    """The note meets every part."""

    parts: tuple[Node, ...]


@frozen
class Either:
    """The note meets at least one part."""

    parts: tuple[Node, ...]


Node: TypeAlias = (
    "Text | Matches | Within | PathContains | Tagged | Property | Dated | Not | All | Either"
)


@frozen
class ParsedQuery:
    """A parsed query: `text` is scored, `condition` must hold whatever the score.

    `phrases` are the quoted parts of `text`. `warnings` name text that looks like
    syntax but was read as plain text. `lists`: a note that meets the condition is found even if it
    has no word of `text`.
    """

    text: str
    condition: Node | None = None
    phrases: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    lists: bool = False


def describe_query(parsed: ParsedQuery) -> Mapping[str, PropertyValue]:
    """The parts of a parsed query, for an explanation."""
    return {
        "text": parsed.text,
        "phrases": parsed.phrases,
        "condition": describe(parsed.condition),
    }


def describe(node: Node | None) -> str:
    """The condition in query syntax, for an explanation."""
    match node:
        case None:
            shown = ""
        case Text() | Matches() | Within():
            shown = _describe_text(node)
        case PathContains(field, text, is_pattern):
            shown = f"{field}:/{text}/" if is_pattern else f'{field}:"{text}"'
        case Tagged(tag):
            shown = f"tag:{tag}"
        case Property(name, tests, _):
            shown = f"[{name}{':' if tests else ''}{' OR '.join(map(_describe_test, tests))}]"
        case Dated(field, start, end):
            shown = f"{field}:{_number(start)}..{_number(end)}"
        case Not(part):
            shown = f"-{describe(part)}"
        case All(parts):
            shown = f"({' '.join(map(describe, parts))})"
        case Either(parts):
            shown = f"({' OR '.join(map(describe, parts))})"
    return shown


def _describe_text(node: Text | Matches | Within) -> str:
    if isinstance(node, Text):
        return f'"{node.text}"' if node.exact else node.text
    if isinstance(node, Matches):
        return f"/{node.pattern}/"
    inner = describe(node.part)
    return f"{node.scope}:{inner}" if inner[:1] == "(" else f"{node.scope}:({inner})"


def _describe_test(test: ValueTest) -> str:
    if test.operand is None:
        return "null"
    if test.comparison == "~":
        return f"/{test.operand}/"
    return test.operand if test.comparison == "=" else f"{test.comparison}{test.operand}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"
