"""JSON Schema of the reply records, from their annotations and docstrings.

Not by pydantic: it cannot follow the recursive alias `PropertyValue` without naming it in the
document, and the records need nothing of its validation, being built by us.
"""

from __future__ import annotations

import builtins
import inspect
import types
import typing
from collections import abc
from dataclasses import fields, is_dataclass
from types import NoneType
from typing import TypeAlias, get_args, get_origin, get_type_hints

from notewell.contract import OMITTED_WHEN_NONE

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
