"""Everything that may be asked of one vault's memories."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from notewell.contract.memory import (
    MemoryContextReply,
    MemoryHistoryReply,
    MemoryInspectReply,
    MemoryListReply,
    MemoryReply,
    RecallReply,
    RelationView,
)
from notewell.contract.memory_requests import (
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
from notewell.contract.search import SearchReply
from notewell.index.embedded.index import Index
from notewell.memory.changes import MemoryChanges
from notewell.memory.folder import MemoryFolder
from notewell.memory.health import examine
from notewell.memory.note import Memory
from notewell.memory.recall import Recall, Similarities, compose
from notewell.memory.replies import history, view
from notewell.types import CountTokens, SearchRequest, Settings, VaultRecord
from notewell.vault.write import VaultWriter
from notewell.vault.write_journal import Journal


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
        self._changes = MemoryChanges(vault, folder, helpers.clock)

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
                return self._changes.store(asked)
            case RecallMemories():
                return self._recall(asked)
            case MemoryContext():
                return self._context(asked)
            case ApplyMemory():
                return self._changes.apply(asked)
            case MemoryOutcome():
                return self._changes.outcome(asked)
            case ForgetMemory():
                return self._changes.forget(asked)
            case RelateMemories():
                return self._changes.relate(asked)
            case UnrelateMemories():
                return self._changes.unrelate(asked)
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


def open_writer(record: VaultRecord, data_dir: Path) -> VaultWriter | None:
    """The safe writer of a vault; None where it may not be written.

    A mirror is what its clients say it is. A data directory inside a vault would be synced with it,
    and the journal with it.
    """
    folder = journal_folder(record, data_dir)
    apart = not folder.absolute().is_relative_to(record.path)
    return (
        VaultWriter(record.path, Journal(folder)) if apart and record.source == "folder" else None
    )


def journal_folder(record: VaultRecord, data_dir: Path) -> Path:
    """Where the journal of a vault lives, also when its index was put elsewhere by a setting."""
    return data_dir / "vaults" / record.id


def open_memories(
    record: VaultRecord,
    settings: Settings,
    index: Index,
    *,
    writer: VaultWriter | None,
    search: Callable[[SearchRequest], SearchReply],
    count_tokens: CountTokens,
    changed: Callable[[str], None],
) -> Memories:
    """Put the memories of a vault together; `changed` is told the path of every note written."""

    def similarities(query: str, paths: Sequence[str]) -> Mapping[str, float]:
        others = frozenset(note.path for note in index.all_notes()) - set(paths)
        request = SearchRequest(
            query=query, limit=len(paths), plain=True, hidden=others, everything=True
        )
        found = search(request).results if paths else ()
        return {one.path: one.raw.cosine for one in found if one.raw.cosine is not None}

    folder = MemoryFolder(record.path, settings.memory.folder, writer, changed)
    return Memories(record.name, folder, Helpers(similarities, count_tokens))
