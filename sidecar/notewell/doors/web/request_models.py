"""Checks what HTTP clients send: a pydantic model for each request, made from its record.

A request is checked before any handler runs. Unknown names are refused, so that a typing mistake
does not silently do nothing. Bodies must be uncompressed, complete in time, and not too large.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import GenericAlias
from typing import Annotated, Any, ClassVar, Self, TypeVar, get_args

import orjson
from aiohttp import hdrs, web
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    create_model,
    model_validator,
)

from notewell.base.errors import UsageError
from notewell.base.types.hints import describe, rewritten
from notewell.contract.fields import SMALLER_NUMBERS, Doc, beyond_64_bits
from notewell.contract.request import Endpoint, Request, RequestField, request_fields

_VAULT = Annotated[str | None, Doc("Id or name; may be left out for the only or default one")]


class RequestModel(BaseModel):
    """Base of the models; `record` is the class of the checked request."""

    # A validator is built when it is first used: most routes are never called.
    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True
    )
    record: ClassVar[type]
    lists: ClassVar[frozenset[str]] = frozenset()  # fields that an address gives several times
    _made: Any = PrivateAttr()

    @model_validator(mode="after")
    def _make_record(self) -> Self:
        """Make the record, which checks its fields against each other."""
        values = {field.name: getattr(self, field.name) for field in request_fields(self.record)}
        for name in self.model_fields_set & values.keys():  # defaults need no check
            if beyond_64_bits(values[name]):
                raise ValueError(SMALLER_NUMBERS)
            values[name] = _to_record(values[name])
        self._made = self.record(**values)
        return self

    def to_record(self) -> Any:
        """The record of the request, without the vault it is for."""
        return self._made

    @property
    def vault_name(self) -> str | None:
        """The vault of the request; None: the only one, or none at all."""
        vault: str | None = getattr(self, "vault", None)
        return vault


M = TypeVar("M", bound=RequestModel)
_BETWEEN = "\x1f"  # between the values of a parameter that is given several times


def model_of(request: type[Request[Any]]) -> type[RequestModel]:
    """Return the model that checks a request; made when it is first needed."""
    known: Any = request  # mypy takes the generic class for unhashable
    return _model_of(known)


@cache
def _model_of(request: Any) -> type[RequestModel]:
    endpoint: Endpoint = request.endpoint
    from_text = endpoint.method == "GET"
    shared = {"vault": (_VAULT, None)} if endpoint.of_vault else {}
    return _model(request, from_text=from_text, shared=shared)


@dataclass(frozen=True, slots=True)
class _Nothing:
    """The record of a request without parameters but its vault."""


@cache
def vault_model() -> type[RequestModel]:
    """Return the model of `vault`, which a request with a body may have in its query string."""
    return _model(_Nothing, from_text=True, shared={"vault": (_VAULT, None)})


def from_query(model: type[M], request: web.Request, headers: Mapping[str, str] | None = None) -> M:
    """Read a request from its query string; an empty value counts as left out, except of `q`.

    A parameter that is a list may be given several times.
    """
    given: dict[str, str] = {}
    for name, value in request.query.items():
        if name not in given:
            given[name] = value
        elif name in model.lists:
            given[name] += _BETWEEN + value
        else:
            raise UsageError(f"The parameter `{name}` is given twice: send it once.")
    for name, header in (headers or {}).items():
        if request.headers.get(header):
            given[name] = request.headers[header]
    present = {name: value for name, value in given.items() if value or name == "q"}
    present |= _in_path(request, given)
    try:
        return model.model_validate_strings(present)
    except ValidationError as error:
        raise _usage(error, model) from error


def from_body(model: type[M], request: web.Request, raw: bytes) -> M:
    """Read a request from its JSON body; `vault` may also stand in the query string."""
    vault = _vault_in_query(request)
    try:
        data = orjson.loads(raw) if raw.strip() else {}
    except orjson.JSONDecodeError as error:
        raise UsageError(f"The body is not JSON: {error}.", code="bad_json") from error
    if not isinstance(data, dict):
        raise UsageError("The body must be a JSON object, such as {}.", code="bad_json")
    if vault is not None:
        data.setdefault("vault", vault)
    data |= _in_path(request, data)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise _usage(error, model) from error


def _in_path(request: web.Request, given: Mapping[str, object]) -> dict[str, str]:
    """The fields that stand in the path of a route; they may be given nowhere else."""
    fields = dict(request.match_info)
    for name in fields.keys() & given.keys():
        raise UsageError(f"`{name}` stands in the path of this route; leave it out elsewhere.")
    return fields


def _vault_in_query(request: web.Request) -> str | None:
    if not request.query:
        return None
    return from_query(vault_model(), request).vault_name


def _model(
    record: type, *, from_text: bool, shared: Mapping[str, tuple[Any, object]]
) -> type[RequestModel]:
    own = {field.name: _field(field, from_text=from_text) for field in request_fields(record)}
    definitions: dict[str, Any] = {**shared, **own}
    model = create_model(
        record.__name__, __base__=RequestModel, __doc__=record.__doc__, **definitions
    )
    model.record = record
    fields = request_fields(record)
    model.lists = frozenset(field.name for field in fields if describe(field.hint).kind == "list")
    return model


def _field(one: RequestField, *, from_text: bool) -> tuple[Any, Any]:
    hint = _hint(one.hint, from_text=from_text)
    if one.required:
        return hint, ...
    if one.http_default == ():
        return hint, Field(default_factory=tuple)
    return hint, one.http_default


def _hint(hint: Any, *, from_text: bool) -> Any:
    """Rewrite an annotation for its encoding: text in an address, arrays and objects in JSON."""
    return rewritten(hint, _from_text if from_text else _from_json)


def _from_json(hint: Any) -> Any:
    parts = tuple(_hint(part, from_text=False) for part in get_args(hint))
    match describe(hint).kind:
        case "list" | "tuple":
            # JSON has no tuples, so the array itself is taken leniently; what it holds is not.
            return Annotated[GenericAlias(tuple, parts), Field(strict=False, fail_fast=True)]
        case "mapping":
            return GenericAlias(dict, parts)
        case "record":
            return _model(hint, from_text=False, shared={})
        case _:
            return hint


def _from_text(hint: Any) -> Any:
    if hint is bool:
        return Annotated[bool, BeforeValidator(_flag)]
    if describe(hint).kind == "set":
        words = BeforeValidator(_words, json_schema_input_type=str)
        return Annotated[hint, words, Field(strict=False)]
    if describe(hint).kind == "list":
        return Annotated[hint, BeforeValidator(_parts), Field(strict=False)]
    return hint


def _flag(value: object) -> object:
    if not isinstance(value, str):
        return value
    if value not in {"true", "false"}:
        raise ValueError("write true or false")
    return value == "true"


def _words(value: object) -> object:
    return frozenset(filter(None, value.split(","))) if isinstance(value, str) else value


def _parts(value: object) -> object:
    return tuple(filter(None, value.split(_BETWEEN))) if isinstance(value, str) else value


def _to_record(value: object) -> object:
    if isinstance(value, RequestModel):
        return value.to_record()
    return tuple(map(_to_record, value)) if isinstance(value, tuple) else value


def _usage(error: ValidationError, model: type[RequestModel]) -> UsageError:
    """Return one error that says what is wrong with each parameter, without its value."""
    parts = []
    for detail in error.errors(include_input=False, include_url=False):
        name = ".".join(str(step) for step in detail["loc"])
        if detail["type"] == "extra_forbidden":
            parts.append(f"`{name[:100]}` is unknown here (known: {', '.join(model.model_fields)})")
        elif detail["type"] == "missing":
            parts.append(f"`{name}` is missing")
        elif detail["type"] == "string_pattern_mismatch":  # a regular expression helps nobody
            parts.append(f"`{name}` does not have the form of such a value")
        else:
            parts.append(f"`{name}` is not valid: {detail['msg']}")
    return UsageError("; ".join(parts) + ".")


MAX_BODY_BYTES = 16 * 1024 * 1024


async def read_body(request: web.Request, seconds: float) -> bytes:
    """Read the body of a request within `seconds`; 0 is no limit.

    Refused: a compressed one, which may unpack to a thousand times its size, one larger than
    `MAX_BODY_BYTES` (the application's limit), and one that does not arrive in time.
    """
    if request.headers.get(hdrs.CONTENT_ENCODING, "identity").lower() != "identity":
        raise web.HTTPUnsupportedMediaType
    try:
        async with asyncio.timeout(seconds if seconds > 0 else None):
            return await request.read()
    except TimeoutError as error:
        raise web.HTTPRequestTimeout from error
