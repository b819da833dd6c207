"""Errors as answers: a code for programs, what to do for people, and the names that were near."""

from __future__ import annotations

import difflib
from pathlib import PurePosixPath
from typing import Any

from pydantic import ValidationError

from notewell.contract.status import LedgerRequest
from notewell.errors import BusyError, NotewellError, NotFoundError, UsageError
from notewell.mcp.tool import Asked, Desk, Document, read

_NEAREST = 5


def failure(error: NotewellError, nearest: list[str] | None = None) -> Document:
    """The document of an error."""
    document: dict[str, Any] = {"code": error.code, "message": error.message}
    if isinstance(error, BusyError) and error.retry_after is not None:
        document["retry_after"] = round(error.retry_after, 1)
    if nearest:
        document["nearest"] = nearest
    return {"error": document}


def near(desk: Desk, asked: Asked, error: NotewellError) -> list[str]:
    """Paths of notes that are called nearly like what was not found."""
    if not isinstance(error, NotFoundError):
        return []
    names = [getattr(asked, name, None) for name in ("path", "source", "target")]
    wanted = [name for name in names if isinstance(name, str)]
    try:
        entries = read(desk.answers.document(LedgerRequest("indexed")))["entries"] if wanted else []
    except NotewellError:
        return []  # the error that is told already says more
    paths = [entry["path"] for entry in entries]
    return [path for name in wanted if name not in paths for path in _nearest(name, paths)]


def _nearest(wanted: str, paths: list[str]) -> list[str]:
    """By the whole path, then by the file's name alone."""
    by_stem: dict[str, list[str]] = {}
    for path in paths:
        by_stem.setdefault(PurePosixPath(path).stem.casefold(), []).append(path)
    stem = PurePosixPath(wanted).stem.casefold()
    found = difflib.get_close_matches(wanted, paths, n=_NEAREST, cutoff=0.6)
    for name in difflib.get_close_matches(stem, by_stem, n=_NEAREST, cutoff=0.6):
        found += by_stem[name]
    return list(dict.fromkeys(found))[:_NEAREST]


def invalid(error: ValidationError, asked: type[Asked]) -> UsageError:
    """What is wrong with each argument, in one message that repeats no value."""
    parts = []
    for detail in error.errors(include_input=False, include_url=False):
        name = ".".join(str(step) for step in detail["loc"])
        if detail["type"] == "extra_forbidden":
            known = ", ".join(asked.model_fields)
            parts.append(f"`{name[:100]}` is unknown here (known: {known})")
        elif detail["type"] == "missing":
            parts.append(f"`{name}` is missing")
        else:
            said = detail["msg"].removeprefix("Value error, ")
            parts.append(f"`{name}`: {said}" if name else said)
    return UsageError("; ".join(parts) + ".")
