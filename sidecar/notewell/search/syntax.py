"""The parts of a parsed query: an immutable tree of hard conditions beside the scored text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Comparison = Literal["=", ">", ">=", "<", "<="]


@dataclass(frozen=True, slots=True)
class Text:
    """The note holds this text. `exact`: as a phrase; else every word of it, anywhere."""

    text: str
    exact: bool


@dataclass(frozen=True, slots=True)
class PathContains:
    """The note's path (`path:`) or file name (`file:`) contains `text`, case aside."""

    field: Literal["path", "file"]
    text: str


@dataclass(frozen=True, slots=True)
class Tagged:
    """The note has this tag or a child of it. `tag` is folded and without `#`."""

    tag: str


@dataclass(frozen=True, slots=True)
class ValueTest:
    """One comparison with a property's value. `operand` None stands for "no value" (`null`)."""

    comparison: Comparison
    operand: str | None


@dataclass(frozen=True, slots=True)
class Property:
    """The note has the property and, where `tests` are given, a value that meets one of them."""

    name: str
    tests: tuple[ValueTest, ...]
    reason: Literal["property", "type", "status"]


@dataclass(frozen=True, slots=True)
class Dated:
    """The note's time lies in [start, end), POSIX seconds; None is open."""

    field: Literal["created", "modified"]
    start: float | None
    end: float | None


@dataclass(frozen=True, slots=True)
class Not:
    """The note does not meet `part`."""

    part: Node


@dataclass(frozen=True, slots=True)
class All:
    """The note meets every part."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """The note meets at least one part."""

    parts: tuple[Node, ...]


Node: TypeAlias = "Text | PathContains | Tagged | Property | Dated | Not | All | Either"


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """What a query asks: `text` is scored, `condition` must hold whatever the score.

    `phrases` are the quoted parts of `text`. `warnings` name what was read as plain text although
    it looks like syntax.
    """

    text: str
    condition: Node | None = None
    phrases: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def describe(node: Node | None) -> str:
    """The condition as a person would write it, for the trace."""
    match node:
        case None:
            shown = ""
        case Text(text, exact):
            shown = f'"{text}"' if exact else text
        case PathContains(field, text):
            shown = f'{field}:"{text}"'
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


def _describe_test(test: ValueTest) -> str:
    if test.operand is None:
        return "null"
    return test.operand if test.comparison == "=" else f"{test.comparison}{test.operand}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"
