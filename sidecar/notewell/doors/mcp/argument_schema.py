"""The JSON Schema of a tool's arguments, as short as it can be."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from notewell.doors.mcp.arguments import ToolRequest


@cache
def schema_of(model: type[ToolRequest], described: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments, as short as it can be.

    `described` names those that it has, if not all: the others are taken as well. These are without
    their bounds, which a refusal tells to the few that pass them.

    Assistants pay for the list of tools in every conversation: titles that repeat names, and "or
    null, which is the default", are a third of what pydantic writes. The result is shared between
    calls and must not be changed: pydantic takes milliseconds for each, and the SDK reads the list
    of tools before every call.
    """
    schema = model.model_json_schema()
    inner = schema.get("$defs", {})
    properties = {
        name: _short(part, inner)
        for name, part in schema["properties"].items()
        if described is None or name in described
    }
    if described is not None:
        properties = {name: _usual(name, part) for name, part in properties.items()}
    others = {
        name: part
        for name, part in schema.items()
        if name not in {"title", "description", "properties", "$defs"}
    }
    return {**others, "properties": properties}


_UNSAID = frozenset({"minimum", "maximum", "minLength", "maxLength", "pattern"})
_PLAIN = frozenset({"limit", "budget_tokens", "mode"})  # whose names and values say it


def _usual(name: str, part: dict[str, Any]) -> dict[str, Any]:
    left_out = _UNSAID | {"description"} if name in _PLAIN else _UNSAID
    return {
        key: value
        for key, value in part.items()
        if key not in left_out and (key, value) != ("default", "")
    }


def _short(part: dict[str, Any], inner: Mapping[str, Any]) -> dict[str, Any]:
    """Shorten the schema of one argument: no title, and no null where it may be left out.

    Objects are described in their place and not by reference, which not every assistant follows.
    """
    kinds = [kind for kind in part.get("anyOf", ()) if kind != {"type": "null"}]
    short = {name: value for name, value in part.items() if name not in {"title", "anyOf"}}
    if len(kinds) == 1:
        short = {**kinds[0], **short}
    elif kinds:
        short["anyOf"] = kinds
    if "$ref" in short:
        model = inner[short.pop("$ref").rpartition("/")[2]]
        fields = {name: _short(schema, inner) for name, schema in model["properties"].items()}
        short = {**model, **short, "properties": fields}
    if short.get("default", ...) in (None, [], {}):
        del short["default"]
    short.pop("title", None)
    return short
