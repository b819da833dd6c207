"""What may be asked of memories; each record names the HTTP route that answers it.

Its fields are that route's parameters, so every door asks the same. `writes` tells those that
change the vault, which a caller must be allowed to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

MemoryType = Literal[
    "preference", "decision", "pattern", "session", "file_context", "fact", "golden_rule"
]
RelationKind = Literal["supersedes", "contradicts", "caused_by", "relates_to"]
MemoryOrder = Literal["created", "accessed", "confidence", "importance"]

DEFAULT_NAMESPACE = "default"
MAX_CONTENT_CHARS = 20_000
MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class StoreMemory:
    """Keep something. `provenance` says where it comes from: a note, a person, a conversation."""

    route: ClassVar[str] = "/api/memory/store"
    writes: ClassVar[bool] = True
    content: str
    type: MemoryType = "fact"
    namespace: str = DEFAULT_NAMESPACE
    importance: float = 0.5
    provenance: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class RecallMemories:
    """Find memories that bear on a query; `depth` follows relations that many steps further."""

    route: ClassVar[str] = "/api/memory/recall"
    writes: ClassVar[bool] = False
    query: str
    namespace: str | None = None
    type: MemoryType | None = None
    limit: int = 5
    depth: int = 0


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """What an assistant should know before it begins, golden rules first, within a budget."""

    route: ClassVar[str] = "/api/memory/context"
    writes: ClassVar[bool] = False
    query: str = ""
    namespace: str | None = None
    budget_tokens: int = 1000
    depth: int = 1


@dataclass(frozen=True, slots=True)
class ApplyMemory:
    """Say that a memory is being used: it counts as accessed."""

    route: ClassVar[str] = "/api/memory/apply"
    writes: ClassVar[bool] = True
    id: str
    comment: str = ""


@dataclass(frozen=True, slots=True)
class MemoryOutcome:
    """Say whether a memory that was used helped; its confidence follows."""

    route: ClassVar[str] = "/api/memory/outcome"
    writes: ClassVar[bool] = True
    id: str
    helped: bool
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ForgetMemory:
    """Delete a memory; a golden rule only with `force`."""

    route: ClassVar[str] = "/api/memory/forget"
    writes: ClassVar[bool] = True
    id: str
    force: bool = False


@dataclass(frozen=True, slots=True)
class RelateMemories:
    """Say how a memory stands to another one, or to a note; a new weight replaces the old."""

    route: ClassVar[str] = "/api/memory/relate"
    writes: ClassVar[bool] = True
    source: str
    target: str
    kind: RelationKind = "relates_to"
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class UnrelateMemories:
    """Take a relation back."""

    route: ClassVar[str] = "/api/memory/unrelate"
    writes: ClassVar[bool] = True
    source: str
    target: str
    kind: RelationKind = "relates_to"


@dataclass(frozen=True, slots=True)
class InspectMemory:
    """Everything about one memory."""

    route: ClassVar[str] = "/api/memory/inspect"
    writes: ClassVar[bool] = False
    id: str


@dataclass(frozen=True, slots=True)
class ListMemories:
    """The memories there are."""

    route: ClassVar[str] = "/api/memory/list"
    writes: ClassVar[bool] = False
    namespace: str | None = None
    type: MemoryType | None = None
    order: MemoryOrder = "created"
    limit: int = 100


@dataclass(frozen=True, slots=True)
class MemoryHistory:
    """What was said of one memory, or of all, newest first."""

    route: ClassVar[str] = "/api/memory/history"
    writes: ClassVar[bool] = False
    id: str | None = None
    limit: int = 100


@dataclass(frozen=True, slots=True)
class MemoryHealth:
    """What is wrong with the memories: contradictions, stale ones, orphans, doubles."""

    route: ClassVar[str] = "/api/memory/health"
    writes: ClassVar[bool] = False
    namespace: str | None = None


MemoryRequest: TypeAlias = (
    StoreMemory
    | RecallMemories
    | MemoryContext
    | ApplyMemory
    | MemoryOutcome
    | ForgetMemory
    | RelateMemories
    | UnrelateMemories
    | InspectMemory
    | ListMemories
    | MemoryHistory
    | MemoryHealth
)
