"""Reads the expressions of bases: filters and formulas, as trees.

Source: https://help.obsidian.md/bases/syntax
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from notewell.api.types import frozen

MOST_CHARS = 4000
MOST_DEPTH = 60


class ExpressionError(Exception):
    """An expression that cannot be read or computed; the message is for people."""


@frozen
class Literal:
    """A text, number, true, false or null."""

    value: str | float | bool | None


@frozen
class ListOf:
    """`[1, 2]`."""

    items: tuple[Node, ...]


@frozen
class Word:
    """A name without anything before it: a property, or `file`, `note`, `formula`, `this`."""

    name: str


@frozen
class Field:
    """`target.name` or `target["name"]`."""

    target: Node
    name: str


@frozen
class Item:
    """`target[index]`, with an index that is computed."""

    target: Node
    index: Node


@frozen
class Call:
    """`target.name(arguments)`, or a global function where there is no target."""

    target: Node | None
    name: str
    arguments: tuple[Node, ...]


@frozen
class Unary:
    """`!x` or `-x`."""

    operator: str
    operand: Node


@frozen
class Binary:
    """`left operator right`."""

    operator: str
    left: Node
    right: Node


Node: TypeAlias = Literal | ListOf | Word | Field | Item | Call | Unary | Binary

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')"
    r"|(?P<name>[^\W\d][\w$]*)|(?P<sign>&&|\|\||[=!<>]=|[-+*/%!<>().,\[\]]))"
)
_ESCAPE = re.compile(r"\\(.)")
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
# From the loosest to the tightest.
_LEVELS = (("||",), ("&&",), ("==", "!="), ("<", ">", "<=", ">="), ("+", "-"), ("*", "/", "%"))


def read_expression(text: str) -> Node:
    """The tree of an expression; ExpressionError where it is none, or too long or deep."""
    if len(text) > MOST_CHARS:
        raise ExpressionError(f"an expression is longer than {MOST_CHARS:,} characters")
    reader = _Descent(list(_tokens(text)), text)
    tree = reader.level(0)
    if reader.at < len(reader.tokens):
        raise reader.unexpected()
    return tree


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise ExpressionError(
                f"“{text[at : at + 20].strip()}” in “{text[:80]}” is not understood"
            )
        yield match.lastgroup, match[match.lastgroup]
        at = match.end()


class _Descent:
    """Descends through the levels of operators."""

    def __init__(self, tokens: list[tuple[str, str]], text: str) -> None:
        self.tokens = tokens
        self.at = 0
        self._text = text
        self._depth = 0

    def unexpected(self) -> ExpressionError:
        token = self.tokens[self.at][1] if self.at < len(self.tokens) else "the end"
        return ExpressionError(f"{token} is not expected in “{self._text[:80]}”")

    def level(self, number: int) -> Node:
        """An expression whose operators are of this level or tighter."""
        if number == len(_LEVELS):
            return self._unary()
        left = self.level(number + 1)
        depth = 0
        while (sign := self._sign(*_LEVELS[number])) is not None:
            depth += 1
            if depth > MOST_DEPTH:
                raise ExpressionError("an expression has too many operators")
            left = Binary(sign, left, self.level(number + 1))
        return left

    def _unary(self) -> Node:
        sign = self._sign("!", "-")
        if sign is None:
            return self._postfix()
        with_depth = self._deeper()
        operand = self._unary()
        self._depth = with_depth
        return Unary(sign, operand)

    def _postfix(self) -> Node:
        node = self._primary()
        while True:
            if self._sign(".") is not None:
                name = self._take("name")
                if self._sign("(") is not None:
                    node = Call(node, name, self._list(")"))
                else:
                    node = Field(node, name)
            elif self._sign("[") is not None:
                inner = self._inside()
                self._expect("]")
                node = _item_of(node, inner)
            else:
                return node

    def _primary(self) -> Node:
        if self.at >= len(self.tokens):
            raise self.unexpected()
        kind, word = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return Literal(float(word))
        if kind == "text":
            return Literal(_ESCAPE.sub(r"\1", word[1:-1]))
        if kind == "name":
            return self._word(word)
        if word == "(":
            inner = self._inside()
            self._expect(")")
            return inner
        if word == "[":
            return ListOf(self._list("]"))
        self.at -= 1
        raise self.unexpected()

    def _word(self, word: str) -> Node:
        if word in _CONSTANTS:
            return Literal(_CONSTANTS[word])
        return Call(None, word, self._list(")")) if self._sign("(") is not None else Word(word)

    def _inside(self) -> Node:
        before = self._deeper()
        inner = self.level(0)
        self._depth = before
        return inner

    def _deeper(self) -> int:
        """Count a level of nesting; returns the depth before."""
        before = self._depth
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise ExpressionError("an expression is nested too deeply")
        return before

    def _list(self, end: str) -> tuple[Node, ...]:
        items: list[Node] = []
        while self._sign(end) is None:
            if items:
                self._expect(",")
            items.append(self._inside())
        return tuple(items)

    def _sign(self, *signs: str) -> str | None:
        """Take one of these signs if it comes next."""
        if self.at < len(self.tokens):
            kind, word = self.tokens[self.at]
            if kind == "sign" and word in signs:
                self.at += 1
                return word
        return None

    def _expect(self, sign: str) -> None:
        if self._sign(sign) is None:
            raise self.unexpected()

    def _take(self, kind: str) -> str:
        if self.at >= len(self.tokens) or self.tokens[self.at][0] != kind:
            raise self.unexpected()
        self.at += 1
        return self.tokens[self.at - 1][1]


def _item_of(target: Node, index: Node) -> Node:
    if isinstance(index, Literal) and isinstance(index.value, str):
        return Field(target, index.value)
    return Item(target, index)
