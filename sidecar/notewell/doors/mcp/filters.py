"""Filters of the tools that search, as conditions of the query language.

Whoever writes a query as text may write these conditions in it; a program fills an object more
easily. Only a glob has no counterpart in the language: it narrows what the search has found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import pathspec
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from notewell.base.errors import UsageError
from notewell.base.types.hints import Ge, Le, MinLen
from notewell.doors.mcp.arguments import (
    lenient,
)
from notewell.search.query import dates

_TESTS = ("eq", "gt", "lt", "in")
_LITERAL = re.compile(r"[^*?\[\]!\"]+")  # parts of a glob that stand in every path that it matches
_OPERATORS = re.compile(r"[\"“”„()\[\]:#]")
_NEGATION = re.compile(r"(^|\s)-+(?=\S)")
_ANY_DAY = 1.0  # a time from which relative dates can be counted to check them
_Text = Annotated[str, MinLen(1)]


class Filters(BaseModel):
    """Conditions that all have to hold.

    `namespace` is a vault or a folder of one; `dates` are ranges as in the query language.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    namespace: str | None = None
    type: _Text | None = None
    path: _Text | None = Field(None, description="Glob, such as Work/**/*.md")
    tags: list[_Text] = []
    dates: dict[str, str] = Field({}, description="created, modified: 2026-01..2026-03, 7d")
    min_confidence: Annotated[float, Ge(0), Le(1)] | None = None
    properties: dict[str, Any] = Field(
        {}, description="Name: value, or an object of eq, gt, lt, in"
    )

    @model_validator(mode="before")
    @classmethod
    def _read_leniently(cls, given: Any) -> Any:
        return lenient(cls, given)

    @field_validator("path")
    @classmethod
    def _check_glob(cls, value: str | None) -> str | None:
        if value is not None and (value.startswith(("!", "#")) or not value.strip()):
            raise ValueError("is no glob such as Work/**/*.md")
        return value

    @field_validator("dates")
    @classmethod
    def _check_dates(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if name not in {"created", "modified"}:
                raise ValueError(f"`{name}` must be created or modified")
            if dates.bounds(text, _ANY_DAY) is None or " " in text.strip():
                raise ValueError(f"`{name}` is no range such as 2026-01..2026-03, >2026-01-01, 7d")
        return value

    def conditions(self) -> str:
        """Return the filters in the query language; raise UsageError for one it cannot express."""
        return " ".join(self._conditions())

    def matches(self, path: str) -> bool:
        """True if the glob, if there is one, matches a path."""
        if self.path is None:
            return True
        return pathspec.GitIgnoreSpec.from_lines([self.path]).match_file(path)

    def _conditions(self) -> Iterator[str]:
        if self.type is not None:
            yield _test("type", "=", self.type)
        for tag in self.tags:
            yield f"tag:{quote_value(tag)}"
        if self.path is not None:
            literal = max(_LITERAL.findall(self.path), key=len, default="").strip("/")
            if literal:
                yield f"path:{quote_value(literal)}"
        for name, text in self.dates.items():
            yield f"{name}:{text.strip()}"
        if self.min_confidence is not None:
            yield _test("confidence", ">=", self.min_confidence)
        for name, wanted in self.properties.items():
            yield from _property(name, wanted)


def plain_words(text: str) -> str:
    """Return a text whose words the query language scores and reads no operator in."""
    words = _NEGATION.sub(r"\1", _OPERATORS.sub(" ", text)).split()
    return " ".join("or" if word == "OR" else word for word in words)


def _property(name: str, wanted: Any) -> Iterator[str]:
    if not isinstance(wanted, Mapping):
        wanted = {"in": wanted} if isinstance(wanted, list) else {"eq": wanted}
    unknown = sorted(set(wanted) - set(_TESTS))
    if unknown or not wanted:
        raise UsageError(
            f"`filters.properties.{name}` takes {', '.join(_TESTS)}"
            + (f", not {', '.join(unknown)}." if unknown else ".")
        )
    for test, value in wanted.items():
        match test:
            case "in":
                if not isinstance(value, list) or not value:
                    raise UsageError(f"`in` of `filters.properties.{name}` needs a list of values.")
                yield f"[{_name(name)}:{' OR '.join(_operand(name, item) for item in value)}]"
            case "gt":
                yield _test(name, ">", value)
            case "lt":
                yield _test(name, "<", value)
            case _:
                yield _test(name, "=", value)


def _test(name: str, comparison: str, value: object) -> str:
    sign = "" if comparison == "=" else comparison
    return f"[{_name(name)}:{sign}{_operand(name, value)}]"


def _name(name: str) -> str:
    if not name.strip() or re.search(r"[\[\]\n:]", name):
        raise UsageError(f"`{name[:100]}` cannot be the name of a property.")
    return name.strip()


def _operand(name: str, value: object) -> str:
    """A value as a condition has it, quoted so that nothing in it is read as an operator."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value}"
    if not isinstance(value, str) or not value or re.search(r"[\[\]\n]|\sOR\s", value):
        raise UsageError(
            f"A value of `{name}` is a text without brackets and line ends, a number, true, false"
            " or null."
        )
    return f'"{value}"'


def quote_value(text: str) -> str:
    """Return a text as the value of a filter of the query language."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
