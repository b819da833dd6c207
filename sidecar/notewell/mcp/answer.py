"""A tool's document as an answer: compact, within its budget, with the tokens that it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from notewell.mcp.tool import Document
from notewell.types import CountTokens

_DIGITS = 4  # of fractions; scores are compared, not computed with
_SETTLES = 5  # rounds until a count that stands in what it counts is right; two are usual


def compact(value: Any) -> Any:
    """`value` without what is empty, and with short fractions; false and 0 say something."""
    if isinstance(value, Mapping):
        parts = {str(name): compact(part) for name, part in value.items()}
        return {name: part for name, part in parts.items() if not _is_empty(part)}
    if isinstance(value, list | tuple):
        return [compact(part) for part in value]
    return round(value, _DIGITS) if isinstance(value, float) else value


def encode(document: Mapping[str, Any]) -> str:
    """The document as the text block of an answer."""
    return orjson.dumps(document).decode()


def within(
    document: Document, cut: Sequence[str], budget: int | None, count: CountTokens
) -> Document:
    """The document with its `tokens`, at most `budget` if shortening the parts `cut` is enough.

    They are shortened one after the other, lists from their end, anything else as a whole. What is
    left out of lists is counted in `omitted`.
    """
    for name in cut:
        if budget is None or _tokens(document, count) <= budget:
            break
        part = document.get(name)
        if isinstance(part, list):
            document = _shortened(document, name, budget, count)
        elif part is not None:
            document = {key: value for key, value in document.items() if key != name}
    return _counted(document, count)


def _shortened(document: Document, name: str, budget: int, count: CountTokens) -> Document:
    """The document with as many of the list's first items as there is room for."""
    items = document[name]
    low, high = 0, max(len(items) - 1, 0)  # the most that fit are in here
    while low < high:
        middle = (low + high + 1) // 2
        if _tokens(_first(document, name, middle), count) <= budget:
            low = middle
        else:
            high = middle - 1
    return _first(document, name, low)


def _first(document: Document, name: str, kept: int) -> Document:
    items = document[name]
    omitted = document.get("omitted", 0) + len(items) - kept
    return {**document, name: items[:kept], "omitted": omitted}


def _tokens(document: Document, count: CountTokens) -> int:
    tokens: int = _counted(document, count)["tokens"]
    return tokens


def _counted(document: Document, count: CountTokens) -> Document:
    tokens = 0
    for _ in range(_SETTLES):
        counted = {**document, "tokens": tokens}
        exact = count(encode(counted))
        if exact == tokens:
            break
        tokens = max(exact, tokens)
    return {**document, "tokens": tokens}


def _is_empty(value: Any) -> bool:
    return value is None or value == "" or value in ([], {})
