"""All requests to the memories of one vault."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from notewell.base.types import CountTokens
from notewell.contract.search import SearchRequest
from notewell.engine.feature import OpenFeature, OpenVault
from notewell.features.memory import MemoryRules
from notewell.features.memory.changes import MemoryChanges
from notewell.features.memory.folder import MemoryFolder, MemoryLinks, history, view
from notewell.features.memory.health import examine
from notewell.features.memory.note import Memory
from notewell.features.memory.recall import (
    MIN_CONFIDENCE,
    NO_NOTES,
    FoundNotes,
    Recall,
    Similarities,
    compose,
)
from notewell.features.memory.requests import (
    REQUESTS,
    ApplyMemory,
    ForgetMemory,
    InspectMemory,
    ListMemories,
    MemoryContext,
    MemoryContextReply,
    MemoryHealth,
    MemoryHistory,
    MemoryHistoryReply,
    MemoryInspectReply,
    MemoryListReply,
    MemoryOutcome,
    MemoryReply,
    MemoryRequest,
    RecalledNote,
    RecallMemories,
    RecallReply,
    RelateMemories,
    RelationView,
    StoreMemory,
    UnrelateMemories,
)


@dataclass(frozen=True, slots=True)
class Helpers:
    """Functions of the engine that memories need, and a clock (POSIX seconds)."""

    similarities: Similarities
    count_tokens: CountTokens
    clock: Callable[[], float] = time.time
    # (query, how many, paths of memories) -> other notes on it
    notes: Callable[[str, int, Sequence[str]], FoundNotes] = lambda _query, _limit, _not: NO_NOTES


class Memories:
    """Answers requests to the memories of one vault. Any thread may call."""

    def __init__(self, vault: str, folder: MemoryFolder, helpers: Helpers) -> None:
        """`vault` is its name in replies."""
        self._vault = vault
        self._folder = folder
        self._helpers = helpers
        self._changes = MemoryChanges(vault, folder, helpers.clock)

    def answer(self, request: MemoryRequest) -> MemoryReply:  # noqa: C901, PLR0911 - a table of kinds
        """Answer one request.

        Raises:
            ReadOnlyError: it writes, and no folder was chosen or the vault is read-only.
            NotFoundError: the memory does not exist.
            ProtectedError: it deletes a golden rule without force.
            ChangedNoteError: other programs keep writing the same note.
            WriteError: the note cannot be written.

        """
        match request:
            case StoreMemory():
                return self._changes.store(request)
            case RecallMemories():
                return self._recall(request)
            case MemoryContext():
                return self._context(request)
            case ApplyMemory():
                return self._changes.apply(request)
            case MemoryOutcome():
                return self._changes.outcome(request)
            case ForgetMemory():
                return self._changes.forget(request)
            case RelateMemories():
                return self._changes.relate(request)
            case UnrelateMemories():
                return self._changes.unrelate(request)
            case InspectMemory():
                return self._inspect(request)
            case ListMemories():
                return self._list(request)
            case MemoryHistory():
                return self._history(request)
            case MemoryHealth():
                links = self._folder.links()
                chosen = _chosen(links, request.namespace)
                return examine(self._vault, chosen, links, now=self._helpers.clock())
        assert_never(request)

    # --- reading ---------------------------------------------------------------------------

    def _recall(self, request: RecallMemories) -> RecallReply:
        links = self._folder.links()
        recall = Recall(links, self._helpers.similarities, self._helpers.clock())
        notes = NO_NOTES
        if request.notes and request.query.strip():
            paths = [memory.path for memory in links.memories]
            notes = self._helpers.notes(request.query, request.notes, paths)
        chosen = _chosen(links, request.namespace, request.type)
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

    def _context(self, request: MemoryContext) -> MemoryContextReply:
        links = self._folder.links()
        recall = Recall(links, self._helpers.similarities, self._helpers.clock())
        memories = _chosen(links, request.namespace)
        golden = sorted(
            (memory for memory in memories if links.is_golden(memory)),
            key=lambda memory: (-memory.confidence, -memory.importance, memory.path),
        )
        hits = recall.find(request.query, memories, depth=request.depth)
        # Whoever reads a superseded memory would act on it; what took its place is read instead.
        allowed = {memory.path for memory in memories}
        current = {one.path: one for hit in hits for one in links.newest(hit.memory)}
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

    def _inspect(self, request: InspectMemory) -> MemoryInspectReply:
        memory = self._folder.find(request.id)
        links = self._folder.links()
        return MemoryInspectReply(
            vault=self._vault,
            memory=view(memory, links),
            related_from=tuple(
                RelationView(one.kind, other.id, other.path, one.weight)
                for other, one in links.into(memory.path)
            ),
            history=tuple(reversed(history(memory))),
        )

    def _list(self, request: ListMemories) -> MemoryListReply:
        links = self._folder.links()
        chosen = sorted(
            _chosen(links, request.namespace, request.type), key=lambda memory: memory.path
        )
        chosen.sort(key=lambda memory: getattr(memory, request.order) or 0.0, reverse=True)
        return MemoryListReply(
            vault=self._vault,
            folder=self._folder.folder,
            total=len(chosen),
            namespaces=dict(sorted(Counter(memory.namespace for memory in links.memories).items())),
            memories=tuple(view(one, links) for one in chosen[: request.limit]),
            warnings=self._warnings(),
        )

    def _history(self, request: MemoryHistory) -> MemoryHistoryReply:
        chosen = self._folder.all() if request.id is None else (self._folder.find(request.id),)
        entries = [line for memory in chosen for line in history(memory)]
        entries.sort(key=lambda line: line.at)
        newest = tuple(reversed(entries))
        return MemoryHistoryReply(self._vault, len(newest), newest[: request.limit])

    def _warnings(self) -> tuple[str, ...]:
        if self._folder.folder is None:
            return ("No folder for memories was chosen (setting memory.folder).",)
        return self._folder.warnings


def _chosen(links: MemoryLinks, namespace: str | None, kind: str | None = None) -> list[Memory]:
    """The memories of a namespace and a type; None: of any."""
    return [
        memory
        for memory in links.memories
        if (namespace is None or memory.namespace == namespace)
        and (kind is None or memory.type == kind)
    ]


def opened(vault: OpenVault) -> OpenFeature:
    """The memories of a vault, with what answers each request."""
    memories = open_memories(vault)
    return OpenFeature(answers=dict.fromkeys(REQUESTS, memories.answer))


def open_memories(vault: OpenVault) -> Memories:
    """The memories of a vault."""
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
        found = vault.ask(request).results if paths else ()
        return {one.path: one.raw.cosine for one in found if one.raw.cosine is not None}

    def notes(query: str, limit: int, memories: Sequence[str]) -> FoundNotes:
        request = SearchRequest(query, limit=limit, plain=True, hidden=frozenset(memories))
        found = vault.ask(request)
        answers = found.confidence is None or found.confidence >= MIN_CONFIDENCE
        return FoundNotes(found.results if answers else (), linked)

    def linked(path: str) -> frozenset[str]:
        note = index.note_at(path)
        if note is None:
            return frozenset()
        ids = index.graph.neighbours(note.id) | index.graph.backlinks(note.id)
        return frozenset(one.path for one in index.notes(sorted(ids)).values())

    folder = MemoryFolder(
        vault.record.path, vault.settings.of(MemoryRules).folder, vault.writer, vault.changed
    )
    return Memories(
        vault.record.name, folder, Helpers(similarities, vault.count_tokens, notes=notes)
    )
