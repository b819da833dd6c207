"""Splits a query into lexemes, in one pass and linear time. It never raises.

Text that looks like syntax but is not valid becomes a word, with a warning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from notewell.base.types.frozen import frozen

FIELDS = ("path", "file", "tag", "type", "status", "created", "modified")
PATHS = ("path", "file")  # fields that take a pattern
SCOPES = (
    *("line", "block", "section", "task", "task-todo", "task-done"),
    *("content", "match-case", "ignore-case"),
)
MAX_DEPTH = 32  # of nested groups; deeper ones are read as text
MAX_WARNINGS = 8

Kind = Literal["word", "phrase", "pattern", "filter", "property", "or", "open", "close"]

_QUOTES = '"\u201c\u201d\u201e'
_QUOTED = re.compile(
    rf"[{_QUOTES}]([^\\{_QUOTES}]*+(?:\\.[^\\{_QUOTES}]*+)*)[{_QUOTES}]", re.DOTALL
)
_FIELD = re.compile(r"([A-Za-z][A-Za-z_-]*):")
_NEGATES = re.compile(r"-(?=[^\s\-=>)\]:,.;!?-])")
_SPACE = re.compile(r"\s+")
_LINK = re.compile(r"!?\[\[[^\[\]\n]*\]\]\S*")
_PROPERTY = re.compile(r"\[([^\[\]\n]*)\](?!\()")
_OR = re.compile(r"OR(?=[\s()]|$)")
_PATTERN = re.compile(r"/((?=[^/])[^/\\\n]*+(?:\\.[^/\\\n]*+)*)/(?=[\s)]|$)")


@frozen
class Lexeme:
    """A piece of a query, source[start:end].

    `text` is the value, unquoted; `name` the field of a filter.
    """

    kind: Kind
    text: str
    negated: bool = False
    name: str = ""
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(slots=True)
class _Lexer:
    source: str
    scopes: bool = False
    typing: bool = False
    at: int = 0
    out: list[Lexeme] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    opened: list[int] = field(default_factory=list)  # positions in `out` of groups still open
    fields: list[str] = field(default_factory=list)  # of these groups, what their words are
    unclosed: bool = False  # an unclosed quote was found, so no later quote is closed either

    def run(self) -> None:
        while self.at < len(self.source):
            space = _SPACE.match(self.source, self.at)
            if space:
                self.at = space.end()
            else:
                start, count = self.at, len(self.out)
                self.term()
                self.out[count:] = [
                    replace(token, start=start, end=self.at) for token in self.out[count:]
                ]
        for position in reversed(self.opened):
            self.warn("An opening parenthesis is never closed; it was read as text.")
            del self.out[position]

    def warn(self, message: str) -> None:
        if message not in self.warnings and len(self.warnings) < MAX_WARNINGS:
            self.warnings.append(message)

    def emit(self, kind: Kind, text: str, *, negated: bool = False, name: str = "") -> None:
        self.out.append(Lexeme(kind, text, negated, name))

    def emit_value(self, kind: Kind, text: str, *, negated: bool) -> None:
        """Emit a word or a phrase, or the value of a filter within `path:(…)` and the like."""
        within = self.fields[-1] if self.fields else ""
        if not within:
            self.emit(kind, text, negated=negated)
        elif text.strip():
            self.emit("filter", text.strip(), negated=negated, name=within)

    def term(self) -> None:
        """Read one term at `at`: a parenthesis, a phrase, a filter or a word."""
        source = self.source
        negated = _NEGATES.match(source, self.at) is not None
        start = self.at + negated
        first = source[start]
        if first == ")" and self.opened:
            self.opened.pop()
            self.fields.pop()
            self.emit("close", ")")
            self.at = start + 1
        elif first == "(":
            self.group(start, negated=negated)
        elif first in _QUOTES:
            self.phrase(start, negated=negated)
        elif self.scopes and (match := _PATTERN.match(source, start)):
            within = self.fields[-1] if self.fields else ""
            self.emit("pattern", match[1], negated=negated, name=within)
            self.at = match.end()
        elif first in "[!" and self.bracket(start, negated=negated):
            return
        elif not negated and (match := _OR.match(source, start)):
            self.emit("or", "OR")
            self.at = match.end()
        elif not self.filter(start, negated=negated):
            end = self.word_end(start)
            self.emit_value("word", source[start:end], negated=negated)
            self.at = end

    def scope(self, name: str, start: int, *, negated: bool) -> bool:
        """Read what a scope holds: a group, or one term as a group of its own."""
        first = self.source[start : start + 1]
        if not first.strip() or first == ")":
            return False
        if first == "(":
            self.group(start, negated=negated, name=name)
            return True
        self.emit("open", "(", negated=negated, name=name)
        self.at = start
        if first in _QUOTES:
            self.phrase(start, negated=False)
        elif match := _PATTERN.match(self.source, start):
            self.emit("pattern", match[1])
            self.at = match.end()
        else:
            self.at = self.word_end(start)
            self.emit("word", self.source[start : self.at])
        self.emit("close", ")")
        return True

    def group(self, start: int, *, negated: bool, name: str = "", of: str = "") -> None:
        """Open a group, unless groups are nested too deep already.

        `name` is that of a scope; `of` the field that all words of the group are values of.
        """
        self.at = start + 1
        if len(self.opened) >= MAX_DEPTH:
            self.warn(f"Groups nested deeper than {MAX_DEPTH} levels were read as text.")
            return
        within = "" if name or not self.fields else self.fields[-1]
        self.opened.append(len(self.out))
        self.fields.append(of or within)
        self.emit("open", "(", negated=negated, name=name)

    def phrase(self, start: int, *, negated: bool) -> None:
        """Read a quoted phrase, or skip a quote that is never closed."""
        first = not self.unclosed
        quote = self.quoted(start)
        if quote is None and self.typing and first:
            self.begun_phrase(start, negated=negated)
            return
        if quote is None:
            self.warn("A quotation mark is never closed; it was read as text.")
            self.at = start + 1
            return
        text, self.at = quote
        if text.strip():
            self.emit_value("phrase", " ".join(text.split()), negated=negated)

    def begun_phrase(self, start: int, *, negated: bool) -> None:
        """Read a phrase that is still typed: its whole words, and the last as a word by itself."""
        self.at = start + 1
        last = self.source.rfind(" ", self.at) + 1
        whole = " ".join(self.source[self.at : last].split())
        if " " in whole:
            self.emit("phrase", whole, negated=negated)
            self.at = last

    def quoted(self, start: int) -> tuple[str, int] | None:
        r"""Value and end of the quoted text that starts at `start`; `\"` stands for a quote."""
        match = None if self.unclosed else _QUOTED.match(self.source, start)
        if match is None:
            self.unclosed = True
            return None
        return re.sub(r"\\(.)", r"\1", match.group(1)), match.end()

    def bracket(self, start: int, *, negated: bool) -> bool:
        """Read `[[a link]]` as a word and `[property:value]` as a filter."""
        link = _LINK.match(self.source, start)
        if link:
            text = re.sub(r"!?\[\[|\]\]|[|#^]", " ", link.group()).strip()
            self.emit("word", text, negated=negated)
            self.at = link.end()
            return True
        match = _PROPERTY.match(self.source, start)
        if match is None:
            return False
        name, colon, value = match.group(1).partition(":")
        name = name.strip().strip('"')
        if not name or (colon and not value.strip()):
            self.warn(f"{match.group()} names no property or value; it was read as text.")
            return False
        self.emit("property", value.strip(), negated=negated, name=name)
        self.at = match.end()
        return True

    def filter(self, start: int, *, negated: bool) -> bool:
        """Read `field:value`; returns False if it is an ordinary word."""
        match = _FIELD.match(self.source, start)
        if match is None:
            return False
        name = match.group(1).lower()
        rest = self.source[match.end() : match.end() + 2]
        if self.scopes and name in SCOPES and self.scope(name, match.end(), negated=negated):
            return True
        if name in FIELDS and self.values(name, match.end(), negated=negated):
            return True
        if name not in FIELDS:
            if rest[:1].strip() and rest != "//":
                known = ", ".join(f"{field}:" for field in FIELDS)
                self.warn(f"{name}: is no filter ({known}); it was read as text.")
            return False
        if rest[:1] in _QUOTES and rest:
            value = self.quoted(match.end())
        else:
            end = self.word_end(match.end())
            value = (self.source[match.end() : end], end)
        if value is None or not value[0].strip() or rest[:1] == "(":
            self.warn(f"{name}: has no value that can be read; it was read as text.")
            self.at = match.end()
            self.emit("word", self.source[start : match.end() - 1])
            return True
        self.emit("filter", value[0].strip(), negated=negated, name=name)
        self.at = value[1]
        return True

    def values(self, name: str, start: int, *, negated: bool) -> bool:
        """Read what a filter takes but a single text: a group of values, or a pattern."""
        if self.source[start : start + 1] == "(" and self.source[start + 1 : start + 2] != ")":
            self.group(start, negated=negated, of=name)
            return True
        pattern = _PATTERN.match(self.source, start) if name in PATHS and self.scopes else None
        if pattern is None:
            return False
        self.emit("pattern", pattern[1], negated=negated, name=name)
        self.at = pattern.end()
        return True

    def word_end(self, start: int) -> int:
        """End of the word at `start`: a space, a quote, or a `)` that closes a group."""
        depth = 0
        for at in range(start, len(self.source)):
            char = self.source[at]
            if char.isspace() or (at > start and char in _QUOTES):
                return at
            if char == "(":
                depth += 1
            elif char == ")":
                if depth == 0 and self.opened:
                    return at
                depth = max(0, depth - 1)
        return len(self.source)


def lex(
    text: str, *, scopes: bool = False, typing: bool = False
) -> tuple[tuple[Lexeme, ...], tuple[str, ...]]:
    """Lexemes of `text`, and warnings. Groups in the lexemes are balanced.

    `typing`: the text may go on, so that a quotation mark may still be closed.
    """
    lexer = _Lexer(text, scopes, typing)
    lexer.run()
    return tuple(lexer.out), tuple(lexer.warnings)
