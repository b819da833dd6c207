"""The JSON Schema of replies, for OpenAPI and the TypeScript contract."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from notewell.base.types.hints import FieldType, members
from notewell.contract import OMITTED_WHEN_NONE

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
Shape: TypeAlias = dict[str, Json]
_PLAIN: Mapping[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schema_of(record: type, shapes: dict[str, Json]) -> Shape:
    """Return a reference to the schema of `record`; add it and what it holds to `shapes`."""
    reference: Shape = {"$ref": f"#/components/schemas/{record.__name__}"}
    if record.__name__ in shapes:
        return reference
    shapes[record.__name__] = None  # so that a record that holds itself ends
    properties: Shape = {}
    for name, kind in members(record):
        omitted = kind.optional and name in OMITTED_WHEN_NONE
        properties[name] = _shape(replace(kind, optional=False) if omitted else kind, shapes)
    required: list[Json] = [name for name in properties if name not in OMITTED_WHEN_NONE]
    shapes[record.__name__] = {
        "type": "object",
        "description": inspect.getdoc(record),
        "properties": properties,
        "required": required,
    }
    return reference


def _shape(kind: FieldType, shapes: dict[str, Json]) -> Shape:
    """The shape of a field. A reference that is left (any property's value) is any JSON."""
    if kind.optional or kind.kind == "union":
        parts = kind.parts if kind.kind == "union" else (replace(kind, optional=False),)
        of_parts: list[Json] = [_shape(part, shapes) for part in parts]
        return {"anyOf": [*of_parts, {"type": "null"}] if kind.optional else of_parts}
    match kind.kind:
        case "plain":
            shape: Shape = {"type": _PLAIN[kind.hint]} if kind.hint in _PLAIN else {}
        case "words":
            shape = {"type": "string", "enum": list(kind.words)}
        case "record":
            shape = schema_of(kind.hint, shapes)
        case "list":
            shape = {"type": "array", "items": _shape(kind.parts[0], shapes)}
        case "tuple":
            shape = _array(kind, shapes)
        case "mapping":
            shape = {"type": "object", "additionalProperties": _shape(kind.parts[1], shapes)}
        case _:
            shape = {}
    return shape


def _array(kind: FieldType, shapes: dict[str, Json]) -> Shape:
    parts: list[Json] = [_shape(part, shapes) for part in kind.parts]
    return {
        "type": "array",
        "prefixItems": parts,
        "minItems": len(parts),
        "maxItems": len(parts),
    }
