"""Search structures of one state: exact BM25 postings, resolved links, exact cosine vectors."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from notewell.base.errors import ModelError
from notewell.base.types import ChunkHits, FloatArray, IdArray, Link, VectorHits
from notewell.index.lexical import (
    EXACT_FIELDS,
    K1,
    PHRASE_FIELDS,
    STEMS,
    TEMPLATE,
    B,
    FieldWeights,
    QueryTerm,
    SearchText,
    idf,
    no_hits,
    note_documents,
    without_wholes,
)
from notewell.index.note_postings import NoteMatching, NoteTable
from notewell.index.note_segments import Segment
from notewell.index.note_terms import pack_terms
from notewell.index.template_lines import LineCounts
from notewell.vault.link_targets import NoteNames
from tests.in_memory.state import State


class _Field:
    """One field of all documents: postings by term, and lengths in tokens."""

    def __init__(self) -> None:
        self.postings: defaultdict[str, dict[int, int]] = defaultdict(dict)  # term: chunk: count
        self.lengths: dict[int, int] = {}

    def add(self, chunk_id: int, tokens: Sequence[str]) -> None:
        self.lengths[chunk_id] = len(tokens)
        for term, count in Counter(tokens).items():
            self.postings[term][chunk_id] = count

    def frequency(self, term: str) -> int:
        """In how many documents the term is."""
        return len(self.postings.get(term, ()))

    def scores(self, term: str) -> Iterator[tuple[int, float]]:
        """(chunk id, BM25) of every document with the term."""
        found = self.postings.get(term)
        if not found:
            return
        weight = idf(len(found), len(self.lengths)) * (K1 + 1)
        average = sum(self.lengths.values()) / len(self.lengths)
        for chunk_id, count in found.items():
            norm = K1 * (1 - B + B * self.lengths[chunk_id] / average)
            yield chunk_id, weight * count / (count + norm)


class InMemoryKeywords(NoteMatching):
    """Implements `search_ports.KeywordIndex`; never changed once made."""

    def __init__(self, notes: Iterable[SearchText]) -> None:
        """Index all notes."""
        self._weights = FieldWeights()
        super().__init__()
        self._fields = {name: _Field() for name in (*PHRASE_FIELDS, STEMS)}
        self._texts: dict[int, dict[str, str]] = {}  # of each chunk: its exact fields
        self._owners: dict[int, int] = {}
        rows: list[tuple[int, bytes]] = []
        unmarked = list(notes)
        self.template_lines = LineCounts.of([note.lines() for note in unmarked]).template
        for text in unmarked:
            note = text.marked(self.template_lines)
            self._add(note)
            rows.append((note.note_id, pack_terms(note, self._stemmer)))
        self._notes = NoteTable.of_segment(Segment.of(rows))

    def _add(self, note: SearchText) -> None:
        for chunk_id, texts in note_documents(note):
            self._owners[chunk_id] = note.note_id
            self._texts[chunk_id] = {name: f" {texts[name]} " for name in PHRASE_FIELDS}
            for name in PHRASE_FIELDS:
                self._fields[name].add(chunk_id, texts[name].split())
            self._fields[STEMS].add(chunk_id, self._stemmer.analyze(texts[STEMS]))

    @property
    def document_count(self) -> int:
        """How many documents are indexed."""
        return len(self._owners)

    def search(
        self, terms: Sequence[QueryTerm], *, limit: int, notes: IdArray | None = None
    ) -> ChunkHits:
        scores: defaultdict[int, float] = defaultdict(float)
        for term in terms:
            for field, text in self._forms(term.token):
                weight = term.weight * float(getattr(self._weights, field))
                for chunk_id, score in self._fields[field].scores(text):
                    scores[chunk_id] += weight * score
        within = None if notes is None else set(notes.tolist())
        found = [
            (-score, chunk_id)
            for chunk_id, score in scores.items()
            if score > 0 and (within is None or self._owners[chunk_id] in within)
        ]
        best = sorted(found)[: max(limit, 0)]
        if not best:
            return no_hits()
        return ChunkHits(
            np.array([chunk_id for _, chunk_id in best], np.int64),
            np.array([-negative for negative, _ in best], np.float32),
        )

    @property
    def _note_table(self) -> NoteTable:
        return self._notes

    def notes_with_phrase(self, tokens: Sequence[str]) -> IdArray:
        return self._notes_of(self.chunks_with(tokens, adjacent=True).tolist())

    def notes_with_all(self, tokens: Sequence[str]) -> IdArray:
        return self._notes_of(self.chunks_with(tokens).tolist())

    def notes_with_each(self, groups: Sequence[Sequence[str]], notes: IdArray) -> IdArray:
        everywhere = len(self._texts)
        held = [
            set(
                self.search(
                    [QueryTerm(token, 1.0) for token in group], limit=everywhere, notes=notes
                ).chunk_ids.tolist()
            )
            for group in groups
        ]
        return self._notes_of(sorted(set.intersection(*held)) if held else [])

    def chunks_with(self, tokens: Sequence[str], *, adjacent: bool = False) -> IdArray:
        wanted = [(token,) for token in tokens]
        phrases = {tuple(tokens), tuple(without_wholes(tokens))} - {()}
        found = [
            chunk_id
            for chunk_id in self._texts
            if (adjacent and any(self._contains(chunk_id, phrase) for phrase in phrases))
            or (not adjacent and wanted and all(self._contains(chunk_id, each) for each in wanted))
        ]
        return np.array(sorted(found), np.int64)

    def document_frequency(self, token: str) -> int:
        forms = self._forms(token)
        return max([self._fields[field].frequency(text) for field, text in forms])

    def terms_with_prefix(self, prefix: str, limit: int) -> tuple[tuple[str, int], ...]:
        counts: dict[str, int] = {}
        for name in EXACT_FIELDS:
            for term, found in self._fields[name].postings.items():
                if term.startswith(prefix):
                    counts[term] = max(len(found), counts.get(term, 0))
        return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit])

    def _forms(self, token: str) -> list[tuple[str, str]]:
        """What to look for in each field."""
        forms = [(field, token) for field in EXACT_FIELDS]
        forms += [(STEMS, stem) for stem in self._stemmer.analyze(token)]
        if any(self._fields[field].frequency(text) for field, text in forms):
            return forms
        return [(TEMPLATE, token)]

    def _contains(self, chunk_id: int, tokens: Sequence[str]) -> bool:
        wanted = f" {' '.join(tokens)} "
        return any(wanted in text for text in self._texts[chunk_id].values())

    def _notes_of(self, chunk_ids: Iterable[int]) -> IdArray:
        return np.array(sorted({self._owners[chunk_id] for chunk_id in chunk_ids}), np.int64)


class InMemoryLinks:
    """Implements `search_ports.LinkIndex`; never changed once made."""

    def __init__(self, state: State) -> None:
        """Resolve all links."""
        self._ids = dict(state.note_ids)
        self._names = NoteNames()
        for note in state.ordered_notes():
            self._names.add(note.stored.path, note.stored.aliases)
        self._out: dict[int, tuple[tuple[Link, int | None], ...]] = {}
        self._into: defaultdict[int, set[int]] = defaultdict(set)
        for note in state.ordered_notes():
            path, note_id = note.stored.path, note.stored.id
            self._out[note_id] = tuple(
                [(link, self._link_target(link.target, path)) for link in note.links]
            )
            for target in self.neighbours(note_id):
                self._into[target].add(note_id)

    @property
    def edge_count(self) -> int:
        """How many pairs of different notes are linked, by direction."""
        return sum(map(len, self._into.values()))

    def links_out(self, note_id: int) -> tuple[tuple[Link, int | None], ...]:
        return self._out.get(note_id, ())

    def links_in(self, note_id: int) -> tuple[tuple[int, Link], ...]:
        return tuple(
            (source, link)
            for source in sorted(self.backlinks(note_id))
            for link, target in self.links_out(source)
            if target == note_id
        )

    def neighbours(self, note_id: int) -> frozenset[int]:
        targets = [target for _, target in self.links_out(note_id)]
        return frozenset(each for each in targets if each is not None and each != note_id)

    def backlinks(self, note_id: int) -> frozenset[int]:
        return frozenset(self._into.get(note_id, ()))

    def links_among(self, note_ids: IdArray, first: int) -> tuple[IdArray, IdArray]:
        ids = note_ids.tolist()
        pairs = [
            (source, target)
            for source, note_id in enumerate(ids[:first])
            for target, other in enumerate(ids)
            if other in self.neighbours(note_id)
        ]
        ends = np.array(pairs, np.int64).reshape(-1, 2)
        return ends[:, 0], ends[:, 1]

    def backlink_counts(self, note_ids: IdArray) -> IdArray:
        return np.array([len(self.backlinks(each)) for each in note_ids.tolist()], np.int64)

    def unresolved(self) -> tuple[tuple[int, Link], ...]:
        return tuple(
            (note_id, link)
            for note_id, links in self._out.items()
            for link, target in links
            if target is None
        )

    def _link_target(self, target: str, source_path: str) -> int | None:
        path = self._names.resolve(target, source_path, by_alias=False)
        return None if path is None else self._ids.get(path)

    def resolve(self, target: str, source_path: str) -> int | None:
        path = self._names.resolve(target, source_path)
        return None if path is None else self._ids.get(path)


class InMemoryVectors:
    """Implements `search_ports.VectorIndex`; never changed once made."""

    def __init__(self, state: State) -> None:
        """Collect the vectors of the model in use; of none, where there is none."""
        self.model = state.model
        self._dimensions = 0 if state.model is None else state.dimensions[state.model]
        stored = {} if state.model is None else state.vectors[state.model]
        found = [
            (chunk.stored.id, chunk.stored.note_id, stored[chunk.vector_hash])
            for chunk in state.chunks()
            if chunk.vector_hash in stored
        ]
        self._ids = np.array([row[0] for row in found], np.int64)
        self._notes = np.array([row[1] for row in found], np.int64)
        self._rows: FloatArray = np.array([row[2] for row in found], np.float32).reshape(
            len(found), self._dimensions
        )

    @property
    def count(self) -> int:
        """How many chunks have a vector."""
        return len(self._ids)

    @property
    def has_approximate(self) -> bool:
        return False

    def search(
        self,
        query: FloatArray,
        *,
        limit: int,
        notes: IdArray | None = None,
        also: IdArray | None = None,
    ) -> VectorHits:
        added = np.isin(self._notes, () if also is None else also)
        allowed = np.ones(self.count, np.bool_) if notes is None else np.isin(self._notes, notes)
        allowed |= added
        ids, rows, added = self._ids[allowed], self._rows[allowed], added[allowed]
        if not self.count or limit < 1:
            return VectorHits(ids[:0], np.empty(0, np.float32))
        if query.shape != (self._dimensions,) or not np.isfinite(query).all():
            raise ModelError(
                f"The query's vector has shape {query.shape} or is not finite; the index holds"
                f" vectors of {self._dimensions} dimensions. Index again with the model in use."
            )
        scores = rows @ query.astype(np.float32)
        order = np.lexsort((ids, -scores))
        order = order[(np.arange(len(order)) < limit) | added[order]]
        mean, deviation = (float(scores.mean()), float(scores.std())) if len(scores) else (0.0, 0.0)
        return VectorHits(ids[order], scores[order], mean, deviation, len(scores))

    def of_chunks(self, chunk_ids: IdArray) -> tuple[IdArray, FloatArray]:
        places = {chunk_id: place for place, chunk_id in enumerate(self._ids.tolist())}
        found = [chunk_id for chunk_id in chunk_ids.tolist() if chunk_id in places]
        rows = self._rows[np.array([places[chunk_id] for chunk_id in found], np.int64)]
        return np.array(found, np.int64), rows

    def note_means(self) -> tuple[IdArray, FloatArray]:
        notes = np.unique(self._notes)
        means = np.array([self._rows[self._notes == note].sum(axis=0) for note in notes])
        means = means.reshape(len(notes), self._dimensions).astype(np.float32)
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return notes, means / np.maximum(lengths, np.finfo(np.float32).tiny)
