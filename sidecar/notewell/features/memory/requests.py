"""Requests about memories: what an assistant or a person stores, recalls, judges and relates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from notewell.api.requests import Doc, Endpoint, Example, Limit, Pattern, Request, request_to
from notewell.api.types import Ge, Le, MaxLen, MinLen, frozen
from notewell.contract.fields import QueryText, Share

MemoryType = Literal[
    "preference", "decision", "pattern", "session", "file_context", "fact", "golden_rule"
]
RelationKind = Literal["supersedes", "contradicts", "caused_by", "relates_to"]

ValidationKind = Literal["stored", "granted", "applied", "helped", "failed", "other"]


@frozen
class RelationView:
    """The relation of a memory to another. `path` is None where its target is gone."""

    kind: RelationKind
    target: str
    path: str | None
    weight: float


@frozen
class MemoryView:
    """A memory. `golden`: a golden rule that no newer memory supersedes.

    `warnings` name properties that cannot be read.
    """

    id: str
    path: str
    title: str
    content: str
    type: MemoryType
    namespace: str
    importance: float
    confidence: float
    golden: bool
    provenance: str | None
    created: str | None
    accessed: str | None
    access_count: int
    relations: tuple[RelationView, ...]
    warnings: tuple[str, ...]


@frozen
class MemoryChangedReply:
    """A memory after a change. `existing`: nothing had to change. `undo` is the write's number."""

    vault: str
    memory: MemoryView
    existing: bool
    undo: int | None


@frozen
class ForgottenMemory:
    """A memory that was deleted. `undo` is a number for undoing."""

    id: str
    path: str
    undo: int | None


@frozen
class MemoryForgottenReply:
    """Memories that were deleted: `id`, `path` and `undo` are those of the first.

    `protected_ids` are golden rules, which need `force`; `missing_ids` are not there. Both are
    empty where one memory was named: then they are errors.
    """

    vault: str
    id: str | None
    path: str | None
    undo: int | None
    forgotten: tuple[ForgottenMemory, ...] = ()
    protected_ids: tuple[str, ...] = ()
    missing_ids: tuple[str, ...] = ()


@frozen
class RecallParts:
    """Parts of a score: similarity * (0.5 + 0.25 c + 0.15 i + 0.1 r) * `standing`.

    `standing` is below 1 for a memory that a newer one supersedes.
    """

    similarity: float
    confidence: float
    importance: float
    recency: float
    standing: float


@frozen
class RecalledMemory:
    """A memory that was found.

    `via` is the id of the memory, or the path of the note, that led to it, `depth` steps away.
    """

    memory: MemoryView
    score: float
    parts: RecallParts
    why: str
    depth: int
    via: str | None
    superseded_by: tuple[str, ...]
    contradicted_by: tuple[str, ...]


@frozen
class NoteMemoryLink:
    """The link of a note with a memory that was found.

    `kind` is that of a relation; `provenance`: the memory comes from the note; `link`: one of them
    links to the other.
    """

    id: str
    kind: RelationKind | Literal["provenance", "link"]


@frozen
class RecalledNote:
    """A note that was found, as in a search, with its best passage."""

    path: str
    title: str
    heading: str | None
    line: int
    snippet: str
    score: float
    memories: tuple[NoteMemoryLink, ...]


@frozen
class RecallReply:
    """The memories and the notes relevant to a query, each best first; `total` counts memories."""

    query: str
    vault: str
    total: int
    memories: tuple[RecalledMemory, ...]
    warnings: tuple[str, ...]
    notes: tuple[RecalledNote, ...] = ()


@frozen
class MemoryContextReply:
    """A text for an assistant. `memories` are those in it, `left_out` did not fit."""

    query: str
    vault: str
    text: str
    tokens: int
    budget_tokens: int
    memories: tuple[str, ...]
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]


@frozen
class ValidationView:
    """One report about a memory; confidences are None where it did not change."""

    at: str
    id: str
    title: str
    kind: ValidationKind
    before: float | None
    after: float | None
    comment: str


@frozen
class MemoryInspectReply:
    """Everything about one memory."""

    vault: str
    memory: MemoryView
    related_from: tuple[RelationView, ...]
    history: tuple[ValidationView, ...]


