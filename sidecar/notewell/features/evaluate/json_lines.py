"""Reads files of BEIR's layout line by line; every malformed line is told with its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson

from notewell.api.errors import UsageError


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the lines that are not blank, each after its `file:line` for messages."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield f"{path}:{number}", line.rstrip("\r\n")
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}. Check the path.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text; convert it first.") from error


def object_of(where: str, line: str) -> dict[str, object]:
    """The object of one line. Raises UsageError, as all of these do."""
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"{where}: not JSON ({error}).") from error
    if not isinstance(fields, dict):
        raise UsageError(f"{where}: one JSON object per line is expected.")
    return fields


def identifier_of(where: str, fields: dict[str, object]) -> str:
    """The field `_id`, which may be a whole number, as text."""
    value = fields.get("_id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise UsageError(f'{where}: "_id" must be a string that is not empty.')
    return value


def text_of(where: str, fields: dict[str, object], key: str, *, default: str | None = None) -> str:
    """The text of the field `key`, else `default`."""
    value = fields.get(key, default)
    if not isinstance(value, str):
        raise UsageError(f'{where}: "{key}" must be a string.')
    return value
