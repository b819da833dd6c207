"""Asks both sides of the index for chunks that may answer: BM25 by words, cosine by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from notewell.index.bm25 import QueryTerm, no_hits
from notewell.index.port import IndexReader
from notewell.search.candidates import Candidates, merge
from notewell.search.terms import Terms, terms
from notewell.types import ChunkHits, FloatArray, IdArray

_LEAST_DEPTH = 400  # chunks; enough that each side's hundredth note is among them
_DEPTH_A_NOTE = 5
_WHOLE_NOTES = 100  # so many notes, by their best passage, are scored as a whole too


def depth(limit: int) -> int:
    """How many chunks to fetch from each side for `limit` notes."""
    return max(_LEAST_DEPTH, _DEPTH_A_NOTE * limit)


def by_words(
    index: IndexReader, query: Sequence[QueryTerm], *, limit: int, notes: IdArray | None
) -> ChunkHits:
    """The `limit` chunks with the best BM25, of `notes` alone where given; none without a term."""
    if not query:
        return no_hits()
    return index.keywords.search(query, limit=limit, notes=notes)


@dataclass(frozen=True, slots=True, eq=False)
class LookedUp:
    """What the words of a query gave: passages that have them, and notes scored as a whole."""

    terms: Terms
    chunks: ChunkHits
    note_ids: IdArray
    note_bm25: FloatArray


def look_up(
    index: IndexReader,
    text: str,
    *,
    limit: int,
    notes: IdArray | None,
    without: IdArray,
    scored: bool,
    typing: bool = False,
) -> LookedUp:
    """Ask for the words of `text`; where not `scored`, only what they are is told."""
    asked = terms(index, text, typing=typing)
    query = asked.query if scored else ()
    return looked_up(index, asked, query, limit=limit, notes=notes, without=without)


def looked_up(
    index: IndexReader,
    asked: Terms,
    query: Sequence[QueryTerm],
    *,
    limit: int,
    notes: IdArray | None,
    without: IdArray,
) -> LookedUp:
    """Ask for a `query` that stands for the terms that were `asked`."""
    chunks = remaining(index, by_words(index, query, limit=limit, notes=notes), without)
    owners = index.note_ids_of(chunks.chunk_ids)
    first = np.unique(owners, return_index=True)[1]
    best = owners[np.sort(first)[:_WHOLE_NOTES]]
    return LookedUp(asked, chunks, *index.keywords.score_notes(query, best[best >= 0]))


def by_meaning(
    index: IndexReader, vector: FloatArray | None, *, limit: int, notes: IdArray | None
) -> ChunkHits:
    """The `limit` chunks nearest to the query's vector; none without one."""
    if vector is None:
        return no_hits()
    return index.vectors.search(vector, limit=limit, notes=notes)


def remaining(index: IndexReader, hits: ChunkHits, without: IdArray) -> ChunkHits:
    """The chunks that are not of the notes `without`: cheaper than a filter where these are few."""
    if not len(without):
        return hits
    kept = ~np.isin(index.note_ids_of(hits.chunk_ids), without)
    return ChunkHits(hits.chunk_ids[kept], hits.scores[kept])


def both(index: IndexReader, keyword: ChunkHits, semantic: ChunkHits) -> Candidates:
    """Chunks found by either side."""
    ids, bm25, cosine = merge(keyword, semantic)
    note_ids = index.note_ids_of(ids)
    there = note_ids >= 0  # a chunk may go between the search and this look-up
    if there.all():
        return Candidates(ids, note_ids, bm25, cosine)
    return Candidates(ids[there], note_ids[there], bm25[there], cosine[there])


def retrieve(
    index: IndexReader,
    query: Sequence[QueryTerm],
    vector: FloatArray | None,
    *,
    limit: int,
    notes: IdArray | None,
) -> Candidates:
    """Chunks found by either side, one side after the other. `limit` is chunks a side."""
    keyword = by_words(index, query, limit=limit, notes=notes)
    return both(index, keyword, by_meaning(index, vector, limit=limit, notes=notes))
