"""The OpenAPI document of the routes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from notewell.contract.json_schema import Json, Shape, schema_of
from notewell.contract.request import JSON_MEDIA, Example
from notewell.contract.request import Json as Value
from notewell.contract.server import Problem
from notewell.doors.web.request_models import RequestModel, vault_model
from notewell.doors.web.routes import Route

_ABOUT = (
    "Searches and manages the vaults of this server. Every route but /api/health needs"
    " a token as `Authorization: Bearer TOKEN`, of the scope that `x-scope` names or a higher one"
    " (read, write, admin). Times are ISO 8601 with a zone; paths"
    " are vault-relative, with / between folders, NFC. Unknown parameters are refused."
)
_REFUSALS: Mapping[int, str] = {
    400: "A parameter is missing, unknown or not valid",
    401: "The token is missing or wrong",
    403: "The host is unknown, the origin foreign, or the token's scope does not allow this",
    404: "No such vault or note",
    409: "Another process has the vault's index, it is another vault's, or the query log is off",
    408: "The body took too long to arrive",
    413: "The body is larger than 16 MiB",
    415: "The body is compressed",
    429: "Too many requests; Retry-After says when to try again",
    503: "The vault, the index or the model does not work at present, or the server is busy",
    504: "The answer took longer than it may",
}


def document(routes: tuple[Route, ...], version: str) -> Shape:
    """Describe `routes` as an OpenAPI 3.1 document, in plain JSON data."""
    shapes: dict[str, Json] = {}
    schema_of(Problem, shapes)
    paths: dict[str, dict[str, Json]] = {}
    for route in routes:
        paths.setdefault(route.endpoint.path, {})[route.endpoint.method.lower()] = _operation(
            route, shapes
        )
    return {
        "openapi": "3.1.0",
        "info": {"title": "Notewell", "version": version, "description": _ABOUT},
        "security": [{"token": []}],
        "paths": {path: dict(methods) for path, methods in paths.items()},
        "components": {
            "schemas": dict(sorted(shapes.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: Route, shapes: dict[str, Json]) -> Shape:
    operation: Shape = {"operationId": route.endpoint.name, "summary": route.endpoint.summary}
    if route.endpoint.needs_token:
        operation["x-scope"] = route.endpoint.scope
    else:
        operation["security"] = []
    if route.endpoint.method != "GET":
        operation["parameters"] = [*_in_path(route), *_parameters(vault_model(), {})]
        operation["requestBody"] = _body(route, shapes)
    else:
        parameters = _parameters(route.model, route.endpoint.example, route.endpoint.in_path)
        operation["parameters"] = parameters
    operation["responses"] = _responses(route, shapes)
    return operation


def _in_path(route: Route) -> list[Json]:
    """List the parameters of a route with a body that stand in its path."""
    endpoint = route.endpoint
    if not endpoint.in_path:
        return []
    described = _parameters(route.model, endpoint.example, endpoint.in_path)
    return [
        parameter
        for parameter in described
        if isinstance(parameter, dict) and parameter["in"] == "path"
    ]


def _parameters(
    model: type[RequestModel], example: Example, in_path: tuple[str, ...] = ()
) -> list[Json]:
    """List the parameters of a request model that stand in the query string or in the path."""
    schema = model.model_json_schema()
    required = schema.get("required", [])
    parameters: list[Json] = []
    for name, field in schema.get("properties", {}).items():
        about = field.pop("description", None)
        where = "path" if name in in_path else "query"
        parameter: Shape = {"name": name, "in": where, "required": name in required}
        if about is not None:
            parameter["description"] = about
        parameter["schema"] = _without_titles(field)
        if name in example:
            parameter["example"] = _json(example[name])
        parameters.append(parameter)
    return parameters


def _body(route: Route, shapes: dict[str, Json]) -> Shape:
    schema = route.model.model_json_schema(ref_template="#/components/schemas/{model}")
    for name, part in schema.pop("$defs", {}).items():
        shapes[name] = _without_titles(part)
    in_path = route.endpoint.in_path
    for name in in_path:
        schema["properties"].pop(name)
    schema["required"] = [name for name in schema.get("required", ()) if name not in in_path]
    if not schema["required"]:
        schema.pop("required")
    example = route.endpoint.example.items()
    content: Shape = {
        "schema": _without_titles(schema),
        "example": {name: _json(value) for name, value in example if name not in in_path},
    }
    return {"content": {"application/json": content}}


def _responses(route: Route, shapes: dict[str, Json]) -> Shape:
    shape: Shape = {"type": "string"} if route.reply is str else schema_of(route.reply, shapes)
    media = route.endpoint.media.partition(";")[0]
    content: dict[str, Json] = {media: {"schema": shape}}
    if route.endpoint.json_reply is not None:
        content[JSON_MEDIA] = {"schema": schema_of(route.endpoint.json_reply, shapes)}
    responses: Shape = {
        str(route.endpoint.status): {"description": route.endpoint.summary, "content": content}
    }
    problem: Shape = {"application/problem+json": {"schema": schema_of(Problem, shapes)}}
    for status in route.refusals:
        responses[str(status)] = {"description": _REFUSALS[status], "content": dict(problem)}
    return responses


def _without_titles(schema: Shape) -> Shape:
    """Drop pydantic's titles: they repeat the names of fields."""
    kept: Shape = {}
    for name, value in schema.items():
        if name == "title" and isinstance(value, str):
            continue
        kept[name] = _without_titles(value) if isinstance(value, dict) else value
    return kept


def _json(value: Value) -> Json:
    if isinstance(value, Mapping):
        return {name: _json(part) for name, part in value.items()}
    return value if isinstance(value, str | int) else [_json(part) for part in value]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a request. `default` is empty if there is none."""

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
