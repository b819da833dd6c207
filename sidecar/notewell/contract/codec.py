"""Replies as JSON and back, straight from their records, and the JSON Schema of the records."""

from __future__ import annotations

import builtins
import inspect
import json
import types
import typing
from collections import abc
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ForwardRef,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import orjson

from notewell.base.errors import ServerError
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
        record: Any = kind  # mypy takes a class with a type variable for unhashable
        reply: R = _reader(record)(data)
    except (ValueError, KeyError, TypeError) as error:
        raise ServerError(
            f"The server's answer is not a {kind.__name__} of this version ({error})."
        ) from error
    return reply


@cache
def _reader(hint: Any) -> Reader:
    """Return the function that reads JSON data as a value of the annotation `hint`.

    What an annotation means is looked up once, not for each value: a list of all files of a vault
    has tens of thousands.
    """
    if is_dataclass(hint):
        return _record_reader(hint)
    if is_typeddict(hint):
        return _dictionary_reader(hint)
    origin, inner = get_origin(hint), get_args(hint)
    if origin in _COMPOSED:
        return _COMPOSED[origin](inner)
    if origin is Literal or isinstance(hint, ForwardRef | str):
        return _as_it_is  # a word, or the value of a property, which may be any JSON
    return _scalar_reader(hint)


def _record_reader(record: Any) -> Reader:
    def read(data: Any) -> Any:
        if not isinstance(data, dict):
            raise TypeError(f"{record.__name__} is a JSON object")
        readers = _field_readers(record)
        return record(**{name: one(data[name]) for name, one in readers if name in data})

    return read


def _dictionary_reader(kind: Any) -> Reader:
    readers = {name: _reader(hint) for name, hint in get_type_hints(kind).items()}

    def read(data: Any) -> Any:
        if not isinstance(data, dict):
            raise TypeError(f"{kind.__name__} is a JSON object")
        return {name: one(data[name]) for name, one in readers.items()}

    return read


@cache
def _field_readers(record: Any) -> tuple[tuple[str, Reader], ...]:
    """Made when the first record is read, because a record may hold itself."""
    hints = get_type_hints(record)
    return tuple((one.name, _reader(hints[one.name])) for one in fields(record))


def _union_reader(kinds: tuple[Any, ...]) -> Reader:
    others = [kind for kind in kinds if kind is not NoneType]
    read_other = _reader(others[0]) if len(others) == 1 else _alternatives_reader(others)
    if len(others) == len(kinds):
        return read_other
    return lambda data: None if data is None else read_other(data)


def _alternatives_reader(kinds: list[Any]) -> Reader:
    if any(map(is_dataclass, kinds)):
        return lambda data: _reader(_record_for(kinds, data))(data)
    return lambda data: tuple(data) if isinstance(data, list) else data


def _record_for(kinds: list[Any], data: Any) -> Any:
    """Return the record with exactly the fields that the object has."""
    for kind in kinds:
        if is_dataclass(kind) and set(data) == {one.name for one in fields(kind)}:
            return kind
    raise TypeError(f"no reply has the fields {', '.join(data)}")


def _tuple_reader(kinds: tuple[Any, ...]) -> Reader:
    readers = [_reader(kind) for kind in kinds if kind is not Ellipsis]
    if kinds[-1] is Ellipsis:
        return lambda data: tuple(map(readers[0], data))
    return lambda data: tuple(one(part) for one, part in zip(readers, data, strict=True))


def _mapping_reader(kinds: tuple[Any, ...]) -> Reader:
    read_value = _reader(kinds[1])

    def read(data: Any) -> Any:
        if not isinstance(data, dict):
            raise TypeError(f"{data!r:.40} is not a JSON object")
        return {key: read_value(part) for key, part in data.items()}

    return read


def _scalar_reader(kind: Any) -> Reader:
    if kind not in {str, int, float, bool}:
        return _as_it_is

    def read(data: Any) -> Any:
        if isinstance(data, kind):
            return data
        if kind is float and isinstance(data, int) and not isinstance(data, bool):
            return float(data)
        raise TypeError(f"{data!r:.40} is not {kind.__name__}")

    return read


def _as_it_is(data: Any) -> Any:
    return data


_COMPOSED: Mapping[object, Callable[[tuple[Any, ...]], Reader]] = {
    Annotated: lambda kinds: _reader(kinds[0]),
    Union: _union_reader,
    UnionType: _union_reader,
    tuple: _tuple_reader,
    abc.Mapping: _mapping_reader,
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


Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
Shape: TypeAlias = dict[str, Json]

_SCALARS: dict[object, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "null",
}


def describe(record: type, shapes: dict[str, Json]) -> Shape:
    """Return a reference to the schema of `record`; add it and what it holds to `shapes`."""
    reference: Shape = {"$ref": f"#/components/schemas/{record.__name__}"}
    if record.__name__ in shapes:
        return reference
    shapes[record.__name__] = None  # so that a record that holds itself ends
    hints = get_type_hints(record)
    names = [part.name for part in fields(record)] if is_dataclass(record) else list(hints)
    required: list[Json] = [name for name in names if name not in OMITTED_WHEN_NONE]
    properties: Shape = {}
    for name in names:
        hint = hints[name] if name not in OMITTED_WHEN_NONE else _without_none(hints[name])
        properties[name] = _shape(hint, shapes)
    shapes[record.__name__] = {
        "type": "object",
        "description": inspect.getdoc(record),
        "properties": properties,
        "required": required,
    }
    return reference


def _shape(hint: object, shapes: dict[str, Json]) -> Shape:
    """Shape of one annotation. A forward reference (any property's value) is any JSON."""
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if isinstance(hint, type) and (is_dataclass(hint) or typing.is_typeddict(hint)):
        return describe(hint, shapes)
    inner = get_args(hint)
    match get_origin(hint):
        case typing.Literal:
            shape: Shape = {"type": "string", "enum": list(inner)}
        case typing.Union | types.UnionType:
            shape = {"anyOf": [_shape(part, shapes) for part in inner]}
        case builtins.tuple:
            shape = _array(inner, shapes)
        case abc.Mapping:
            shape = {"type": "object", "additionalProperties": _shape(inner[1], shapes)}
        case _:
            shape = {}
    return shape


def _array(inner: tuple[object, ...], shapes: dict[str, Json]) -> Shape:
    if inner[-1] is Ellipsis:
        return {"type": "array", "items": _shape(inner[0], shapes)}
    parts: list[Json] = [_shape(part, shapes) for part in inner]
    return {
        "type": "array",
        "prefixItems": parts,
        "minItems": len(parts),
        "maxItems": len(parts),
    }


def _without_none(hint: object) -> object:
    kept = [part for part in get_args(hint) if part is not NoneType]
    return kept[0] if kept else hint
