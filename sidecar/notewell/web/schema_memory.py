"""What callers may ask of memories; each model forms the request of its name."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from notewell.contract import memory_fields as field
from notewell.contract import memory_requests
from notewell.contract.memory_requests import (
    DEFAULT_NAMESPACE,
    MemoryOrder,
    MemoryRequest,
    MemoryType,
    RelationKind,
)
from notewell.web.request_models import Limit, QueryText, VaultAsked

MemoryName = Annotated[
    str, Field(min_length=1, max_length=2000, description="Id, path or name of a memory")
]
Comment = Annotated[field.Comment, Field(description="Why, for the history")]


class MemoryAsked(VaultAsked):
    """A request; `asks` is the record that it becomes, field by field."""

    asks: ClassVar[type[MemoryRequest]]

    def request(self) -> MemoryRequest:
        """Form the engine's request."""
        return self.asks(**self.model_dump(exclude={"vault"}))


class StoreAsked(MemoryAsked):
    """`POST /api/memory/store`."""

    asks = memory_requests.StoreMemory
    content: field.Content = Field(description="What is to be remembered")
    type: MemoryType = "fact"
    namespace: field.Namespace = DEFAULT_NAMESPACE
    importance: field.Share = 0.5
    provenance: field.Provenance = None
    title: field.Title | None = Field(
        None, description="Name of the note; left out, it is made from the content"
    )


class RecallAsked(MemoryAsked):
    """`GET /api/memory/recall`."""

    asks = memory_requests.RecallMemories
    query: QueryText = Field(description="What is to be done, in words")
    namespace: field.Namespace | None = None
    type: MemoryType | None = None
    limit: Limit = 5
    depth: field.Depth = 0


class MemoryContextAsked(MemoryAsked):
    """`GET /api/memory/context`."""

    asks = memory_requests.MemoryContext
    query: QueryText = Field("", description="What is to be done, in words")
    namespace: field.Namespace | None = None
    budget_tokens: Annotated[int, Field(ge=1, le=100_000, description="Tokens at most")] = 1000
    depth: field.Depth = 1


class ApplyAsked(MemoryAsked):
    """`POST /api/memory/apply`."""

    asks = memory_requests.ApplyMemory
    id: MemoryName
    comment: Comment = ""


class OutcomeAsked(MemoryAsked):
    """`POST /api/memory/outcome`."""

    asks = memory_requests.MemoryOutcome
    id: MemoryName
    helped: field.Helped
    comment: Comment = ""


class ForgetAsked(MemoryAsked):
    """`POST /api/memory/forget`."""

    asks = memory_requests.ForgetMemory
    id: MemoryName
    force: field.Force = False


class RelateAsked(MemoryAsked):
    """`POST /api/memory/relate`."""

    asks = memory_requests.RelateMemories
    source: MemoryName
    target: MemoryName = Field(description="Id, path or name of a memory, or path of a note")
    kind: RelationKind = "relates_to"
    weight: field.Share = 1.0


class UnrelateAsked(MemoryAsked):
    """`POST /api/memory/unrelate`."""

    asks = memory_requests.UnrelateMemories
    source: MemoryName
    target: MemoryName
    kind: RelationKind = "relates_to"


class InspectAsked(MemoryAsked):
    """`GET /api/memory/inspect`."""

    asks = memory_requests.InspectMemory
    id: MemoryName


class MemoryListAsked(MemoryAsked):
    """`GET /api/memory/list`."""

    asks = memory_requests.ListMemories
    namespace: field.Namespace | None = None
    type: MemoryType | None = None
    order: MemoryOrder = Field("created", description="Which comes first: the newest, the most")
    limit: Limit = 100


class MemoryHistoryAsked(MemoryAsked):
    """`GET /api/memory/history`."""

    asks = memory_requests.MemoryHistory
    id: MemoryName | None = Field(None, description="Of this memory alone")
    limit: Limit = 100


class MemoryHealthAsked(MemoryAsked):
    """`GET /api/memory/health`."""

    asks = memory_requests.MemoryHealth
    namespace: field.Namespace | None = None


class WritesAsked(VaultAsked):
    """`GET /api/writes`."""

    limit: Limit = 20


class UndoAsked(VaultAsked):
    """`POST /api/writes/undo`."""

    number: Annotated[int, Field(ge=1, description="Of the write")] | None = Field(
        None, description="Left out: the newest"
    )
