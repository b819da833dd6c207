"""The memories of a vault: their folder, their relations, and the check of their health."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from notewell.api import OpenVault
from notewell.api.errors import ChangedNoteError, NotFoundError, ReadOnlyError, UnreadableNoteError
from notewell.api.notes import edit_properties
from notewell.api.requests import iso
from notewell.api.text import function_words, words
from notewell.api.types import PropertyValue, VaultRules
from notewell.api.vault import FileRef, VaultWriter, Written
from notewell.base.errors import OutsideVaultError
from notewell.features.memory import MemoryRules
from notewell.features.memory.note import (
    Memory,
    Relation,
    Validation,
    read_memory,
    same_content,
    with_validation,
)
from notewell.features.memory.requests import (
    Ailing,
    Contradiction,
    MemoryHealthReply,
    MemoryView,
    RelationKind,
    RelationView,
    ValidationView,
)
from notewell.vault import files, walker
from notewell.vault.readers.text import MARKDOWN
from notewell.vault.write import MAX_BYTES

_MAX_ATTEMPTS = 5  # at a change, while other programs write the same note
_MAX_COMPARED = 1000  # memories compared pairwise
_SAME_TOPIC = 0.6  # Jaccard similarity of the words of two memories on one topic
_ENGLISH = ("not", "no", "never", "none", "without", "don", "doesn", "isn", "cannot", "avoid")
_OTHERS = ("nicht", "kein", "keine", "nie", "ohne", "pas", "jamais", "nunca", "sin", "non", "mai")
_NEGATIONS = frozenset((*_ENGLISH, *_OTHERS))
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
STALE_DAYS = 90.0  # without use


class MemoryNames:
    """Finds memories by what people call them. Built once for many look-ups."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        """Of several memories with one id, the first is found by it; a shared name finds none."""
        self._exact: dict[str, Memory] = {}
        self._titles: dict[str, list[Memory]] = {}
        for memory in memories:
            for word in (memory.id, memory.path[:-3]):
                self._exact.setdefault(word, memory)
            self._titles.setdefault(memory.title.casefold(), []).append(memory)

    def find(self, word: str) -> Memory | None:
        """The memory with this id, path (with or without `.md`) or name; None: none or several."""
        plain = word.strip().removesuffix(".md")
        exact = self._exact.get(plain)
        if exact is not None or "/" in plain:
            return exact
        named = self._titles.get(plain.casefold(), [])
        return named[0] if len(named) == 1 else None


class MemoryLinks:
    """The relations between all memories of a vault."""

    def __init__(self, memories: Sequence[Memory], has_note: Callable[[str], bool]) -> None:
        """`has_note` says whether the vault has a note at a path: relations may lead to notes."""
        self.memories = memories
        self.has_note = has_note
        self._names = MemoryNames(memories)
        self._by_path = {memory.path: memory for memory in memories}
        self._targets = {
            memory.path: [(relation, self._target(relation)) for relation in memory.relations]
            for memory in memories
        }
        self._superseders = self._relations_of("supersedes", symmetric=False)
        self._contradicting = self._relations_of("contradicts", symmetric=True)

    def targets(self, memory: Memory) -> Sequence[tuple[Relation, str | None]]:
        """The relations of a memory with the paths they lead to; None: the target is gone."""
        known = self._targets.get(memory.path)  # None for one that was written after the others
        if known is None:
            return [(relation, self._target(relation)) for relation in memory.relations]
        return known

    def into(self, path: str) -> Iterator[tuple[Memory, Relation]]:
        """The relations that lead to a path, with the memories that have them."""
        for memory in self.memories:
            for relation, target in self._targets[memory.path]:
                if target == path:
                    yield memory, relation

    def neighbours(self, path: str) -> list[tuple[str, float]]:
        """Paths related to a memory or note in either direction, with the relation's weight."""
        out = [
            (target, relation.weight) for relation, target in self._targets.get(path, ()) if target
        ]
        return out + [(memory.path, relation.weight) for memory, relation in self.into(path)]

    def superseded_by(self, memory: Memory) -> tuple[Memory, ...]:
        """The memories that take its place."""
        return self._superseders.get(memory.path, ())

    def contradicted_by(self, memory: Memory) -> tuple[Memory, ...]:
        """The memories that are said to contradict it, in either direction."""
        return self._contradicting.get(memory.path, ())

    def open_contradictions(self, memory: Memory) -> tuple[Memory, ...]:
        """The contradicting memories that are not superseded themselves."""
        return tuple(
            other for other in self.contradicted_by(memory) if not self.superseded_by(other)
        )

    def is_golden(self, memory: Memory) -> bool:
        """True for a golden rule: its note says so, and nothing supersedes it."""
        return memory.is_rule and not self.superseded_by(memory)

    def newest(self, memory: Memory) -> tuple[Memory, ...]:
        """The memories in the place of one today: itself, or the last of those superseding it.

        Empty where memories supersede each other in a circle.
        """
        seen, waiting, latest = {memory.path}, [memory], []
        while waiting:
            one = waiting.pop(0)
            superseders = self.superseded_by(one)
            if not superseders:
                latest.append(one)
            fresh = [newer for newer in superseders if newer.path not in seen]
            seen |= {newer.path for newer in fresh}
            waiting += fresh
        return tuple(latest)

    def _target(self, relation: Relation) -> str | None:
        """The path of a relation's target: a memory, else any note; None: it does not exist."""
        memory = self._names.find(relation.target)
        if memory is not None:
            return memory.path
        path = f"{relation.target}.md"
        return path if self.has_note(path) else None

    def _relations_of(
        self, kind: RelationKind, *, symmetric: bool
    ) -> Mapping[str, tuple[Memory, ...]]:
        """By path, the memories with a relation of this kind to that memory.

        With `symmetric`, also those that it has this relation to.
        """
        resolved: dict[str, dict[str, Memory]] = {}
        for memory in self.memories:
            for relation, path in self._targets[memory.path]:
                target = self._by_path.get(path or "")
                if relation.kind != kind or target is None or target is memory:
                    continue
                resolved.setdefault(target.path, {})[memory.path] = memory
                if symmetric:
                    resolved.setdefault(memory.path, {})[target.path] = target
        return {path: tuple(related.values()) for path, related in resolved.items()}


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
            RelationView(relation.kind, relation.target, path, relation.weight)
            for relation, path in links.targets(memory)
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


