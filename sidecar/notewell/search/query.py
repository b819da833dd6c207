"""Parses a query into the text to score and a tree of conditions that must hold.

    query  = terms ("OR" terms)*          OR binds weaker than a space, as in Obsidian
    terms  = ["-"] term ...
    term   = word | "phrase" | field:value | [property] | [property:value] | "(" query ")"

A word is scored but not required, except where only a requirement makes sense: negated, inside a
negated group, or as a whole branch of an OR whose other branch is a requirement. If every word of a
query with such an OR is required there or in a phrase, the words only order what is found: a note
that meets another branch has none of them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from notewell.base.errors import QueryTooLongError
from notewell.base.types import PropertyValue
from notewell.base.types.frozen import frozen
from notewell.contract.fields import MAX_QUERY_CHARS
from notewell.index.analyze import words
from notewell.search import dates
from notewell.search.lexer import MAX_WARNINGS, Lexeme, lex

Comparison = Literal["=", ">", ">=", "<", "<="]


@frozen
class Text:
    """The note contains this text. `exact`: as a phrase; else all its words, anywhere."""

    text: str
    exact: bool


@frozen
class PathContains:
    """The note's path (`path:`) or file name (`file:`) contains `text`, ignoring case."""

    field: Literal["path", "file"]
    text: str


@frozen
class Tagged:
    """The note has this tag or a child of it. `tag` is case-folded, without `#`."""

    tag: str


@frozen
class ValueTest:
    """One comparison with a property's value. `operand` None stands for "no value" (`null`)."""

    comparison: Comparison
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


Node: TypeAlias = "Text | PathContains | Tagged | Property | Dated | Not | All | Either"


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


_SIGNS: tuple[Comparison, ...] = (">=", "<=", ">", "<")


def parse(text: str, *, plain: bool = False, now: float | None = None) -> ParsedQuery:
    """Parse `text`; `plain` reads all of it as words. Relative dates count from `now` (POSIX).

    Raises:
        QueryTooLongError: more than 4,096 characters. No other query is rejected.

    """
    if len(text) > MAX_QUERY_CHARS:
        raise QueryTooLongError(
            f"The query has {len(text)} characters; {MAX_QUERY_CHARS} is the most. Shorten it."
        )
    if plain:
        return ParsedQuery(text.strip())
    lexemes, warnings = lex(text)
    parser = _Parser(lexemes, time.time() if now is None else now, list(warnings))
    terms = parser.alternatives(strict=False)
    plain_words = all(lexeme.kind == "word" and not lexeme.negated for lexeme in lexemes)
    scored = text.strip() if plain_words and "[[" not in text else " ".join(parser.scored)
    return ParsedQuery(
        text=scored,
        condition=_all(terms.required),
        phrases=tuple(parser.phrases),
        warnings=tuple(parser.warnings),
        lists=terms.chooses and not terms.is_loose,
    )


@dataclass(slots=True)
class _Terms:
    """Terms of one branch: words that are scored, and required conditions.

    `words` are conditions for a branch that is required itself. `is_loose`: one of them is not
    required. `chooses`: one of the required conditions is an OR.
    """

    words: list[Node] = field(default_factory=list)
    required: list[Node] = field(default_factory=list)
    is_loose: bool = False
    chooses: bool = False


