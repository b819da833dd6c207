"""The requests that change memories: store, apply, outcome, forget, relate, unrelate."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from notewell.base.errors import NotFoundError, ProtectedError, UsageError
from notewell.base.types import PropertyValue
from notewell.features.memory.folder import MemoryFolder, MemoryNames, view
from notewell.features.memory.note import (
    FALLEN_CONFIDENCE,
    FIRST_CONFIDENCE,
    GOLDEN_CONFIDENCE,
    Memory,
    Relation,
    Validation,
    checked_content,
    confidence_after,
    fresh_id,
    links_of,
    note_name,
    same_content,
    stamp,
    with_validation,
)
from notewell.features.memory.requests import (
    DEFAULT_NAMESPACE,
    ApplyMemory,
    ForgetMemory,
    ForgottenMemory,
    MemoryChangedReply,
    MemoryForgottenReply,
    MemoryOutcome,
    RelateMemories,
    StoreMemory,
    UnrelateMemories,
    ValidationKind,
)
from notewell.vault.edit_properties import edit_properties
from notewell.vault.paths import check_name
from notewell.vault.write import Written


class MemoryChanges:
    """Changes the memories of one vault. Any thread may call."""

    def __init__(self, vault: str, folder: MemoryFolder, clock: Callable[[], float]) -> None:
        """`vault` is its name in replies; `clock` gives POSIX seconds."""
        self._vault = vault
        self._folder = folder
        self._clock = clock

    def store(self, request: StoreMemory) -> MemoryChangedReply:
        """Write a new memory, unless its namespace has one of the same content.

        A type of `golden_rule` grants a rule, also to a memory that is there already; callers see
        to it that a person asked for that.
        """
        self._folder.check_writable()
        content = checked_content(request.content)
        memories = self._folder.all()
        for memory in memories:
            same = same_content(memory.content) == same_content(content)
            if same and memory.namespace == request.namespace:
                if request.type == "golden_rule" and not memory.is_rule:
                    return self._grant(memory)
                return self._changed(memory, None, existing=True)
        path = self._free_path(request, content, memories)
        now = stamp(self._clock())
        properties: dict[str, PropertyValue] = {
            "id": fresh_id(content, request.namespace, (memory.id for memory in memories)),
            "type": request.type,
            "namespace": request.namespace,
            "importance": request.importance,
            "confidence": (
                GOLDEN_CONFIDENCE if request.type == "golden_rule" else FIRST_CONFIDENCE
            ),
            **({"provenance": request.provenance} if request.provenance else {}),
            "created": now,
            "accessed": now,
            "access_count": 0,
        }
        first_line = Validation(now, "stored")
        text = with_validation(edit_properties(f"{content}\n", properties), first_line)
        written = self._folder.create(path, text)
        return self._changed(self._folder.find(path), written)

    def _grant(self, memory: Memory) -> MemoryChangedReply:
        """Make an existing memory a golden rule, as a person wants."""
        now = stamp(self._clock())
        changed, written = self._folder.change(
            memory.path,
            lambda memory: _as_type(memory, GOLDEN_CONFIDENCE, rule=True),
            history_line=lambda memory: Validation(
                now, "granted", memory.confidence, GOLDEN_CONFIDENCE
            ),
            action="memory grant",
        )
        return self._changed(changed, written)

    def _free_path(self, request: StoreMemory, content: str, memories: Sequence[Memory]) -> str:
        """A path for a new note: in the folder of its namespace, under a name that is not taken."""
        folder = self._folder.folder or ""
        if request.namespace != DEFAULT_NAMESPACE:
            folder = f"{folder}/{note_name(request.namespace)}"
        name = note_name(request.title or content)
        taken = {memory.path.casefold() for memory in memories}
        number, path = 1, f"{folder}/{name}.md"
        while path.casefold() in taken or self._folder.has_note(path):
            number += 1
            path = f"{folder}/{name} {number}.md"
        check_name(path)
        return path

    def apply(self, request: ApplyMemory) -> MemoryChangedReply:
        """Record that a memory was used."""
        now = stamp(self._clock())
        memory, written = self._folder.change(
            request.id,
            lambda memory: ({"accessed": now, "access_count": memory.access_count + 1}, ()),
            history_line=lambda _: Validation(now, "applied", comment=request.comment),
            action="memory apply",
        )
        return self._changed(memory, written)

    def outcome(self, request: MemoryOutcome) -> MemoryChangedReply:
        """Raise or lower the confidence of a memory that helped or failed.

        At GOLDEN_CONFIDENCE it becomes a golden rule; a failure that takes a rule below
        FALLEN_CONFIDENCE gives it back the type it had before.
        """
        now = stamp(self._clock())

        def edit(memory: Memory) -> tuple[dict[str, PropertyValue], tuple[str, ...]]:
            after = confidence_after(memory.confidence, helped=request.helped)
            remains = memory.is_rule and (request.helped or after >= FALLEN_CONFIDENCE)
            return _as_type(memory, after, rule=remains or after >= GOLDEN_CONFIDENCE)

        def line(memory: Memory) -> Validation:
            after = confidence_after(memory.confidence, helped=request.helped)
            kind: ValidationKind = "helped" if request.helped else "failed"
            return Validation(now, kind, memory.confidence, after, request.comment)

        memory, written = self._folder.change(
            request.id, edit, history_line=line, action="memory outcome"
        )
        return self._changed(memory, written)

    def forget(self, request: ForgetMemory) -> MemoryForgottenReply:
        """Delete a memory, or several.

        Raises:
            UsageError: neither one nor several are named, or both.
            NotFoundError: the one memory does not exist.
            ProtectedError: the one memory is a golden rule, and `force` is not set.

        """
        self._folder.check_writable()
        if (request.id is None) == (not request.ids):
            raise UsageError("Name either one memory (`id`) or several (`ids`).")
        if request.id is not None:
            return self._forgotten([self._forget(request.id, force=request.force)])
        deleted, protected, missing = [], [], []
        for word in dict.fromkeys(request.ids or ()):
            try:
                deleted.append(self._forget(word, force=request.force))
            except ProtectedError:
                protected.append(self._folder.find(word).id)
            except NotFoundError:
                missing.append(word)
        return self._forgotten(deleted, protected, missing)

    def _forget(self, word: str, *, force: bool) -> ForgottenMemory:
        memory = self._folder.find(word)
        if not force and self._folder.links().is_golden(memory):
            raise ProtectedError(
                f"{memory.path} is a golden rule. To delete it all the same, set `force`."
            )
        written = self._folder.delete(memory)
        return ForgottenMemory(memory.id, memory.path, written.number)

    def _forgotten(
        self,
        deleted: Sequence[ForgottenMemory],
        protected: Sequence[str] = (),
        missing: Sequence[str] = (),
    ) -> MemoryForgottenReply:
        first = deleted[0] if deleted else None
        return MemoryForgottenReply(
            vault=self._vault,
            id=first.id if first else None,
            path=first.path if first else None,
            undo=first.undo if first else None,
            forgotten=tuple(deleted),
            protected_ids=tuple(dict.fromkeys(protected)),
            missing_ids=tuple(missing),
        )

    def relate(self, request: RelateMemories) -> MemoryChangedReply:
        """Add a relation, or replace its weight."""
        self._folder.check_writable()
        target = self._target_name(request.target)

        def edit(memory: Memory) -> tuple[dict[str, PropertyValue], tuple[str, ...]]:
            if memory.path == f"{target}.md":
                raise UsageError("A memory cannot be related to itself.")
            kept = self._without(memory, request.kind, target)
            new = Relation(request.kind, target, round(request.weight, 4))
            return {request.kind: links_of([*kept, new], request.kind)}, ()

        memory, written = self._folder.change(request.source, edit, action="memory relate")
        return self._changed(memory, written)

    def unrelate(self, request: UnrelateMemories) -> MemoryChangedReply:
        """Remove a relation."""
        known = MemoryNames(self._folder.all()).find(request.target)
        target = request.target.removesuffix(".md") if known is None else known.path[:-3]

        def edit(memory: Memory) -> tuple[dict[str, PropertyValue], tuple[str, ...]] | None:
            kept = self._without(memory, request.kind, target)
            if len(kept) == len(memory.relations):
                return None
            links = links_of(kept, request.kind)
            return ({request.kind: links}, ()) if links else ({}, (request.kind,))

        memory, written = self._folder.change(request.source, edit, action="memory unrelate")
        return self._changed(memory, written, existing=written is None)

    def _target_name(self, word: str) -> str:
        """The link target for a memory or else a note; NotFoundError if there is neither."""
        path = word if word.endswith(".md") else f"{word}.md"
        known = MemoryNames(self._folder.all()).find(word)
        if known is None and self._folder.has_note(path):
            return path[:-3]
        return (known or self._folder.find(word)).path[:-3]

    def _without(self, memory: Memory, kind: str, target: str) -> list[Relation]:
        """The memory's relations without the one of that kind to that target, however spelled."""
        return [
            one
            for one, path in self._folder.links().targets(memory)
            if one.kind != kind or (one.target != target and path != f"{target}.md")
        ]

    def _changed(
        self, memory: Memory, written: Written | None, *, existing: bool = False
    ) -> MemoryChangedReply:
        shown = view(memory, self._folder.links())
        number = None if written is None else written.number
        return MemoryChangedReply(self._vault, shown, existing, number)


def _as_type(
    memory: Memory, confidence: float, *, rule: bool
) -> tuple[dict[str, PropertyValue], tuple[str, ...]]:
    """The properties to set and to remove for a confidence, as a golden rule or as none."""
    properties: dict[str, PropertyValue] = {"confidence": confidence}
    if rule and memory.type != "golden_rule":
        return {**properties, "type": "golden_rule", "former_type": memory.type}, ()
    if not rule and memory.type == "golden_rule":
        former = memory.former_type
        known = former is not None and former != "golden_rule"
        return {**properties, "type": former if known else "fact"}, ("former_type",)
    return properties, ()
