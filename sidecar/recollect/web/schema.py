"""What callers may ask: one model a request, checked before any handler runs.

Unknown names are refused, so that a typing mistake does not silently do nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self, TypeVar

import orjson
from aiohttp import hdrs, web
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from recollect.errors import OutsideVaultError, QueryTooLongError, UsageError
from recollect.types import (
    Change,
    ChangeKind,
    Direction,
    FusionMethod,
    LedgerState,
    SearchMode,
    SearchRequest,
    Signal,
    SimilarRequest,
    Verdict,
)

MAX_QUERY_CHARS = 4096

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

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    headers: ClassVar[Mapping[str, str]] = {}


class VaultAsked(Asked):
    """A request to one vault."""

    vault: str | None = Field(None, description="Id or name; may be left out where one is served")


class SearchAsked(VaultAsked):
    """`GET /api/search`."""

    q: QueryText = Field(
        description="Words to find", json_schema_extra={"maxLength": MAX_QUERY_CHARS}
    )
    limit: Limit = 10
    mode: SearchMode = "hybrid"
    plain: Flag = Field(default=False, description="Take q as text, without operators")
    fusion: FusionMethod = "auto"
    alpha: Share | None = Field(None, description="Share of the semantic side, where fixed")
    min_score: Share = Field(0.0, description="Leave out results that score below")
    everything: Flag = Field(default=False, description="Find shelved and daily notes as well")
    recency: Share | None = Field(None, description="How much a note of today gains")
    graph: Share | None = Field(None, description="How much a note gains that the best link to")
    collapse: Flag | None = Field(None, description="Leave out near-duplicates of better results")
    expand: Flag | Literal["llm"] | None = Field(
        None, description="Ask a short query for related words as well; llm: for other wordings"
    )
    rerank: Flag | None = Field(None, description="Let a model read the first results")
    ignore: Signals = Field(frozenset(), description="Signals without a say, with commas between")
    typing: Flag = Field(default=False, description="The last word may be unfinished")
    explain: Flag = Field(default=False, description="Report every stage of the search")
    door: Door = Field("http", description="Who asks, for the log: plugin, web …; none: unlogged")

    def request(self) -> SearchRequest:
        """Form the engine's request."""
        return SearchRequest(
            query=self.q,
            limit=self.limit,
            mode=self.mode,
            plain=self.plain,
            fusion=self.fusion,
            alpha=self.alpha,
            min_score=self.min_score,
            everything=self.everything,
            recency=self.recency,
            graph=self.graph,
            collapse=self.collapse,
            expand=self.expand,
            rerank=self.rerank,
            ignore=self.ignore,
            typing=self.typing,
            explain=self.explain,
            door=None if self.door == "none" else self.door,
        )


class SimilarAsked(VaultAsked):
    """`GET /api/similar`."""

    path: NotePath
    heading: str | None = Field(None, description="Like what stands under this heading of the note")
    line: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Like the passage on this line of the note"
    )
    limit: Limit = 10
    unlinked: Flag = Field(default=False, description="Leave out notes that are linked already")
    links: Share = Field(0.0, description="How much being near by links counts beside it")
    direction: Direction = Field("both", description="Along links, against them, or either way")
    decay: Share = Field(0.5, description="What the second hop along links counts of the first")
    explain: Flag = Field(default=False, description="Report every stage of the search")

    def request(self) -> SimilarRequest:
        """Form the engine's request."""
        return SimilarRequest(
            path=self.path,
            heading=self.heading,
            line=self.line,
            limit=self.limit,
            unlinked=self.unlinked,
            links=self.links,
            direction=self.direction,
            decay=self.decay,
            explain=self.explain,
        )


class SimilarTextAsked(VaultAsked):
    """`POST /api/similar`."""

    text: str = Field(description="Text to find notes like")
    limit: Limit = 10
    explain: bool = Field(default=False, description="Report every stage of the search")

    def request(self) -> SimilarRequest:
        """Form the engine's request."""
        return SimilarRequest(text=self.text, limit=self.limit, explain=self.explain)


class NoteAsked(VaultAsked):
    """`GET /api/note`."""

    path: NotePath


class LedgerAsked(VaultAsked):
    """`GET /api/ledger`."""

    state: LedgerState | None = Field(None, description="Only files in this state")
    path: NotePath | None = Field(None, description="Only this file, with the rule that decides")


