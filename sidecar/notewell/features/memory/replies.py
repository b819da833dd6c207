"""Replies about memories. Times are ISO 8601 with a zone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from notewell.base.types.frozen import frozen

MemoryType = Literal[
    "preference", "decision", "pattern", "session", "file_context", "fact", "golden_rule"
]
RelationKind = Literal["supersedes", "contradicts", "caused_by", "relates_to"]

ValidationKind = Literal["stored", "granted", "applied", "helped", "failed", "other"]


@frozen
class RelationView:
    """How a memory is related to another. `path` is None where its target is gone."""

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
    """How a note is linked with a memory that was found.

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


MemoryReply: TypeAlias = (
    MemoryChangedReply
    | MemoryForgottenReply
    | RecallReply
    | MemoryContextReply
    | MemoryInspectReply
    | MemoryListReply
    | MemoryHistoryReply
    | MemoryHealthReply
)
