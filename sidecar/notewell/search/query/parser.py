"""Parses a query into the text to score and a tree of conditions that must hold.

    query  = terms ("OR" terms)*          OR binds weaker than a space, as in Obsidian
    terms  = ["-"] term ...
    term   = word | "phrase" | field:value | [property] | [property:value] | "(" query ")"
           | scope:word | scope:"phrase" | scope:"(" query ")" | /pattern/      (with `scopes`)

A scope is one of `SCOPES`: what it holds must be true of one line, block, section or task, or with
regard to case. It holds words, phrases and patterns, which are required there. Patterns are those
of RE2, whose time is linear in the length of the text whatever the pattern is.

A word is scored but not required, except where only a requirement makes sense: negated, inside a
negated group, or as a whole branch of an OR whose other branch is a requirement. If every word of a
query with such an OR is required there or in a phrase, the words only order what is found: a note
that meets another branch has none of them.

Text that looks like syntax but is not valid becomes a word, with a warning (lexer.py).
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from notewell.base.errors import QueryTooLongError
from notewell.contract.fields import MAX_QUERY_CHARS
from notewell.index.analyze import words
from notewell.search.query import dates
from notewell.search.query.language import (
    All,
    Comparison,
    Dated,
    Either,
    Matches,
    Node,
    Not,
    ParsedQuery,
    PathContains,
    Property,
    SearchText,
    Tagged,
    Text,
    ValueTest,
    Within,
)
from notewell.search.query.lexer import MAX_WARNINGS, Lexeme, lex

_MOST_PATTERN_BYTES = 4 << 20  # of memory for one pattern
_SIGNS: tuple[Comparison, ...] = (">=", "<=", ">", "<")


def parse(
    text: str,
    *,
    plain: bool = False,
    now: float | None = None,
    scopes: bool = False,
    typing: bool = False,
) -> ParsedQuery:
    """Parse `text`; `plain` reads all of it as words. Relative dates count from `now` (POSIX).

    `typing`: a phrase whose quotation mark is not closed yet is one already, but for its last word.

    `scopes`: also reads scopes and patterns, for those who can read the text of notes.

    Raises:
        QueryTooLongError: more than 4,096 characters. No other query is rejected.

    """
    if len(text) > MAX_QUERY_CHARS:
        raise QueryTooLongError(
            f"The query has {len(text)} characters; {MAX_QUERY_CHARS} is the most. Shorten it."
        )
    if plain:
        return ParsedQuery(text.strip())
    lexemes, warnings = lex(text, scopes=scopes, typing=typing)
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
        either = _either(filled)
        either.is_loose |= lacks
        return either

    def terms(self, *, strict: bool) -> _Terms:
        """Read terms up to an OR or the end of the group."""
        collected = _Terms()
        while self.at < len(self.lexemes):
            lexeme = self.lexemes[self.at]
            if lexeme.kind in {"or", "close"}:
                break
            self.at += 1
            if lexeme.kind == "open":
                self.group(collected, lexeme, strict=strict)
            elif lexeme.kind == "word" and not lexeme.negated and not strict:
                self.word(collected, lexeme.text)
            else:
                self.requirement(collected, lexeme, strict=strict)
        return collected

    def group(self, into: _Terms, lexeme: Lexeme, *, strict: bool) -> None:
        negated = lexeme.negated
        inner = self.alternatives(strict=strict or negated or bool(lexeme.name))
        self.at += 1  # skip the closing parenthesis; the lexer returns balanced groups
        if lexeme.name:
            self.scope(into, lexeme, inner, scored=not strict and not negated)
        elif not negated:
            into.words += inner.words
            into.required += inner.required
            into.is_loose |= inner.is_loose
            into.chooses |= inner.chooses
        elif inner.required:
            into.required.append(Not(_requirement(inner)))

    def scope(self, into: _Terms, lexeme: Lexeme, inner: _Terms, *, scored: bool) -> None:
        """Require what a scope holds; its words are scored as well."""
        part = _requirement(inner)
        if not _is_of_text(part):
            self.warn(f"{lexeme.name}: takes words, phrases and /patterns/; it was left out.")
        elif part == All(()) and "task" not in lexeme.name:
            return
        else:
            part = Within(lexeme.name, part)
        into.required.append(Not(part) if lexeme.negated else part)
        for text in _texts(part) if scored else ():
            self.scored.append(text.text)
            if text.exact:
                self.phrases.append(text.text)

    def word(self, into: _Terms, text: str) -> None:
        into.words.append(Text(text, exact=False))
        into.is_loose = True
        self.scored.append(text)

    def requirement(self, into: _Terms, lexeme: Lexeme, *, strict: bool) -> None:
        node = self.node(lexeme)
        if node is None:
            shown = f"{lexeme.name}:{lexeme.text}" if lexeme.name else lexeme.text
            shown = f"/{shown}/" if lexeme.kind == "pattern" else shown
            self.warn(f"{shown} cannot be a condition; it was read as text.")
            if not strict and not lexeme.negated:
                self.word(into, f"{lexeme.name} {lexeme.text}".strip())
            return
        into.required.append(Not(node) if lexeme.negated else node)
        if lexeme.kind == "phrase" and not lexeme.negated and not strict:
            self.scored.append(lexeme.text)
            self.phrases.append(lexeme.text)

    def node(self, lexeme: Lexeme) -> Node | None:
        """The condition of a lexeme; None if its value cannot be read."""
        text = lexeme.text
        match lexeme.kind, lexeme.name:
            case "property", name:
                return Property(name.casefold(), _tests(text), "property")
            case "filter" | "pattern" as kind, "path" | "file" as where:
                is_pattern = kind == "pattern"
                holds = PathContains(where, text if is_pattern else text.casefold(), is_pattern)
                return holds if not is_pattern or _is_pattern(text) else None
            case "filter", "tag":
                tag = text.lstrip("#").strip("/").casefold()
                return Tagged(tag) if tag else None
            case "filter", "type" | "status" as name:
                return Property(name, _tests(text), name)
            case "filter", "created" | "modified" as name:
                limits = dates.bounds(text, self.now)
                return None if limits is None else Dated(name, *limits)
            case _:
                return _text(lexeme)


def _text(lexeme: Lexeme) -> Text | Matches | None:
    """The condition of a word, a phrase or a pattern; None where there is nothing to search for.

    That is a text without letters and digits, and a pattern that RE2 does not know.
    """
    text = lexeme.text
    if lexeme.kind != "pattern":
        return Text(text, exact=lexeme.kind == "phrase") if words(text) else None
    return Matches(text) if _is_pattern(text) else None


def _is_pattern(text: str) -> bool:
    try:
        compile_pattern(text, cased=False)
    except ValueError:
        return False
    return True


def _is_of_text(node: Node) -> bool:
    match node:
        case Text() | Matches():
            return True
        case Not(part) | Within(_, part):
            return _is_of_text(part)
        case All(parts) | Either(parts):
            return all(map(_is_of_text, parts))
        case _:
            return False


def _texts(node: Node) -> Iterator[Text]:
    """The texts of a condition that are not excluded."""
    match node:
        case Text():
            yield node
        case Within(_, part):
            yield from _texts(part)
        case All(parts) | Either(parts):
            for part in parts:
                yield from _texts(part)


def compile_pattern(pattern: str, *, cased: bool) -> SearchText:
    """A search of a text for a pattern; ValueError where RE2 does not know it."""
    import re2  # noqa: PLC0415 - few queries have patterns

    options = re2.Options()
    options.case_sensitive, options.log_errors = cased, False
    options.max_mem = _MOST_PATTERN_BYTES
    try:
        whole = unicodedata.normalize("NFC", f"(?m:{pattern})")  # as the text is
        search: SearchText = re2.compile(whole, options=options).search
    except re2.error as error:
        raise ValueError(f"/{pattern}/ is no pattern of RE2") from error
    return search


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
    """Comparisons of `a OR >3 OR "quoted" OR /pattern/`, in parentheses or not; "" has none."""
    if value[:1] == "(" and value[-1:] == ")":
        value = value[1:-1].strip()
    if not value:
        return ()
    return tuple(_test(part.strip()) for part in re.split(r"\sOR\s", value) if part.strip())


def _test(value: str) -> ValueTest:
    for sign in _SIGNS:
        if value.startswith(sign) and value[len(sign) :].strip():
            return ValueTest(sign, _unquote(value[len(sign) :].strip()))
    if len(value) > 2 and value[0] == value[-1] == "/" and _is_pattern(value[1:-1]):
        return ValueTest("~", value[1:-1])
    return ValueTest("=", None if value.casefold() == "null" else _unquote(value))


def _unquote(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] == '"'
    return value[1:-1] if quoted else value
