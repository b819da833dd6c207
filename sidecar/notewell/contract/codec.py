"""Replies as JSON and back, straight from their records."""

from __future__ import annotations

import json
from collections import abc
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ForwardRef,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import orjson

from notewell.contract import OMITTED_WHEN_NONE
from notewell.errors import ServerError

if TYPE_CHECKING:  # exists for type checkers only
    from _typeshed import DataclassInstance

R = TypeVar("R")


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


def from_json(kind: type[R], document: bytes) -> R:
    """Decode the JSON of a reply into its record; fields that the record lacks are ignored.

    Raises ServerError where the document is not of that kind: it came from another version.
    """
    try:
        # The standard library's reader takes the lone surrogates that `to_json` may escape.
        data = json.loads(document) if b"\\ud" in document.lower() else orjson.loads(document)
        reply: R = _decode(kind, data)
    except (ValueError, KeyError, TypeError) as error:
        raise ServerError(
            f"The server's answer is not a {kind.__name__} of this version ({error})."
        ) from error
    return reply


def _decode(hint: Any, data: Any) -> Any:
    """Read JSON data as a value of the annotation `hint`."""
    origin, inner = get_origin(hint), get_args(hint)
    if is_dataclass(hint):
        return _decode_record(hint, data)
    if origin is Annotated:
        return _decode(inner[0], data)
    if origin in {Union, UnionType}:
        return _decode_union(inner, data)
    if origin in {tuple, abc.Mapping}:
        return _decode_collection(origin, inner, data)
    if origin is Literal or isinstance(hint, ForwardRef | str):
        return data  # a word, or the value of a property, which may be any JSON
    return _decode_scalar(hint, data)


def _decode_collection(origin: Any, inner: tuple[Any, ...], data: Any) -> Any:
    if origin is abc.Mapping:
        return {key: _decode(inner[1], part) for key, part in data.items()}
    kinds = (inner[0],) * len(data) if inner[-1] is Ellipsis else inner
    return tuple(_decode(kind, part) for kind, part in zip(kinds, data, strict=True))


def _decode_record(record: Any, data: Any) -> Any:
    if not isinstance(data, dict):
        raise TypeError(f"{record.__name__} is a JSON object")
    hints = _hints(record)
    names = [one.name for one in fields(record) if one.name in data]
    return record(**{name: _decode(hints[name], data[name]) for name in names})


def _decode_union(kinds: tuple[Any, ...], data: Any) -> Any:
    if data is None and NoneType in kinds:
        return None
    others = [kind for kind in kinds if kind is not NoneType]
    if len(others) == 1:
        return _decode(others[0], data)
    if any(map(is_dataclass, others)):
        return _decode(_record_for(others, data), data)
    return tuple(data) if isinstance(data, list) else data


def _record_for(kinds: list[Any], data: Any) -> Any:
    """Return the record with exactly the fields that the object has."""
    for kind in kinds:
        if is_dataclass(kind) and set(data) == {one.name for one in fields(kind)}:
            return kind
    raise TypeError(f"no reply has the fields {', '.join(data)}")


def _decode_scalar(hint: Any, data: Any) -> Any:
    if hint is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if hint in {str, int, float, bool} and not isinstance(data, hint):
        raise TypeError(f"{data!r:.40} is not {hint.__name__}")
    return data


@cache
def _hints(record: Any) -> Mapping[str, Any]:
    return get_type_hints(record)


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
