"""Memories in the words of the contract."""

from __future__ import annotations

from collections.abc import Collection

from notewell.contract.memory import MemoryView, RelationView, ValidationView
from notewell.memory.folder import MemoryFolder
from notewell.memory.note import Memory
from notewell.support.times import iso


def view(memory: Memory, folder: MemoryFolder, memories: Collection[Memory]) -> MemoryView:
    """One memory, its relations resolved among `memories`."""
    return MemoryView(
        id=memory.id,
        path=memory.path,
        title=memory.title,
        content=memory.content,
        type=memory.type,
        namespace=memory.namespace,
        importance=memory.importance,
        confidence=memory.confidence,
        golden=memory.golden,
        provenance=memory.provenance,
        created=iso(memory.created),
        accessed=iso(memory.accessed),
        access_count=memory.access_count,
        relations=tuple(
            RelationView(one.kind, one.target, folder.target(one, memories), one.weight)
            for one in memory.relations
        ),
        warnings=memory.warnings,
    )


def history(memory: Memory) -> tuple[ValidationView, ...]:
    """What was said of a memory, oldest first."""
    return tuple(
        ValidationView(
            at=said.at,
            id=memory.id,
            title=memory.title,
            kind=said.kind,
            before=said.before,
            after=said.after,
            comment=said.comment,
        )
        for said in memory.history
    )