class MemoryFolder:
    """The memories of one vault. Any thread may use it.

    `folder` is None if none was chosen: then there are no memories and none can be created.
    """

    def __init__(self, vault: OpenVault) -> None:
        self._vault = vault
        self._root = vault.record.path
        self._lock = threading.Lock()
        self._known: dict[tuple[str, int, int], Memory] = {}
        self.warnings: tuple[str, ...] = ()

    @property
    def folder(self) -> str | None:
        """The folder of memories in the settings that are in force now."""
        folder = self._vault.settings().of(MemoryRules).folder
        return folder.strip("/") if folder else None

    def all(self) -> tuple[Memory, ...]:
        folder = self.folder
        if folder is None:
            return ()
        with self._lock:
            walked = walker.walk(self._root, VaultRules(types=(MARKDOWN.suffix,)), (folder,))
            known: dict[tuple[str, int, int], Memory] = {}
            failed = [warning.name + warning.reason for warning in walked.warnings]
            for file in walked.files:
                if not self.has_note(file.path):
                    continue  # kept from those who ask
                key = (file.path, file.size, file.mtime_ns)
                try:
                    known[key] = self._known.get(key) or _read(file)
                except UnreadableNoteError as error:
                    failed.append(error.message)
            self._known, self.warnings = known, tuple(failed)
            return tuple(known.values())

    def find(self, word: str) -> Memory:
        """The memory with that id, path or name; NotFoundError if there is none."""
        memories = self.all()
        memory = MemoryNames(memories).find(word)
        if memory is None:
            raise NotFoundError(
                f"There is no memory {word!r}. `notewell memory list` shows all"
                f" {len(memories)}, with their ids.",
                code="memory_not_found",
            )
        return memory

    def links(self) -> MemoryLinks:
        return MemoryLinks(self.all(), self.has_note)

    def has_note(self, path: str) -> bool:
        try:
            self._vault.source.stamp(path)
        except (OutsideVaultError, UnreadableNoteError):
            return False
        return True

    # --- writing ---------------------------------------------------------------------------

    def check_writable(self) -> VaultWriter:
        """The writer; ReadOnlyError if this vault is read-only or no folder was chosen."""
        if self._vault.writer is None:
            raise ReadOnlyError(
                "Memories of this vault cannot be written here: the data directory lies inside the"
                " vault. Choose another with --data-dir."
            )
        if self.folder is None:
            raise ReadOnlyError(
                "No folder for memories was chosen. Choose one:"
                " `notewell config set memory.folder Memory`."
            )
        return self._vault.writer

    def create(self, path: str, text: str) -> Written:
        """Write a new memory's note."""
        written = self.check_writable().create(path, text, action="memory store")
        self._vault.changed(path)
        return written

    def change(
        self,
        word: str,
        edit: Callable[[Memory], tuple[Mapping[str, PropertyValue], Collection[str]] | None],
        *,
        history_line: Callable[[Memory], Validation | None] = lambda _: None,
        action: str,
    ) -> tuple[Memory, Written | None]:
        """Change the current state of a memory; returns it and what was written, if anything.

        `edit` gives the properties to set and the names of those to remove, or None to change
        nothing; `history_line` gives a line for the history. If another program writes the note
        meanwhile, both are called again with its new state.
        """
        writer = self.check_writable()
        for attempt in range(_MAX_ATTEMPTS):
            memory = self.find(word)
            edits = edit(memory)
            if edits is None:
                return memory, None
            text = edit_properties(memory.text, edits[0], remove=edits[1])
            line = history_line(memory)
            text = text if line is None else with_validation(text, line)
            try:
                written = writer.replace(memory.path, text, seen=memory.seen, action=action)
            except ChangedNoteError:
                if attempt == _MAX_ATTEMPTS - 1:
                    raise
                written = None
            self._forget(memory.path)
            # If another program made the same change meanwhile, nothing was written here.
            if written is not None and (written.number is not None or text == memory.text):
                self._vault.changed(memory.path)
                return self.find(memory.path), written
        raise ChangedNoteError(
            f"Another program keeps changing {word}, so nothing was written. Try again."
        )

    def delete(self, memory: Memory) -> Written:
        """Delete a memory's note, unless it changed since it was read."""
        written = self.check_writable().delete(
            memory.path, seen=memory.seen, action="memory forget"
        )
        self._vault.changed(memory.path)
        return written

    def _forget(self, path: str) -> None:
        """Read a note again next time, even with equal size and time."""
        with self._lock:
            self._known = {key: entry for key, entry in self._known.items() if key[0] != path}


