"""What callers may ask of memories; each model forms the request of its name."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from recollect.questions import memory
from recollect.questions.memory import (
    DEFAULT_NAMESPACE,
    MAX_CONTENT_CHARS,
    MAX_DEPTH,
    MemoryOrder,
    MemoryRequest,
    MemoryType,
    RelationKind,
)
from recollect.web.schema import Limit, QueryText, Share, VaultAsked

MemoryName = Annotated[
    str, Field(min_length=1, max_length=2000, description="Id, path or name of a memory")
]
Namespace = Annotated[str, Field(pattern=r"^\w[\w .-]{0,63}$")]
Comment = Annotated[str, Field(max_length=1000, description="Why, for the history")]
Depth = Annotated[int, Field(ge=0, le=MAX_DEPTH, description="How many relations to follow")]


class MemoryAsked(VaultAsked):
    """A request; `asks` is the record that it becomes, field by field."""

    asks: ClassVar[type[MemoryRequest]]

    def request(self) -> MemoryRequest:
        """Form the engine's request."""
        return self.asks(**self.model_dump(exclude={"vault"}))


class StoreAsked(MemoryAsked):
    """`POST /api/memory/store`."""

    asks = memory.StoreMemory
    content: str = Field(
        min_length=1, max_length=MAX_CONTENT_CHARS, description="What is to be remembered"
    )
    type: MemoryType = "fact"
    namespace: Namespace = DEFAULT_NAMESPACE
    importance: Share = 0.5
    provenance: Annotated[str, Field(max_length=1000)] | None = Field(
        None, description="Where it comes from: a note, a person, a conversation"
    )
    title: Annotated[str, Field(max_length=200)] | None = Field(
        None, description="Name of the note; left out, it is made from the content"
    )


class RecallAsked(MemoryAsked):
    """`GET /api/memory/recall`."""

    asks = memory.RecallMemories
    query: QueryText = Field(description="What is to be done, in words")
    namespace: Namespace | None = None
    type: MemoryType | None = None
    limit: Limit = 5
    depth: Depth = 0


class MemoryContextAsked(MemoryAsked):
    """`GET /api/memory/context`."""

    asks = memory.MemoryContext
    query: QueryText = Field("", description="What is to be done, in words")
    namespace: Namespace | None = None
    budget_tokens: Annotated[int, Field(ge=1, le=100_000, description="Tokens at most")] = 1000
    depth: Depth = 1


class ApplyAsked(MemoryAsked):
    """`POST /api/memory/apply`."""

    asks = memory.ApplyMemory
    id: MemoryName
    comment: Comment = ""


class OutcomeAsked(MemoryAsked):
    """`POST /api/memory/outcome`."""

    asks = memory.MemoryOutcome
    id: MemoryName
    helped: bool = Field(description="Whether it helped")
    comment: Comment = ""


class ForgetAsked(MemoryAsked):
    """`POST /api/memory/forget`."""

    asks = memory.ForgetMemory
    id: MemoryName
    force: bool = Field(default=False, description="Delete it even if it is a golden rule")


class RelateAsked(MemoryAsked):
    """`POST /api/memory/relate`."""

    asks = memory.RelateMemories
    source: MemoryName
    target: MemoryName = Field(description="Id, path or name of a memory, or path of a note")
    kind: RelationKind = "relates_to"
    weight: Share = 1.0


class UnrelateAsked(MemoryAsked):
    """`POST /api/memory/unrelate`."""

    asks = memory.UnrelateMemories
    source: MemoryName
    target: MemoryName
    kind: RelationKind = "relates_to"


class InspectAsked(MemoryAsked):
    """`GET /api/memory/inspect`."""

    asks = memory.InspectMemory
    id: MemoryName


class MemoryListAsked(MemoryAsked):
    """`GET /api/memory/list`."""

    asks = memory.ListMemories
    namespace: Namespace | None = None
    type: MemoryType | None = None
    order: MemoryOrder = Field("created", description="Which comes first: the newest, the most")
    limit: Limit = 100


class MemoryHistoryAsked(MemoryAsked):
    """`GET /api/memory/history`."""

    asks = memory.MemoryHistory
    id: MemoryName | None = Field(None, description="Of this memory alone")
    limit: Limit = 100


class MemoryHealthAsked(MemoryAsked):
    """`GET /api/memory/health`."""

    asks = memory.MemoryHealth
    namespace: Namespace | None = None


class WritesAsked(VaultAsked):
    """`GET /api/writes`."""

    limit: Limit = 20


class UndoAsked(VaultAsked):
    """`POST /api/writes/undo`."""

    number: Annotated[int, Field(ge=1, description="Of the write")] | None = Field(
        None, description="Left out: the newest"
    )
