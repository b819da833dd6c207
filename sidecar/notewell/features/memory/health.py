"""The health check of memories: contradictory, stale, orphaned, duplicate and unreadable ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from notewell.features.memory.folder import MemoryLinks
from notewell.features.memory.note import Memory, same_content
from notewell.features.memory.requests import Ailing, Contradiction, MemoryHealthReply, RelationKind
from notewell.index.analyze import words
from notewell.search.query.terms import function_words

_MAX_COMPARED = 1000  # memories compared pairwise
_SAME_TOPIC = 0.6  # Jaccard similarity of the words of two memories on one topic
_ENGLISH = ("not", "no", "never", "none", "without", "don", "doesn", "isn", "cannot", "avoid")
_OTHERS = ("nicht", "kein", "keine", "nie", "ohne", "pas", "jamais", "nunca", "sin", "non", "mai")
_NEGATIONS = frozenset((*_ENGLISH, *_OTHERS))
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


STALE_DAYS = 90.0  # without use


def is_stale(last_used: float | None, now: float) -> bool:
    """Whether a memory was not used for STALE_DAYS."""
    return last_used is not None and now - last_used > STALE_DAYS * 86_400


def examine(
    vault: str, memories: Sequence[Memory], links: MemoryLinks, *, now: float
) -> MemoryHealthReply:
    """What a person should look at in `memories`, some of `links`. `now` is in POSIX seconds."""
    shares = [memory.confidence for memory in memories]
    return MemoryHealthReply(
        vault=vault,
        total=len(memories),
        golden=sum(links.is_golden(memory) for memory in memories),
        by_type=dict(sorted(Counter(memory.type for memory in memories).items())),
        average_confidence=round(sum(shares) / len(shares), 4) if shares else None,
        contradictions=tuple(_contradictions(memories, links)),
        stale=tuple(_stale(memories, links, now)),
        orphaned=tuple(_orphaned(memories, links)),
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
    for one, other in combinations(map(_Claim.of, memories[:_MAX_COMPARED]), 2):
        reason = one.disagreement_with(other)
        if reason is not None:
            first, second = sorted((one.memory.id, other.memory.id))
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


def _orphaned(memories: Sequence[Memory], links: MemoryLinks) -> Iterator[Ailing]:
    """Memories whose related note or source does not exist."""
    for memory in memories:
        gone = [one.target for one, path in links.targets(memory) if path is None]
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
