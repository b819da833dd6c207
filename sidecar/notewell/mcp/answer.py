"""What an assistant gets: a tool's document, compact and within its budget, or an error.

An error names a code for programs, what a person can do, and, of a note that is not there, paths
that are nearly the same. While an index is being built, nothing found is such an error too.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import PurePosixPath
from typing import Any

import orjson

from notewell.client.backend import Backend
from notewell.contract.status import LedgerRequest, StatusRequest
from notewell.errors import BusyError, NotewellError, NotFoundError
from notewell.mcp.requests import ToolRequest
from notewell.mcp.tool import Document
from notewell.types import CountTokens

_DIGITS = 4  # of fractions: an assistant compares scores and does not compute with them
# Rounds to find the number of tokens of a document that contains that number; two are usual.
_MAX_COUNTS = 5
_NEAREST = 5
_SIMILAR_NAME = 0.6  # ratio of `difflib`, 0 to 1
# Seconds until an assistant asks again. Half an index answers more than nothing, so asking soon
# makes sense; the estimate for all of it is unreliable at first.
_MIN_WAIT, _MAX_WAIT, _UNKNOWN_WAIT = 2.0, 30.0, 5.0
_PATH_FIELDS = ("path", "source", "target")  # arguments that name a note


def compact(value: Any) -> Any:
    """Return `value` as JSON data, without empty parts and with short fractions.

    Records become objects. False and 0 stay: they are information.
    """
    if is_dataclass(value) and not isinstance(value, type):
        value = {part.name: getattr(value, part.name) for part in fields(value)}
    if isinstance(value, Mapping):
        parts = {str(name): compact(part) for name, part in value.items()}
        return {name: part for name, part in parts.items() if not _is_empty(part)}
    if isinstance(value, list | tuple):
        return [compact(part) for part in value]
    return round(value, _DIGITS) if isinstance(value, float) else value


def pick(record: object, *names: str) -> Document:
    """Return some fields of a record by name."""
    return {name: getattr(record, name) for name in names}


def encode(document: Mapping[str, Any]) -> str:
    """Return the document as the text block of an answer."""
    return orjson.dumps(document).decode()


def fit(document: Document, cut: Sequence[str], budget: int | None, count: CountTokens) -> Document:
    """Return the document with its number of `tokens`, cut to `budget` where that is possible.

    The parts named in `cut` are shortened one after the other: lists from their end, anything else
    as a whole. `omitted` counts what is left out of lists.
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


def failure(error: NotewellError, nearest: Sequence[str] = ()) -> Document:
    """Return the document of an error."""
    document: dict[str, Any] = {"code": error.code, "message": error.message}
    if isinstance(error, BusyError) and error.retry_after is not None:
        document["retry_after"] = round(error.retry_after, 1)
    if nearest:
        document["nearest"] = list(nearest)
    return {"error": document}


def nearest_paths(backend: Backend, request: ToolRequest, error: NotewellError) -> list[str]:
    """Return paths of notes that are nearly like those that were not found."""
    if not isinstance(error, NotFoundError):
        return []
    named = [getattr(request, name, None) for name in _PATH_FIELDS]
    wanted = [name for name in named if isinstance(name, str)]
    try:
        entries = backend.answer(LedgerRequest("indexed")).entries if wanted else ()
    except NotewellError:
        return []  # the error at hand matters more
    paths = [entry.path for entry in entries]
    return [path for name in wanted if name not in paths for path in _nearest(name, paths)]


def refuse_while_building(backend: Backend, path: str | None = None) -> None:
    """Raise BusyError (code "index_building") where finding nothing says nothing yet.

    That is while more notes are pending than indexed, and for the note at `path` while it is
    pending.
    """
    status = backend.answer(StatusRequest())
    pending = status.queue.pending
    if status.state not in {"starting", "indexing"} or pending == 0:
        return
    if pending > status.notes or (path is not None and _is_pending(backend, path)):
        eta = status.queue.eta_s
        wait = _UNKNOWN_WAIT if eta is None else min(max(eta, _MIN_WAIT), _MAX_WAIT)
        raise BusyError(
            f"The index of {status.vault} is being built: {status.notes:,} notes are in it,"
            f" {pending:,} wait. Ask again in {wait:.0f} s.",
            code="index_building",
            retry_after=wait,
        )


def _is_pending(backend: Backend, path: str) -> bool:
    paths = (path, f"{path}.md")
    return any(backend.answer(LedgerRequest("pending", one)).entries for one in paths)


def _nearest(wanted: str, paths: list[str]) -> list[str]:
    """Compare the whole path, then the file's name alone."""
    by_stem: dict[str, list[str]] = {}
    for path in paths:
        by_stem.setdefault(PurePosixPath(path).stem.casefold(), []).append(path)
    stem = PurePosixPath(wanted).stem.casefold()
    found = difflib.get_close_matches(wanted, paths, n=_NEAREST, cutoff=_SIMILAR_NAME)
    for name in difflib.get_close_matches(stem, by_stem, n=_NEAREST, cutoff=_SIMILAR_NAME):
        found += by_stem[name]
    return list(dict.fromkeys(found))[:_NEAREST]


def _shortened(document: Document, name: str, budget: int, count: CountTokens) -> Document:
    """Return the document with as many of the list's first items as the budget has room for."""
    items = document[name]
    low, high = 0, max(len(items) - 1, 0)  # the answer lies between them, both included
    while low < high:
        middle = (low + high + 1) // 2
        if _tokens(_first(document, name, middle), count) <= budget:
            low = middle
        else:
            high = middle - 1
    return _first(document, name, low)


def _first(document: Document, name: str, size: int) -> Document:
    items = document[name]
    omitted = document.get("omitted", 0) + len(items) - size
    return {**document, name: items[:size], "omitted": omitted}


def _tokens(document: Document, count: CountTokens) -> int:
    tokens: int = _counted(document, count)["tokens"]
    return tokens


def _counted(document: Document, count: CountTokens) -> Document:
    tokens = 0
    for _ in range(_MAX_COUNTS):
        counted = {**document, "tokens": tokens}
        exact = count(encode(counted))
        if exact == tokens:
            break
        tokens = max(exact, tokens)
    return {**document, "tokens": tokens}


def _is_empty(value: Any) -> bool:
    return value is None or value == "" or value in ([], {})
