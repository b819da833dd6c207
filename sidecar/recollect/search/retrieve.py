"""Asks both sides of the index for chunks that may answer: BM25 by words, cosine by meaning."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from recollect.index.analyze import tokens
from recollect.index.index import Index
from recollect.index.keywords import QueryTerm
from recollect.search.candidates import Candidates, merge
from recollect.types import ChunkHits, FloatArray, IdArray

MAX_TERMS = 96  # of a pasted page, the rarest words are its topic
_LEAST_DEPTH = 400  # chunks; enough that each side's hundredth note is among them
_DEPTH_A_NOTE = 5


@dataclass(frozen=True, slots=True)
class Terms:
    """The tokens that are scored, in order of appearance, and in how many chunks each stands."""

    counts: dict[str, int]
    frequencies: dict[str, int]

    @property
    def query(self) -> tuple[QueryTerm, ...]:
        """What the keyword index is asked: a token that is repeated counts as often."""
        return tuple(
            QueryTerm(token, float(count))
            for token, count in self.counts.items()
            if self.frequencies[token]
        )

    def asked(self, documents: int, *, known: bool) -> float:
        """The sum of the idf of all tokens; of those that the collection has, if `known`."""
        rarity = self.rarity(documents)
        return sum(
            rarity[token] * count
            for token, count in self.counts.items()
            if self.frequencies[token] or not known
        )

    def rarity(self, documents: int) -> dict[str, float]:
        """How telling each token is: the idf of BM25, for a collection of `documents` chunks."""
        return {
            token: float(np.log1p((documents - found + 0.5) / (found + 0.5)))
            for token, found in (
                (token, min(n, documents)) for token, n in self.frequencies.items()
            )
        }


def terms(index: Index, text: str) -> Terms:
    """The tokens of `text` that are worth asking for."""
    counts = Counter(tokens(text))
    frequencies = {token: index.keywords.document_frequency(token) for token in counts}
    if len(counts) > MAX_TERMS:
        rarest = sorted(
            counts, key=lambda token: frequencies[token] or index.keywords.document_count
        )
        kept = set(rarest[:MAX_TERMS])
        counts = Counter({token: n for token, n in counts.items() if token in kept})
    return Terms(dict(counts), {token: frequencies[token] for token in counts})


def depth(limit: int) -> int:
    """How many chunks to fetch from each side for `limit` notes."""
    return max(_LEAST_DEPTH, _DEPTH_A_NOTE * limit)


def retrieve(
    index: Index,
    query: tuple[QueryTerm, ...],
    vector: FloatArray | None,
    *,
    limit: int,
    notes: IdArray | None,
) -> Candidates:
    """Chunks found by either side, of `notes` alone where given. `limit` is chunks a side."""
    nothing = ChunkHits(np.empty(0, np.int64), np.empty(0, np.float32))
    keyword = index.keywords.search(query, limit=limit, notes=notes) if query else nothing
    semantic = nothing
    if vector is not None:
        semantic = index.vectors.search(vector, limit=limit, notes=notes)
    ids, bm25, cosine = merge(keyword, semantic)
    note_ids = index.note_ids_of(ids)
    there = note_ids >= 0  # a chunk may go between the search and this look-up
    return Candidates(ids[there], note_ids[there], bm25[there], cosine[there])
