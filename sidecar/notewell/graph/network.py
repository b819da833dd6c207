"""The links between notes as algorithms want them: plain adjacency, at one moment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

Adjacency = Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Notes by id and the notes next to each, ascending; a note is not next to itself.

    Each of the three has every note. `both` is `out` and `into` without regard to direction.
    """

    out: Adjacency
    into: Adjacency
    both: Adjacency

    @classmethod
    def of(cls, notes: Iterable[int], links_of: Callable[[int], Collection[int]]) -> Network:
        """Build it; `links_of` names the notes that a note links to, and may name unknown ones."""
        ids = sorted(notes)
        known = set(ids)
        out = {note: tuple(sorted(known.intersection(links_of(note)) - {note})) for note in ids}
        sources: dict[int, list[int]] = {note: [] for note in ids}
        for note, targets in out.items():
            for target in targets:
                sources[target].append(note)
        into = {note: tuple(linking) for note, linking in sources.items()}
        both = {note: tuple(sorted({*out[note], *into[note]})) for note in ids}
        return cls(out, into, both)

    def without(self, notes: Collection[int]) -> Network:
        """The same without some notes and their links."""
        kept = [note for note in self.out if note not in notes]
        return Network.of(kept, self.out.__getitem__)

    def __len__(self) -> int:
        return len(self.out)

    @property
    def edge_count(self) -> int:
        """How many pairs of notes are linked, by direction."""
        return sum(map(len, self.out.values()))

    def linked(self, one: int, other: int) -> bool:
        """Whether either links to the other."""
        return other in self.both[one]

    def components(self) -> tuple[tuple[int, ...], ...]:
        """The parts that no link connects with each other, largest first; each ascending."""
        seen: set[int] = set()
        parts = []
        for note in self.both:
            if note in seen:
                continue
            part = {note}
            waiting = [note]
            while waiting:
                for near in self.both[waiting.pop()]:
                    if near not in part:
                        part.add(near)
                        waiting.append(near)
            seen |= part
            parts.append(tuple(sorted(part)))
        return tuple(sorted(parts, key=lambda part: (-len(part), part)))
