"""Parses a query into the text to score and a tree of conditions that must hold.

    query  = terms ("OR" terms)*          OR binds weaker than a space, as in Obsidian
    terms  = ["-"] term ...
    term   = word | "phrase" | field:value | [property] | [property:value] | "(" query ")"

A word is scored but not required, except where only a requirement makes sense: negated, inside a
negated group, or as a whole branch of an OR whose other branch is a requirement. If every word of a
query with such an OR is required there or in a phrase, the words only order what is found: a note
that meets another branch has none of them.

The lexer splits a query in one pass and linear time, and never raises: text that looks like syntax
but is not valid becomes a word, with a warning.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from notewell.base.errors import QueryTooLongError
from notewell.base.types import PropertyValue
from notewell.base.types.frozen import frozen
from notewell.contract.fields import MAX_QUERY_CHARS
from notewell.index.analyze import words
from notewell.search.query import dates

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


FIELDS = ("path", "file", "tag", "type", "status", "created", "modified")
MAX_DEPTH = 32  # of nested groups; deeper ones are read as text
MAX_WARNINGS = 8

Kind = Literal["word", "phrase", "filter", "property", "or", "open", "close"]

_QUOTES = '"\u201c\u201d\u201e'
_QUOTED = re.compile(rf"[{_QUOTES}]((?:[^\\{_QUOTES}]|\\.)*+)[{_QUOTES}]", re.DOTALL)
_FIELD = re.compile(r"([A-Za-z][A-Za-z_-]*):")
_NEGATES = re.compile(r"-(?=[^\s\-=>)\]:,.;!?-])")
_SPACE = re.compile(r"\s+")
_LINK = re.compile(r"!?\[\[[^\[\]\n]*\]\]\S*")
_PROPERTY = re.compile(r"\[([^\[\]\n]*)\](?!\()")
_OR = re.compile(r"OR(?=[\s()]|$)")


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
    at: int = 0
    out: list[Lexeme] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    opened: list[int] = field(default_factory=list)  # positions in `out` of groups still open
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
                    replace(each, start=start, end=self.at) for each in self.out[count:]
                ]
        for position in reversed(self.opened):
            self.warn("An opening parenthesis is never closed; it was read as text.")
            del self.out[position]

    def warn(self, message: str) -> None:
        if message not in self.warnings and len(self.warnings) < MAX_WARNINGS:
            self.warnings.append(message)

    def emit(self, kind: Kind, text: str, *, negated: bool = False, name: str = "") -> None:
        self.out.append(Lexeme(kind, text, negated, name))

    def term(self) -> None:
        """Read one term at `at`: a parenthesis, a phrase, a filter or a word."""
        source = self.source
        negated = _NEGATES.match(source, self.at) is not None
        start = self.at + negated
        first = source[start]
        if first == ")" and self.opened:
            self.opened.pop()
            self.emit("close", ")")
            self.at = start + 1
        elif first == "(":
            self.group(start, negated=negated)
        elif first in _QUOTES:
            self.phrase(start, negated=negated)
        elif first in "[!" and self.bracket(start, negated=negated):
            return
        elif not negated and (found := _OR.match(source, start)):
            self.emit("or", "OR")
            self.at = found.end()
        elif not self.filter(start, negated=negated):
            end = self.word_end(start)
            self.emit("word", source[start:end], negated=negated)
            self.at = end

    def group(self, start: int, *, negated: bool) -> None:
        """Open a group, unless groups are nested too deep already."""
        self.at = start + 1
        if len(self.opened) >= MAX_DEPTH:
            self.warn(f"Groups nested deeper than {MAX_DEPTH} levels were read as text.")
            return
        self.opened.append(len(self.out))
        self.emit("open", "(", negated=negated)

    def phrase(self, start: int, *, negated: bool) -> None:
        """Read a quoted phrase, or skip a quote that is never closed."""
        found = self.quoted(start)
        if found is None:
            self.warn("A quotation mark is never closed; it was read as text.")
            self.at = start + 1
            return
        text, self.at = found
        if text.strip():
            self.emit("phrase", " ".join(text.split()), negated=negated)

    def quoted(self, start: int) -> tuple[str, int] | None:
        r"""Value and end of the quoted text that starts at `start`; `\"` stands for a quote."""
        found = None if self.unclosed else _QUOTED.match(self.source, start)
        if found is None:
            self.unclosed = True
            return None
        return re.sub(r"\\(.)", r"\1", found.group(1)), found.end()

    def bracket(self, start: int, *, negated: bool) -> bool:
        """Read `[[a link]]` as a word and `[property:value]` as a filter."""
        link = _LINK.match(self.source, start)
        if link:
            text = re.sub(r"!?\[\[|\]\]|[|#^]", " ", link.group()).strip()
            self.emit("word", text, negated=negated)
            self.at = link.end()
            return True
        found = _PROPERTY.match(self.source, start)
        if found is None:
            return False
        name, colon, value = found.group(1).partition(":")
        name = name.strip().strip('"')
        if not name or (colon and not value.strip()):
            self.warn(f"{found.group()} names no property or value; it was read as text.")
            return False
        self.emit("property", value.strip(), negated=negated, name=name)
        self.at = found.end()
        return True

    def filter(self, start: int, *, negated: bool) -> bool:
        """Read `field:value`; returns False if it is an ordinary word."""
        found = _FIELD.match(self.source, start)
        if found is None:
            return False
        name = found.group(1).lower()
        rest = self.source[found.end() : found.end() + 2]
        if name not in FIELDS:
            if rest[:1].strip() and rest != "//":
                known = ", ".join(f"{field}:" for field in FIELDS)
                self.warn(f"{name}: is no filter ({known}); it was read as text.")
            return False
        if rest[:1] in _QUOTES and rest:
            value = self.quoted(found.end())
        else:
            end = self.word_end(found.end())
            value = (self.source[found.end() : end], end)
        if value is None or not value[0].strip() or rest[:1] == "(":
            self.warn(f"{name}: has no value that can be read; it was read as text.")
            self.at = found.end()
            self.emit("word", self.source[start : found.end() - 1])
            return True
        self.emit("filter", value[0].strip(), negated=negated, name=name)
        self.at = value[1]
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


def lex(text: str) -> tuple[tuple[Lexeme, ...], tuple[str, ...]]:
    """Lexemes of `text`, and warnings. Groups in the lexemes are balanced."""
    lexer = _Lexer(text)
    lexer.run()
    return tuple(lexer.out), tuple(lexer.warnings)
