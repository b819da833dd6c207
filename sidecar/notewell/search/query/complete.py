"""Completes an unfinished query by the names in a vault: tags, folders, files, properties."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from notewell.base.types import StoredNote
from notewell.base.types.frozen import frozen
from notewell.contract.search import CompleteReply, CompleteRequest, Completion, CompletionKind
from notewell.index.port import IndexReader
from notewell.search.query.lexer import FIELDS
from notewell.search.query.vocabulary import Match, Name, NameIndex, Vocabulary

_MAX_TYPED = 512  # characters before the cursor that are considered
_MAX_WORDS = 6  # of a title that is typed without quotes
_MIN_FILTER = 2  # letters from which names of filters are offered
_FILTER = re.compile(
    r'(?:^|(?<=[\s(]))-?(?P<name>tag|path|file|type|status):(?:"(?P<quoted>[^"]*)|(?P<bare>[^\s"()]*))$',
    re.IGNORECASE,
)
_LINK = re.compile(r"\[\[(?P<typed>[^\[\]|#]*)$")
_VALUE = re.compile(r'\[(?P<name>[^\[\]:\n]+):\s*"?(?P<typed>[^\[\]\n"]*)$')
_PROPERTY = re.compile(r"(?<!\[)\[(?P<typed>[^\[\]:\n]*)$")
_HASH = re.compile(r"(?:^|(?<=[\s(]))#(?P<typed>[^\s#]*)$")
_WORDS = re.compile(r"(?:^|(?<=[\s(]))-?(?=[^\s(-])")
_BARE = re.compile(r"[\w/.-]+")
_PLAIN = re.compile(r"\w[\w'.,&-]*(?: [\w'.,&][\w'.,&-]*)*")
_SPECIAL = re.compile(r'[\\"\u201c\u201d\u201e]')
_ORDER: tuple[CompletionKind, ...] = (
    "filter",
    "tag",
    "title",
    "alias",
    "property",
    "value",
    "folder",
    "path",
)
_FIELD_NAMES = NameIndex(Name(f"{field}:", 0) for field in FIELDS)


@frozen
class _Candidate:
    """A candidate completion; `words` is the number of typed words that it replaces."""

    kind: CompletionKind
    match: Match
    insert: str
    start: int
    words: int = 1

    @property
    def rank(self) -> tuple[object, ...]:
        """Sort key: candidates that replace more words first, then those used more often."""
        name = self.match.name
        place = (-name.count, _ORDER.index(self.kind), len(name.text), name.text)
        leading = (self.kind != "filter", not self.match.whole, self.kind == "path")
        return (-self.words, *leading, *place)


class Completions:
    """Completes queries of one vault, in any thread; its names are kept until the text changes."""

    def __init__(self, index: IndexReader, vault: str) -> None:
        """Nothing is read yet; `vault` is its name in replies."""
        self._index, self._vault = index, vault
        self._learning = threading.Lock()
        self._vocabulary: tuple[tuple[StoredNote, ...], Vocabulary] | None = None

    def reply(self, request: CompleteRequest) -> CompleteReply:
        """Completions of the last term of a query; IndexFailure if the index cannot be read."""
        generation = self._index.generation
        completions = complete(self._words(), request.prefix, limit=request.limit)
        return CompleteReply(request.prefix, self._vault, generation, completions)

    def _words(self) -> Vocabulary:
        with self._learning:
            notes = self._index.all_notes()  # the same tuple until the text changes
            if self._vocabulary is None or self._vocabulary[0] is not notes:
                graph = self._index.graph
                known = Vocabulary(notes, lambda note: len(graph.backlinks(note)))
                self._vocabulary = (notes, known)
            return self._vocabulary[1]


def complete(vocabulary: Vocabulary, prefix: str, *, limit: int) -> tuple[Completion, ...]:
    """Completions of the last term of `prefix`, which is a query up to the cursor; best first.

    Supported are `tag:`, `path:`, `file:`, `type:`, `status:`, `#tag`, `[property`,
    `[property:value`, `[[note`, and plain words, which may be the start of any name.
    """
    completions = sorted(
        _candidates(vocabulary, prefix, limit), key=lambda candidate: candidate.rank
    )
    shown: dict[tuple[str, str], Completion] = {}
    for candidate in completions:
        key = (candidate.kind, candidate.insert.casefold())
        if key not in shown:
            name = candidate.match.name
            start = _utf16(prefix[: candidate.start])
            shown[key] = Completion(
                candidate.kind, name.text, candidate.insert, start, name.count, name.path
            )
        if len(shown) == limit:
            break
    return tuple(shown.values())


def _candidates(vocabulary: Vocabulary, prefix: str, limit: int) -> Iterator[_Candidate]:
    """Candidates for the last term, by the first pattern that matches it."""
    skipped = max(0, len(prefix) - _MAX_TYPED)
    typed = prefix[skipped:]
    if term := _FILTER.search(typed):
        value = term["quoted"] if term["quoted"] is not None else term["bare"]
        at = _Term(value, skipped + term.start("name"), limit)
        yield from _filter_candidates(vocabulary, term["name"].lower(), at)
    elif term := _LINK.search(typed):
        yield from _note_candidates(
            vocabulary, _Term(term["typed"], skipped + term.start(), limit), _link
        )
    elif term := _VALUE.search(typed):
        name = term["name"].strip().strip('"')
        at = _Term(term["typed"], skipped + term.start(), limit)
        yield from at.found("value", vocabulary.values(name), partial(_property, name))
    elif term := _PROPERTY.search(typed):
        at = _Term(term["typed"], skipped + term.start(), limit)
        yield from at.found("property", vocabulary.properties, _property)
    elif term := _HASH.search(typed):
        yield from _filter_candidates(
            vocabulary, "tag", _Term(term["typed"], skipped + term.start(), limit)
        )
    elif typed.count('"') % 2:
        start = typed.rindex('"')
        yield from _note_candidates(
            vocabulary, _Term(typed[start + 1 :], skipped + start, limit), _quote
        )
    else:
        yield from _word_candidates(vocabulary, typed, skipped, limit)


@frozen
class _Term:
    """The typed part of a term, its start in the query, and the limit of candidates per kind."""

    typed: str
    start: int
    limit: int
    words: int = 1

    def found(
        self, kind: CompletionKind, names: NameIndex, insert: Callable[[str], str | None]
    ) -> Iterator[_Candidate]:
        """Candidates of a kind that match; those for which `insert` returns None are skipped."""
        for match in names.find(self.typed, self.limit):
            text = insert(match.name.text)
            if text is not None:
                yield _Candidate(kind, match, text, self.start, self.words)


def _note_candidates(
    vocabulary: Vocabulary, term: _Term, insert: Callable[[str], str | None]
) -> Iterator[_Candidate]:
    yield from term.found("title", vocabulary.titles, insert)
    yield from term.found("alias", vocabulary.aliases, insert)


def _filter_candidates(vocabulary: Vocabulary, name: str, term: _Term) -> Iterator[_Candidate]:
    written = partial(_filter, name)
    match name:
        case "tag":
            yield from replace(term, typed=term.typed.lstrip("#")).found(
                "tag", vocabulary.tags, written
            )
        case "path":
            yield from term.found("folder", vocabulary.folders, written)
            yield from term.found("path", vocabulary.paths, written)
        case "file":
            yield from term.found("path", vocabulary.files, written)
        case _:
            yield from term.found("value", vocabulary.values(name), written)


def _word_candidates(
    vocabulary: Vocabulary, typed: str, skipped: int, limit: int
) -> Iterator[_Candidate]:
    """Candidates for plain words: for the last one, and for the last few as one name."""
    starts = [match.end() for match in _WORDS.finditer(typed)]
    if not starts or typed[-1:].isspace():
        starts.append(len(typed))
    for count, at in enumerate(reversed(starts[-_MAX_WORDS:]), start=1):
        yield from _note_candidates(
            vocabulary, _Term(typed[at:], skipped + at, limit, count), _plain
        )
    last = _Term(typed[starts[-1] :], skipped + starts[-1], limit)
    if len(last.typed) >= _MIN_FILTER:
        yield from last.found("filter", _FIELD_NAMES, str)
    if last.typed:
        yield from _filter_candidates(vocabulary, "tag", last)
        yield from last.found("folder", vocabulary.folders, partial(_filter, "path"))
        yield from last.found("property", vocabulary.properties, _property)


def _filter(name: str, value: str) -> str:
    return f"{name}:{value if _BARE.fullmatch(value) else _quote(value)}"


def _plain(text: str) -> str:
    """A name as words, quoted if it contains query syntax."""
    safe = _PLAIN.fullmatch(text) and not re.search(r"\bOR\b", text)
    return text if safe else _quote(text)


def _quote(text: str) -> str:
    return f'"{_SPECIAL.sub(lambda match: chr(92) + match.group(), text)}"'


def _link(text: str) -> str | None:
    return None if re.search(r"[\[\]\n]", text) else f"[[{text}]]"


def _property(name: str, value: str | None = None) -> str | None:
    """A condition on a property; None if the query language cannot express its name."""
    if re.search(r'[\[\]\n:]|^\s|\s$|^"|"$', name) or not name:
        return None
    if value is None:
        return f"[{name}]"
    if re.search(r"[\[\]\n]", value):
        return None
    bare = _PLAIN.fullmatch(value) and not re.search(r"\sOR\s|^null$", value, re.IGNORECASE)
    return f"[{name}:{value}]" if bare else f'[{name}:"{value}"]'


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
