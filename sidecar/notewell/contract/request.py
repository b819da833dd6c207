"""Requests: frozen records that name route, bounds and reply; and the types of their fields.

Everything that sends, receives, checks or describes a request is made from its record: the HTTP
model, OpenAPI, command-line options, the tools of assistants, the client of a running server and
the TypeScript types. Bounds (`Ge`, `Le`, `MinLen` ...) are those of base/types/hints.py; markers
of texts are here. Pydantic calls their hooks when a server checks a request; nothing here imports
it, so that reading the contract costs a client little.

To add a request: write its record, list it in `endpoints`, answer it in
`engine.answers` (or in `web` where it concerns the whole server).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import MISSING, field, fields
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import (
    TYPE_CHECKING,
    Annotated,
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

from notewell.base.errors import OutsideVaultError, QueryTooLongError
from notewell.base.types.frozen import frozen
from notewell.base.types.hints import Bound, FieldType, Ge, Le, MinLen, describe, markers_of

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

MAX_QUERY_CHARS = 4096  # of a search; longer texts are for similar notes
SMALLER_NUMBERS = "whole numbers have at most 64 bits"
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@frozen
class Doc:
    """The meaning of a field, in one line: shown in OpenAPI, in `--help` and to assistants."""

    text: str

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(core_schema), "description": self.text}


@frozen
class Pattern(Bound):
    """A regular expression that a text must match somewhere; comes before any `Normalise`."""

    pattern: str


@frozen
class Normalise:
    """A function that returns the canonical form of a checked value, or raises.

    `max_length` is shown in the field's JSON Schema, where the function refuses longer texts.
    """

    function: Callable[[Any], Any]
    max_length: int | None = None

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Have pydantic call the function after the type is checked."""
        # Only code that checks requests calls this, and it has pydantic loaded.
        from pydantic_core import core_schema  # noqa: PLC0415

        return core_schema.no_info_after_validator_function(self.function, handler(source))

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Show the bound that the function checks."""
        schema: dict[str, Any] = handler(core_schema)
        return schema if self.max_length is None else {**schema, "maxLength": self.max_length}


@frozen
class HttpDefault:
    """The default of a field for HTTP clients, where it differs from the record's."""

    value: object


class InProcessOnly:
    """Marks a field that only callers in this process fill; no interface offers it."""


@frozen
class AwareTime:
    """Marks a time that must name its zone and be written out, as in 2026-03-02T10:00:00Z."""

    def __get_pydantic_core_schema__(
        self, _source: object, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Have pydantic read it from text, though other fields are strict."""
        from pydantic_core import core_schema  # noqa: PLC0415 - as above

        aware = core_schema.datetime_schema(tz_constraint="aware", strict=False)
        return core_schema.no_info_before_validator_function(_written_out, aware)


def _written_out(value: object) -> object:
    if isinstance(value, str) and "-" not in value[1:]:  # else a number would be taken for seconds
        raise ValueError("write a time as 2026-03-02T10:00:00Z")
    return value


def check_query(text: str) -> str:
    """Return the query; raise QueryTooLongError where it has more than `MAX_QUERY_CHARS`."""
    if len(text) > MAX_QUERY_CHARS:
        raise QueryTooLongError(
            f"The query has {len(text):,} characters; at most {MAX_QUERY_CHARS:,} are searched."
            " To find notes like a longer text, POST it to /api/similar."
        )
    return text


def note_path(path: str) -> str:
    """Return a vault-relative path in NFC; raise OutsideVaultError where it leads outside."""
    steps = path.replace("\\", "/").split("/")
    if path.startswith(("/", "\\")) or _DRIVE.match(path) or ".." in steps or "\0" in path:
        raise OutsideVaultError(
            "A path names a note inside the vault: relative to its folder, with / between"
            " folders, without `..`."
        )
    return unicodedata.normalize("NFC", path)


def _file_or_folder(path: str) -> str:
    return note_path(path).removesuffix("/")


QueryText = Annotated[str, Normalise(check_query)]
SearchText = Annotated[str, Normalise(check_query, MAX_QUERY_CHARS)]
NotePath = Annotated[str, MinLen(1), Doc("Vault-relative path"), Normalise(note_path)]
NoteName = Annotated[NotePath, Doc("Path of a note, or its name as in a link")]
FileOrFolder = Annotated[
    str,
    MinLen(1),
    Doc("Vault-relative path of a file or a folder"),
    Normalise(_file_or_folder),
]
Limit = Annotated[int, Ge(1), Le(1000), Doc("Maximum number of results")]
Share = Annotated[float, Ge(0), Le(1)]
Door = Annotated[str, Pattern("^[a-z][a-z0-9-]{0,31}$")]
# Years 1 to 9999, which every file system's clock and every calendar holds.
Milliseconds = Annotated[
    int, Ge(-62_135_596_800_000), Le(253_402_300_799_999), Doc("Milliseconds since 1970")
]
Time = Annotated[datetime, AwareTime()]


@lru_cache(maxsize=1024)  # of the notes that searches show
def iso(seconds: float | None) -> str | None:
    """ISO 8601 with a zone (UTC) of POSIX seconds; None for none or for what no calendar holds."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (OverflowError, OSError, ValueError):
        return None


def beyond_64_bits(value: object) -> bool:
    """True if a whole number in this is one that neither databases nor all JSON can hold."""
    if value is None or isinstance(value, str | bool):  # most values
        return False
    if isinstance(value, Mapping):
        return any(map(beyond_64_bits, value.values()))
    if isinstance(value, list | tuple):
        return any(map(beyond_64_bits, value))
    return isinstance(value, int) and not -(2**63) <= value < 2**63


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
    else. `instead` is the record of the JSON that a stream's route replies with where a caller asks
    for that, `events` the record of the data of each kind of its events. A request that `waits`
    for something to happen takes no slot of the server meanwhile. `changes` says whether it changes
    notes or an index (None: where the scope is write), and not what a server keeps itself, such as
    verdicts, conversations and devices.
    """

    method: Method
    path: str
    name: str
    summary: str
    status: int = 200
    media: str = JSON_MEDIA
    needs: Scope | None = None
    rate_class: RateClass | None = None
    timed: bool = True
    needs_token: bool = True
    of_vault: bool = True
    changes: bool | None = None
    example: Example = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    instead: type | None = None
    events: Mapping[str, type] = field(default_factory=dict)
    waits: bool = False

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
        return self.needs or ("read" if self.method == "GET" else "write")

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
def sent_to(endpoint: Endpoint) -> Callable[[type[T]], type[T]]:
    """Make a class a frozen record of a request to this endpoint."""

    def made(cls: type[T]) -> type[T]:
        record: Any = frozen(cls)
        record.endpoint = endpoint
        return cast("type[T]", record)

    return made


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
    return {one.name: getattr(request, one.name) for one in request_fields(type(request))}


def _request_fields(request: Any) -> Iterator[RequestField]:
    hints = get_type_hints(request, include_extras=True)
    for one in fields(request):
        markers = markers_of(hints[one.name])
        if InProcessOnly in markers:
            continue
        default = one.default
        if one.default_factory is not MISSING:
            default = one.default_factory()
        changed = [marker.value for marker in markers if isinstance(marker, HttpDefault)]
        docs = [marker.text for marker in markers if isinstance(marker, Doc)]
        yield RequestField(
            name=one.name,
            hint=hints[one.name],
            default=default,
            doc=docs[-1] if docs else "",
            http_default=changed[-1] if changed else default,
        )