@dataclass(slots=True)
class _Parser:
    lexemes: Sequence[Lexeme]
    now: float
    warnings: list[str]
    at: int = 0
    scored: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)

    def warn(self, message: str) -> None:
        if message not in self.warnings and len(self.warnings) < MAX_WARNINGS:
            self.warnings.append(message)

    def alternatives(self, *, strict: bool) -> _Terms:
        """Read up to the end of the group. `strict`: inside a negation, words are required."""
        branches = [self.terms(strict=strict)]
        while self.at < len(self.lexemes) and self.lexemes[self.at].kind == "or":
            self.at += 1
            branches.append(self.terms(strict=strict))
        filled = [branch for branch in branches if branch.words or branch.required]
        lacks = len(filled) < len(branches) and len(branches) > 1
        if lacks:
            self.warn("An OR lacks something beside it; it was read as text.")
            if not strict:
                self.scored.append("OR")
        found = _either(filled)
        found.is_loose |= lacks
        return found

    def terms(self, *, strict: bool) -> _Terms:
        """Read terms up to an OR or the end of the group."""
        found = _Terms()
        while self.at < len(self.lexemes):
            lexeme = self.lexemes[self.at]
            if lexeme.kind in {"or", "close"}:
                break
            self.at += 1
            if lexeme.kind == "open":
                self.group(found, strict=strict, negated=lexeme.negated)
            elif lexeme.kind == "word" and not lexeme.negated and not strict:
                self.word(found, lexeme.text)
            else:
                self.requirement(found, lexeme, strict=strict)
        return found

    def group(self, found: _Terms, *, strict: bool, negated: bool) -> None:
        inner = self.alternatives(strict=strict or negated)
        self.at += 1  # skip the closing parenthesis; the lexer returns balanced groups
        if not negated:
            found.words += inner.words
            found.required += inner.required
            found.is_loose |= inner.is_loose
            found.chooses |= inner.chooses
        elif inner.required:
            found.required.append(Not(_requirement(inner)))

    def word(self, found: _Terms, text: str) -> None:
        found.words.append(Text(text, exact=False))
        found.is_loose = True
        self.scored.append(text)

    def requirement(self, found: _Terms, lexeme: Lexeme, *, strict: bool) -> None:
        node = self.node(lexeme)
        if node is None:
            shown = f"{lexeme.name}:{lexeme.text}" if lexeme.name else lexeme.text
            self.warn(f"{shown} cannot be a condition; it was read as text.")
            if not strict and not lexeme.negated:
                self.word(found, f"{lexeme.name} {lexeme.text}".strip())
            return
        found.required.append(Not(node) if lexeme.negated else node)
        if lexeme.kind == "phrase" and not lexeme.negated and not strict:
            self.scored.append(lexeme.text)
            self.phrases.append(lexeme.text)

    def node(self, lexeme: Lexeme) -> Node | None:
        """The condition of a lexeme; None if its value cannot be read."""
        text = lexeme.text
        match lexeme.kind, lexeme.name:
            case "property", name:
                return Property(name.casefold(), _tests(text), "property")
            case "filter", "path" | "file" as where:
                return PathContains(where, text.casefold())
            case "filter", "tag":
                tag = text.lstrip("#").strip("/").casefold()
                return Tagged(tag) if tag else None
            case "filter", "type" | "status" as name:
                return Property(name, _tests(text), name)
            case "filter", "created" | "modified" as name:
                limits = dates.bounds(text, self.now)
                return None if limits is None else Dated(name, *limits)
            case _:
                # Without letters or digits there is no token to search for.
                return Text(text, exact=lexeme.kind == "phrase") if words(text) else None


def _either(branches: Sequence[_Terms]) -> _Terms:
    """The branches of an OR as one; words are required beside a branch that is a requirement."""
    if len(branches) < 2:
        return branches[0] if branches else _Terms()
    either = Either(tuple(_requirement(branch) for branch in branches))
    words = [word for branch in branches for word in branch.words]
    if not any(branch.required for branch in branches):
        return _Terms([either], is_loose=True)
    loose = any(branch.is_loose and branch.required for branch in branches)
    return _Terms(words, [either], is_loose=loose, chooses=True)


def _requirement(terms: _Terms) -> Node:
    """Terms as one condition; words are required only if nothing else is."""
    return _all(terms.required or terms.words) or All(())


def _all(parts: Sequence[Node]) -> Node | None:
    unique = tuple(dict.fromkeys(parts))
    if not unique:
        return None
    return unique[0] if len(unique) == 1 else All(unique)


def _tests(value: str) -> tuple[ValueTest, ...]:
    """Comparisons of `a OR >3 OR "quoted"`; an empty value has none."""
    if not value:
        return ()
    return tuple(_test(part.strip()) for part in re.split(r"\sOR\s", value) if part.strip())


def _test(value: str) -> ValueTest:
    for sign in _SIGNS:
        if value.startswith(sign) and value[len(sign) :].strip():
            return ValueTest(sign, _unquoted(value[len(sign) :].strip()))
    return ValueTest("=", None if value.casefold() == "null" else _unquoted(value))


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] == '"'
    return value[1:-1] if quoted else value
