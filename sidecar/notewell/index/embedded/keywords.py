"""BM25 over a vault's chunks, with weighted fields.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), as
tantivy computes it (k1 1.2, b 0.75, idf ln(1 + (N - n + 0.5) / (n + 0.5)), lengths rounded to a
byte): each field is scored on its own, weighted, and the fields are summed. Most of a score comes
from one field that holds title, tags, headings and body as stems, so that a word counts for the
whole passage wherever it stands; the exact fields put passages with the very word, and with the
word in an important field, before others.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import tantivy

from notewell.base.types import ChunkHits, FloatArray, IdArray
from notewell.index.clauses import Form, build_clauses, field_factors, sum_weights
from notewell.index.embedded.postings import Postings, count_of, tantivy_errors
from notewell.index.lexical import (
    EXACT_FIELDS,
    PHRASE_FIELDS,
    STEMS,
    TEMPLATE,
    FieldWeights,
    QueryTerm,
    idf,
    no_hits,
    without_wholes,
)
from notewell.index.note_postings import NoteMatching, NoteTable

_TIE_ROOM = 32  # further hits read so that equal scores at the cut are ordered by chunk id
_WIDE_SHARE = 16  # a filter of more notes than every sixteenth chunk is cheaper applied to hits
_WIDE_LEAST = 500  # than put into the query
_CACHED_TOKENS = 1_000  # tokens whose counts are cached: half a megabyte
logger = logging.getLogger(__name__)

_PREFIX_ROOM = 4096  # terms of a field read for one prefix, at least
# Counting where a word stands takes as long as searching for it. One in so many documents, and in
# so many for each that is deleted, is estimated: it is off by 0.005 at most, mostly far less.
_COUNTED, _FOR_EACH_DELETED = 50_000, 200


@dataclass(frozen=True, slots=True, eq=False)
class _Frequencies:
    """Frequencies after so many `commits`, filled as tokens are looked up.

    `living` documents are there; `has_others`: tantivy counts further ones, that are deleted or
    balance lengths; so many are `deleted`. `forms` and `frequencies` are of tokens.
    """

    commits: int
    living: int
    has_others: bool
    deleted: int
    forms: dict[str, Sequence[Form]]
    frequencies: dict[str, int]

    @classmethod
    def of(cls, postings: Postings) -> _Frequencies:
        commits, living = postings.commits, postings.living_count
        others = postings.document_count > living
        return cls(commits, living, others, postings.deleted_count, {}, {})


class Keywords(NoteMatching):
    """Searches the postings. Safe to call from several threads."""

    def __init__(self, postings: Postings, weights: FieldWeights | None = None) -> None:
        """Search `postings`, which another object updates."""
        self._postings = postings
        self._schema = postings.schema
        self._weights = field_factors(weights or FieldWeights())
        super().__init__()
        self._known: _Frequencies | None = None
        self._template: tuple[int, Collection[int]] | None = None  # after how many commits

    def search(
        self, terms: Sequence[QueryTerm], *, limit: int, notes: IdArray | None = None
    ) -> ChunkHits:
        """The best `limit` chunks that hold any of the terms, of `notes` alone where given.

        Scores are BM25, summed over terms and fields. Equal scores are ordered by chunk id.
        """
        with tantivy_errors():
            searcher = self._postings.searcher
            query = self._any_of(terms)
            if query is None or limit < 1 or (notes is not None and not len(notes)):
                return no_hits()
            if notes is not None and _is_wide(searcher, notes):
                return self._filter(searcher, query, limit, notes)
            if notes is not None:
                query = tantivy.Query.boolean_query(
                    [(tantivy.Occur.Must, query), (tantivy.Occur.Must, self._only(notes))]
                )
            return _order(*_top(searcher, query, limit + _TIE_ROOM), limit)

    @property
    def _note_table(self) -> NoteTable:
        return self._postings.notes.table

    def notes_with_phrase(self, tokens: Sequence[str]) -> IdArray:
        """Ids of notes where the tokens are adjacent in one field, ascending.

        `tokens` are those of `analyze.words`, or of `analyze.tokens`: the whole of a compound,
        which comes after its parts, has no position of its own in a phrase and is skipped.
        """
        return self._column("note", self._side_by_side(tokens))

    def notes_with_all(self, tokens: Sequence[str]) -> IdArray:
        return self._column("note", self._all_of(tokens))

    def chunks_with(self, tokens: Sequence[str], *, adjacent: bool = False) -> IdArray:
        return self._column("chunk", (self._side_by_side if adjacent else self._all_of)(tokens))

    def notes_with_each(self, groups: Sequence[Sequence[str]], notes: IdArray) -> IdArray:
        with tantivy_errors():
            searcher = self._postings.searcher
            each = [self._any_of([QueryTerm(token, 1.0) for token in group]) for group in groups]
            clauses = [(tantivy.Occur.Must, query) for query in each if query is not None]
            if len(clauses) < len(groups) or not clauses or not len(notes):
                return np.empty(0, dtype=np.int64)
            is_wide = _is_wide(searcher, notes)
            if not is_wide:
                clauses.append((tantivy.Occur.Must, self._only(notes)))
            column = self._column("note", tantivy.Query.boolean_query(clauses))
        return column[np.isin(column, notes)] if is_wide else column

    def document_frequency(self, token: str) -> int:
        counted = self._count()
        frequency = counted.frequencies.get(token)
        if frequency is None:
            with tantivy_errors():
                frequency = max([form.count for form in self._forms(token, counted)])
            counted.frequencies[token] = frequency
        return frequency

    @property
    def document_count(self) -> int:
        return max(self._postings.living_count - 1, 0)  # the marker is no chunk

    @property
    def template_lines(self) -> Collection[int]:
        commits = self._postings.commits
        if self._template is None or self._template[0] != commits:
            self._template = commits, self._postings.template_lines
        return self._template[1]

    def terms_with_prefix(self, prefix: str, limit: int) -> tuple[tuple[str, int], ...]:
        counts: dict[str, int] = {}
        room = max(limit, _PREFIX_ROOM)
        with tantivy_errors():
            searcher = self._postings.searcher
            # Counted among all documents, those that are deleted have their words too.
            living = tantivy.Query.all_query() if self._count().has_others else None
            for field in EXACT_FIELDS:
                for token, count in searcher.terms_with_prefix(field, prefix, living, room):
                    if count:
                        counts[token] = max(count, counts.get(token, 0))
        return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit])

    def _any_of(self, terms: Sequence[QueryTerm]) -> tantivy.Query | None:
        """Every term in every field that has it, weighted; None: no field has any."""
        counted = self._count()
        forms = partial(self._forms, counted=counted)
        clauses = [
            tantivy.Query.boost_query(
                tantivy.Query.term_query(self._schema, clause.form.field, clause.form.text),
                clause.weight,
            )
            for clause in build_clauses(sum_weights(terms), forms, self._weights, counted.living)
        ]
        return _either(clauses) if clauses else None

    def _count(self) -> _Frequencies:
        """The frequencies that were counted since the last commit."""
        known = self._known
        if (
            known is None
            or known.commits != self._postings.commits
            or len(known.forms) > _CACHED_TOKENS
        ):
            self._known = known = _Frequencies.of(self._postings)
        return known

    def _forms(self, token: str, counted: _Frequencies) -> Sequence[Form]:
        """The text to search in each field, cached in `counted`.

        Template lines are searched for a token that stands nowhere else.
        """
        forms = counted.forms.get(token)
        if forms is None:
            searcher = self._postings.searcher
            stems = [
                self._form(searcher, STEMS, stem, counted) for stem in self._stemmer.analyze(token)
            ]
            # All exact fields but the path are part of the field of stems.
            fields = EXACT_FIELDS if any(form.count for form in stems) else ("path",)
            forms = [self._form(searcher, field, token, counted) for field in fields] + stems
            if not any(form.count for form in forms):
                forms.append(self._form(searcher, TEMPLATE, token, counted))
            counted.forms[token] = forms
        return forms

    def _form(
        self, searcher: tantivy.Searcher, field: str, text: str, counted: _Frequencies
    ) -> Form:
        every = searcher.doc_freq(field, text)
        if not every or not counted.has_others:
            return Form(field, text, every)
        documents = self._postings.document_count
        if every > max(_COUNTED, _FOR_EACH_DELETED * counted.deleted):
            living = min(round(every * (1 - counted.deleted / documents)), counted.living)
        else:
            query = tantivy.Query.term_query(self._schema, field, text)
            living = count_of(searcher.search(query, 1, count=True))
        right = idf(living, counted.living)
        return Form(field, text, living, right / idf(every, documents))

    def _filter(
        self, searcher: tantivy.Searcher, query: tantivy.Query, limit: int, notes: IdArray
    ) -> ChunkHits:
        """Hits of the notes alone, read deeper and deeper until there are enough."""
        depth = 2 * limit + _TIE_ROOM
        while True:
            hits = searcher.search(query, depth, count=False).hits
            addresses = [address for _, address in hits]
            owners = np.array(searcher.fast_field_values("note", addresses), dtype=np.int64)
            inside = np.flatnonzero(np.isin(owners, notes))
            if len(inside) >= limit + _TIE_ROOM or len(hits) < depth:
                break
            depth *= 4
        chosen = [hits[at] for at in inside[: limit + _TIE_ROOM].tolist()]
        return _order(*_columns(searcher, chosen), limit)

    def _only(self, notes: IdArray) -> tantivy.Query:
        wanted = tantivy.Query.term_set_query(self._schema, "note", notes.tolist())
        return tantivy.Query.const_score_query(wanted, 0.0)

    def _column(self, name: str, query: tantivy.Query | None) -> IdArray:
        if query is None:
            return np.empty(0, dtype=np.int64)
        return self._postings.column(query, name)

    def _side_by_side(self, tokens: Sequence[str]) -> tantivy.Query | None:
        phrases = {tuple(tokens), tuple(without_wholes(tokens))}
        queries = [query for phrase in phrases if phrase for query in self._phrase(phrase)]
        return _either(queries) if queries else None

    def _all_of(self, tokens: Sequence[str]) -> tantivy.Query | None:
        each = [(tantivy.Occur.Must, _either(self._phrase((token,)))) for token in tokens]
        return tantivy.Query.boolean_query(each) if each else None

    def _phrase(self, words: tuple[str, ...]) -> list[tantivy.Query]:
        if len(words) == 1:
            return [
                tantivy.Query.term_query(self._schema, field, words[0]) for field in PHRASE_FIELDS
            ]
        return [
            tantivy.Query.phrase_query(self._schema, field, list(words)) for field in PHRASE_FIELDS
        ]


def _is_wide(searcher: tantivy.Searcher, notes: IdArray) -> bool:
    return len(notes) > max(_WIDE_LEAST, searcher.num_docs // _WIDE_SHARE)


def _either(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])


def _top(
    searcher: tantivy.Searcher, query: tantivy.Query, limit: int
) -> tuple[IdArray, FloatArray]:
    return _columns(searcher, searcher.search(query, limit, count=False).hits)


def _columns(
    searcher: tantivy.Searcher, hits: Sequence[tuple[Any, tantivy.DocAddress]]
) -> tuple[IdArray, FloatArray]:
    """Chunk ids and scores of hits."""
    chunk_ids = searcher.fast_field_values("chunk", [address for _, address in hits])
    scores = np.array([score for score, _ in hits], dtype=np.float32)
    return np.array(chunk_ids, dtype=np.int64), scores


def _order(chunk_ids: IdArray, scores: FloatArray, limit: int) -> ChunkHits:
    order = np.lexsort((chunk_ids, -scores))[:limit]
    return ChunkHits(chunk_ids[order], scores[order])
