"""Checks JSON against a schema: the part of JSON Schema that our OpenAPI document uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_TYPES = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
    "object": dict,
    "array": list,
}


def misfits(value: object, schema: Mapping[str, Any], document: Mapping[str, Any]) -> list[str]:
    """Where `value` does not fit; empty when it does."""
    return list(_misfits(value, schema, document, "$"))


def _misfits(
    value: Any, schema: Mapping[str, Any], document: Mapping[str, Any], at: str
) -> Iterator[str]:
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in schema:
        if all(list(_misfits(value, part, document, at)) for part in schema["anyOf"]):
            yield f"{at}: {value!r} fits none of the kinds"
    elif "type" not in schema:
        return  # anything goes
    elif not _is_a(value, schema["type"]):
        yield f"{at}: {value!r} is not {schema['type']}"
    elif "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is not one of {schema['enum']}"
    elif isinstance(value, dict):
        yield from _object(value, schema, document, at)
    elif isinstance(value, list):
        yield from _array(value, schema, document, at)


def _is_a(value: object, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _object(
    value: dict[str, Any], schema: Mapping[str, Any], document: Mapping[str, Any], at: str
) -> Iterator[str]:
    known, others = schema.get("properties", {}), schema.get("additionalProperties")
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{at}.{name} is missing"
    for name, part in value.items():
        if name in known:
            yield from _misfits(part, known[name], document, f"{at}.{name}")
        elif others is None:
            yield f"{at}.{name} is not in the schema"
        else:
            yield from _misfits(part, others, document, f"{at}.{name}")


def _array(
    value: list[Any], schema: Mapping[str, Any], document: Mapping[str, Any], at: str
) -> Iterator[str]:
    shapes = schema.get("prefixItems") or [schema["items"]] * len(value)
    if len(shapes) != len(value):
        yield f"{at}: {len(value)} items where {len(shapes)} belong"
    for number, (item, shape) in enumerate(zip(value, shapes, strict=False)):
        yield from _misfits(item, shape, document, f"{at}[{number}]")
