"""Tools of assistants: their requests, made from the contract's records, and what answers them.

A tool names the record of its request, which of its fields it offers, and where it differs: `q` is
called `query`, some bounds and defaults are smaller, and some descriptions speak to an assistant.
Unlike HTTP, tools read leniently: "10" is taken for 10, because language models write that.

A tool that only sends its request is declared by `asking`. The function of any other gets a
`ToolContext` and a checked request, runs in a thread, and returns a JSON document; it raises errors
of the package. `answer` makes the text that an assistant gets of both.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any, ClassVar, Protocol, Self, TypeAlias, TypeVar, get_args

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model, model_validator

from notewell.base.errors import NotFoundError, UsageError
from notewell.base.types import CountTokens
from notewell.base.types.hints import Le, MaxLen, rewritten
from notewell.contract.request import (
    MAX_QUERY_CHARS,
    SMALLER_NUMBERS,
    Doc,
    Normalise,
    Request,
    RequestField,
    beyond_64_bits,
    check_query,
    request_fields,
)
from notewell.engine.client import Backend

R = TypeVar("R", bound=Request[Any])
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
    def _check_numbers(cls, given: Any) -> Any:
        """Refuse numbers beyond 64 bits, which neither the index nor a server's JSON can hold."""
        if beyond_64_bits(given):
            raise ValueError(SMALLER_NUMBERS)
        return given

    @property
    def vault_name(self) -> str | None:
        """Name or id of the vault that is meant; None: the default one."""
        return self.vault or None

    def otherwise(self) -> Self | None:
        """What may be meant where there is no vault of the name that was given."""
        return None

    def to_record(self, record: type[R]) -> R:
        """Build a request of the contract from the fields that it shares with this one."""
        given: dict[str, Any] = {}
        for field in request_fields(record):
            name = self.renamed.get(field.name, field.name)
            if name in type(self).model_fields:
                given[field.name] = getattr(self, name)
        return record(**given)


class BudgetedRequest(ToolRequest):
    """Base of requests of tools whose answer may be long."""

    budget_tokens: int = Field(
        DEFAULT_BUDGET, ge=100, le=100_000, description="Maximum tokens of the answer"
    )


@dataclass(frozen=True, slots=True)
class ArgumentChange:
    """Differences of an argument of a tool from the field of the record; None: there is none.

    `name` is what the tool calls it, `at_most` its upper bound, `hint` its whole type.
    """

    name: str | None = None
    doc: str | None = None
    default: object = None
    at_most: int | None = None
    hint: Any = None


QUERY = ArgumentChange(name="query")  # what tools call `q`


