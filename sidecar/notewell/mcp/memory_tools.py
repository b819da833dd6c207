"""The twelve tools of memories. Those that change one write a note of the vault.

They need a folder that a person chose for memories (setting `memory.folder`); without it the ones
that write answer `read_only`, as all writing tools do where an assistant may not write.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar

from pydantic import Field

from notewell.contract import memory as asking
from notewell.contract import memory as field
from notewell.contract.fields import MAX_QUERY_CHARS
from notewell.contract.memory import DEFAULT_NAMESPACE, MemoryOrder, MemoryRequest
from notewell.contract.memory_replies import MemoryType, RelationKind
from notewell.mcp.tool import Asked, BudgetAsked, Desk, Document, Tool, read

# What JSON takes of a context's budget: some names and braces, and what quotes and line ends cost.
_AROUND_TEXT, _SHARE_OF_TEXT = 50, 0.85

_Id = Annotated[str, Field(min_length=1, description="Id, path or name of a memory")]
_Comment = Annotated[str, Field(max_length=1000, description="Why, for the memory's history")]
_Limit = Annotated[int, Field(ge=1, le=1000, description="Most")]


class MemoryAsked(Asked):
    """A request; `asks` is the record that it becomes."""

    of_notes = False  # its namespaces are those of memories
    asks: ClassVar[type[MemoryRequest]]


class LongMemoryAsked(BudgetAsked):
    """The same, of a tool whose answer may be long."""

    of_notes = False  # its namespaces are those of memories
    asks: ClassVar[type[MemoryRequest]]


class StoreAsked(MemoryAsked):
    """`memory_store`."""

    asks = asking.StoreMemory
    content: Annotated[str, Field(min_length=1, max_length=asking.MAX_CONTENT_CHARS)] = Field(
        description="What to remember"
    )
    type: MemoryType = "fact"
    namespace: field.Namespace = DEFAULT_NAMESPACE
    importance: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.5
    provenance: Annotated[str, Field(max_length=1000)] | None = Field(
        None, description="Where it comes from: a note, a person, a conversation"
    )
    title: Annotated[str, Field(max_length=200)] | None = Field(
        None, description="Name of the note"
    )


class RecallAsked(LongMemoryAsked):
    """`memory_recall`."""

    asks = asking.RecallMemories
    query: str = Field(max_length=MAX_QUERY_CHARS, description="What is to be done, in words")
    namespace: field.Namespace | None = None
    type: MemoryType | None = None
    limit: _Limit = 5
    depth: field.Depth = 0


class ContextAsked(LongMemoryAsked):
    """`memory_context`."""

    asks = asking.MemoryContext
    query: str = Field("", max_length=MAX_QUERY_CHARS, description="What is to be done, in words")
    namespace: field.Namespace | None = None
    depth: field.Depth = 1


class ApplyAsked(MemoryAsked):
    """`memory_apply`."""

    asks = asking.ApplyMemory
    id: _Id
    comment: _Comment = ""


class OutcomeAsked(MemoryAsked):
    """`memory_outcome`."""

    asks = asking.MemoryOutcome
    id: _Id
    helped: Annotated[bool, Field(description="Whether it helped")]
    comment: _Comment = ""


class ForgetAsked(MemoryAsked):
    """`memory_forget`."""

    asks = asking.ForgetMemory
    id: _Id
    force: Annotated[bool, Field(description="Delete it even if it is a golden rule")] = False


class RelateAsked(MemoryAsked):
    """`memory_relate`."""

    asks = asking.RelateMemories
    source: _Id
    target: str = Field(min_length=1, description="A memory, or the path of a note")
    kind: RelationKind = "relates_to"
    weight: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 1.0


class UnrelateAsked(MemoryAsked):
    """`memory_unrelate`."""

    asks = asking.UnrelateMemories
    source: _Id
    target: str = Field(min_length=1, description="A memory, or the path of a note")
    kind: RelationKind = "relates_to"


class InspectAsked(LongMemoryAsked):
    """`memory_inspect`."""

    asks = asking.InspectMemory
    id: _Id


class ListAsked(LongMemoryAsked):
    """`memory_list`."""

    asks = asking.ListMemories
    namespace: field.Namespace | None = None
    type: MemoryType | None = None
    order: MemoryOrder = "created"
    limit: _Limit = 100


class HistoryAsked(LongMemoryAsked):
    """`memory_history`."""

    asks = asking.MemoryHistory
    id: _Id | None = Field(None, description="Of this memory alone")
    limit: _Limit = 100


class HealthAsked(LongMemoryAsked):
    """`memory_health`."""

    asks = asking.MemoryHealth
    namespace: field.Namespace | None = None


def remember(desk: Desk, asked: MemoryAsked | LongMemoryAsked) -> Document:
    """Ask the memories, or tell them."""
    given = asked.model_dump(exclude={"vault", "budget_tokens"})
    return read(desk.answers.document(asked.asks(**given)))


def context(desk: Desk, asked: ContextAsked) -> Document:
    """What to know before a task; the ids of the memories stand in the text."""
    budget = max(int((asked.budget_tokens - _AROUND_TEXT) * _SHARE_OF_TEXT), 1)
    request = asking.MemoryContext(asked.query, asked.namespace, budget, asked.depth)
    made = read(desk.answers.document(request))
    left_out = {"left_out": len(made["left_out"])} if made["left_out"] else {}
    return {"vault": made["vault"], "text": made["text"], **left_out, "warnings": made["warnings"]}


def _tool(
    name: str,
    title: str,
    description: str,
    asked: type[MemoryAsked | LongMemoryAsked],
    *cut: str,
    run: Callable[[Desk, Any], Document] = remember,
) -> Tool:
    return Tool(
        f"memory_{name}",
        title,
        description,
        asked,
        run,
        cut=cut,
        writes=asked.asks.endpoint.method != "GET",
        destructive=name == "forget",
    )


TOOLS = (
    _tool(
        "store",
        "Remember",
        "Keep something for later, as a note. The same content is kept once.",
        StoreAsked,
    ),
    _tool(
        "recall",
        "Recall",
        "Find memories that bear on a task, with why each was found.",
        RecallAsked,
        "memories",
    ),
    _tool(
        "context",
        "What to know first",
        "Golden rules and memories for a task, as one text. Ask it before you begin.",
        ContextAsked,
        run=context,
    ),
    _tool(
        "apply",
        "Use a memory",
        "Say that you are using a memory; afterwards tell memory_outcome whether it helped.",
        ApplyAsked,
    ),
    _tool(
        "outcome",
        "Judge a memory",
        "Say whether a memory that was used helped: its confidence rises or falls.",
        OutcomeAsked,
    ),
    _tool(
        "forget",
        "Forget a memory",
        "Delete a memory's note. A golden rule is only deleted with `force`.",
        ForgetAsked,
    ),
    _tool(
        "relate",
        "Relate memories",
        "Say how a memory stands to another, or to a note.",
        RelateAsked,
    ),
    _tool("unrelate", "Unrelate memories", "Take a relation back.", UnrelateAsked),
    _tool(
        "inspect",
        "Inspect a memory",
        "Everything about one memory, with its relations and its history.",
        InspectAsked,
        "history",
    ),
    _tool("list", "List memories", "The memories there are.", ListAsked, "memories"),
    _tool(
        "history",
        "History of memories",
        "What was said of one memory, or of all, newest first.",
        HistoryAsked,
        "entries",
    ),
    _tool(
        "health",
        "Check memories",
        "Contradictions, stale and orphaned memories, doubles.",
        HealthAsked,
        "contradictions",
        "stale",
        "orphaned",
        "doubles",
        "unreadable",
    ),
)
