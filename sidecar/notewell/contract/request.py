"""Requests: frozen records that name route, bounds and reply.

Everything that sends, receives, checks or describes a request is made from its record: the HTTP
model, OpenAPI, command-line options, the tools of assistants, the client of a running server and
the TypeScript types. Bounds (`Ge`, `Le`, `MinLen` ...) are those of base/types/hints.py, markers of
texts those of `fields`. Pydantic calls their hooks when a server checks a request; nothing here
imports it, so that reading the contract costs a client little.

To add a request: write its record, list it in `endpoints`, answer it in
`engine.answers` (or in `web` where it concerns the whole server).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import MISSING, field, fields
from functools import cache
from typing import (
    Any,
    ClassVar,
    Generic,
    Literal,
    TypeAlias,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)
from urllib.parse import quote

from notewell.base.types.frozen import frozen
from notewell.base.types.hints import FieldType, describe, markers_of
from notewell.contract.fields import Doc, HttpDefault, InProcessOnly

R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T")

Json: TypeAlias = "str | int | bool | Sequence[Json] | Mapping[str, Json]"
Example: TypeAlias = Mapping[str, Json]
Method = Literal["GET", "POST", "PATCH", "DELETE"]
Scope = Literal["read", "write", "admin"]
RateClass = Literal["search", "read", "write", "heavy"]

JSON_MEDIA = "application/json"
EVENT_STREAM = "text/event-stream"
_IN_PATH = re.compile(r"\{(\w+)\}")
PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8"


@frozen
class Endpoint:
    """Where a request is answered over HTTP, and under which rules.

    `needs` is the scope a caller must have (None: read for a GET, write for any other), `rate` the
    class of its rate limit (None: by its scope). `timed` requests are cancelled when their answer
    takes too long. `example` holds parameters that a reader can try as they stand. `headers` maps
    a field to the header that may carry it. A field in braces in `path` stands there, and nowhere
    else. `json_reply` is the record of the JSON that a stream's route replies with where a caller
    asks for that, `events` the record of the data of each kind of its events. A `long_poll`, which
    waits for something to happen, takes no slot of the server meanwhile. `changes` says whether it
    changes notes or an index (None: where the scope is write), and not what a server keeps itself,
    such as verdicts, conversations and devices.
    """

    method: Method
    path: str
    name: str
    summary: str
    status: int = 200
    media: str = JSON_MEDIA
    required_scope: Scope | None = None
    rate_class: RateClass | None = None
    timed: bool = True
    needs_token: bool = True
    of_vault: bool = True
    changes: bool | None = None
    example: Example = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    json_reply: type | None = None
    events: Mapping[str, type] = field(default_factory=dict)
    long_poll: bool = False

    @property
    def in_path(self) -> tuple[str, ...]:
        """The names of the fields that stand in the path, such as `id` in `/api/runs/{id}`."""
        return tuple(_IN_PATH.findall(self.path))

    def place(self, given: Mapping[str, object]) -> str:
        """Return the path with the fields that stand in it."""
        return _IN_PATH.sub(lambda name: quote(str(given[name[1]]), safe=""), self.path)

    @property
    def scope(self) -> Scope:
        """The permission that a caller must have."""
        return self.required_scope or ("read" if self.method == "GET" else "write")

    @property
    def of_writers(self) -> bool:
        """True if a server that only reads its indexes refuses it."""
        return self.scope == "write" if self.changes is None else self.changes

    @property
    def rate(self) -> RateClass:
        """The class of the rate limit that it counts against."""
        return self.rate_class or ("read" if self.scope == "read" else "write")


class Request(Generic[R_co]):
    """Base of every request; `R_co` is the record of its reply, str for plain text.

    Of a stream it is the record of each event.
    """

    __slots__ = ()
    endpoint: ClassVar[Endpoint]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def request_to(endpoint: Endpoint) -> Callable[[type[T]], type[T]]:
    """Make a class a frozen record of a request to this endpoint."""

    def with_endpoint(cls: type[T]) -> type[T]:
        record: Any = frozen(cls)
        record.endpoint = endpoint
        return cast("type[T]", record)

    return with_endpoint


@frozen
class StreamEvent:
    """An event of a stream that answers a request; `data` is the record of its kind."""

    kind: str
    data: object


@frozen
class RequestField:
    """One field of a request. `hint` is its whole annotation; `default` may be `MISSING`."""

    name: str
    hint: Any
    default: object
    doc: str
    http_default: object

    @property
    def type(self) -> FieldType:
        """The description of its annotation."""
        return describe(self.hint)

    @property
    def required(self) -> bool:
        """True if a caller must give it."""
        return self.default is MISSING


def request_fields(request: type) -> tuple[RequestField, ...]:
    """List the fields of a request, in order, without those that only this process fills."""
    return _known_fields(request)


@cache
def _known_fields(request: Hashable) -> tuple[RequestField, ...]:
    return tuple(_request_fields(request))


def reply_type(request: type[Request[Any]]) -> type:
    """Return the record of a request's reply."""
    for base in getattr(request, "__orig_bases__", ()):
        if get_origin(base) is Request:
            reply: type = get_args(base)[0]
            return reply
    raise TypeError(f"{request.__name__} does not say what its reply is")


def parameters_of(request: object) -> dict[str, object]:
    """Return the fields of a request by name, as its HTTP route takes them."""
    return {
        declared.name: getattr(request, declared.name) for declared in request_fields(type(request))
    }


def _request_fields(request: Any) -> Iterator[RequestField]:
    hints = get_type_hints(request, include_extras=True)
    for own in fields(request):
        markers = markers_of(hints[own.name])
        if InProcessOnly in markers:
            continue
        default = own.default
        if own.default_factory is not MISSING:
            default = own.default_factory()
        changed = [marker.value for marker in markers if isinstance(marker, HttpDefault)]
        docs = [marker.text for marker in markers if isinstance(marker, Doc)]
        yield RequestField(
            name=own.name,
            hint=hints[own.name],
            default=default,
            doc=docs[-1] if docs else "",
            http_default=changed[-1] if changed else default,
        )
