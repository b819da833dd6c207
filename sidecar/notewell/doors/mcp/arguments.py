"""Requests of tools, which pydantic checks: made from the records of the contract.

A tool names the record, which of its fields it offers, and where it differs: `q` is called
`query`, some bounds and defaults are smaller, and some descriptions speak to an assistant. Unlike
HTTP, tools read leniently, because language models and strict clients write so: "10" is taken for
10, null for an argument that was left out, and an object or a list may be sent as its JSON text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Self, TypeVar, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
    model_validator,
)

from notewell.base.errors import UsageError
from notewell.base.types.hints import Le, MaxLen, rewritten
from notewell.contract.fields import (
    MAX_QUERY_CHARS,
    SMALLER_NUMBERS,
    Doc,
    Normalise,
    beyond_64_bits,
    check_query,
    note_path,
)
from notewell.contract.request import RequestField, request_fields
from notewell.doors.mcp.tool import ArgumentChange, Arguments, Tool
from notewell.vault.paths import DOCUMENTS

R = TypeVar("R")
M = TypeVar("M", bound="ToolRequest")

DEFAULT_BUDGET = 2000  # tokens


class ToolRequest(BaseModel):
    """Base of all requests of tools. Unknown names are refused.

    `renamed` maps fields of the contract's record to the names that they have here.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    renamed: ClassVar[Mapping[str, str]] = {}

    # The server's instructions say what it is: 28 descriptions of it would cost too many tokens.
    vault: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _read_leniently(cls, given: Any) -> Any:
        """Read what was meant; refuse numbers that neither the index nor a server's JSON holds."""
        if beyond_64_bits(given):
            raise ValueError(SMALLER_NUMBERS)
        return lenient(cls, given)

    @property
    def vault_name(self) -> str | None:
        """Name or id of the vault that is meant; None: the default one."""
        return self.vault or None

    def otherwise(self) -> Self | None:
        """The request that may be meant where there is no vault of the name that was given."""
        return None

    def to_record(self, record: type[R]) -> R:
        """Build a request of the contract from the fields that it shares with this one.

        Raises UsageError where the record refuses them together.
        """
        given: dict[str, Any] = {}
        for field in request_fields(record):
            name = self.renamed.get(field.name, field.name)
            if name in type(self).model_fields:
                given[field.name] = getattr(self, name)
        try:
            return record(**given)
        except ValueError as error:
            reason = str(error)
            for name, here in self.renamed.items():
                reason = reason.replace(f"`{name}`", f"`{here}`")
            raise UsageError(f"{reason.removesuffix('.')}.") from error


def lenient(model: type[BaseModel], given: Any) -> Any:
    """Leave out what is null, and read the JSON text of what is an object or a list."""
    if not isinstance(given, Mapping):
        return given
    return {
        name: _parse(value) if name in _structured_fields(model) else value
        for name, value in given.items()
        if value is not None
    }


@cache
def _structured_fields(model: type[BaseModel]) -> frozenset[str]:
    """The fields that take objects or lists, and no text."""
    return frozenset(
        name for name, field in model.model_fields.items() if _is_structured(field.annotation)
    )


def _is_structured(hint: Any) -> bool:
    origin = get_origin(hint)
    if origin is Annotated:
        return _is_structured(get_args(hint)[0])
    if origin in {Union, UnionType}:
        kinds = [kind for kind in get_args(hint) if kind is not NoneType]
        return all(map(_is_structured, kinds))
    kind = origin or hint
    return (
        isinstance(kind, type)
        and issubclass(kind, Collection | BaseModel)
        and not issubclass(kind, str | bytes)
    )


def _parse(value: object) -> object:
    """The object or list that a text is the JSON of; else the value itself."""
    if not isinstance(value, str) or value.strip()[:1] not in {"{", "["}:
        return value
    try:
        parsed: object = json.loads(value)
    except (ValueError, RecursionError):
        return value
    if beyond_64_bits(parsed):
        raise ValueError(SMALLER_NUMBERS)
    return parsed


class BudgetedRequest(ToolRequest):
    """Base of requests of tools whose answer may be long."""

    budget_tokens: int = Field(
        DEFAULT_BUDGET, ge=100, le=100_000, description="Maximum tokens of the answer"
    )


