"""The parameters of a route in words, for the pages that people read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from notewell.web.request_models import RequestModel


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a request. `default` is empty where there is none to speak of."""

    name: str
    values: str
    required: bool
    default: str
    about: str


def parameters(model: type[RequestModel]) -> tuple[Parameter, ...]:
    """List the parameters of a request model, in order."""
    schema = model.model_json_schema()
    required = schema.get("required", [])
    return tuple(
        Parameter(
            name=name,
            values=_values(field),
            required=name in required,
            default=_default(field.get("default")),
            about=field.get("description", ""),
        )
        for name, field in schema.get("properties", {}).items()
    )


def _values(field: dict[str, Any]) -> str:  # a JSON Schema, as pydantic gives it
    if "anyOf" in field:
        field = next(part for part in field["anyOf"] if part.get("type") != "null")
    if "enum" in field:
        return " | ".join(field["enum"])
    if field.get("type") == "array":
        return f"list of {_values(field['items'])}" if "items" in field else "list"
    if "$ref" in field:
        return "object"
    if "minimum" in field and "maximum" in field:
        return f"{field['minimum']} to {field['maximum']}"
    if field.get("type") == "boolean":
        return "true | false"
    return "text" if field.get("type") == "string" else str(field.get("type", ""))


def _default(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
