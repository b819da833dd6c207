"""The tools with which assistants read and change memories.

Those that change a memory write a note of the vault. They need a folder that a person chose for
memories (setting `memory.folder`); without it the tools that write answer `read_only`, as all
writing tools do where an assistant may not write.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Annotated, Any, Literal

from notewell.api.requests import Doc, Request
from notewell.api.tools import ArgumentChange, Document, Tool, ToolContext, pick, tool_of
from notewell.api.types import MinLen
from notewell.features.memory.requests import (
    ApplyMemory,
    ForgetMemory,
    InspectMemory,
    ListMemories,
    MemoryContext,
    MemoryForgottenReply,
    MemoryHealth,
    MemoryHistory,
    MemoryOutcome,
    RecallMemories,
    RelateMemories,
    StoreMemory,
    UnrelateMemories,
)

# Tokens that the JSON around a context takes, and how much of the rest is text: quotes and line
# ends are written longer in JSON.
_AROUND_TEXT, _SHARE_OF_TEXT = 50, 0.85
# An id that is too long is not found, which says more than a bound would, and a bound costs tokens
# in every conversation.
_Name = Annotated[str, MinLen(1), Doc("Id, path or name of a memory")]
_CHANGES = {
    "id": ArgumentChange(hint=_Name),
    "source": ArgumentChange(hint=_Name),
    "target": ArgumentChange(hint=Annotated[str, MinLen(1)], doc="A memory, or the path of a note"),
}
# All types but `golden_rule`: only a person grants a rule.
_StoredType = Literal["preference", "decision", "pattern", "session", "file_context", "fact"]
_OPTIONAL_ID = ArgumentChange(hint=Annotated[_Name | None, Doc("Of this memory alone")])


def memory_context(context: ToolContext, request: MemoryContext) -> Document:
    """Return what to know before a task; the ids of the memories stand in the text."""
    budget = max(int((request.budget_tokens - _AROUND_TEXT) * _SHARE_OF_TEXT), 1)
    wanted = replace(request, budget_tokens=budget)
    reply = context.backend.answer(wanted)
    left_out = {"left_out": len(reply.left_out)} if reply.left_out else {}
    return {**pick(reply, "vault", "text"), **left_out, "warnings": reply.warnings}


def _forget(context: ToolContext, request: ForgetMemory) -> Document:
    """Delete memories, but no golden rule, whatever the assistant says."""
    asked = replace(request, force=False)
    return pick(
        context.backend.answer(asked), *(field.name for field in fields(MemoryForgottenReply))
    )


def _tool(record: type[Request[Any]], title: str, description: str, **more: Any) -> Tool:
    changes = {**_CHANGES, **more.pop("changes", {})}
    return tool_of(record, title, description, changes=changes, **more)


TOOLS = (
    _tool(
        StoreMemory,
        "Remember",
        "Store something for later, as a note. The same content is stored once. Golden rules are"
        " earned by memory_outcome, or granted by a person.",
        changes={
            "type": ArgumentChange(hint=Annotated[_StoredType, Doc("What kind of memory it is")])
        },
        core=("content", "type", "namespace", "title", "vault"),
    ),
    _tool(
        RecallMemories,
        "Recall",
        "Find memories and notes that bear on a task, why each was found, and the links between.",
        cut=("memories", "notes"),
        core=("query", "limit", "namespace", "vault"),
    ),
    _tool(
        MemoryContext,
        "What to know first",
        "Golden rules and memories for a task, as one text. Call it before you begin.",
        budgeted=True,
        run=memory_context,
        core=("query", "budget_tokens", "vault"),
    ),
    _tool(
        ApplyMemory,
        "Use a memory",
        "Report that you are using a memory; afterwards report to memory_outcome whether it"
        " helped.",
    ),
    _tool(
        MemoryOutcome,
        "Judge a memory",
        "Report whether a memory that was used helped: its confidence rises or falls.",
        core=("id", "helped", "comment", "vault"),
    ),
    _tool(
        ForgetMemory,
        "Forget a memory",
        "Delete the note of a memory, or of several. Only a person deletes a golden rule.",
        changes={
            "id": ArgumentChange(hint=_Name | None),
            "force": ArgumentChange(doc="Only a person's: has no effect here"),
        },
        run=_forget,
        destructive=True,
    ),
    _tool(
        RelateMemories,
        "Relate memories",
        "State how a memory relates to another, or to a note.",
    ),
    _tool(UnrelateMemories, "Unrelate memories", "Remove a relation."),
    _tool(
        InspectMemory,
        "Inspect a memory",
        "Everything about one memory, with its relations and its history.",
        cut=("history",),
    ),
    _tool(
        ListMemories,
        "List memories",
        "The memories there are.",
        cut=("memories",),
    ),
    _tool(
        MemoryHistory,
        "History of memories",
        "What was reported about one memory, or about all, newest first.",
        cut=("entries",),
        changes={"id": _OPTIONAL_ID},
    ),
    _tool(
        MemoryHealth,
        "Check memories",
        "Memories that contradict each other, are stale, orphaned or duplicates.",
        cut=("contradictions", "stale", "orphaned", "doubles", "unreadable"),
    ),
)
