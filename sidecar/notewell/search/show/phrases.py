"""The phrases of a query in its results.

The passage with most of them comes first; a phrase that stands in an alias, a tag or a property,
and nowhere in what is shown of the note, is told as a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from notewell.base.types import IdArray, StoredChunk, StoredNote
from notewell.contract.search import Reason, Result
from notewell.index.arrays import ascending
from notewell.index.port import IndexReader
from notewell.search.query.note_scope import NO_NOTES
from notewell.search.query.text_matching import candidate_chunks, text_matcher, values_of
from notewell.search.rank.ranking import RankedNote
from notewell.search.show.snippets import Snippets
from notewell.vault.properties import link_label

_MOST_READ = 20  # passages of a note that are looked at for a phrase


class QueryPhrases:
    """The phrases of one query, as `ParsedQuery` has them."""

    def __init__(self, phrases: Sequence[str]) -> None:
        self._texts = phrases
        self._tests: list[Callable[[str], bool]] = [
            text_matcher(phrase, exact=True) for phrase in phrases
        ]

    def lead(self, index: IndexReader, ranked: Sequence[RankedNote]) -> Sequence[RankedNote]:
        """The notes, each with the passage first that has most of the phrases."""
        if not self._tests:
            return ranked
        notes = index.notes([note.note_id for note in ranked])
        chunks = index.chunks([chunk_id for note in ranked for chunk_id, _ in note.passages])
        hits = _Hits(index, self._texts)
        return [self._lead(note, notes.get(note.note_id), chunks, hits) for note in ranked]

    def _lead(
        self,
        ranked: RankedNote,
        note: StoredNote | None,
        chunks: Mapping[int, StoredChunk],
        hits: _Hits,
    ) -> RankedNote:
        if note is None or self._is_shown(note.title, *note.tags):
            return ranked
        own = [passage for passage in ranked.passages if passage[0] in chunks]
        counts = {chunk_id: self._count(chunks[chunk_id]) for chunk_id, _ in own}
        if any(counts.values()):
            own.sort(key=lambda each: -counts[each[0]])  # those with as many stay in their order
            return replace(ranked, passages=tuple(own))
        best = max(hits.of(ranked.note_id), key=self._count, default=None)
        if best is None or not self._count(best):
            return ranked
        return replace(ranked, passages=((best.id, 1.0), *own))

    def _count(self, chunk: StoredChunk) -> int:
        """The number of phrases that stand in a passage or its headings."""
        texts = (chunk.text, *chunk.headings)
        return sum(any(map(holds, texts)) for holds in self._tests)

    def _is_shown(self, *texts: str) -> bool:
        return all(any(map(holds, texts)) for holds in self._tests)

    def with_reasons(
        self, index: IndexReader, shown: Sequence[Result], snippets: Snippets
    ) -> tuple[Result, ...]:
        """The results, with the place of each phrase that nothing shown of them has."""
        if not self._tests:
            return tuple(shown)
        return tuple(self._with_reasons(index, result, snippets) for result in shown)

    def _with_reasons(self, index: IndexReader, result: Result, snippets: Snippets) -> Result:
        seen = [result.title, result.heading or "", result.snippet]
        seen += [
            text for passage in result.passages for text in (passage.heading or "", passage.snippet)
        ]
        missing = [holds for holds in self._tests if not any(map(holds, seen))]
        note = index.note_at(result.path) if missing else None
        if note is None:
            return result
        places = [place for holds in missing if (place := _place(note, holds, snippets))]
        reasons = [Reason("phrase", place) for place in dict.fromkeys(places)]
        return replace(result, reasons=(*result.reasons, *reasons)) if reasons else result


class _Hits:
    """Finds further passages that may have one of the phrases; asks the index when it has to."""

    def __init__(self, index: IndexReader, phrases: Sequence[str]) -> None:
        self._index, self._phrases = index, phrases

    def of(self, note_id: int) -> Sequence[StoredChunk]:
        ids = self._ids[self._owners == note_id][:_MOST_READ]
        return list(self._index.chunks(ids.tolist()).values())

    @cached_property
    def _ids(self) -> IdArray:
        keywords = self._index.keywords
        chunk_sets = [candidate_chunks(phrase, keywords) for phrase in self._phrases]
        return ascending(np.concatenate([NO_NOTES, *chunk_sets]))

    @cached_property
    def _owners(self) -> IdArray:
        return self._index.note_ids_of(self._ids)


def _place(note: StoredNote, holds: Callable[[str], bool], snippets: Snippets) -> str | None:
    """The alias, tag or property of a note that holds a phrase, as `author: Jane Doe`."""
    for name, value in _names_of(note):
        if holds(value):
            label = link_label(value)
            return f"{name}: {snippets.make(label if holds(label) else value).text}"
    return None


def _names_of(note: StoredNote) -> Iterator[tuple[str, str]]:
    yield from (("alias", alias) for alias in note.aliases)
    yield from (("tag", tag) for tag in note.tags)
    yield from values_of(note)
