"""Everything that may be asked of one vault's memories."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import assert_never

from notewell.contract.memory import (
    MemoryChangedReply,
    MemoryContextReply,
    MemoryForgottenReply,
    MemoryHistoryReply,
    MemoryInspectReply,
    MemoryListReply,
    MemoryReply,
    RecallReply,
    RelationView,
    ValidationKind,
)
from notewell.contract.memory_requests import (
    DEFAULT_NAMESPACE,
    ApplyMemory,
    ForgetMemory,
    InspectMemory,
    ListMemories,
    MemoryContext,
    MemoryHealth,
    MemoryHistory,
    MemoryOutcome,
    MemoryRequest,
    RecallMemories,
    RelateMemories,
    StoreMemory,
    UnrelateMemories,
)
from notewell.errors import ProtectedError, UsageError
from notewell.memory import rules
from notewell.memory.brief import compose
from notewell.memory.folder import MemoryFolder, find
from notewell.memory.health import examine
from notewell.memory.note import (
    Memory,
    Relation,
    Validation,
    checked_content,
    fresh_id,
    links_of,
    note_name,
    same_content,
    stamp,
    with_validation,
)
from notewell.memory.recall import Recall, Similarities
from notewell.memory.replies import history, view
from notewell.types import CountTokens, PropertyValue
from notewell.vault.edit_properties import edit_properties
from notewell.vault.safe_names import check_name
from notewell.vault.write import Written


@dataclass(frozen=True, slots=True)
class Helpers:
    """What memories need of the vault's engine, and a clock (POSIX seconds)."""

    similarities: Similarities
    count_tokens: CountTokens
    clock: Callable[[], float] = time.time