def _read(file: FileRef) -> Memory:
    source = files.read(file, max_bytes=MAX_BYTES)
    return read_memory(file.path, source, modified=file.mtime_ns / 1e9)


def is_stale(last_used: float | None, now: float) -> bool:
    """True for a memory that was not used for STALE_DAYS."""
    return last_used is not None and now - last_used > STALE_DAYS * 86_400


def examine(
    vault: str, memories: Sequence[Memory], links: MemoryLinks, *, now: float
) -> MemoryHealthReply:
    """The faults of `memories`, some of `links`. `now` is in POSIX seconds."""
    shares = [memory.confidence for memory in memories]
    return MemoryHealthReply(
        vault=vault,
        total=len(memories),
        golden=sum(links.is_golden(memory) for memory in memories),
        by_type=dict(sorted(Counter(memory.type for memory in memories).items())),
        average_confidence=round(sum(shares) / len(shares), 4) if shares else None,
        contradictions=tuple(_contradictions(memories, links)),
        stale=tuple(_stale(memories, links, now)),
        orphaned=tuple(_find_orphaned(memories, links)),
        doubles=tuple(_doubles(memories)),
        unreadable=tuple(
            _ailing(memory, " ".join(memory.warnings)) for memory in memories if memory.warnings
        ),
    )


