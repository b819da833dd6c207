"""Finding memories by similarity and trust, and putting those found into one text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from notewell.api.search import Result
from notewell.api.text import function_words, words
from notewell.api.types import CountTokens
from notewell.features.memory.folder import MemoryLinks, view
from notewell.features.memory.note import Memory
from notewell.features.memory.requests import NoteMemoryLink, RecalledMemory, RecallParts

HALF_LIFE_DAYS = 30.0  # of recency
MIN_CONFIDENCE = 0.1  # of a search, below which its notes do not answer the query
MIN_SIMILARITY = 0.2  # below it a memory is about something else
SUPERSEDED_FACTOR = 0.5  # of the score of a memory that a newer one supersedes
RELATION_FACTOR = 0.5  # of the similarity, for each relation followed, times its weight

_DAY = 86_400.0
_GOLDEN_HEADING = "## Golden rules"
_OTHERS_HEADING = "## Memories"


def recency(last_used: float | None, now: float) -> float:
    """1 for a memory used just now, halved after each half-life; 0 if the time is unknown.

    Both times are POSIX seconds.
    """
    if last_used is None:
        return 0.0
    return float(0.5 ** (max(now - last_used, 0.0) / _DAY / HALF_LIFE_DAYS))


def score(parts: RecallParts) -> float:
    """Similarity times trust, from 0 to 1: an unrelated memory scores 0, however trusted."""
    trust = 0.5 + 0.25 * parts.confidence + 0.15 * parts.importance + 0.1 * parts.recency
    return round(parts.similarity * trust * parts.standing, 4)


def explain_score(parts: RecallParts, *, depth: int, via: str | None) -> str:
    """The calculation of `score` in words; `via` is the memory that led to this one, if any."""
    formula = (
        f"similarity {parts.similarity:.2f} x (0.5 + 0.25 x confidence {parts.confidence:.2f}"
        f" + 0.15 x importance {parts.importance:.2f} + 0.1 x recency {parts.recency:.2f})"
    )
    if parts.standing != 1:
        formula += f" x {parts.standing:g}, a newer memory takes its place"
    return formula if via is None else f"{formula}; {depth} steps from {via}"


# Query and paths of memories -> cosine with the query, by path, of those in the index.
Similarities = Callable[[str, Sequence[str]], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class _Hit:
    memory: Memory
    parts: RecallParts
    score: float
    depth: int = 0
    via: str | None = None


@dataclass(frozen=True, slots=True)
class FoundNotes:
    """Notes of a search that are no memories, best first.

    `linked` gives the paths of the notes that a note links to or is linked from.
    """

    results: tuple[Result, ...]
    linked: Callable[[str], frozenset[str]]


NO_NOTES = FoundNotes((), lambda _: frozenset())


class Recall:
    """Recalls from the memories as they are at one moment."""

    def __init__(self, links: MemoryLinks, similarities: Similarities, now: float) -> None:
        """`now` is in POSIX seconds."""
        self._links = links
        self._similarities = similarities
        self._now = now

    def find(
        self,
        query: str,
        candidates: Sequence[Memory],
        *,
        depth: int,
        notes: FoundNotes = NO_NOTES,
    ) -> list[_Hit]:
        """The memories similar to a query and, up to `depth` relations away, those related to them.

        Best first. With an empty query all are equally similar. Relations of `notes` count as well.
        """
        similarity = self._similarities_to(query, candidates)
        hits = [
            self._hit(candidate, similarity[candidate.path])
            for candidate in candidates
            if candidate.path in similarity
        ]
        hits = self._spread(hits, candidates, depth, notes)
        return sorted(hits, key=lambda hit: (-hit.score, hit.memory.path))

    def shown(self, hit: _Hit) -> RecalledMemory:
        return RecalledMemory(
            memory=view(hit.memory, self._links),
            score=hit.score,
            parts=hit.parts,
            why=explain_score(hit.parts, depth=hit.depth, via=hit.via),
            depth=hit.depth,
            via=hit.via,
            superseded_by=tuple(memory.id for memory in self._links.superseded_by(hit.memory)),
            contradicted_by=tuple(memory.id for memory in self._links.contradicted_by(hit.memory)),
        )

    def links_of(
        self, note: Result, hits: Sequence[_Hit], linked: frozenset[str]
    ) -> tuple[NoteMemoryLink, ...]:
        """The links of a note with the memories that were found; `linked` are paths."""
        links = []
        for hit in hits:
            memory = hit.memory
            kinds = [
                relation.kind for relation, path in self._links.targets(memory) if path == note.path
            ]
            links += [NoteMemoryLink(memory.id, kind) for kind in kinds]
            if memory.provenance in (note.path, note.path.removesuffix(".md")):
                links.append(NoteMemoryLink(memory.id, "provenance"))
            elif not kinds and memory.path in linked:
                links.append(NoteMemoryLink(memory.id, "link"))
        return tuple(links)

    def _similarities_to(self, query: str, memories: Sequence[Memory]) -> dict[str, float]:
        """The similarity of each memory that reaches the minimum, by path."""
        if not query.strip():
            return {memory.path: 1.0 for memory in memories}
        cosines = self._similarities(query, [memory.path for memory in memories])
        wanted = set(words(query))
        wanted = (wanted - function_words(wanted)) or wanted
        similarities = {}
        for memory in memories:
            contained = set(words(f"{memory.title} {memory.content}"))
            shared_words = len(wanted & contained) / len(wanted) if wanted else 0.0
            # Shared words also find a memory that was written just now and is not indexed yet.
            similarity = max(cosines.get(memory.path, 0.0), shared_words)
            if similarity >= MIN_SIMILARITY:
                similarities[memory.path] = round(similarity, 4)
        return similarities

    def _hit(self, memory: Memory, similarity: float) -> _Hit:
        parts = RecallParts(
            similarity=similarity,
            confidence=memory.confidence,
            importance=memory.importance,
            recency=round(recency(memory.last_used, self._now), 4),
            standing=SUPERSEDED_FACTOR if self._links.superseded_by(memory) else 1.0,
        )
        return _Hit(memory, parts, score(parts))

    def _spread(
        self, hits: list[_Hit], memories: Sequence[Memory], depth: int, notes: FoundNotes
    ) -> list[_Hit]:
        """Add the memories related to the hits, in either direction, by the fewest steps."""
        best = {hit.memory.path: hit for hit in hits}
        allowed = {memory.path: memory for memory in memories}
        frontier = [(hit.memory.path, hit.memory.id, hit.parts.similarity) for hit in hits]
        frontier += [(note.path, note.path, note.raw.cosine or 0.0) for note in notes.results]
        for step in range(1, depth + 1):
            reached: dict[str, _Hit] = {}
            for source, via, nearness in frontier:
                for path, weight in self._links.neighbours(source):
                    if path not in allowed or path in best:
                        continue
                    similarity = nearness * RELATION_FACTOR * weight
                    new_hit = self._hit(allowed[path], round(similarity, 4))
                    if path not in reached or reached[path].score < new_hit.score:
                        reached[path] = replace(new_hit, depth=step, via=via)
            best |= reached
            frontier = [
                (path, hit.memory.id, hit.parts.similarity) for path, hit in reached.items()
            ]
        return list(best.values())


@dataclass(frozen=True, slots=True)
class ComposedText:
    """A text, its tokens, and the ids of the memories in it and of those that did not fit."""

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
    contradictions: Callable[[Memory], Sequence[Memory]] = lambda _: (),
) -> ComposedText:
    """A text of whole memories within a budget of tokens, golden rules first, both in their order.

    A memory that does not fit is left out and the next one tried; where none fits, the first is
    shortened. The whole text is counted each time, because tokens of parts do not add up exactly.
    `contradictions` are those that a memory is marked with.
    """
    text, taken, left_out = "", [], []
    for heading, memories in ((_GOLDEN_HEADING, golden), (_OTHERS_HEADING, others)):
        has_heading = False
        for memory in memories:
            head = "" if has_heading else f"{heading}\n" if not text else f"\n{heading}\n"
            longer = f"{text}{head}{_line(memory, contradictions(memory))}\n"
            if count_tokens(longer) > budget_tokens:
                left_out.append(memory.id)
                continue
            text, has_heading = longer, True
            taken.append(memory.id)
    if not taken and left_out:
        best = next(iter((*golden, *others)))
        text = _shorten(best, budget_tokens, count_tokens)
        taken = [left_out.pop(0)] if text else []
    return ComposedText(text, count_tokens(text) if text else 0, tuple(taken), tuple(left_out))


def _shorten(memory: Memory, budget_tokens: int, count_tokens: CountTokens) -> str:
    """As many words of a memory as fit; empty where none do."""
    words = memory.content.split()

    def text(size: int) -> str:
        return f"- {' '.join(words[:size])} … ({memory.id})\n"

    size = bisect_right(
        range(1, len(words) + 1), budget_tokens, key=lambda n: count_tokens(text(n))
    )
    return text(size) if size else ""


def _line(memory: Memory, contradicting: Sequence[Memory]) -> str:
    about = f"{memory.type}, confidence {memory.confidence:g}, {memory.id}"
    if contradicting:
        about += f", contradicted by {', '.join(memory.id for memory in contradicting)}"
    # Indented, so that no line of a memory reads as a heading or an entry of this list.
    content = memory.content.replace("\n", "\n  ")
    return f"- {content} ({about})"