@frozen
class MemoryListReply:
    """The stored memories; `namespaces` counts all of them. `folder` is None where none is set."""

    vault: str
    folder: str | None
    total: int
    namespaces: Mapping[str, int]
    memories: tuple[MemoryView, ...]
    warnings: tuple[str, ...]


@frozen
class MemoryHistoryReply:
    """Reports about memories, newest first."""

    vault: str
    total: int
    entries: tuple[ValidationView, ...]


@frozen
class Contradiction:
    """Two contradictory memories. `stated`: a relation says so; otherwise it is a guess."""

    one: str
    other: str
    stated: bool
    reason: str


@frozen
class Ailing:
    """A memory with a problem."""

    id: str
    path: str
    reason: str


@frozen
class MemoryHealthReply:
    """Problems with memories, for a person to look at."""

    vault: str
    total: int
    golden: int
    by_type: Mapping[str, int]
    average_confidence: float | None
    contradictions: tuple[Contradiction, ...]
    stale: tuple[Ailing, ...]
    orphaned: tuple[Ailing, ...]
    doubles: tuple[Ailing, ...]
    unreadable: tuple[Ailing, ...]


MemoryOrder = Literal["created", "accessed", "confidence", "importance"]

DEFAULT_NAMESPACE = "default"
MAX_CONTENT_CHARS = 20_000
MAX_DEPTH = 4

MemoryName = Annotated[str, MinLen(1), MaxLen(2000), Doc("Id, path or name of a memory")]
Namespace = Annotated[str, Pattern(r"^\w[\w .-]{0,63}$")]
Comment = Annotated[str, MaxLen(1000), Doc("Comment for the history")]
Depth = Annotated[int, Ge(0), Le(MAX_DEPTH), Doc("How many steps to follow along relations")]
_EXAMPLE_ID = "mem-12345678"


def _reads(name: str, summary: str, example: Example) -> Endpoint:
    return Endpoint("GET", f"/api/memory/{name}", f"memory_{name}", summary, example=example)


def _writes(name: str, summary: str, example: Example) -> Endpoint:
    return Endpoint("POST", f"/api/memory/{name}", f"memory_{name}", summary, example=example)


@request_to(
    _writes(
        "store",
        "Store a memory as a note; the same content is stored once",
        {"content": "Bees find the new hive by its smell.", "type": "fact"},
    )
)
class StoreMemory(Request[MemoryChangedReply]):
    """Store a memory. `provenance` says where it comes from: a note, a person, a conversation.

    Only a person grants a golden rule: over HTTP the type `golden_rule` needs the scope `admin`.
    """

    content: Annotated[str, MinLen(1), MaxLen(MAX_CONTENT_CHARS), Doc("What to remember")]
    type: Annotated[MemoryType, Doc("What kind of memory it is")] = "fact"
    namespace: Annotated[Namespace, Doc("Namespace to store it in")] = DEFAULT_NAMESPACE
    importance: Annotated[Share, Doc("How important it is, from 0 to 1")] = 0.5
    provenance: Annotated[
        Annotated[str, MaxLen(1000)] | None,
        Doc("Where it comes from: a note, a person, a conversation"),
    ] = None
    title: Annotated[
        Annotated[str, MaxLen(200)] | None,
        Doc("Name of the note; left out, it is made from the content"),
    ] = None


@request_to(
    _reads(
        "recall",
        "Memories and notes relevant to a query, and why",
        {"query": "moving bees", "limit": 3},
    )
)
class RecallMemories(Request[RecallReply]):
    """Find memories and notes relevant to a query, and the links between them.

    `depth` follows relations that many steps further, from notes as well.
    """

    query: Annotated[QueryText, Doc("The task at hand, in words")]
    namespace: Annotated[Namespace | None, Doc("Only memories of this namespace")] = None
    type: Annotated[MemoryType | None, Doc("Only memories of this type")] = None
    limit: Limit = 5
    depth: Depth = 0
    notes: Annotated[int, Ge(0), Le(100), Doc("Maximum number of notes; 0: only memories")] = 5


@request_to(
    _reads(
        "context",
        "Memories for an assistant to read, golden rules first, within a budget",
        {"query": "moving bees", "budget_tokens": 500},
    )
)
class MemoryContext(Request[MemoryContextReply]):
    """Memories for an assistant to read first, golden rules on top, within a budget of tokens."""

    query: Annotated[QueryText, Doc("The task at hand, in words")] = ""
    namespace: Annotated[Namespace | None, Doc("Only memories of this namespace")] = None
    budget_tokens: Annotated[int, Ge(1), Le(100_000), Doc("Maximum number of tokens")] = 1000
    depth: Depth = 1