class NamespacedRequest(BudgetedRequest):
    """Base of requests of tools that look in one namespace.

    A namespace is a vault (`Home`), a folder of one (`Home/Projects/2026`) or a namespace of
    documents; names of vaults have no slash.
    """

    namespace: (
        Annotated[str, Field(description="Only in VAULT, VAULT/FOLDER or a namespace of documents")]
        | None
    ) = None

    @property
    def named(self) -> str:
        """The namespace that is given, or an empty text."""
        return self.namespace or ""

    def with_namespace(self, namespace: str) -> Self:
        """The same request in another namespace."""
        return self.model_copy(update={"namespace": namespace})

    @property
    def vault_name(self) -> str | None:
        """The vault, named by itself or as the first part of the namespace."""
        first = self.named.partition("/")[0]
        return self.vault or (None if first == DOCUMENTS else first) or None

    def otherwise(self) -> Self | None:
        """A namespace that is no vault may be one of the default vault's documents."""
        if self.vault or not self.named or self.named.startswith(DOCUMENTS):
            return None
        return self.with_namespace(f"{DOCUMENTS}/{self.named}")

    @property
    def folder(self) -> str:
        """The namespace's folder with a / at its end; empty where it is a whole vault."""
        vault, _, inner = self.named.partition("/")
        folder = (self.named if vault == DOCUMENTS else inner).strip("/")
        return f"{folder}/" if folder else ""


@cache
def request_of(tool: Tool) -> type[ToolRequest]:
    """The request of a tool; made when it is first needed."""
    given = tool.arguments
    if not isinstance(given, Arguments):
        return given
    base = BudgetedRequest if given.budgeted or tool.cut else ToolRequest
    return request_model(given.record, base, fields=given.fields, changes=given.changes)


def request_model(
    record: type,
    base: type[M],
    *,
    fields: Iterable[str] | None = None,
    changes: Mapping[str, ArgumentChange] | None = None,
) -> type[M]:
    """Make the request of a tool: the fields of `base`, then those of the record.

    `fields` names those that are offered; None: all that `base` has not. `changes` are by the
    record's names.
    """
    known = {field.name: field for field in request_fields(record)}
    offered = [name for name in known if name not in base.model_fields]
    if fields is not None:
        offered = list(fields)
    changed = {**dict.fromkeys(offered, ArgumentChange()), **(changes or {})}
    renamed = {name: changed[name].name or name for name in offered}
    definitions: dict[str, Any] = {
        renamed[name]: _definition(known[name], changed[name]) for name in offered
    }
    model = create_model(record.__name__, __base__=base, __doc__=record.__doc__, **definitions)
    model.renamed = renamed
    return model


def _definition(field: RequestField, change: ArgumentChange) -> tuple[Any, object]:
    """Return the type and the default of an argument, as pydantic takes them."""
    hint = _tool_hint(field.hint if change.hint is None else change.hint)
    if change.at_most is not None:
        hint = _bound(hint, change.at_most)
    if change.doc is not None:
        hint = Annotated[hint, Doc(change.doc)]
    if change.default is not None:
        return hint, change.default
    return hint, ... if field.required else field.default


def _tool_hint(hint: Any) -> Any:
    """Rewrite an annotation of the contract: a backend brings values into their one form itself.

    The bound of a query becomes part of its type, so that an assistant sees it and a query that is
    too long is refused by the argument's name.
    """
    return rewritten(hint, lambda kind: kind, _tool_markers)


def _tool_markers(markers: Iterable[object]) -> Iterator[object]:
    for marker in markers:
        if not isinstance(marker, Normalise):
            yield marker
        elif marker.function is note_path:
            yield _FROM_THE_VAULT
        elif marker.function is check_query:
            yield MaxLen(MAX_QUERY_CHARS)


def _from_the_vault(path: str) -> str:
    """A path without what other programs write in front of it for the vault's folder."""
    return _VAULT_ROOT.sub("", path)


_VAULT_ROOT = re.compile(r"^(?:\s|\.?[/\\])+")
_FROM_THE_VAULT = AfterValidator(_from_the_vault)
ToolPath = Annotated[str, _FROM_THE_VAULT]  # of a note, as `find_note` reads it


def _bound(hint: Any, at_most: int) -> Any:
    inner = get_args(hint)
    others = [marker for marker in inner[1:] if not isinstance(marker, Le)]
    return Annotated[(inner[0], *others, Le(at_most))]


def invalid(error: ValidationError, model: type[ToolRequest]) -> UsageError:
    """Say in one message what is wrong with each argument, without repeating its value."""
    parts = []
    for detail in error.errors(include_input=False, include_url=False):
        name = ".".join(str(step) for step in detail["loc"])
        if detail["type"] == "extra_forbidden":
            known = ", ".join(model.model_fields)
            parts.append(f"`{name[:100]}` is unknown here (known: {known})")
        elif detail["type"] == "missing":
            parts.append(f"`{name}` is missing")
        else:
            reason = detail["msg"].removeprefix("Value error, ")
            parts.append(f"`{name}`: {reason}" if name else reason)
    return UsageError("; ".join(parts) + ".")
