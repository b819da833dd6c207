"""What is wrong with memories: contradictions, stale ones, orphans, doubles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from notewell.contract.memory import Ailing, Contradiction, MemoryHealthReply
from notewell.contract.memory_requests import RelationKind
from notewell.index.analyze import words
from notewell.memory import scoring
from notewell.memory.folder import MemoryFolder
from notewell.memory.note import Memory, same_content
from notewell.search.function_words import among

_MOST_COMPARED = 1000  # memories compared two by two
_ALIKE = 0.6  # share of words that two memories on one matter have in common
_ENGLISH = ("not", "no", "never", "none", "without", "don", "doesn", "isn", "cannot", "avoid")
_OTHERS = ("nicht", "kein", "keine", "nie", "ohne", "pas", "jamais", "nunca", "sin", "non", "mai")
_NEGATIONS = frozenset((*_ENGLISH, *_OTHERS))
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def examine(
    vault: str, memories: Sequence[Memory], folder: MemoryFolder, *, now: float
) -> MemoryHealthReply:
    """Look at memories for what a person should settle."""
    shares = [memory.confidence for memory in memories]
    return MemoryHealthReply(
        vault=vault,
        total=len(memories),
        golden=sum(memory.golden for memory in memories),
        by_type=dict(sorted(Counter(memory.type for memory in memories).items())),
        average_confidence=round(sum(shares) / len(shares), 4) if shares else None,
        contradictions=tuple(_contradictions(memories, folder)),
        stale=tuple(_stale(memories, now)),
        orphaned=tuple(_orphaned(memories, folder)),
        doubles=tuple(_doubles(memories)),
        unreadable=tuple(
            _ailing(memory, " ".join(memory.warnings)) for memory in memories if memory.warnings
        ),
    )


def _contradictions(memories: Sequence[Memory], folder: MemoryFolder) -> Iterator[Contradiction]:
    """Those that somebody stated, then pairs that read like one; superseded ones are settled."""
    stated = set(_pairs(memories, folder, "contradicts"))
    settled = set(_pairs(memories, folder, "supersedes"))
    for pair in sorted(stated - settled):
        yield Contradiction(*pair, stated=True, reason="stated")
    for one, other in combinations(map(_Said.by, memories[:_MOST_COMPARED]), 2):
        reason = one.at_odds_with(other)
        if reason is not None:
            first, second = sorted((one.memory.id, other.memory.id))
            if (first, second) not in stated and (first, second) not in settled:
                yield Contradiction(first, second, stated=False, reason=reason)


def _pairs(
    memories: Sequence[Memory], folder: MemoryFolder, kind: RelationKind
) -> Iterator[tuple[str, str]]:
    """The ids of memories that are so related, in either direction."""
    paths = {memory.path: memory.id for memory in memories}
    for memory in memories:
        for relation in memory.relations:
            target = paths.get(folder.target(relation, memories) or "")
            if relation.kind == kind and target is not None:
                first, second = sorted((memory.id, target))
                yield first, second


@dataclass(frozen=True, slots=True)
class _Said:
    """What a memory is about, whether it negates, and its numbers; taken apart once."""

    memory: Memory
    matter: frozenset[str]
    negates: bool
    numbers: frozenset[str]

    @classmethod
    def by(cls, memory: Memory) -> _Said:
        held = frozenset(words(memory.content))
        numbers = frozenset(_NUMBER.findall(memory.content))
        matter = held - among(held) - _NEGATIONS - numbers
        return cls(memory, matter, bool(held & _NEGATIONS), numbers)

    def at_odds_with(self, other: _Said) -> str | None:
        """Why two memories on the same matter seem to disagree."""
        numbers_differ = bool(self.numbers and other.numbers and self.numbers != other.numbers)
        if self.negates == other.negates and not numbers_differ:
            return None
        shared = len(self.matter & other.matter)
        together = len(self.matter) + len(other.matter) - shared
        if not together or shared / together < _ALIKE:
            return None
        if self.memory.namespace != other.memory.namespace:
            return None
        negated = self.negates != other.negates
        return "one says not what the other says" if negated else "the same with other numbers"


def _stale(memories: Sequence[Memory], now: float) -> Iterator[Ailing]:
    for memory in memories:
        if not memory.golden and scoring.is_stale(memory.touched, now):
            yield _ailing(memory, f"not used for {scoring.STALE_DAYS:g} days")


def _orphaned(memories: Sequence[Memory], folder: MemoryFolder) -> Iterator[Ailing]:
    """Those that point at something that is gone."""
    for memory in memories:
        gone = [one.target for one in memory.relations if folder.target(one, memories) is None]
        if gone:
            yield _ailing(memory, f"related to what is gone: {', '.join(gone)}")
        source = memory.provenance or ""
        if source.endswith(".md") and not folder.has_note(source):
            yield _ailing(memory, f"its source is gone: {source}")


def _doubles(memories: Sequence[Memory]) -> Iterator[Ailing]:
    contents: dict[tuple[str, str], Memory] = {}
    ids: dict[str, Memory] = {}
    for memory in memories:
        first = contents.setdefault((memory.namespace, same_content(memory.content)), memory)
        if first is not memory:
            yield _ailing(memory, f"says the same as {first.path}")
        owner = ids.setdefault(memory.id, memory)
        if owner is not memory:
            yield _ailing(memory, f"has the id of {owner.path}; give it another")


def _ailing(memory: Memory, reason: str) -> Ailing:
    return Ailing(memory.id, memory.path, reason)