@request_to(_writes("apply", "Report that a memory is being used", {"id": _EXAMPLE_ID}))
class ApplyMemory(Request[MemoryChangedReply]):
    """Report that a memory is being used: it counts as accessed."""

    id: MemoryName
    comment: Comment = ""


@request_to(
    _writes(
        "outcome",
        "Report whether a memory helped, which changes its confidence",
        {"id": _EXAMPLE_ID, "helped": True},
    )
)
class MemoryOutcome(Request[MemoryChangedReply]):
    """Report whether a memory that was used helped, which changes its confidence."""

    id: MemoryName
    helped: Annotated[bool, Doc("Whether it helped")]
    comment: Comment = ""


@request_to(
    _writes("forget", "Delete memories; a golden rule only with `force`", {"id": _EXAMPLE_ID})
)
class ForgetMemory(Request[MemoryForgottenReply]):
    """Delete a memory, or several; a golden rule only with `force`.

    For one, not being there or being protected is an error. Of several, all others are deleted,
    and the reply names those that were not.
    """

    id: MemoryName | None = None
    ids: Annotated[
        Annotated[tuple[MemoryName, ...], MinLen(1), MaxLen(1000)] | None,
        Doc("Several memories instead of one"),
    ] = None
    force: Annotated[bool, Doc("Delete golden rules too")] = False


@request_to(
    _writes(
        "relate",
        "Record how a memory is related to another, or to a note",
        {"source": _EXAMPLE_ID, "target": "Garden/Bees", "kind": "caused_by", "weight": 1},
    )
)
class RelateMemories(Request[MemoryChangedReply]):
    """State how a memory relates to another one, or to a note; a new weight replaces the old."""

    source: MemoryName
    target: Annotated[MemoryName, Doc("Id, path or name of a memory, or path of a note")]
    kind: Annotated[RelationKind, Doc("How they are related")] = "relates_to"
    weight: Annotated[Share, Doc("How strong the relation is")] = 1.0


@request_to(
    _writes(
        "unrelate",
        "Remove a relation",
        {"source": _EXAMPLE_ID, "target": "Garden/Bees", "kind": "caused_by"},
    )
)
class UnrelateMemories(Request[MemoryChangedReply]):
    """Remove a relation."""

    source: MemoryName
    target: MemoryName
    kind: Annotated[RelationKind, Doc("How they are related")] = "relates_to"


@request_to(_reads("inspect", "Everything about one memory", {"id": _EXAMPLE_ID}))
class InspectMemory(Request[MemoryInspectReply]):
    """Everything about one memory."""

    id: MemoryName


@request_to(_reads("list", "The stored memories", {"order": "confidence", "limit": 20}))
class ListMemories(Request[MemoryListReply]):
    """The stored memories."""

    namespace: Annotated[Namespace | None, Doc("Only memories of this namespace")] = None
    type: Annotated[MemoryType | None, Doc("Only memories of this type")] = None
    order: Annotated[MemoryOrder, Doc("Sort by this, the newest or highest first")] = "created"
    limit: Limit = 100


@request_to(_reads("history", "What was reported about memories, newest first", {"limit": 20}))
class MemoryHistory(Request[MemoryHistoryReply]):
    """The history of one memory, or of all, newest first."""

    id: Annotated[MemoryName | None, Doc("Only of this memory")] = None
    limit: Limit = 100


@request_to(_reads("health", "Contradictory, stale, orphaned and duplicate memories", {}))
class MemoryHealth(Request[MemoryHealthReply]):
    """The faults of the memories: contradictions, stale ones, orphans, duplicates."""

    namespace: Annotated[Namespace | None, Doc("Only memories of this namespace")] = None


REQUESTS: tuple[type[Request[Any]], ...] = (
    StoreMemory,
    RecallMemories,
    MemoryContext,
    ApplyMemory,
    MemoryOutcome,
    ForgetMemory,
    RelateMemories,
    UnrelateMemories,
    InspectMemory,
    ListMemories,
    MemoryHistory,
    MemoryHealth,
)
