"""Reads JSON that people draw with: whatever does not fit a format is left out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias

from notewell.base.errors import UnreadableNoteError

Json: TypeAlias = object

_MAX_NAME = 1000  # characters of an id, a path or a label
_FAR = 1e9  # pixels; beyond it a number is no position


def load_object(text: str, path: str, what: str) -> Mapping[str, Json]:
    """Read a JSON object; UnreadableNoteError (code "unreadable") where it is none.

    `what` is what the file should be: "canvas".
    """
    try:
        loaded: Json = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        why = f"its JSON is broken or cut off at {place}: {error.msg}"
        raise refused(path, what, why) from error
    except (ValueError, RecursionError) as error:
        raise refused(path, what, f"its JSON cannot be read: {error}") from error
    if not isinstance(loaded, dict):
        raise refused(path, what, "its JSON is no object")
    return loaded


def refused(path: str, what: str, why: str) -> UnreadableNoteError:
    """The error for a file that is not what its name says."""
    return UnreadableNoteError(f"{path} is no valid {what}: {why}.", code="unreadable")


def text_of(value: Json) -> str:
    """A text without lone surrogates and NUL, which no database could store; "" if it is none."""
    if not isinstance(value, str):
        return ""
    text = value.encode("utf-8", "replace").decode().replace("\x00", "�")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def name_of(value: Json) -> str:
    """A text of one line; one that is far too long for a name is none."""
    name = " ".join(text_of(value).split())
    return name if len(name) <= _MAX_NAME else ""


def number_of(value: Json) -> float:
    """A position or size. What is no number, or infinite, counts as 0."""
    if isinstance(value, int | float) and -_FAR <= value <= _FAR:
        return float(value)
    return 0.0
