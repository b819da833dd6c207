"""How the memories of one moment are related: what supersedes, contradicts or leads to what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from notewell.features.memory.note import Memory, Relation
from notewell.features.memory.replies import RelationKind


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
        found = self._exact.get(plain)
        if found is not None or "/" in plain:
            return found
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
            memory.path: [(one, self._target(one)) for one in memory.relations]
            for memory in memories
        }
        self._superseders = self._related("supersedes", symmetric=False)
        self._contradicting = self._related("contradicts", symmetric=True)

    def targets(self, memory: Memory) -> Sequence[tuple[Relation, str | None]]:
        """The relations of a memory with the paths they lead to; None: the target is gone."""
        known = self._targets.get(memory.path)  # None for one that was written after the others
        if known is None:
            return [(one, self._target(one)) for one in memory.relations]
        return known

    def into(self, path: str) -> Iterator[tuple[Memory, Relation]]:
        """The relations that lead to a path, with the memories that have them."""
        for memory in self.memories:
            for relation, target in self._targets[memory.path]:
                if target == path:
                    yield memory, relation

    def neighbours(self, path: str) -> list[tuple[str, float]]:
        """Paths related to a memory or note in either direction, with the relation's weight."""
        out = [(target, one.weight) for one, target in self._targets.get(path, ()) if target]
        return out + [(memory.path, one.weight) for memory, one in self.into(path)]

    def superseded_by(self, memory: Memory) -> tuple[Memory, ...]:
        """The memories that take its place."""
        return self._superseders.get(memory.path, ())

    def contradicted_by(self, memory: Memory) -> tuple[Memory, ...]:
        """The memories that are said to contradict it, in either direction."""
        return self._contradicting.get(memory.path, ())

    def open_contradictions(self, memory: Memory) -> tuple[Memory, ...]:
        """The contradicting memories that are not superseded themselves."""
        return tuple(one for one in self.contradicted_by(memory) if not self.superseded_by(one))

    def is_golden(self, memory: Memory) -> bool:
        """Whether it is a golden rule: its note says so, and nothing supersedes it."""
        return memory.is_rule and not self.superseded_by(memory)

    def newest(self, memory: Memory) -> tuple[Memory, ...]:
        """What stands in the place of a memory today: itself, or the last of those superseding it.

        Empty where memories supersede each other in a circle.
        """
        seen, waiting, found = {memory.path}, [memory], []
        while waiting:
            one = waiting.pop(0)
            superseders = self.superseded_by(one)
            if not superseders:
                found.append(one)
            fresh = [newer for newer in superseders if newer.path not in seen]
            seen |= {newer.path for newer in fresh}
            waiting += fresh
        return tuple(found)

    def _target(self, relation: Relation) -> str | None:
        """The path of a relation's target: a memory, else any note; None: it does not exist."""
        found = self._names.find(relation.target)
        if found is not None:
            return found.path
        path = f"{relation.target}.md"
        return path if self.has_note(path) else None

    def _related(self, kind: RelationKind, *, symmetric: bool) -> Mapping[str, tuple[Memory, ...]]:
        """By path, the memories with a relation of this kind to that memory.

        With `symmetric`, also those that it has this relation to.
        """
        found: dict[str, dict[str, Memory]] = {}
        for memory in self.memories:
            for relation, path in self._targets[memory.path]:
                target = self._by_path.get(path or "")
                if relation.kind != kind or target is None or target is memory:
                    continue
                found.setdefault(target.path, {})[memory.path] = memory
                if symmetric:
                    found.setdefault(memory.path, {})[target.path] = target
        return {path: tuple(related.values()) for path, related in found.items()}