def request_model(
    record: type[Request[Any]],
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
        hint = _bounded(hint, change.at_most)
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
        elif marker.function is check_query:
            yield MaxLen(MAX_QUERY_CHARS)


def _bounded(hint: Any, at_most: int) -> Any:
    inner = get_args(hint)
    others = [marker for marker in inner[1:] if not isinstance(marker, Le)]
    return Annotated[(inner[0], *others, Le(at_most))]


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
        fields = {name: _short(one, inner) for name, one in model["properties"].items()}
        short = {**model, **short, "properties": fields}
    if short.get("default", ...) in (None, [], {}):
        del short["default"]
    short.pop("title", None)
    return short


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


T = TypeVar("T")

# JSON of a tool's answer. Values may be reply records, which `answer.compact` turns into JSON.
Document: TypeAlias = dict[str, Any]

DOOR = "mcp"  # what searches of assistants are called in the log
_MAX_JOBS = 100


@dataclass(frozen=True, slots=True)
class VaultFacts:
    """A vault that an assistant may name."""

    id: str
    name: str
    default: bool


@dataclass(frozen=True, slots=True)
class Job:
    """Indexing that a tool started; `began` in POSIX seconds."""

    id: str
    kind: str
    vault: str
    began: float


class Jobs:
    """The latest jobs of one MCP server. Any thread may call.

    Whether a job has ended is read from its vault's status, so it outlives the server that runs it
    and needs no notification.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: OrderedDict[str, Job] = OrderedDict()

    def begin(self, kind: str, vault: str) -> Job:
        """Record a job that has just been started."""
        job = Job(f"{kind}-{secrets.token_hex(4)}", kind, vault, time.time())
        with self._lock:
            self._jobs[job.id] = job
            if len(self._jobs) > _MAX_JOBS:
                self._jobs.popitem(last=False)
        return job

    def find(self, job_id: str) -> Job:
        """Return the job with this id; raises NotFoundError where it is not among the latest."""
        with self._lock:
            job = self._jobs.get(job_id)
        if job is None:
            raise NotFoundError(
                f"no job '{job_id}' is known; vault_status without `job` says what is going on"
            )
        return job


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The vault that a tool works with, and the server's jobs. `vault_id` is the vault's."""

    vault_id: str
    backend: Backend
    count_tokens: CountTokens
    jobs: Jobs
    vaults: tuple[VaultFacts, ...]  # all that may be named


class BackendSource(Protocol):
    """Finds the backend of a vault, anew for each call, and runs a tool's work with it."""

    async def run(self, vault: str | None, work: Callable[[ToolContext], T]) -> T:
        """Run `work` in a thread, for the vault of that name or id; None: the default vault.

        Raises NotFoundError where there is no such vault, and whatever `work` raises.
        """


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, as assistants see it, and how it is answered.

    `cut` names the parts of its answer that are shortened, in that order, to keep to the budget.
    `writes`: refused unless the assistant may write. `destructive`: it may delete. `core` are the
    arguments that the list of tools describes by default; None: it is no tool of that list.
    """

    name: str
    title: str
    description: str
    request: type[ToolRequest]
    run: Callable[[ToolContext, Any], Document]  # the second argument is a `request`
    cut: tuple[str, ...] = ()
    writes: bool = False
    destructive: bool = False
    core: tuple[str, ...] | None = None


def asking(
    record: type[Request[Any]],
    title: str,
    description: str,
    *,
    name: str = "",
    base: type[ToolRequest] | None = None,
    fields: Iterable[str] | None = None,
    changes: Mapping[str, ArgumentChange] | None = None,
    shows: Callable[[Any], Document] | None = None,
    run: Callable[[ToolContext, Any], Document] | None = None,
    cut: tuple[str, ...] = (),
    writes: bool | None = None,
    destructive: bool = False,
    core: tuple[str, ...] | None = None,
) -> Tool:
    """A tool that sends a request of the contract; its name is that of the request's route.

    It offers `fields` with their `changes`, as `request_model` says, and a budget if something is
    `cut`. It answers with what `shows` makes of the reply, by default with all of it; `run` is for
    one that does more. It writes, unless `writes` says otherwise, where the request is no GET.
    """
    return Tool(
        name or record.endpoint.name,
        title,
        description,
        request_model(
            record,
            base or (BudgetedRequest if cut else ToolRequest),
            fields=fields,
            changes=changes,
        ),
        run or partial(_ask, record, shows),
        cut=cut,
        writes=record.endpoint.method != "GET" if writes is None else writes,
        destructive=destructive,
        core=core,
    )


def _ask(
    record: type[Request[Any]],
    shows: Callable[[Any], Document] | None,
    context: ToolContext,
    request: ToolRequest,
) -> Document:
    asked = request.to_record(record)
    if shows is not None:
        return shows(context.backend.answer(asked))
    document: Document = orjson.loads(context.backend.document(asked))
    return document


def picked(*names: str, **of_items: tuple[str, ...]) -> Callable[[object], Document]:
    """A function that returns some fields of a reply, and some of the items in others."""

    def shown(reply: object) -> Document:
        items = {
            name: [pick(one, *fields) for one in getattr(reply, name)]
            for name, fields in of_items.items()
        }
        return {**pick(reply, *names), **items}

    return shown


def pick(record: object, *names: str) -> Document:
    """Return some fields of a record by name."""
    return {name: getattr(record, name) for name in names}


CITE = (
    "Cite the notes that you use as [n], and name their paths at the end. Say so where the notes"
    " do not answer; do not fill gaps from general knowledge."
)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a prompt."""

    name: str
    description: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt for a common task, which a person picks from a list in their assistant.

    `text` makes the message to the assistant from checked arguments.
    """

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    text: Callable[[ToolContext, Mapping[str, str]], str]
