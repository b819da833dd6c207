"""Changes one member of a JSON text, comments allowed, and keeps every other byte.

Settings of editors are JSON with comments and trailing commas (JSONC). No maintained library of
Python writes it without losing them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_GAP = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_PART = re.compile(r"//[^\n]*|/\*.*?\*/|\s+|,", re.DOTALL)  # between two members
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN = re.compile(r"-?\d[\d.eE+-]*|true|false|null")
_MOST_NESTED = 200
_INDENT = "  "


class JsoncError(ValueError):
    """The text is not JSON; the message says where."""


@dataclass(slots=True)
class _Member:
    key: str
    start: int  # of the key
    value: _Value


@dataclass(slots=True)
class _Value:
    """A value and its place; of an object, its members."""

    start: int
    end: int
    members: list[_Member] | None = None

    def member(self, key: str) -> _Member | None:
        named = [member for member in self.members or () if member.key == key]
        return named[-1] if named else None  # of equal keys the last one counts


def parse(text: str) -> object:
    """The value of a text; raises JsoncError."""
    value = _JsoncText(text).whole()
    return json.loads(_without_comments(text, value))


def with_member(text: str, path: Sequence[str], value: object) -> str:
    """The text with a member set, in objects that are made where they are missing.

    A blank text becomes an object. Raises JsoncError if it is not JSON, or if what is on the
    path is not an object.
    """
    if not text.strip("\ufeff \t\r\n"):
        text = "{}\n"
    newline = "\r\n" if "\r\n" in text else "\n"
    place = _JsoncText(text).whole()
    for depth, key in enumerate(path):
        if place.members is None:
            raise JsoncError(f"{'.'.join(path[:depth]) or 'The whole'} is not an object")
        member = place.member(key)
        if member is None:
            for outer in reversed(path[depth + 1 :]):
                value = {outer: value}
            return _insert_member(text, place, key, value, newline)
        place = member.value
    column = _indent_at(text, place.start)
    written = _dump(value, column, newline)
    return text[: place.start] + written + text[place.end :]


def without_member(text: str, path: Sequence[str]) -> str:
    """The text without a member; unchanged where it has none. Raises JsoncError."""
    place = _JsoncText(text).whole() if text.strip("\ufeff \t\r\n") else _Value(0, 0)
    for key in path[:-1]:
        member = place.member(key)
        if member is None:
            return text
        place = member.value
    child = place.member(path[-1])
    return text if child is None else _remove_member(text, place, child)


def _insert_member(text: str, into: _Value, key: str, value: object, newline: str) -> str:
    members = into.members or []
    if not members:
        column = _indent_at(text, into.start)
        inner = column + _INDENT
        rest = text[into.start + 1 : into.end - 1]
        ends = "" if rest.strip() or newline in rest else newline + column
        written = f"{newline}{inner}{json.dumps(key)}: {_dump(value, inner, newline)}"
        at = into.start + 1
        return text[:at] + written + ends + text[at:]
    last = members[-1]
    start = text.rfind("\n", 0, last.start) + 1
    is_own_line = not text[start : last.start].strip() and start > into.start
    inner = text[start : last.start] if is_own_line else ""
    before = newline + inner if is_own_line else " "
    written = f"{before}{json.dumps(key)}: {_dump(value, inner, newline if is_own_line else None)}"
    comma = _comma_after(text, last.value.end)
    if comma is not None:  # a trailing one, which the new member takes over
        return text[: comma + 1] + written + "," + text[comma + 1 :]
    return text[: last.value.end] + "," + written + text[last.value.end :]


def _remove_member(text: str, place: _Value, member: _Member) -> str:
    members = place.members or []
    at = members.index(member)
    start = _start_of_blank(
        text, members[at - 1].value.end if at else place.start + 1, member.start
    )
    end = member.value.end
    comma = _comma_after(text, end)
    if comma is not None:
        return text[:start] + text[end:comma] + text[comma + 1 :]
    if at:
        before = _comma_after(text, members[at - 1].value.end)
        if before is not None:
            return text[:before] + text[before + 1 : start] + text[end:]
    return text[:start] + text[end:]


def _start_of_blank(text: str, after: int, at: int) -> int:
    """The begin of the blank before a member; after a comment of a line, its end stays."""
    start = len(text[:at].rstrip(" \t\r\n"))
    last = ""
    for part in _PART.finditer(text, after, at):
        last = part[0] if part[0].strip() else last
    return text.index("\n", start) + 1 if last.startswith("//") else start


def _comma_after(text: str, end: int) -> int | None:
    match = _GAP.match(text, end)
    at = match.end() if match else end
    return at if text[at : at + 1] == "," else None


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _dump(value: object, column: str, newline: str | None) -> str:
    if newline is None:
        return json.dumps(value, ensure_ascii=False)
    rows = json.dumps(value, ensure_ascii=False, indent=len(_INDENT)).split("\n")
    return f"{newline}{column}".join(rows)


def _without_comments(text: str, value: _Value) -> str:
    """The text of a value as plain JSON: no comments, no trailing commas."""
    parts = []
    at = value.start
    while at < value.end:
        string = _STRING.match(text, at)
        gap = _GAP.match(text, at)
        if string:
            parts.append(string[0])
            at = string.end()
        elif gap and gap.end() > at:
            parts.append(" ")
            at = gap.end()
        elif text[at] == "," and text[_end_of_gap(text, at + 1)] in "}]":
            at += 1
        else:
            parts.append(text[at])
            at += 1
    return "".join(parts)


def _end_of_gap(text: str, at: int) -> int:
    match = _GAP.match(text, at)
    return match.end() if match else at


@dataclass(slots=True)
class _JsoncText:
    """Reads a text from its begin to its end; `at` is the place it has come to."""

    text: str
    at: int = field(default=0)

    def whole(self) -> _Value:
        self.at = 1 if self.text.startswith("\ufeff") else 0
        self._skip()
        value = self._value(0)
        self._skip()
        if self.at < len(self.text):
            raise self._error("the end")
        return value

    def _value(self, depth: int) -> _Value:
        if depth > _MOST_NESTED:
            raise self._error("less nesting")
        start = self.at
        kind = self.text[start : start + 1]
        if kind == "{":
            return self._object(depth)
        if kind == "[":
            return self._array(depth)
        match = (_STRING if kind == '"' else _PLAIN).match(self.text, start)
        if match is None:
            raise self._error("a value")
        try:
            json.loads(match[0])
        except ValueError:
            raise self._error("a value") from None
        self.at = match.end()
        return _Value(start, self.at)

    def _object(self, depth: int) -> _Value:
        start = self.at
        members: list[_Member] = []
        self.at += 1
        self._skip()
        while self.text[self.at : self.at + 1] != "}":
            key = _STRING.match(self.text, self.at)
            if key is None:
                raise self._error("a name in quotation marks")
            try:
                name = json.loads(key[0])
            except ValueError:
                raise self._error("a name in quotation marks") from None
            self.at = key.end()
            self._skip()
            self._take(":")
            self._skip()
            members.append(_Member(name, key.start(), self._value(depth + 1)))
            self._next("}")
        self.at += 1
        return _Value(start, self.at, members)

    def _array(self, depth: int) -> _Value:
        start = self.at
        self.at += 1
        self._skip()
        while self.text[self.at : self.at + 1] != "]":
            self._value(depth + 1)
            self._next("]")
        self.at += 1
        return _Value(start, self.at)

    def _next(self, closing: str) -> None:
        """Go to the next member, or to the closing bracket; a comma may stand before it."""
        self._skip()
        if self.text[self.at : self.at + 1] != closing:
            self._take(",")
            self._skip()

    def _take(self, sign: str) -> None:
        if self.text[self.at : self.at + 1] != sign:
            raise self._error(f"“{sign}”")
        self.at += 1

    def _skip(self) -> None:
        self.at = _end_of_gap(self.text, self.at)

    def _error(self, wanted: str) -> JsoncError:
        line = self.text.count("\n", 0, self.at) + 1
        return JsoncError(f"line {line}: {wanted} is missing there")
