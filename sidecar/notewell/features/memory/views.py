"""Memories as the contract shows them."""

from __future__ import annotations

from notewell.contract.fields import iso
from notewell.features.memory.links import MemoryLinks
from notewell.features.memory.note import Memory
from notewell.features.memory.replies import MemoryView, RelationView, ValidationView


def view(memory: Memory, links: MemoryLinks) -> MemoryView:
    """One memory; `links` are the relations between all."""
    return MemoryView(
        id=memory.id,
        path=memory.path,
        title=memory.title,
        content=memory.content,
        type=memory.type,
        namespace=memory.namespace,
        importance=memory.importance,
        confidence=memory.confidence,
        golden=links.is_golden(memory),
        provenance=memory.provenance,
        created=iso(memory.created),
        accessed=iso(memory.accessed),
        access_count=memory.access_count,
        relations=tuple(
            RelationView(one.kind, one.target, path, one.weight)
            for one, path in links.targets(memory)
        ),
        warnings=memory.warnings,
    )


def history(memory: Memory) -> tuple[ValidationView, ...]:
    """The history of a memory, oldest first."""
    return tuple(
        ValidationView(
            at=line.at,
            id=memory.id,
            title=memory.title,
            kind=line.kind,
            before=line.before,
            after=line.after,
            comment=line.comment,
        )
        for line in memory.history
    )
