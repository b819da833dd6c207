"""The routes of memories, and of undoing what was written to a vault."""

from __future__ import annotations

from notewell.contract import memory as replies
from notewell.contract.memory import MemoryReply
from notewell.contract.writes import UndoneReply, WritesReply
from notewell.web import schema_memory as schema
from notewell.web.route import Example, Route
from notewell.web.site import Site


async def remember(site: Site, asked: schema.MemoryAsked) -> MemoryReply:
    """Answer a request about memories."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.memories.answer, asked.request())


async def writes(site: Site, asked: schema.WritesAsked) -> WritesReply:
    """List what was written to a vault."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.undoing.writes, asked.limit)


async def undo(site: Site, asked: schema.UndoAsked) -> UndoneReply:
    """Take a write back."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.undoing.undo, asked.number)


_BEES = "Bees find the new hive by its smell."
_ASKED: tuple[tuple[str, type[schema.MemoryAsked], type, str, Example], ...] = (
    (
        "memory_store",
        schema.StoreAsked,
        replies.MemoryChangedReply,
        "Keep something as a note; the same content is kept once",
        {"content": _BEES, "type": "fact"},
    ),
    (
        "memory_recall",
        schema.RecallAsked,
        replies.RecallReply,
        "Memories that bear on a query, and why",
        {"query": "moving bees", "limit": 3},
    ),
    (
        "memory_context",
        schema.MemoryContextAsked,
        replies.MemoryContextReply,
        "What an assistant should know, golden rules first, within a budget",
        {"query": "moving bees", "budget_tokens": 500},
    ),
    (
        "memory_apply",
        schema.ApplyAsked,
        replies.MemoryChangedReply,
        "Say that a memory is being used",
        {"id": "mem-12345678"},
    ),
    (
        "memory_outcome",
        schema.OutcomeAsked,
        replies.MemoryChangedReply,
        "Say whether a memory helped; its confidence follows",
        {"id": "mem-12345678", "helped": True},
    ),
    (
        "memory_forget",
        schema.ForgetAsked,
        replies.MemoryForgottenReply,
        "Delete a memory; a golden rule only with `force`",
        {"id": "mem-12345678"},
    ),
    (
        "memory_relate",
        schema.RelateAsked,
        replies.MemoryChangedReply,
        "Say how a memory stands to another, or to a note",
        {"source": "mem-12345678", "target": "Garden/Bees", "kind": "caused_by", "weight": 1},
    ),
    (
        "memory_unrelate",
        schema.UnrelateAsked,
        replies.MemoryChangedReply,
        "Take a relation back",
        {"source": "mem-12345678", "target": "Garden/Bees", "kind": "caused_by"},
    ),
    (
        "memory_inspect",
        schema.InspectAsked,
        replies.MemoryInspectReply,
        "Everything about one memory",
        {"id": "mem-12345678"},
    ),
    (
        "memory_list",
        schema.MemoryListAsked,
        replies.MemoryListReply,
        "The memories there are",
        {"order": "confidence", "limit": 20},
    ),
    (
        "memory_history",
        schema.MemoryHistoryAsked,
        replies.MemoryHistoryReply,
        "What was said of memories, newest first",
        {"limit": 20},
    ),
    (
        "memory_health",
        schema.MemoryHealthAsked,
        replies.MemoryHealthReply,
        "Contradictions, stale and orphaned memories, doubles",
        {},
    ),
)

MEMORY_ROUTES: tuple[Route, ...] = (
    *(
        Route(
            method="POST" if asked.asks.writes else "GET",
            path=asked.asks.route,
            name=name,
            summary=summary,
            asked=asked,
            handle=remember,
            reply=reply,
            example=example,
        )
        for name, asked, reply, summary, example in _ASKED
    ),
    Route(
        method="GET",
        path="/api/writes",
        name="writes",
        summary="What Notewell wrote to a vault, newest first",
        asked=schema.WritesAsked,
        handle=writes,
        reply=WritesReply,
        example={"limit": 20},
    ),
    Route(
        method="POST",
        path="/api/writes/undo",
        name="undo",
        summary="Take a write to a vault back",
        asked=schema.UndoAsked,
        handle=undo,
        reply=UndoneReply,
        example={"number": 1},
    ),
)
