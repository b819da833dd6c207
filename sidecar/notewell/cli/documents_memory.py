"""The JSON documents about memories and writes, as far as the terminal shows them."""

from __future__ import annotations

from typing import TypedDict


class RelationDocument(TypedDict):
    """How a memory stands to another; see `replies.memory.RelationView`."""

    kind: str
    target: str
    path: str | None
    weight: float


class MemoryDocument(TypedDict):
    """A memory; see `replies.memory.MemoryView`."""

    id: str
    path: str
    title: str
    content: str
    type: str
    namespace: str
    importance: float
    confidence: float
    golden: bool
    provenance: str | None
    created: str | None
    accessed: str | None
    access_count: int
    relations: list[RelationDocument]
    warnings: list[str]


class MemoryChangedDocument(TypedDict):
    """A memory after a change."""

    memory: MemoryDocument
    existing: bool
    undo: int | None


class MemoryForgottenDocument(TypedDict):
    """A memory that is gone."""

    path: str
    undo: int | None


class RecalledDocument(TypedDict):
    """A memory that was found."""

    memory: MemoryDocument
    score: float
    why: str
    superseded_by: list[str]
    contradicted_by: list[str]


class RecallDocument(TypedDict):
    """The memories that were found."""

    total: int
    memories: list[RecalledDocument]
    warnings: list[str]


class MemoryContextDocument(TypedDict):
    """A text for an assistant."""

    text: str
    tokens: int
    budget_tokens: int
    memories: list[str]
    left_out: list[str]
    warnings: list[str]


class ValidationDocument(TypedDict):
    """One thing that was said of a memory."""

    at: str
    title: str
    kind: str
    before: float | None
    after: float | None
    comment: str


class MemoryInspectDocument(TypedDict):
    """Everything about one memory."""

    memory: MemoryDocument
    related_from: list[RelationDocument]
    history: list[ValidationDocument]


class MemoryListDocument(TypedDict):
    """The memories there are."""

    total: int
    memories: list[MemoryDocument]
    warnings: list[str]


class MemoryHistoryDocument(TypedDict):
    """What was said of memories."""

    total: int
    entries: list[ValidationDocument]


class ContradictionDocument(TypedDict):
    """Two memories that do not go together."""

    one: str
    other: str
    reason: str


class AilingDocument(TypedDict):
    """A memory with something wrong about it."""

    path: str
    reason: str


class MemoryHealthDocument(TypedDict):
    """What a person should look at."""

    total: int
    golden: int
    average_confidence: float | None
    contradictions: list[ContradictionDocument]
    stale: list[AilingDocument]
    orphaned: list[AilingDocument]
    doubles: list[AilingDocument]
    unreadable: list[AilingDocument]


class WriteDocument(TypedDict):
    """One write."""

    number: int
    at: str | None
    path: str
    action: str
    undone: bool


class WritesDocument(TypedDict):
    """The newest writes."""

    writes: list[WriteDocument]


class UndoneDocument(TypedDict):
    """What undoing did."""

    path: str
    undo: int | None
