"""Finding memories: what they are about, weighed by how far they have earned trust."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from notewell.contract.memory import RecalledMemory, RecallParts
from notewell.index.analyze import words
from notewell.memory import scoring
from notewell.memory.folder import MemoryFolder
from notewell.memory.note import Memory
from notewell.memory.replies import view
from notewell.search.function_words import among
from notewell.types import CountTokens

# From a query and the paths of the memories: the cosine of each that the index knows.
Similarities = Callable[[str, Sequence[str]], Mapping[str, float]]


_GOLDEN_HEADING = "## Golden rules"
_OTHERS_HEADING = "## Memories"


@dataclass(frozen=True, slots=True)
class _Hit:
    memory: Memory
    parts: RecallParts
    score: float
    depth: int = 0
    via: str | None = None


class Recall:
    """Recalls among the memories as they stand at one moment."""

    def __init__(self, folder: MemoryFolder, similarities: Similarities, now: float) -> None:
        """Read the memories."""
        self._folder = folder
        self._similarities = similarities
        self._now = now
        self.memories = folder.all()
        self._targets = {
            memory.path: [(one, folder.target(one, self.memories)) for one in memory.relations]
            for memory in self.memories
        }
        self._against = self._incoming("contradicts", both=True)
        self._newer = self._incoming("supersedes", both=False)

    def find(self, query: str, among_these: Sequence[Memory], *, depth: int) -> list[_Hit]:
        """The memories that a query is about, best first, and what they lead to.

        Without a query all count as equally near.
        """
        alike = self._alike(query, among_these)
        hits = [self._hit(one, alike[one.path]) for one in among_these if one.path in alike]
        hits = self._spread(hits, among_these, depth)
        return sorted(hits, key=lambda hit: (-hit.score, hit.memory.path))

    def shown(self, hit: _Hit) -> RecalledMemory:
        """A hit in the words of the contract."""
        path = hit.memory.path
        return RecalledMemory(
            memory=view(hit.memory, self._folder, self.memories),
            score=hit.score,
            parts=hit.parts,
            why=scoring.explained(hit.parts, depth=hit.depth, via=hit.via),
            depth=hit.depth,
            via=hit.via,
            superseded_by=tuple(self._newer.get(path, ())),
            contradicted_by=tuple(self._against.get(path, ())),
        )

    def _incoming(self, kind: str, *, both: bool) -> dict[str, list[str]]:
        """By path, the ids of the memories that say `kind` of it, or it of them with `both`."""
        paths = {memory.path: memory for memory in self.memories}
        found: dict[str, list[str]] = {}
        for memory in self.memories:
            for relation, target in self._targets[memory.path]:
                if relation.kind != kind or target not in paths:
                    continue
                found.setdefault(target, []).append(memory.id)
                if both:
                    found.setdefault(memory.path, []).append(paths[target].id)
        return {path: list(dict.fromkeys(ids)) for path, ids in found.items()}

    def _alike(self, query: str, memories: Sequence[Memory]) -> dict[str, float]:
        if not query.strip():
            return {memory.path: 1.0 for memory in memories}
        near = self._similarities(query, [memory.path for memory in memories])
        wanted = set(words(query))
        wanted = (wanted - among(wanted)) or wanted
        found = {}
        for memory in memories:
            held = set(words(f"{memory.title} {memory.content}"))
            shared = len(wanted & held) / len(wanted) if wanted else 0.0
            # Words also find what was written a moment ago and is not indexed yet.
            alike = max(near.get(memory.path, 0.0), shared)
            if alike >= scoring.LEAST_SIMILARITY:
                found[memory.path] = round(alike, 4)
        return found

    def _hit(self, memory: Memory, similarity: float) -> _Hit:
        parts = RecallParts(
            similarity=similarity,
            confidence=memory.confidence,
            importance=memory.importance,
            recency=round(scoring.recency(memory.touched, self._now), 4),
            standing=scoring.SUPERSEDED if memory.path in self._newer else 1.0,
        )
        return _Hit(memory, parts, scoring.score(parts))

    def _spread(self, hits: list[_Hit], memories: Sequence[Memory], depth: int) -> list[_Hit]:
        """Follow relations from the hits, either way; a nearer or better way to a memory wins."""
        best = {hit.memory.path: hit for hit in hits}
        allowed = {memory.path: memory for memory in memories}
        edge = hits
        for step in range(1, depth + 1):
            reached: dict[str, _Hit] = {}
            for hit in edge:
                for path, weight in self._neighbours(hit.memory):
                    if path not in allowed or path in best:
                        continue
                    near = hit.parts.similarity * scoring.PER_STEP * weight
                    found = self._hit(allowed[path], round(near, 4))
                    if path not in reached or reached[path].score < found.score:
                        reached[path] = replace(found, depth=step, via=hit.memory.id)
            best |= reached
            edge = list(reached.values())
        return list(best.values())

    def _neighbours(self, memory: Memory) -> list[tuple[str, float]]:
        out = [(target, one.weight) for one, target in self._targets[memory.path] if target]
        into = [
            (path, one.weight)
            for path, relations in self._targets.items()
            for one, target in relations
            if target == memory.path
        ]
        return out + into


@dataclass(frozen=True, slots=True)
class Composed:
    """The text, its tokens, and which memories are in it or had no room."""

    text: str
    tokens: int
    taken: tuple[str, ...]
    left_out: tuple[str, ...]


def compose(
    golden: Sequence[Memory],
    others: Sequence[Memory],
    *,
    budget_tokens: int,
    count_tokens: CountTokens,
) -> Composed:
    """Take memories in order, golden rules first, each whole, for as long as they fit.

    One that does not fit is left out, and the next is tried. The text is counted as a whole each
    time, so that it never has one token more than the budget.
    """
    text, taken, left_out = "", [], []
    for heading, memories in ((_GOLDEN_HEADING, golden), (_OTHERS_HEADING, others)):
        begun = False
        for memory in memories:
            head = "" if begun else f"{heading}\n" if not text else f"\n{heading}\n"
            longer = f"{text}{head}{_line(memory)}\n"
            if count_tokens(longer) > budget_tokens:
                left_out.append(memory.id)
                continue
            text, begun = longer, True
            taken.append(memory.id)
    return Composed(text, count_tokens(text) if text else 0, tuple(taken), tuple(left_out))


def _line(memory: Memory) -> str:
    about = f"{memory.type}, confidence {memory.confidence:g}, {memory.id}"
    # Indented, so that no line of a memory reads as a heading or an entry of this list.
    content = memory.content.replace("\n", "\n  ")
    return f"- {content} ({about})"