class ReindexAsked(VaultAsked):
    """`POST /api/reindex`."""

    full: bool = Field(default=False, description="Read every note again, changed or not")
    paths: list[NotePath] = Field(
        default_factory=list, description="Only these notes; empty means all that changed"
    )


def _place(path: str) -> str:
    """Bring a path into the index's form; a folder may end in /."""
    return note_path(path).removesuffix("/")


# Years 1 to 9999, which every file system's clock and every calendar holds.
Milliseconds = Annotated[
    int,
    Field(ge=-62_135_596_800_000, le=253_402_300_799_999, description="Since 1970, in ms"),
]
Place = Annotated[
    str,
    Field(min_length=1, description="Vault-relative path of a file or a folder"),
    AfterValidator(_place),
]


class ChangeAsked(Asked):
    """One of the `changes` of `POST /api/changes`."""

    kind: ChangeKind
    path: Place
    old_path: Place | None = Field(None, description="Where it was, of a rename")
    mtime: Milliseconds | None = None
    content: str | None = Field(None, description="The note, if and only if the vault is a mirror")

    @model_validator(mode="after")
    def _says_where_it_was(self) -> Self:
        if (self.kind == "rename") != (self.old_path is not None):
            raise ValueError("`old_path` belongs to a rename, and to nothing else")
        return self

    def change(self) -> Change:
        """Form the engine's record."""
        return Change(self.kind, self.path, self.old_path, self.mtime, self.content)


class ChangesAsked(VaultAsked):
    """`POST /api/changes`."""

    changes: list[ChangeAsked] = Field(
        description="In the order in which they happened", fail_fast=True
    )


# JSON has no tuples, so the array itself is taken leniently; what it holds is not.
FileListed = Annotated[tuple[str, Annotated[int, Field(ge=0)], Milliseconds], Field(strict=False)]


class SyncAsked(VaultAsked):
    """`POST /api/sync`."""

    # Paths are checked off the event loop: a vault has tens of thousands.
    files: list[FileListed] = Field(
        description="All files the client has: [path, bytes, mtime in ms]", fail_fast=True
    )


class GuardAsked(VaultAsked):
    """`POST /api/guard`."""

    remove: bool = Field(description="Whether the notes that are gone shall be removed")


LoggedQuery = Annotated[
    str,
    AfterValidator(_query),
    Field(pattern=r"\S", json_schema_extra={"maxLength": MAX_QUERY_CHARS}),
]


class OpenedAsked(VaultAsked):
    """`POST /api/opened`."""

    path: NotePath
    query_id: Annotated[str, Field(max_length=64)] | None = Field(
        None, description="Of the search reply that the result stood in"
    )
    q: LoggedQuery | None = Field(None, description="What was searched for, where it has no id")
    rank: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        None, description="Place of the result, from 1"
    )

    @model_validator(mode="after")
    def _names_a_search(self) -> Self:
        if self.query_id is None and self.q is None:
            raise ValueError("say of which search: send `query_id`, or `q`")
        return self


class VerdictAsked(VaultAsked):
    """`POST /api/verdict`."""

    q: LoggedQuery = Field(description="The query, as it was asked")
    path: NotePath
    verdict: Verdict | Literal["clear"] = Field(description="`clear` takes an earlier one back")


def _written_out(value: object) -> object:
    if isinstance(value, str) and "-" not in value[1:]:  # else a number would be taken for seconds
        raise ValueError("write a time as 2026-03-02T10:00:00Z")
    return value


Time = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_written_out)]


class LogAsked(VaultAsked):
    """`GET /api/log`."""

    limit: Annotated[int, Field(ge=1, le=1000, description="How many searches at most")] = 50
    since: Time | None = Field(None, description="Only searches from this time on")


class LogClearAsked(VaultAsked):
    """`POST /api/log/clear`."""

    keep_verdicts: bool = Field(
        default=False, description="Delete searches and what was opened, not the verdicts"
    )


class EventsAsked(VaultAsked):
    """`GET /api/events`."""

    headers: ClassVar[Mapping[str, str]] = {"after": hdrs.LAST_EVENT_ID}
    after: Annotated[int, Field(ge=0)] | None = Field(
        None, description="Id of the last event seen; also as the header Last-Event-ID"
    )


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
