"""What every request is read into: its model, the fields that many share, and the reading itself.

A model is checked before any handler runs. Unknown names are refused, so that a typing mistake does
not silently do nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Annotated, ClassVar, TypeVar

import orjson
from aiohttp import web
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from notewell.errors import OutsideVaultError, QueryTooLongError, UsageError
from notewell.types import MAX_QUERY_CHARS, Signal

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def _flag(value: object) -> object:
    if not isinstance(value, str):
        return value
    if value not in {"true", "false"}:
        raise ValueError("write true or false")
    return value == "true"


def _words(value: object) -> object:
    return frozenset(filter(None, value.split(","))) if isinstance(value, str) else value


def _query(text: str) -> str:
    if len(text) > MAX_QUERY_CHARS:
        raise QueryTooLongError(
            f"The query has {len(text):,} characters; at most {MAX_QUERY_CHARS:,} are searched."
            " To find notes like a longer text, POST it to /api/similar."
        )
    return text


def note_path(path: str) -> str:
    """Bring a vault-relative path into the index's form (NFC); refuse one that leads out of it."""
    steps = path.replace("\\", "/").split("/")
    if path.startswith(("/", "\\")) or _DRIVE.match(path) or ".." in steps or "\0" in path:
        raise OutsideVaultError(
            "A path names a note inside the vault: relative to its folder, with / between"
            " folders, without `..`."
        )
    return unicodedata.normalize("NFC", path)


QueryText = Annotated[str, AfterValidator(_query)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Limit = Annotated[int, Field(ge=1, le=1000, description="How many notes at most")]
Door = Annotated[str, Field(pattern="^[a-z][a-z0-9-]{0,31}$")]
Signals = Annotated[
    frozenset[Signal],
    BeforeValidator(_words, json_schema_input_type=str),
    Field(strict=False),
]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
NotePath = Annotated[
    str, Field(min_length=1, description="Vault-relative path"), AfterValidator(note_path)
]


class Asked(BaseModel):
    """A request that names nothing. `headers` may stand for parameters, and win over them."""

    # What checks a request is built by the first one: most routes are never asked.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    headers: ClassVar[Mapping[str, str]] = {}


class VaultAsked(Asked):
    """A request to one vault."""

    vault: str | None = Field(None, description="Id or name; may be left out where one is served")


A = TypeVar("A", bound=Asked)


def from_query(model: type[A], request: web.Request) -> A:
    """Read a request from its query string; an empty value counts as left out, except of `q`."""
    given: dict[str, str] = {}
    for name, value in request.query.items():
        if name in given:
            raise UsageError(f"The parameter `{name}` is given twice: send it once.")
        given[name] = value
    for name, header in model.headers.items():
        if request.headers.get(header):
            given[name] = request.headers[header]
    present = {name: value for name, value in given.items() if value or name == "q"}
    try:
        return model.model_validate_strings(present)
    except ValidationError as error:
        raise _usage(error, model) from error


def from_body(model: type[A], request: web.Request, raw: bytes) -> A:
    """Read a request from its JSON body; `vault` may also stand in the query string."""
    vault = from_query(VaultAsked, request).vault
    try:
        data = orjson.loads(raw) if raw.strip() else {}
    except orjson.JSONDecodeError as error:
        raise UsageError(f"The body is not JSON: {error}.", code="bad_json") from error
    if not isinstance(data, dict):
        raise UsageError("The body must be a JSON object, such as {}.", code="bad_json")
    if vault is not None:
        data.setdefault("vault", vault)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise _usage(error, model) from error


def _usage(error: ValidationError, model: type[Asked]) -> UsageError:
    """Say in one message what is wrong with each parameter, without repeating its value."""
    parts = []
    for detail in error.errors(include_input=False, include_url=False):
        name = ".".join(str(step) for step in detail["loc"])
        if detail["type"] == "extra_forbidden":
            parts.append(f"`{name[:100]}` is unknown here (known: {', '.join(model.model_fields)})")
        elif detail["type"] == "missing":
            parts.append(f"`{name}` is missing")
        else:
            parts.append(f"`{name}` is not valid: {detail['msg']}")
    return UsageError("; ".join(parts) + ".")
