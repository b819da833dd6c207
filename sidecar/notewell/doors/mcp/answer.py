"""Answers to an assistant: a tool's document in compact form, or an error.

An error names a code for programs, what a person can do, and, of a note that is not there, paths
that are nearly the same. While an index is being built, nothing found is such an error too.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import PurePosixPath
from typing import Any

from notewell.base.errors import BusyError, NotewellError, NotFoundError
from notewell.contract.status import LedgerRequest, StatusRequest
from notewell.doors.mcp.tool import Document
from notewell.engine.client import Backend

_DIGITS = 4  # of fractions: an assistant compares scores and does not compute with them
_NEAREST = 5
_SIMILAR_NAME = 0.6  # ratio of `difflib`, 0 to 1
# Seconds until an assistant asks again. Half an index answers more than nothing, so asking soon
# makes sense; the estimate for all of it is unreliable at first.
_MIN_WAIT, _MAX_WAIT, _UNKNOWN_WAIT = 2.0, 30.0, 5.0
_PATH_FIELDS = ("path", "source", "target", "paths")  # arguments that name notes


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


def failure(error: NotewellError, nearest: Sequence[str] = ()) -> Document:
    """Return the document of an error."""
    document: dict[str, Any] = {"code": error.code, "message": error.message}
    if isinstance(error, BusyError) and error.retry_after is not None:
        document["retry_after"] = round(error.retry_after, 1)
    if nearest:
        document["nearest"] = list(nearest)
    return {"error": document}


def nearest_paths(backend: Backend, request: object, error: NotewellError) -> list[str]:
    """Return paths of notes that are nearly like those that were not found."""
    if not isinstance(error, NotFoundError):
        return []
    named = [getattr(request, name, None) for name in _PATH_FIELDS]
    flat = [path for name in named for path in (name if isinstance(name, list) else [name])]
    wanted = [name for name in flat if isinstance(name, str)]
    try:
        paths = indexed_paths(backend) if wanted else []
    except NotewellError:
        return []  # the error at hand matters more
    known = set(paths)
    unknown = [name for name in wanted if name not in known][:_NEAREST]
    return [path for name in unknown for path in _nearest(name, paths)]


def indexed_paths(backend: Backend) -> list[str]:
    """Return the paths of all notes that can be found, whether or not they are embedded yet."""
    entries = backend.answer(LedgerRequest()).entries
    return [entry.path for entry in entries if entry.state in {"indexed", "keyword_only"}]


def refuse_while_building(backend: Backend, path: str | None = None) -> None:
    """Raise BusyError (code "index_building") where finding nothing says nothing yet.

    For the note at `path` that is while it is pending; else while more notes are pending than
    indexed. Notes that only wait for their embedding are found by keyword.
    """
    status = backend.answer(StatusRequest())
    if status.state not in {"starting", "indexing"}:
        return
    pending = status.ledger.get("pending", 0)
    early = pending > status.notes or status.notes == 0
    if _is_pending(backend, path) if path is not None else early:
        eta = status.queue.eta_s
        wait = _UNKNOWN_WAIT if eta is None else min(max(eta, _MIN_WAIT), _MAX_WAIT)
        raise BusyError(
            f"The index of {status.vault} is being built: {status.notes:,} notes are in it,"
            f" {pending:,} wait. Ask again in {wait:.0f} s.",
            code="index_building",
            retry_after=wait,
        )


def _is_pending(backend: Backend, path: str) -> bool:
    if PurePosixPath(path).is_absolute():
        return False  # no note, but a document outside the vault
    paths = (path, f"{path}.md")
    return any(backend.answer(LedgerRequest("pending", path)).entries for path in paths)


def _nearest(wanted: str, paths: list[str]) -> list[str]:
    """Compare the whole path, then the file's name alone."""
    by_stem: dict[str, list[str]] = {}
    for path in paths:
        by_stem.setdefault(PurePosixPath(path).stem.casefold(), []).append(path)
    stem = PurePosixPath(wanted).stem.casefold()
    close_names = difflib.get_close_matches(wanted, paths, n=_NEAREST, cutoff=_SIMILAR_NAME)
    for name in difflib.get_close_matches(stem, by_stem, n=_NEAREST, cutoff=_SIMILAR_NAME):
        close_names += by_stem[name]
    return list(dict.fromkeys(close_names))[:_NEAREST]


def _is_empty(value: Any) -> bool:
    return value is None or value == "" or value in ([], {})


# --- lists -----------------------------------------------------------------------------------


# --- the first item --------------------------------------------------------------------------
