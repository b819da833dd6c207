"""Fake replies to requests about memories: one of each kind."""

from __future__ import annotations

from collections.abc import Mapping

from notewell.features.memory.requests import (
    Ailing,
    ApplyMemory,
    Contradiction,
    ForgetMemory,
    ForgottenMemory,
    InspectMemory,
    ListMemories,
    MemoryChangedReply,
    MemoryContext,
    MemoryContextReply,
    MemoryForgottenReply,
    MemoryHealth,
    MemoryHealthReply,
    MemoryHistory,
    MemoryHistoryReply,
    MemoryInspectReply,
    MemoryListReply,
    MemoryOutcome,
    MemoryReply,
    MemoryRequest,
    MemoryView,
    NoteMemoryLink,
    RecalledMemory,
    RecalledNote,
    RecallMemories,
    RecallParts,
    RecallReply,
    RelateMemories,
    RelationView,
    StoreMemory,
    UnrelateMemories,
    ValidationView,
)

_AT = "2026-03-02T10:00:00+00:00"
_RELATION = RelationView("relates_to", "Garden/Bees", "Garden/Bees.md", 0.5)
_MEMORY = MemoryView(
    id="mem-12345678",
    path="Memory/Hives.md",
    title="Hives",
    content="Bees find the hive by its smell.",
    type="fact",
    namespace="default",
    importance=0.5,
    confidence=0.3,
    golden=False,
    provenance=None,
    created=_AT,
    accessed=_AT,
    access_count=1,
    relations=(_RELATION,),
    warnings=(),
)
_SAID = ValidationView(_AT, "mem-12345678", "Hives", "helped", 0.3, 0.4, "found it")
_AILING = Ailing("mem-12345678", "Memory/Hives.md", "not used for 90 days")
_CHANGED = MemoryChangedReply("Home", _MEMORY, existing=False, undo=1)
_RECALLED = RecalledMemory(
    memory=_MEMORY,
    score=0.5,
    parts=RecallParts(0.75, 0.3, 0.5, 1.0, 1.0),
    why="similarity",
    depth=0,
    via=None,
    superseded_by=(),
    contradicted_by=("mem-87654321",),
)

_NOTE = RecalledNote(
    path="Garden/Bees.md",
    title="Bees",
    heading=None,
    line=1,
    snippet="Bees find home by the sun.",
    score=1.0,
    memories=(NoteMemoryLink("mem-12345678", "relates_to"),),
)

REMEMBERED: Mapping[type[MemoryRequest], MemoryReply] = {
    StoreMemory: _CHANGED,
    ApplyMemory: _CHANGED,
    MemoryOutcome: _CHANGED,
    RelateMemories: _CHANGED,
    UnrelateMemories: _CHANGED,
    ForgetMemory: MemoryForgottenReply(
        "Home",
        "mem-12345678",
        "Memory/Hives.md",
        2,
        (ForgottenMemory("mem-12345678", "Memory/Hives.md", 2),),
        ("mem-87654321",),
    ),
    RecallMemories: RecallReply("bees", "Home", 1, (_RECALLED,), (), (_NOTE,)),
    MemoryContext: MemoryContextReply(
        "bees", "Home", "## Memories\n", 4, 1000, ("mem-12345678",), (), ()
    ),
    InspectMemory: MemoryInspectReply("Home", _MEMORY, (_RELATION,), (_SAID,)),
    ListMemories: MemoryListReply("Home", "Memory", 1, {"default": 1}, (_MEMORY,), ()),
    MemoryHistory: MemoryHistoryReply("Home", 1, (_SAID,)),
    MemoryHealth: MemoryHealthReply(
        vault="Home",
        total=1,
        golden=0,
        by_type={"fact": 1},
        average_confidence=0.3,
        contradictions=(
            Contradiction("mem-12345678", "mem-87654321", stated=True, reason="stated"),
        ),
        stale=(_AILING,),
        orphaned=(),
        doubles=(),
        unreadable=(),
    ),
}
