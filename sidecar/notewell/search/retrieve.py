"""Retrieves candidate chunks from the keyword index (BM25) and the vector index (cosine)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from notewell.index.lexical import QueryTerm, no_hits
from notewell.index.port import IndexReader
from notewell.search.candidates import Candidates, merge
from notewell.search.terms import Terms, query_terms
from notewell.types import ChunkHits, FloatArray, IdArray

_MIN_DEPTH = 400  # chunks; enough that each half's hundredth note is among them
_DEPTH_PER_NOTE = 5
_WHOLE_NOTES = 100  # notes, by their best passage, that are scored as a whole too


def depth(limit: int) -> int:
    """How many chunks to fetch from each half of the search for `limit` notes."""
    return max(_MIN_DEPTH, _DEPTH_PER_NOTE * limit)


def keyword_hits(
    index: IndexReader, query: Sequence[QueryTerm], *, limit: int, notes: IdArray | None
) -> ChunkHits:
    """The `limit` chunks with the best BM25; only chunks of `notes` unless that is None."""
    if not query:
        return no_hits()
    return index.keywords.search(query, limit=limit, notes=notes)


@dataclass(frozen=True, slots=True, eq=False)
class KeywordResult:
    """Result of the keyword half: chunk hits, and the best notes scored as a whole.

    `note_ids` and `note_bm25` are aligned.
    """

    terms: Terms
    chunks: ChunkHits
    note_ids: IdArray
    note_bm25: FloatArray


def search_keywords(
    index: IndexReader,
    text: str,
    *,
    limit: int,
    notes: IdArray | None,
    excluded: IdArray,
    scored: bool,
    typing: bool = False,
) -> KeywordResult:
    """Search for the terms of `text`; if not `scored`, only return its terms, without hits."""
    terms = query_terms(index, text, typing=typing)
    query = terms.query if scored else ()
    return search_terms(index, terms, query, limit=limit, notes=notes, excluded=excluded)


def search_terms(
    index: IndexReader,
    terms: Terms,
    query: Sequence[QueryTerm],
    *,
    limit: int,
    notes: IdArray | None,
    excluded: IdArray,
) -> KeywordResult:
    """Search for `query`, the weighted terms (and expansions) made from `terms`."""
    chunks = exclude_hits(index, keyword_hits(index, query, limit=limit, notes=notes), excluded)
    owners = index.note_ids_of(chunks.chunk_ids)
    first = np.unique(owners, return_index=True)[1]
    best = owners[np.sort(first)[:_WHOLE_NOTES]]
    return KeywordResult(terms, chunks, *index.keywords.score_notes(query, best[best >= 0]))


def semantic_hits(
    index: IndexReader, vector: FloatArray | None, *, limit: int, notes: IdArray | None
) -> ChunkHits:
    """The `limit` chunks nearest to the query's unit vector; no hits without a vector."""
    if vector is None:
        return no_hits()
    return index.vectors.search(vector, limit=limit, notes=notes)


def exclude_hits(index: IndexReader, hits: ChunkHits, note_ids: IdArray) -> ChunkHits:
    """The hits outside these notes. For few notes this is cheaper than a filter of the index."""
    if not len(note_ids):
        return hits
    kept = ~np.isin(index.note_ids_of(hits.chunk_ids), note_ids)
    return ChunkHits(hits.chunk_ids[kept], hits.scores[kept])


def merge_hits(index: IndexReader, keyword: ChunkHits, semantic: ChunkHits) -> Candidates:
    """Candidate chunks found by either half."""
    ids, bm25, cosine = merge(keyword, semantic)
    note_ids = index.note_ids_of(ids)
    exists = note_ids >= 0  # a chunk may be deleted between the search and this look-up
    if exists.all():
        return Candidates(ids, note_ids, bm25, cosine)
    return Candidates(ids[exists], note_ids[exists], bm25[exists], cosine[exists])


def retrieve(
    index: IndexReader,
    query: Sequence[QueryTerm],
    vector: FloatArray | None,
    *,
    limit: int,
    notes: IdArray | None,
) -> Candidates:
    """Candidate chunks of both halves, one after the other; `limit` is chunks per half."""
    keyword = keyword_hits(index, query, limit=limit, notes=notes)
    return merge_hits(index, keyword, semantic_hits(index, vector, limit=limit, notes=notes))
