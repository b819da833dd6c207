"""What may be asked of a tool, as a JSON Schema without a word too many.

Assistants pay for the list of tools in every conversation: titles that repeat names, and "or null,
which is the default" of what may be left out, are a third of what pydantic writes.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from notewell.mcp.tool import Asked


@cache
def schema_of(asked: type[Asked]) -> dict[str, Any]:
    """The schema of a tool's arguments; made once and shared, so nobody may change it.

    The SDK looks at the list of tools before every call, and pydantic takes milliseconds a schema.
    """
    schema = asked.model_json_schema()
    properties = {name: _short(part) for name, part in schema["properties"].items()}
    kept = {
        name: part
        for name, part in schema.items()
        if name not in {"title", "description", "properties"}
    }
    return {**kept, "properties": properties}


def _short(part: dict[str, Any]) -> dict[str, Any]:
    """One argument, without its title; null is not told of what may be left out."""
    kinds = [kind for kind in part.get("anyOf", ()) if kind != {"type": "null"}]
    told = {name: value for name, value in part.items() if name not in {"title", "anyOf"}}
    if len(kinds) == 1:
        told = {**kinds[0], **told}
    elif kinds:
        told["anyOf"] = kinds
    if told.get("default", "") is None:
        del told["default"]
    told.pop("title", None)
    return told
