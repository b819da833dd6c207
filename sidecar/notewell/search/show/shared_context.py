"""Tell why a note is similar: by links, by notes and tags that both have, and by equal texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

import numpy as np

from notewell.base.types import Direction, StoredNote
from notewell.base.types.frozen import frozen
from notewell.contract.search import Reason, Result
from notewell.index.port import IndexReader
from notewell.search.rank.gars import link_direction, step
from notewell.search.rank.ranking import RankedNote
from notewell.search.show.duplicates import is_duplicate, runs_of
from notewell.search.show.similar_source import SimilarSource
from notewell.search.show.similarity import SimilarCandidates

T = TypeVar("T", int, str)
MAX_HOPS = 2  # longer paths mostly lead through hubs that link to everything
_NAMED = 3  # shared notes or tags that a reason lists
# Links and tags of more than one in so many notes (and more than _MIN_COMMON) give no reason.
_COMMON_SHARE, _MIN_COMMON = 10, 8
# Minimum plain and centered cosine of two passages that are named as similar; a template alone
# reaches the first.
_MIN_PLAIN, _MIN_CENTERED = 0.5, 0.2
_MIN_DUPLICATE_SCORE = 0.9  # from which the texts of a note and the source are compared


def link_proximity(
    index: IndexReader, note_id: int, *, direction: Direction, decay: float, hops: int = MAX_HOPS
) -> dict[int, float]:
    """Notes within `hops` links, by id: 1.0 after one link, times `decay` for each further one."""
    nearness: dict[int, float] = {}
    ring, proximity = {note_id}, 1.0
    for _ in range(hops):
        ring = {other for note in ring for other in step(index, note, direction)}
        ring -= nearness.keys() | {note_id}
        nearness |= dict.fromkeys(ring, proximity)
        proximity *= decay
    return nearness


@frozen
class SharedContext:
    """The tags and linked notes of a note that others may share."""

    note_id: int
    tags: Mapping[str, str]  # case-folded tag -> tag as written, rarest first
    links: Collection[int]  # note ids, rarest first

    @classmethod
    def of(cls, index: IndexReader, note: StoredNote) -> SharedContext:
        """Collect the tags and links of a note, without those that many notes have."""
        notes = index.all_notes()
        most = max(_MIN_COMMON, len(notes) // _COMMON_SHARE)
        own = {tag.casefold(): tag for tag in note.tags}
        counts: Counter[str] = Counter()
        if own:
            written = Counter(chain.from_iterable([note.tags for note in notes]))
            for tag, count in written.items():
                if tag.casefold() in own:
                    counts[tag.casefold()] += count
        around = step(index, note.id, "both")
        degrees = {other: len(step(index, other, "both")) for other in around}
        return cls(
            note_id=note.id,
            tags={tag: own[tag] for tag in _rarest(counts, most)},
            links=_rarest(degrees, most),
        )

    def reasons(self, index: IndexReader, other: StoredNote) -> tuple[Reason, ...]:
        """Reasons by links and tags that the note shares with another."""
        reasons = []
        around = step(index, other.id, "both")
        shared = [note for note in self.links if note in around and note != other.id]
        if shared:
            titles = index.notes(shared[:_NAMED])
            names = [titles[note].title for note in shared[:_NAMED] if note in titles]
            reasons.append(Reason("links", _list(names, len(shared))))
        theirs = {tag.casefold() for tag in other.tags}
        tags = [f"#{written}" for tag, written in self.tags.items() if tag in theirs]
        if tags:
            reasons.append(Reason("tags", _list(tags[:_NAMED], len(tags))))
        return tuple(reasons)


def _rarest(counts: Mapping[T, int], most: int) -> list[T]:
    kept = [term for term in counts if counts[term] <= most]
    return sorted(kept, key=lambda each: (counts[each], each))


def _list(names: list[str], count: int) -> str:
    further = count - len(names)
    return ", ".join(names) + (f" and {further} more" if further else "")


class Reasons:
    """Adds reasons to the results of one request."""

    def __init__(
        self, index: IndexReader, source: SimilarSource, similar: SimilarCandidates | None
    ) -> None:
        """`similar` is None if the notes were found by key terms."""
        self._index = index
        self._source = source
        self._similar = similar
        note = source.note
        self._context = SharedContext.of(index, note) if note is not None else None
        self._runs = runs_of(source.texts)

    def added_to(
        self,
        results: Sequence[Result],
        ranked: Sequence[RankedNote],
        duplicate_of: Mapping[int, int],
    ) -> tuple[Result, ...]:
        """The results with reasons, links to the source, and paths of near-duplicates.

        `ranked` are the notes of the results; `duplicate_of` maps ids of near-duplicates to the
        note that they repeat.
        """
        places = {note.note_id: note for note in ranked}
        notes = self._index.notes([*places, *duplicate_of])
        by_path = {note.path: note for note in notes.values()}
        annotated = []
        for result in results:
            note = by_path[result.path]
            same = [
                other
                for other, original in duplicate_of.items()
                if original == note.id and other in notes
            ]
            annotated.append(
                replace(
                    result,
                    reasons=tuple(self._reasons(note, places[note.id])),
                    linked=self._link_direction(note),
                    duplicates=tuple(notes[other].path for other in same),
                )
            )
        return tuple(annotated)

    def _link_direction(self, note: StoredNote) -> Direction | None:
        source = self._source.note
        return link_direction(self._index, source.id, note.id) if source is not None else None

    def _reasons(self, note: StoredNote, ranked: RankedNote) -> Iterator[Reason]:
        yield from self._same(note, ranked)
        yield from self._passage(ranked)
        if self._context is not None:
            yield from self._context.reasons(self._index, note)

    def _same(self, note: StoredNote, ranked: RankedNote) -> Iterator[Reason]:
        """A reason if the note has nearly the same text as the source."""
        if ranked.score < _MIN_DUPLICATE_SCORE:
            return
        theirs = runs_of(chunk.text for chunk in self._index.chunks_of(note.id))
        if is_duplicate(self._runs, theirs):
            source = self._source.note
            name = f"'{source.title}'" if source is not None else "the given text"
            yield Reason("duplicate", f"nearly the same text as {name}")

    def _passage(self, ranked: RankedNote) -> Iterator[Reason]:
        """The passage of the source that the note's best passage is most similar to."""
        if self._similar is None or not ranked.passages:
            return
        chunks = self._similar.chunks
        place = int(np.searchsorted(chunks.ids, ranked.passages[0][0]))
        if self._similar.plain[place] >= _MIN_PLAIN and chunks.cosine[place] >= _MIN_CENTERED:
            yield Reason("passage", self._source.labels[int(self._similar.nearest[place])])
