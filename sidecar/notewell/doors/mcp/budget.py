"""Fit the answer of a tool into a number of tokens: lists lose items, texts are shortened.

An answer is shortened to a budget of tokens. The first item of a tool's main list is the best one,
and it always comes: when it does not fit whole, first what explains it goes, then its text is cut,
then its further fields go. Only what names it stays whatever the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import orjson

from notewell.base.types import CountTokens
from notewell.doors.mcp.tool import Document

# Rounds to find the number of tokens of a document that contains that number; two are usual.
_MAX_COUNTS = 5
_NAMES = frozenset({"path", "id", "one", "other"})  # they say what an item is
_TEXTS = ("snippet", "content")  # they are cut by words, and only dropped last
_LEAST_WORDS = 12  # of a text, for which other fields are given up
_FURTHER = "more"  # the passages of an item beside its best one
_VERSION = ("hash", "mtime", "modified", "score")
_SEVERAL = 3  # items from which on it is better to have all of them shorter
_WANTED = 5  # items of a list, for which texts are shortened
_Field: TypeAlias = tuple[str, ...]  # the names that lead to a value inside an item


def encode(document: Mapping[str, Any]) -> str:
    """Return the document as the text block of an answer."""
    return orjson.dumps(document).decode()


def tokens_of(document: Document, count: CountTokens) -> int:
    """Return the number of tokens of a document with the field that says this number."""
    tokens: int = _with_count(document, count)["tokens"]
    return tokens


def fit(document: Document, cut: Sequence[str], budget: int | None, count: CountTokens) -> Document:
    """Return the document with its number of `tokens`, cut to `budget` where that is possible.

    The parts named in `cut` are shortened one after the other: lists from their end, anything else
    as a whole. Before it loses items, the first list loses the further passages of each, from the
    last one on, and then the ends of the texts of its first five. The first item of the first list
    stays, shortened. `omitted` counts what is left out of lists.
    """
    if budget is None:
        return _with_count(document, count)
    if cut and isinstance(document.get(cut[0]), list):
        document = _shorter_items(document, cut[0], budget, count)
    for name in cut:
        if tokens_of(document, count) <= budget:
            break
        part = document.get(name)
        if isinstance(part, list):
            document = _cut_list(document, name, budget, count, least=int(name == cut[0]))
        elif part is not None:
            document = _without(document, name)
    if cut and tokens_of(document, count) > budget:
        document = _with_first_shortened(document, cut[0], budget, count)
    return _with_count(document, count)


def _cut_list(
    document: Document, name: str, budget: int, count: CountTokens, *, least: int
) -> Document:
    """Return the document with as many of the list's first items as the budget has room for."""
    items = document[name]
    low, high = min(least, len(items)), len(items)  # the answer lies between them, both included
    while low < high:
        middle = (low + high + 1) // 2
        if tokens_of(_first(document, name, middle), count) <= budget:
            low = middle
        else:
            high = middle - 1
    return _first(document, name, low)


def _shorter_items(document: Document, name: str, budget: int, count: CountTokens) -> Document:
    """Return the document with less in the list's items, so that five of them have room."""

    def fits(items: list[Any]) -> bool:
        return tokens_of({**document, name: items}, count) <= budget

    items = document[name]
    few = len(items) < _SEVERAL
    if few or fits(items) or not all(isinstance(item, dict) for item in items):
        return document
    for size in range(len(items) - 1, -1, -1):
        if _FURTHER in items[size]:
            items = [*items[:size], _without(items[size], _FURTHER), *items[size + 1 :]]
            if fits(items):
                return {**document, name: items}
    for shorter in _SHORTER:
        if fits(items[:_WANTED]):
            break
        items = [shorter(item) for item in items]
    return {**document, name: items}


def _text_of(item: Document, size: int) -> Document:
    """Return an item with at most so many words of its text."""
    field = _text_field(item)
    words = [] if field is None else str(_value(item, field)).split(" ")
    if field is None or len(words) <= size:
        return item
    return _replace(item, field, f"{' '.join(words[:size])} …")