class Memories:
    """The memories of one vault. Any thread may ask."""

    def __init__(self, vault: str, folder: MemoryFolder, helpers: Helpers) -> None:
        """`vault` is the name that replies carry."""
        self._vault = vault
        self._folder = folder
        self._helpers = helpers

    def answer(self, asked: MemoryRequest) -> MemoryReply:  # noqa: C901, PLR0911 - a table of kinds
        """Answer one request.

        Raises:
            ReadOnlyError: it writes, and no folder was chosen or the vault is never written.
            NotFoundError: it names a memory that is not there.
            ProtectedError: it deletes a golden rule without force.
            ChangedNoteError: somebody keeps writing the same note.
            WriteError: the disk refuses.

        """
        match asked:
            case StoreMemory():
                return self._store(asked)
            case RecallMemories():
                return self._recall(asked)
            case MemoryContext():
                return self._context(asked)
            case ApplyMemory():
                return self._apply(asked)
            case MemoryOutcome():
                return self._outcome(asked)
            case ForgetMemory():
                return self._forget(asked)
            case RelateMemories():
                return self._relate(asked)
            case UnrelateMemories():
                return self._unrelate(asked)
            case InspectMemory():
                return self._inspect(asked)
            case ListMemories():
                return self._list(asked)
            case MemoryHistory():
                return self._history(asked)
            case MemoryHealth():
                memories = self._of(asked.namespace)
                now = self._helpers.clock()
                return examine(self._vault, memories, self._folder, now=now)
        assert_never(asked)

    # --- reading ---------------------------------------------------------------------------

    def _of(self, namespace: str | None, kind: str | None = None) -> list[Memory]:
        return [
            memory
            for memory in self._folder.all()
            if (namespace is None or memory.namespace == namespace)
            and (kind is None or memory.type == kind)
        ]

    def _recall(self, asked: RecallMemories) -> RecallReply:
        recall = Recall(self._folder, self._helpers.similarities, self._helpers.clock())
        hits = recall.find(asked.query, self._of(asked.namespace, asked.type), depth=asked.depth)
        return RecallReply(
            query=asked.query,
            vault=self._vault,
            total=len(hits),
            memories=tuple(recall.shown(hit) for hit in hits[: asked.limit]),
            warnings=self._warnings(),
        )

    def _context(self, asked: MemoryContext) -> MemoryContextReply:
        recall = Recall(self._folder, self._helpers.similarities, self._helpers.clock())
        memories = self._of(asked.namespace)
        golden = sorted(
            (memory for memory in memories if memory.golden),
            key=lambda memory: (-memory.confidence, -memory.importance, memory.path),
        )
        hits = recall.find(asked.query, memories, depth=asked.depth)
        composed = compose(
            golden,
            [hit.memory for hit in hits if not hit.memory.golden],
            budget_tokens=asked.budget_tokens,
            count_tokens=self._helpers.count_tokens,
        )
        return MemoryContextReply(
            query=asked.query,
            vault=self._vault,
            text=composed.text,
            tokens=composed.tokens,
            budget_tokens=asked.budget_tokens,
            memories=composed.taken,
            left_out=composed.left_out,
            warnings=self._warnings(),
        )

    def _inspect(self, asked: InspectMemory) -> MemoryInspectReply:
        memory = self._folder.find(asked.id)
        memories = self._folder.all()
        return MemoryInspectReply(
            vault=self._vault,
            memory=view(memory, self._folder, memories),
            related_from=tuple(
                RelationView(one.kind, other.id, other.path, one.weight)
                for other in memories
                for one in other.relations
                if self._folder.target(one, memories) == memory.path
            ),
            history=tuple(reversed(history(memory))),
        )

    def _list(self, asked: ListMemories) -> MemoryListReply:
        chosen = sorted(self._of(asked.namespace, asked.type), key=lambda memory: memory.path)
        chosen.sort(key=lambda memory: getattr(memory, asked.order) or 0.0, reverse=True)
        memories = self._folder.all()
        return MemoryListReply(
            vault=self._vault,
            folder=self._folder.folder,
            total=len(chosen),
            namespaces=dict(sorted(Counter(memory.namespace for memory in memories).items())),
            memories=tuple(view(one, self._folder, memories) for one in chosen[: asked.limit]),
            warnings=self._warnings(),
        )

    def _history(self, asked: MemoryHistory) -> MemoryHistoryReply:
        chosen = self._folder.all() if asked.id is None else (self._folder.find(asked.id),)
        entries = [said for memory in chosen for said in history(memory)]
        entries.sort(key=lambda said: said.at)
        newest = tuple(reversed(entries))
        return MemoryHistoryReply(self._vault, len(newest), newest[: asked.limit])

    def _warnings(self) -> tuple[str, ...]:
        if self._folder.folder is None:
            return ("No folder for memories was chosen (setting memory.folder).",)
        return self._folder.warnings

    # --- writing ---------------------------------------------------------------------------

    def _store(self, asked: StoreMemory) -> MemoryChangedReply:
        self._folder.check_writable()
        content = checked_content(asked.content)
        memories = self._folder.all()
        for memory in memories:
            same = same_content(memory.content) == same_content(content)
            if same and memory.namespace == asked.namespace:
                return self._changed(memory, None, existing=True)
        path = self._free_path(asked, content, memories)
        now = stamp(self._helpers.clock())
        properties: dict[str, PropertyValue] = {
            "id": fresh_id(content, asked.namespace, (memory.id for memory in memories)),
            "type": asked.type,
            "namespace": asked.namespace,
            "importance": asked.importance,
            "confidence": rules.FIRST_CONFIDENCE,
            **({"provenance": asked.provenance} if asked.provenance else {}),
            "created": now,
            "accessed": now,
            "access_count": 0,
        }
        said = Validation(now, "stored")
        text = with_validation(edit_properties(f"{content}\n", properties), said)
        written = self._folder.create(path, text)
        return self._changed(self._folder.find(path), written)

    def _free_path(self, asked: StoreMemory, content: str, memories: Sequence[Memory]) -> str:
        """A place for a new note: the folder, that of its namespace, a name nobody has."""
        folder = self._folder.folder or ""
        if asked.namespace != DEFAULT_NAMESPACE:
            folder = f"{folder}/{note_name(asked.namespace)}"
        name = note_name(asked.title or content)
        taken = {memory.path.casefold() for memory in memories}
        number, path = 1, f"{folder}/{name}.md"
        while path.casefold() in taken or self._folder.has_note(path):
            number += 1
            path = f"{folder}/{name} {number}.md"
        check_name(path)
        return path

    def _apply(self, asked: ApplyMemory) -> MemoryChangedReply:
        now = stamp(self._helpers.clock())
        memory, written = self._folder.change(
            asked.id,
            lambda memory: ({"accessed": now, "access_count": memory.access_count + 1}, ()),
            said=lambda _: Validation(now, "applied", comment=asked.comment),
            action="memory apply",
        )
        return self._changed(memory, written)

    def _outcome(self, asked: MemoryOutcome) -> MemoryChangedReply:
        now = stamp(self._helpers.clock())

        def edit(memory: Memory) -> tuple[dict[str, PropertyValue], tuple[str, ...]]:
            after = rules.judged(memory.confidence, helped=asked.helped)
            golden: dict[str, PropertyValue] = (
                {"type": "golden_rule"} if after >= rules.GOLDEN else {}
            )
            return {"confidence": after, **golden}, ()

        def said(memory: Memory) -> Validation:
            after = rules.judged(memory.confidence, helped=asked.helped)
            kind: ValidationKind = "helped" if asked.helped else "failed"
            return Validation(now, kind, memory.confidence, after, asked.comment)

        memory, written = self._folder.change(asked.id, edit, said=said, action="memory outcome")
        return self._changed(memory, written)

    def _forget(self, asked: ForgetMemory) -> MemoryForgottenReply:
        self._folder.check_writable()
        memory = self._folder.find(asked.id)
        if memory.golden and not asked.force:
            raise ProtectedError(
                f"{memory.path} is a golden rule and is not deleted by mistake. Say `force` if it"
                " shall go."
            )
        written = self._folder.delete(memory)
        return MemoryForgottenReply(self._vault, memory.id, memory.path, written.number)

    def _relate(self, asked: RelateMemories) -> MemoryChangedReply:
        self._folder.check_writable()
        target = self._target_name(asked.target)

        def edit(memory: Memory) -> tuple[dict[str, PropertyValue], tuple[str, ...]]:
            if memory.path == f"{target}.md":
                raise UsageError("A memory cannot be related to itself.")
            kept = self._without(memory, asked.kind, target)
            new = Relation(asked.kind, target, round(asked.weight, 4))
            return {asked.kind: links_of([*kept, new], asked.kind)}, ()

        memory, written = self._folder.change(asked.source, edit, action="memory relate")
        return self._changed(memory, written)

    def _unrelate(self, asked: UnrelateMemories) -> MemoryChangedReply:
        known = find(self._folder.all(), asked.target)
        target = asked.target.removesuffix(".md") if known is None else known.path[:-3]

        def edit(memory: Memory) -> tuple[dict[str, PropertyValue], tuple[str, ...]] | None:
            kept = self._without(memory, asked.kind, target)
            if len(kept) == len(memory.relations):
                return None
            links = links_of(kept, asked.kind)
            return ({asked.kind: links}, ()) if links else ({}, (asked.kind,))

        memory, written = self._folder.change(asked.source, edit, action="memory unrelate")
        return self._changed(memory, written, existing=written is None)

    def _target_name(self, word: str) -> str:
        """What a link to a memory, or else to a note, says; NotFoundError where neither is."""
        path = word if word.endswith(".md") else f"{word}.md"
        known = find(self._folder.all(), word)
        if known is None and self._folder.has_note(path):
            return path[:-3]
        return (known or self._folder.find(word)).path[:-3]

    def _without(self, memory: Memory, kind: str, target: str) -> list[Relation]:
        """The memory's relations but the one of that kind to that target, however it is written."""
        memories = self._folder.all()
        return [
            one
            for one in memory.relations
            if one.kind != kind
            or (one.target != target and self._folder.target(one, memories) != f"{target}.md")
        ]

    def _changed(
        self, memory: Memory, written: Written | None, *, existing: bool = False
    ) -> MemoryChangedReply:
        shown = view(memory, self._folder, self._folder.all())
        number = None if written is None else written.number
        return MemoryChangedReply(self._vault, shown, existing, number)
