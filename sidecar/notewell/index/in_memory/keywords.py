"""Exact BM25 over the documents of one state, with postings in dictionaries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import median

import numpy as np

from notewell.index.bm25 import EXACT_FIELDS, K1, STEMS, B, FieldWeights, QueryTerm, idf, no_hits
from notewell.index.documents import STOP, NoteText, note_documents, without_wholes
from notewell.index.stems import stemmer
from notewell.types import ChunkHits, FloatArray, IdArray


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


class InMemoryKeywords:
    """Keeps `KeywordIndex` of the port; never changed once made."""

    def __init__(self, notes: Iterable[NoteText]) -> None:
        """Index all notes."""
        self._weights = FieldWeights()
        self._stemmer = stemmer()
        self._fields = {name: _Field() for name in (*EXACT_FIELDS, STEMS)}
        self._texts: dict[int, dict[str, str]] = {}  # of each chunk: its exact fields
        self._owners: dict[int, int] = {}
        self._wholes: dict[int, Counter[str]] = {}  # of each note: how often each stem occurs
        for note in notes:
            self._add(note)

    def _add(self, note: NoteText) -> None:
        made = note_documents(note)
        for chunk_id, texts in made.fields:
            self._owners[chunk_id] = note.note_id
            self._texts[chunk_id] = {name: f" {texts[name]} " for name in EXACT_FIELDS}
            for name in EXACT_FIELDS:
                self._fields[name].add(chunk_id, texts[name].split())
            self._fields[STEMS].add(chunk_id, self._stemmer.analyze(texts[STEMS]))
        stems = [stem for stem in self._stemmer.analyze(made.whole) if stem != STOP]
        self._wholes[note.note_id] = Counter(stems)

    @property
    def document_count(self) -> int:
        """How many documents are indexed."""
        return len(self._owners)

    def search(
        self, terms: Sequence[QueryTerm], *, limit: int, notes: IdArray | None = None
    ) -> ChunkHits:
        """See the port."""
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

    def score_notes(self, terms: Sequence[QueryTerm], notes: IdArray) -> tuple[IdArray, FloatArray]:
        """See the port. Lengths are relative to the median of the given notes."""
        found = sorted(note_id for note_id in set(notes.tolist()) if note_id in self._wholes)
        lengths = [self._wholes[note_id].total() for note_id in found]
        middle = max(median(lengths), 1.0) if lengths else 1.0
        weights: defaultdict[str, float] = defaultdict(float)
        for term in terms:
            for stem in self._stemmer.analyze(term.token):
                weights[stem] += term.weight
        scores = np.zeros(len(found), np.float32)
        for stem, weight in weights.items():
            having = sum(stem in whole for whole in self._wholes.values())
            factor = weight * idf(having, len(self._wholes)) * (K1 + 1)
            for place, note_id in enumerate(found):
                count = self._wholes[note_id][stem]
                norm = K1 * (1 - B + B * lengths[place] / middle)
                scores[place] += factor * count / (count + norm)
        return np.array(found, np.int64), scores

    def notes_with_phrase(self, tokens: Sequence[str]) -> IdArray:
        """See the port."""
        phrases = {tuple(tokens), tuple(without_wholes(tokens))} - {()}
        return self._notes_of(
            chunk_id
            for chunk_id in self._texts
            if any(self._contains(chunk_id, phrase) for phrase in phrases)
        )

    def notes_with_all(self, tokens: Sequence[str]) -> IdArray:
        """See the port."""
        return self._notes_of(
            chunk_id
            for chunk_id in self._texts
            if tokens and all(self._contains(chunk_id, (token,)) for token in tokens)
        )

    def document_frequency(self, token: str) -> int:
        """See the port."""
        forms = self._forms(token)
        return max([self._fields[field].frequency(text) for field, text in forms])

    def terms_with_prefix(self, prefix: str, limit: int) -> tuple[tuple[str, int], ...]:
        """See the port."""
        counts: dict[str, int] = {}
        for name in EXACT_FIELDS:
            for term, found in self._fields[name].postings.items():
                if term.startswith(prefix):
                    counts[term] = max(len(found), counts.get(term, 0))
        return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit])

    def _forms(self, token: str) -> list[tuple[str, str]]:
        """What to look for in each field."""
        stems = [(STEMS, stem) for stem in self._stemmer.analyze(token)]
        return [(field, token) for field in EXACT_FIELDS] + stems

    def _contains(self, chunk_id: int, tokens: Sequence[str]) -> bool:
        wanted = f" {' '.join(tokens)} "
        return any(wanted in text for text in self._texts[chunk_id].values())

    def _notes_of(self, chunk_ids: Iterable[int]) -> IdArray:
        return np.array(sorted({self._owners[chunk_id] for chunk_id in chunk_ids}), np.int64)