# What is done to each item, as long as five do not fit.
_SHORTER: tuple[Callable[[Document], Document], ...] = (
    partial(_text_of, size=80),
    # without what only tells it from another version of it
    lambda item: {name: value for name, value in item.items() if name not in _VERSION},
    partial(_text_of, size=40),
    partial(_text_of, size=20),
)


def _first(document: Document, name: str, size: int) -> Document:
    items = document[name]
    left_out = len(items) - size
    omitted = {"omitted": document.get("omitted", 0) + left_out} if left_out else {}
    return {**document, name: items[:size], **omitted}


def _with_first_shortened(
    document: Document, name: str, budget: int, count: CountTokens
) -> Document:
    """Return the document with its best item in the longest form that fits, else the shortest."""
    items = document.get(name)
    if not isinstance(items, list) or not items or not isinstance(items[0], dict):
        return document
    last = document
    for smaller, least in _smaller(document, name, count):
        last = _with_text_cut(smaller, name, budget, count)
        fits = tokens_of(last, count) <= budget
        if fits and _words_of_text(last, name) >= min(least, _words_of_text(smaller, name)):
            return last
    return last


def _smaller(document: Document, name: str, count: CountTokens) -> Iterator[tuple[Document, int]]:
    """Ever smaller documents, each with the least number of words its text should have."""
    item = document[name][0]
    parts = [field for field, value in _fields(item) if isinstance(value, list)]
    others = [
        field
        for field, value in _fields(item)
        if field[-1] not in (*_NAMES, *_TEXTS) and not isinstance(value, list)
    ]
    for names in (parts, others):
        for field in sorted(names, key=lambda name: -count(encode({"": _value(item, name)}))):
            yield document, _LEAST_WORDS
            item = _drop(item, field)
            document = {**document, name: [item]}
        if names is parts:
            yield document, _LEAST_WORDS
            document = _without(document, "warnings")
    yield document, 0
    for extra in ("corrected", "query", "confidence", "total", "vault"):
        document = _without(document, extra)
        yield document, 0


def _with_text_cut(document: Document, name: str, budget: int, count: CountTokens) -> Document:
    """Return the document with as many words of the first item's text as fit."""
    item = document[name][0]
    field = _text_field(item)
    if field is None:
        return document
    words = str(_value(item, field)).split(" ")

    def cut(size: int) -> Document:
        if size == len(words):
            return document
        text = f"{' '.join(words[:size])} …"
        short = _replace(item, field, text) if size else _drop(item, field)
        return {**document, name: [short, *document[name][1:]]}

    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens_of(cut(middle), count) <= budget:
            low = middle
        else:
            high = middle - 1
    return cut(low)


def _words_of_text(document: Document, name: str) -> int:
    item = document[name][0]
    field = _text_field(item)
    return 0 if field is None else str(_value(item, field)).count(" ") + 1


def _text_field(item: Document) -> _Field | None:
    return next((field for field, _ in _fields(item) if field[-1] in _TEXTS), None)


def _fields(item: Mapping[str, Any], above: _Field = ()) -> Iterator[tuple[_Field, Any]]:
    """The values of an item and of the objects in it."""
    for name, value in item.items():
        if isinstance(value, dict):
            yield from _fields(value, (*above, name))
        else:
            yield (*above, name), value


def _value(item: Document, field: _Field) -> Any:
    shown: Any = item
    for name in field:
        shown = shown[name]
    return shown


def _drop(item: Document, field: _Field) -> Document:
    name, *rest = field
    if not rest:
        return _without(item, name)
    inner = _drop(item[name], tuple(rest))
    return {**item, name: inner} if inner else _without(item, name)


def _replace(item: Document, field: _Field, value: object) -> Document:
    name, *rest = field
    return {**item, name: _replace(item[name], tuple(rest), value) if rest else value}


def _without(document: Document, name: str) -> Document:
    return {key: value for key, value in document.items() if key != name}


def _with_count(document: Document, count: CountTokens) -> Document:
    tokens = 0
    for _ in range(_MAX_COUNTS):
        counted = {**document, "tokens": tokens}
        exact = count(encode(counted))
        if exact == tokens:
            break
        tokens = max(exact, tokens)
    return {**document, "tokens": tokens}
