"""A tool's document as an answer: compact, within its budget, with the tokens that it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from recollect.mcp.tool import Document
from recollect.types import CountTokens

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


def within(document: Document, cut: str | None, budget: int | None, count: CountTokens) -> Document:
    """The document with its `tokens`, at most `budget` if shortening the list `cut` is enough.

    What is left out of the list is counted in `omitted`.
    """
    items = document.get(cut, []) if cut is not None else []
    if budget is None or not items or _tokens(document, count) <= budget:
        return _counted(document, count)
    assert cut is not None  # noqa: S101 - there are items of it
    low, high = 0, len(items) - 1  # the most that fit are in here
    while low < high:
        middle = (low + high + 1) // 2
        if _tokens(_first(document, cut, items, middle), count) <= budget:
            low = middle
        else:
            high = middle - 1
    return _counted(_first(document, cut, items, low), count)


def _first(document: Document, cut: str, items: Sequence[Any], kept: int) -> Document:
    return {**document, cut: items[:kept], "omitted": len(items) - kept}


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
