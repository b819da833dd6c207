"""All requests to the memories of one vault."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import NotFoundError, UsageError
from notewell.api.notes import check_name, edit_properties
from notewell.api.search import SearchRequest
from notewell.api.types import CountTokens, PropertyValue
from notewell.api.vault import Written
from notewell.base.errors import ProtectedError
from notewell.engine.feature import Answers
from notewell.features.memory.folder import (
    MemoryFolder,
    MemoryLinks,
    MemoryNames,
    examine,
    history,
    view,
)
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
from notewell.features.memory.recall import (
    MIN_CONFIDENCE,
    NO_NOTES,
    FoundNotes,
    Recall,
    Similarities,
    compose,
)
from notewell.features.memory.requests import (
    DEFAULT_NAMESPACE,
    ApplyMemory,
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
    RecalledNote,
    RecallMemories,
    RecallReply,
    RelateMemories,
    RelationView,
    StoreMemory,
    UnrelateMemories,
    ValidationKind,
)


def open_feature(vault: OpenVault) -> OpenFeature:
    """The memories of a vault, with what answers each request."""
    index = vault.index

    def similarities(query: str, paths: Sequence[str]) -> Mapping[str, float]:
        others = frozenset(note.path for note in index.all_notes()) - set(paths)
        request = SearchRequest(
            q=query,
            limit=len(paths),
            plain=True,
            hidden=others,
            everything=True,
            weak=True,
            passages=0,
        )
        results = vault.ask(request).results if paths else ()
        return {
            result.path: result.raw.cosine for result in results if result.raw.cosine is not None
        }

    def notes(query: str, limit: int, memories: Sequence[str]) -> FoundNotes:
        request = SearchRequest(query, limit=limit, plain=True, hidden=frozenset(memories))
        reply = vault.ask(request)
        answers = reply.confidence is None or reply.confidence >= MIN_CONFIDENCE
        return FoundNotes(reply.results if answers else (), find_links)

    def find_links(path: str) -> frozenset[str]:
        note = index.note_at(path)
        if note is None:
            return frozenset()
        ids = index.graph.neighbours(note.id) | index.graph.backlinks(note.id)
        return frozenset(note.path for note in index.notes(sorted(ids)).values())

    helpers = Helpers(similarities, vault.count_tokens, notes=notes)
    memories = Memories(vault, helpers)
    return OpenFeature(memories.answers)


@dataclass(frozen=True, slots=True)
class Helpers:
    """Functions of the engine that memories need, and a clock (POSIX seconds)."""

    similarities: Similarities
    count_tokens: CountTokens
    clock: Callable[[], float] = time.time
    # (query, how many, paths of memories) -> other notes on it
    notes: Callable[[str, int, Sequence[str]], FoundNotes] = lambda _query, _limit, _not: NO_NOTES


class Memories:
    """The memories of one vault. Any thread may call.

    Of the answers, those that write raise ReadOnlyError where no folder was chosen or the vault is
    read-only, ChangedNoteError where other programs keep writing the same note, and WriteError. One
    that names a memory raises NotFoundError if there is none.
    """

    def __init__(self, vault: OpenVault, helpers: Helpers) -> None:
        self._vault = vault.record.name
        self._folder = MemoryFolder(vault)
        self._helpers = helpers
        self._clock = helpers.clock
        self.answers: Answers = {
            StoreMemory: self.store,
            RecallMemories: self.recall,
            MemoryContext: self.context,
            ApplyMemory: self.apply,
            MemoryOutcome: self.outcome,
            ForgetMemory: self.forget,
            RelateMemories: self.relate,
            UnrelateMemories: self.unrelate,
            InspectMemory: self.inspect,
            ListMemories: self.listed,
            MemoryHistory: self.history,
            MemoryHealth: self.health,
        }

    # --- changing --------------------------------------------------------------------------

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
                return self._changed_reply(memory, None, existing=True)
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
        return self._changed_reply(self._folder.find(path), written)

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
        return self._changed_reply(changed, written)

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
        now = stamp(self._clock())
        memory, written = self._folder.change(
            request.id,
            lambda memory: ({"accessed": now, "access_count": memory.access_count + 1}, ()),
            history_line=lambda _: Validation(now, "applied", comment=request.comment),
            action="memory apply",
        )
        return self._changed_reply(memory, written)

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
        return self._changed_reply(memory, written)

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
            return self._forgotten_reply([self._forget(request.id, force=request.force)])
        deleted, protected, missing = [], [], []
        for word in dict.fromkeys(request.ids or ()):
            try:
                deleted.append(self._forget(word, force=request.force))
            except ProtectedError:
                protected.append(self._folder.find(word).id)
            except NotFoundError:
                missing.append(word)
        return self._forgotten_reply(deleted, protected, missing)

    def _forget(self, word: str, *, force: bool) -> ForgottenMemory:
        memory = self._folder.find(word)
        if not force and self._folder.links().is_golden(memory):
            raise ProtectedError(
                f"{memory.path} is a golden rule. Only a person deletes it:"
                " `notewell memory forget ID --force`."
            )
        written = self._folder.delete(memory)
        return ForgottenMemory(memory.id, memory.path, written.number)

    def _forgotten_reply(
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
        self._folder.check_writable()
        target = self._target_name(request.target)

        def edit(memory: Memory) -> tuple[dict[str, PropertyValue], tuple[str, ...]]:
            if memory.path == f"{target}.md":
                raise UsageError("A memory cannot be related to itself.")
            kept = self._without(memory, request.kind, target)
            new = Relation(request.kind, target, round(request.weight, 4))
            return {request.kind: links_of([*kept, new], request.kind)}, ()

        memory, written = self._folder.change(request.source, edit, action="memory relate")
        return self._changed_reply(memory, written)

    def unrelate(self, request: UnrelateMemories) -> MemoryChangedReply:
        known = MemoryNames(self._folder.all()).find(request.target)
        target = request.target.removesuffix(".md") if known is None else known.path[:-3]

        def edit(memory: Memory) -> tuple[dict[str, PropertyValue], tuple[str, ...]] | None:
            kept = self._without(memory, request.kind, target)
            if len(kept) == len(memory.relations):
                return None
            links = links_of(kept, request.kind)
            return ({request.kind: links}, ()) if links else ({}, (request.kind,))

        memory, written = self._folder.change(request.source, edit, action="memory unrelate")
        return self._changed_reply(memory, written, existing=written is None)

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
            relation
            for relation, path in self._folder.links().targets(memory)
            if relation.kind != kind or (relation.target != target and path != f"{target}.md")
        ]

    def _changed_reply(
        self, memory: Memory, written: Written | None, *, existing: bool = False
    ) -> MemoryChangedReply:
        shown = view(memory, self._folder.links())
        number = None if written is None else written.number
        return MemoryChangedReply(self._vault, shown, existing, number)

    # --- reading ---------------------------------------------------------------------------

    def recall(self, request: RecallMemories) -> RecallReply:
        """Memories by likeness and trust, with notes on the query if wanted."""
        links = self._folder.links()
        recall = Recall(links, self._helpers.similarities, self._clock())
        notes = NO_NOTES
        if request.notes and request.query.strip():
            paths = [memory.path for memory in links.memories]
            notes = self._helpers.notes(request.query, request.notes, paths)
        chosen = _choose(links, request.namespace, request.type)
        hits = recall.find(request.query, chosen, depth=request.depth, notes=notes)
        shown = hits[: request.limit]
        return RecallReply(
            query=request.query,
            vault=self._vault,
            total=len(hits),
            memories=tuple(recall.shown(hit) for hit in shown),
            warnings=self._warnings(),
            notes=tuple(
                RecalledNote(
                    path=note.path,
                    title=note.title,
                    heading=note.heading,
                    line=note.line,
                    snippet=note.snippet,
                    score=note.score,
                    memories=recall.links_of(note, shown, notes.linked(note.path)),
                )
                for note in notes.results
            ),
        )

    def context(self, request: MemoryContext) -> MemoryContextReply:
        """A text of the memories on a query, golden rules first, within a budget of tokens."""
        links = self._folder.links()
        recall = Recall(links, self._helpers.similarities, self._clock())
        memories = _choose(links, request.namespace)
        golden = sorted(
            (memory for memory in memories if links.is_golden(memory)),
            key=lambda memory: (-memory.confidence, -memory.importance, memory.path),
        )
        hits = recall.find(request.query, memories, depth=request.depth)
        # Whoever reads a superseded memory would act on it; what took its place is read instead.
        allowed = {memory.path for memory in memories}
        current = {memory.path: memory for hit in hits for memory in links.newest(hit.memory)}
        composed = compose(
            golden,
            [
                memory
                for memory in current.values()
                if memory.path in allowed and not links.is_golden(memory)
            ],
            budget_tokens=request.budget_tokens,
            count_tokens=self._helpers.count_tokens,
            contradictions=links.open_contradictions,
        )
        return MemoryContextReply(
            query=request.query,
            vault=self._vault,
            text=composed.text,
            tokens=composed.tokens,
            budget_tokens=request.budget_tokens,
            memories=composed.taken,
            left_out=composed.left_out,
            warnings=self._warnings(),
        )

    def inspect(self, request: InspectMemory) -> MemoryInspectReply:
        memory = self._folder.find(request.id)
        links = self._folder.links()
        return MemoryInspectReply(
            vault=self._vault,
            memory=view(memory, links),
            related_from=tuple(
                RelationView(relation.kind, other.id, other.path, relation.weight)
                for other, relation in links.into(memory.path)
            ),
            history=tuple(reversed(history(memory))),
        )

    def listed(self, request: ListMemories) -> MemoryListReply:
        links = self._folder.links()
        chosen = sorted(
            _choose(links, request.namespace, request.type), key=lambda memory: memory.path
        )
        chosen.sort(key=lambda memory: getattr(memory, request.order) or 0.0, reverse=True)
        return MemoryListReply(
            vault=self._vault,
            folder=self._folder.folder,
            total=len(chosen),
            namespaces=dict(sorted(Counter(memory.namespace for memory in links.memories).items())),
            memories=tuple(view(memory, links) for memory in chosen[: request.limit]),
            warnings=self._warnings(),
        )

    def history(self, request: MemoryHistory) -> MemoryHistoryReply:
        chosen = self._folder.all() if request.id is None else (self._folder.find(request.id),)
        entries = [line for memory in chosen for line in history(memory)]
        entries.sort(key=lambda line: line.at)
        newest = tuple(reversed(entries))
        return MemoryHistoryReply(self._vault, len(newest), newest[: request.limit])

    def health(self, request: MemoryHealth) -> MemoryHealthReply:
        links = self._folder.links()
        return examine(self._vault, _choose(links, request.namespace), links, now=self._clock())

    def _warnings(self) -> tuple[str, ...]:
        if self._folder.folder is None:
            return ("No folder for memories was chosen (setting memory.folder).",)
        return self._folder.warnings


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


def _choose(links: MemoryLinks, namespace: str | None, kind: str | None = None) -> list[Memory]:
    """The memories of a namespace and a type; None: of any."""
    return [
        memory
        for memory in links.memories
        if (namespace is None or memory.namespace == namespace)
        and (kind is None or memory.type == kind)
    ]
