"""Why a note is like another, for each result: what the two have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from notewell.contract.search import Reason, Result
from notewell.index.port import IndexReader
from notewell.search.postprocess import is_duplicate, runs_of
from notewell.search.rank import RankedNote
from notewell.search.similarity import Asked, SimilarCandidates
from notewell.types import Direction, StoredNote

T = TypeVar("T", int, str)

MAX_HOPS = 2  # further away, notes are linked by hubs that link to everything
_NAMED = 3  # shared notes or tags that a reason names
_COMMON_SHARE, _COMMON_LEAST = 10, 8  # what every tenth note has binds nobody


def near_by_links(
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
class SharedContext:
    """What a note may share with others: its telling tags and the notes it is linked with."""

    note_id: int
    tags: Mapping[str, str]  # folded: as written, rarest first
    links: Collection[int]  # rarest first

    @classmethod
    def of(cls, index: IndexReader, note: StoredNote) -> SharedContext:
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


# Two passages are said to be alike from this cosine on, and from this one without what is common:
# the first alone is reached by a template.
_PLAIN, _OWN = 0.5, 0.2
_SAME = 0.9  # score from which a note may be a duplicate of the source


class Reasons:
    """Gives reasons for the results of one request."""

    def __init__(self, index: IndexReader, source: Asked, alike: SimilarCandidates | None) -> None:
        """`alike` None: the notes were found by words alone."""
        self._index = index
        self._source = source
        self._alike = alike
        note = source.note
        self._kin = SharedContext.of(index, note) if note is not None else None
        self._runs = runs_of(source.texts)

    def given(
        self,
        results: Sequence[Result],
        ranked: Sequence[RankedNote],
        repeated: Mapping[int, int],
    ) -> tuple[Result, ...]:
        """The results with reasons, links to the source, and the notes that each stands for.

        `ranked` are the notes of the results; `repeated` names, by id, whom a note repeats.
        """
        places = {note.note_id: note for note in ranked}
        notes = self._index.notes([*places, *repeated])
        by_path = {note.path: note for note in notes.values()}
        given = []
        for result in results:
            note = by_path[result.path]
            same = [other for other, one in repeated.items() if one == note.id and other in notes]
            given.append(
                replace(
                    result,
                    reasons=tuple(self._reasons(note, places[note.id])),
                    linked=self._linked(note),
                    duplicates=tuple(notes[other].path for other in same),
                )
            )
        return tuple(given)

    def _linked(self, note: StoredNote) -> Direction | None:
        asked = self._source.note
        return linked(self._index, asked.id, note.id) if asked is not None else None

    def _reasons(self, note: StoredNote, ranked: RankedNote) -> Iterator[Reason]:
        yield from self._same(note, ranked)
        yield from self._passage(ranked)
        if self._kin is not None:
            yield from self._kin.reasons(self._index, note)

    def _same(self, note: StoredNote, ranked: RankedNote) -> Iterator[Reason]:
        """That the note says nearly what the source says."""
        if ranked.score < _SAME:
            return
        theirs = runs_of(chunk.text for chunk in self._index.chunks_of(note.id))
        if is_duplicate(self._runs, theirs):
            asked = self._source.note
            name = f"'{asked.title}'" if asked is not None else "the given text"
            yield Reason("duplicate", f"nearly the same text as {name}")

    def _passage(self, ranked: RankedNote) -> Iterator[Reason]:
        """Which passage of the source the note's best one is like."""
        if self._alike is None or not ranked.passages:
            return
        chunks = self._alike.chunks
        place = int(np.searchsorted(chunks.ids, ranked.passages[0][0]))
        if self._alike.plain[place] >= _PLAIN and chunks.cosine[place] >= _OWN:
            yield Reason("passage", self._source.labels[int(self._alike.nearest[place])])
