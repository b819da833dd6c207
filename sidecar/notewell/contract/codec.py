"""Replies as JSON, straight from their records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

import orjson

from notewell.contract import OMITTED_WHEN_NONE

if TYPE_CHECKING:  # exists for type checkers only
    from _typeshed import DataclassInstance


def to_json(reply: object) -> bytes:
    """Encode a reply record (or plain JSON data) as UTF-8 JSON.

    Parts named in `OMITTED_WHEN_NONE` are left out where they are None; only the outermost record
    has such parts.
    """
    shown = _without_omitted(reply)
    try:
        return orjson.dumps(shown, default=_plain)
    except orjson.JSONEncodeError:
        # A lone surrogate: YAML may write one in a property, and UTF-8 cannot hold it. The
        # standard library escapes it instead, and the reply arrives.
        return json.dumps(shown, default=_plain).encode()


def _without_omitted(reply: object) -> object:
    if not is_dataclass(reply) or isinstance(reply, type):
        return reply
    return {
        name: value
        for name, value in _fields(reply).items()
        if value is not None or name not in OMITTED_WHEN_NONE
    }


def _fields(record: DataclassInstance) -> dict[str, object]:
    return {part.name: getattr(record, part.name) for part in fields(record)}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): part for key, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    raise TypeError(f"{type(value).__name__} has no place in a reply")
