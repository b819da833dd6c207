"""Replies as JSON and back, straight from their records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import orjson

from notewell.base.errors import ServerError
from notewell.base.types.hints import FieldType, Kind, describe, members
from notewell.contract import OMITTED_WHEN_NONE

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


R = TypeVar("R")
Reader: TypeAlias = Callable[[Any], Any]  # of one part of a JSON document


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
        reply: R = _reader(describe(kind))(data)
    except (ValueError, KeyError, TypeError) as error:
        raise ServerError(
            f"The server's answer is not a {kind.__name__} of this version ({error})."
        ) from error
    return reply


def _reader(kind: FieldType) -> Reader:
    """Return the function that reads JSON data as a value of a field.

    It is made once for a record: a list of all files of a vault has tens of thousands.
    """
    read = _READERS[kind.kind](kind)
    return _or_none(read) if kind.optional else read


def _or_none(read: Reader) -> Reader:
    return lambda data: None if data is None else read(data)


def _record_reader(kind: FieldType) -> Reader:
    record = kind.hint

    def read(data: Any) -> Any:
        if not isinstance(data, dict):
            raise TypeError(f"{record.__name__} is a JSON object")
        readers = _field_readers(record)
        return record(**{name: read(data[name]) for name, read in readers if name in data})

    return read


@cache
def _field_readers(record: Any) -> tuple[tuple[str, Reader], ...]:
    """Made when the first record is read, because a record may hold itself."""
    return tuple((name, _reader(kind)) for name, kind in members(record))


def _union_reader(kind: FieldType) -> Reader:
    if any(part.kind == "record" for part in kind.parts):
        return lambda data: _reader(_record_for(kind.parts, data))(data)
    return lambda data: tuple(data) if isinstance(data, list) else data


def _record_for(kinds: Iterable[FieldType], data: Any) -> FieldType:
    """Return the record with exactly the fields that the object has."""
    for kind in kinds:
        if kind.kind == "record" and set(data) == {name for name, _ in members(kind.hint)}:
            return kind
    raise TypeError(f"no reply has the fields {', '.join(data)}")


def _list_reader(kind: FieldType) -> Reader:
    read_part = _reader(kind.parts[0])
    return lambda data: tuple(map(read_part, data))


def _tuple_reader(kind: FieldType) -> Reader:
    readers = [_reader(part) for part in kind.parts]
    return lambda data: tuple(read(part) for read, part in zip(readers, data, strict=True))


def _mapping_reader(kind: FieldType) -> Reader:
    read_value = _reader(kind.parts[1])

    def read(data: Any) -> Any:
        if not isinstance(data, dict):
            raise TypeError(f"{data!r:.40} is not a JSON object")
        return {key: read_value(part) for key, part in data.items()}

    return read


def _plain_reader(kind: FieldType) -> Reader:
    wanted = kind.hint
    if wanted not in {str, int, float, bool}:
        return _as_it_is

    def read(data: Any) -> Any:
        if isinstance(data, wanted):
            return data
        if wanted is float and isinstance(data, int) and not isinstance(data, bool):
            return float(data)
        raise TypeError(f"{data!r:.40} is not {wanted.__name__}")

    return read


def _as_it_is(data: Any) -> Any:
    return data


_READERS: Mapping[Kind, Callable[[FieldType], Reader]] = {
    "plain": _plain_reader,
    "words": lambda _: _as_it_is,
    "record": _record_reader,
    "union": _union_reader,
    "list": _list_reader,
    "tuple": _tuple_reader,
    "set": lambda _: _as_it_is,
    "mapping": _mapping_reader,
    "any": lambda _: _as_it_is,
}


def _without_omitted(reply: object) -> object:
    if not is_dataclass(reply) or isinstance(reply, type):
        return reply
    return {
        name: value
        for name, value in _fields(reply).items()
        if value is not None or name not in OMITTED_WHEN_NONE
    }


def _fields(record: DataclassInstance) -> dict[str, object]:
    return {name: getattr(record, name) for name in _field_names(type(record))}


@cache
def _field_names(kind: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(part.name for part in fields(kind))


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): part for key, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    raise TypeError(f"{type(value).__name__} cannot be part of a reply")