def _contradictions(memories: Sequence[Memory], links: MemoryLinks) -> Iterator[Contradiction]:
    """Stated contradictions, then pairs whose texts seem to disagree, without superseded ones."""
    stated = set(_pairs(memories, links, "contradicts"))
    superseded = set(_pairs(memories, links, "supersedes"))
    for pair in sorted(stated - superseded):
        yield Contradiction(*pair, stated=True, reason="stated")
    for claim, other in combinations(map(_Claim.of, memories[:_MAX_COMPARED]), 2):
        reason = claim.disagreement_with(other)
        if reason is not None:
            first, second = sorted((claim.memory.id, other.memory.id))
            if (first, second) not in stated and (first, second) not in superseded:
                yield Contradiction(first, second, stated=False, reason=reason)


def _pairs(
    memories: Sequence[Memory], links: MemoryLinks, kind: RelationKind
) -> Iterator[tuple[str, str]]:
    """The ids of every two memories with a relation of this kind, in either direction, sorted."""
    paths = {memory.path: memory.id for memory in memories}
    for memory in memories:
        for relation, path in links.targets(memory):
            target = paths.get(path or "")
            if relation.kind == kind and target is not None:
                first, second = sorted((memory.id, target))
                yield first, second


@dataclass(frozen=True, slots=True)
class _Claim:
    """The words of a memory without function words, whether it negates, and its numbers."""

    memory: Memory
    topic: frozenset[str]
    negates: bool
    numbers: frozenset[str]

    @classmethod
    def of(cls, memory: Memory) -> _Claim:
        contained = frozenset(words(memory.content))
        numbers = frozenset(_NUMBER.findall(memory.content))
        topic = contained - function_words(contained) - _NEGATIONS - numbers
        return cls(memory, topic, bool(contained & _NEGATIONS), numbers)

    def disagreement_with(self, other: _Claim) -> str | None:
        """The reason why two memories on one topic seem to disagree; None: they do not."""
        numbers_differ = bool(self.numbers and other.numbers and self.numbers != other.numbers)
        if self.negates == other.negates and not numbers_differ:
            return None
        shared = len(self.topic & other.topic)
        together = len(self.topic) + len(other.topic) - shared
        if not together or shared / together < _SAME_TOPIC:
            return None
        if self.memory.namespace != other.memory.namespace:
            return None
        negated = self.negates != other.negates
        return "one negates the other" if negated else "the same with other numbers"


def _stale(memories: Sequence[Memory], links: MemoryLinks, now: float) -> Iterator[Ailing]:
    for memory in memories:
        if not links.is_golden(memory) and is_stale(memory.last_used, now):
            yield _ailing(memory, f"not used for {STALE_DAYS:g} days")


def _find_orphaned(memories: Sequence[Memory], links: MemoryLinks) -> Iterator[Ailing]:
    """Memories whose related note or source does not exist."""
    for memory in memories:
        gone = [relation.target for relation, path in links.targets(memory) if path is None]
        if gone:
            yield _ailing(memory, f"related to notes that no longer exist: {', '.join(gone)}")
        source = memory.provenance or ""
        if source.endswith(".md") and not links.has_note(source):
            yield _ailing(memory, f"its source no longer exists: {source}")


def _doubles(memories: Sequence[Memory]) -> Iterator[Ailing]:
    contents: dict[tuple[str, str], Memory] = {}
    ids: dict[str, Memory] = {}
    for memory in memories:
        first = contents.setdefault((memory.namespace, same_content(memory.content)), memory)
        if first is not memory:
            yield _ailing(memory, f"says the same as {first.path}")
        owner = ids.setdefault(memory.id, memory)
        if owner is not memory:
            yield _ailing(memory, f"has the same id as {owner.path}; change one of them")


def _ailing(memory: Memory, reason: str) -> Ailing:
    return Ailing(memory.id, memory.path, reason)
