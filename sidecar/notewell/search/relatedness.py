"""How a note belongs with others beside its text: links between them, links and tags they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeVar

from notewell.contract.search import Reason
from notewell.index.port import IndexReader
from notewell.types import Direction, StoredNote

T = TypeVar("T", int, str)

MAX_HOPS = 2  # further away, notes are linked by hubs that link to everything
_NAMED = 3  # shared notes or tags that a reason names
_COMMON_SHARE, _COMMON_LEAST = 10, 8  # what every tenth note has binds nobody


def near(
    index: IndexReader, note_id: int, *, direction: Direction, decay: float, hops: int = MAX_HOPS
) -> dict[int, float]:
    """Notes within some hops along links: 1.0 at the first, `decay` times less at each further."""
    found: dict[int, float] = {}
    ring, worth = {note_id}, 1.0
    for _ in range(hops):
        ring = {other for note in ring for other in _step(index, note, direction)}
        ring -= found.keys() | {note_id}
        found |= dict.fromkeys(ring, worth)
        worth *= decay
    return found


def _step(index: IndexReader, note_id: int, direction: Direction) -> frozenset[int]:
    match direction:
        case "out":
            return index.graph.neighbours(note_id)
        case "in":
            return index.graph.backlinks(note_id)
        case "both":
            return index.graph.neighbours(note_id) | index.graph.backlinks(note_id)


def linked(index: IndexReader, note_id: int, other: int) -> Direction | None:
    """How a note is linked with another: `out` links there, `in` is linked from there."""
    out = other in index.graph.neighbours(note_id)
    into = other in index.graph.backlinks(note_id)
    if out and into:
        return "both"
    return "out" if out else "in" if into else None


@dataclass(frozen=True, slots=True)
class Kin:
    """What a note may share with others: its telling tags and the notes it is linked with."""

    note_id: int
    tags: Mapping[str, str]  # folded: as written, rarest first
    links: Collection[int]  # rarest first

    @classmethod
    def of(cls, index: IndexReader, note: StoredNote) -> Kin:
        """Look a note over once; tags and links that many notes have are left out."""
        notes = index.all_notes()
        most = max(_COMMON_LEAST, len(notes) // _COMMON_SHARE)
        own = {tag.casefold(): tag for tag in note.tags}
        found = Counter(
            tag.casefold() for each in notes for tag in each.tags if tag.casefold() in own
        )
        around = _step(index, note.id, "both")
        degrees = {other: len(_step(index, other, "both")) for other in around}
        return cls(
            note_id=note.id,
            tags={tag: own[tag] for tag in _rarest(found, most)},
            links=_rarest(degrees, most),
        )

    def reasons(self, index: IndexReader, other: StoredNote) -> tuple[Reason, ...]:
        """What the note shares with another, in words."""
        reasons = []
        around = _step(index, other.id, "both")
        shared = [note for note in self.links if note in around and note != other.id]
        if shared:
            titles = index.notes(shared[:_NAMED])
            names = [titles[note].title for note in shared[:_NAMED] if note in titles]
            reasons.append(Reason("links", _listed(names, len(shared))))
        theirs = {tag.casefold() for tag in other.tags}
        tags = [f"#{written}" for tag, written in self.tags.items() if tag in theirs]
        if tags:
            reasons.append(Reason("tags", _listed(tags[:_NAMED], len(tags))))
        return tuple(reasons)


def _rarest(counts: Mapping[T, int], most: int) -> list[T]:
    kept = [each for each in counts if counts[each] <= most]
    return sorted(kept, key=lambda each: (counts[each], each))


def _listed(names: list[str], count: int) -> str:
    further = count - len(names)
    return ", ".join(names) + (f" and {further} more" if further else "")
