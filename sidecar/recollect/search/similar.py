"""Notes like a note, or like a text: by meaning, and by telling words where no model answers."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from recollect.errors import ModelError, UsageError
from recollect.index.analyze import tokens
from recollect.index.index import Index
from recollect.index.keywords import QueryTerm
from recollect.replies import Fusion, Result, SearchReply
from recollect.search import fuse, results, retrieve
from recollect.search.candidates import Candidates, by_note, exclude
from recollect.search.lookup import find_note
from recollect.search.rank import Ranking, rank
from recollect.search.snippet import Snippets
from recollect.search.trace import TOP, Trace
from recollect.types import (
    Embedder,
    FloatArray,
    SearchRules,
    SimilarRequest,
    StoredNote,
    VaultRecord,
)

MAX_PIECES = 16  # passages of the source that are looked at; more change nothing that matters
TELLING_TERMS = 25
ECHOED_CHARS = 200  # of a text; the reply is to show what was asked, not to carry it back
_PIECE_CHARS = 1000


def similar(
    index: Index,
    embedder: Embedder | None,
    request: SimilarRequest,
    rules: SearchRules,
    vault: VaultRecord,
    *,
    semantic_reason: str | None,
) -> SearchReply:
    """Notes most like the note at `request.path` or like `request.text`; never the note itself.

    Without an embedder, notes that share the source's telling words; `warnings` says so.

    Raises:
        NotFoundError: there is no note at the path; the message names the nearest ones.
        UsageError: neither or both of path and text are given.
        IndexFailure: the index does not read.

    """
    if (request.path is None) == (request.text is None):
        raise UsageError("Similar notes are asked for by a path or by a text: give one of them.")
    return _Run(index, embedder, request, rules, vault, semantic_reason).reply()


@dataclass(frozen=True, slots=True)
class _Source:
    """What others are compared with. `note` None: a text somebody gave."""

    note: StoredNote | None
    texts: tuple[str, ...]
    chunk_ids: tuple[int, ...] = ()


@dataclass(slots=True)
class _Run:
    index: Index
    embedder: Embedder | None
    request: SimilarRequest
    rules: SearchRules
    vault: VaultRecord
    semantic_reason: str | None
    began: float = field(default_factory=time.perf_counter)
    warnings: list[str] = field(default_factory=list)
    filtered: dict[str, int] = field(default_factory=dict)

    def reply(self) -> SearchReply:
        trace = Trace(enabled=self.request.explain)
        generation = self.index.generation
        if self.request.path is None and not (self.request.text or "").strip():
            return self.finished(generation, None, (), trace)
        source = self.source()
        trace.stage("source", count_in=1, count_out=len(source.texts))
        vector = self.vector(source)
        plan = fuse.KEYWORDS_ALONE if vector is None else fuse.MEANING_ALONE
        terms = telling(self.index, source.texts)
        chunks = retrieve.retrieve(
            self.index,
            terms if vector is None else (),
            vector,
            limit=retrieve.depth(self.request.limit) + len(source.chunk_ids),
            notes=None,
        )
        trace.stage("retrieve", count_in=self.index.keywords.document_count, count_out=len(chunks))
        chunks = self.without_excluded(chunks, source.note)
        ranking, _ = rank(chunks, by_note(chunks), plan)
        trace.stage(
            "rank",
            count_in=len(ranking.notes),
            count_out=len(ranking),
            top=lambda: self.paths(ranking),
        )
        shown = results.build(
            self.index,
            ranking.top(self.request.limit, self.rules.passages),
            Snippets({term.token: term.weight for term in terms}, self.rules.snippet_chars),
            self.vault.obsidian_name,
        )
        trace.stage("snippet", count_in=len(ranking), count_out=len(shown))
        return self.finished(generation, ranking, shown, trace)

    def finished(
        self, generation: int, ranking: Ranking | None, shown: tuple[Result, ...], trace: Trace
    ) -> SearchReply:
        """The reply; without a ranking nothing was asked for."""
        by_words = ranking is not None and ranking.plan is not fuse.MEANING_ALONE
        fusion = Fusion("none")
        if ranking is not None:
            fusion = Fusion(ranking.plan.method, {"best": ranking.best})
        return SearchReply(
            query=self.request.path or (self.request.text or "")[:ECHOED_CHARS],
            vault=self.vault.name,
            mode="keyword" if by_words else "semantic",
            fusion=fusion,
            expanded=(),
            filtered=self.filtered,
            generation=generation,
            took_ms=round((time.perf_counter() - self.began) * 1000, 3),
            total=len(ranking) if ranking is not None else 0,
            confidence=None,
            results=shown,
            warnings=tuple(self.warnings),
            explain=trace.explain({"path": self.request.path, "unlinked": self.request.unlinked}),
        )

    def source(self) -> _Source:
        if self.request.path is None:
            return _Source(None, _pieces(self.request.text or ""))
        note = find_note(self.index, self.request.path)
        chunks = self.index.chunks_of(note.id)
        return _Source(
            note,
            tuple(chunk.text for chunk in chunks) or (note.title,),
            tuple(chunk.id for chunk in chunks),
        )

    def vector(self, source: _Source) -> FloatArray | None:
        """The middle of the source's passages, unit length; None where no model answers."""
        if source.chunk_ids:
            kept = self.index.vectors.of_chunks(np.array(source.chunk_ids, np.int64))
            if len(kept):
                return _middle(kept)
        try:
            if self.embedder is not None:
                return _middle(self.embedder.embed_passages(source.texts[:MAX_PIECES]))
            reason = self.semantic_reason or "no embedding model is loaded"
        except ModelError as error:
            reason = error.message
        self.warnings.append(
            f"Semantic search is unavailable, so notes with the same words are listed: {reason}"
        )
        return None

    def without_excluded(self, chunks: Candidates, source: StoredNote | None) -> Candidates:
        """Take out the source itself and, if asked, the notes it is linked with."""
        if source is None:
            return chunks
        kept = exclude(chunks, [source.id])
        if not self.request.unlinked:
            return kept
        linked = self.index.graph.neighbours(source.id) | self.index.graph.backlinks(source.id)
        unlinked = exclude(kept, sorted(linked))
        gone = len(set(kept.note_ids.tolist()) & linked)
        if gone:
            self.filtered["linked"] = gone
        return unlinked

    def paths(self, ranking: Ranking) -> list[str]:
        ids = ranking.note_ids(TOP)
        notes = self.index.notes(ids)
        return [notes[note_id].path for note_id in ids if note_id in notes]


def telling(index: Index, texts: tuple[str, ...]) -> tuple[QueryTerm, ...]:
    """The tokens that tell the texts apart from the rest: highest tf-idf, weights 0..1."""
    counts = Counter(token for text in texts[:MAX_PIECES] for token in tokens(text))
    documents = index.keywords.document_count
    worth: dict[str, float] = {}
    for token, count in counts.items():
        found = min(index.keywords.document_frequency(token), documents)
        if found:
            worth[token] = (1.0 + math.log(count)) * retrieve.idf(found, documents)
    chosen = sorted(worth, key=lambda token: (-worth[token], token))[:TELLING_TERMS]
    return tuple(QueryTerm(token, worth[token] / worth[chosen[0]]) for token in chosen)


def _middle(vectors: FloatArray) -> FloatArray:
    """The normalised mean of unit vectors of shape (n, dimensions)."""
    mean: FloatArray = vectors.mean(axis=0, dtype=np.float32)
    length = np.float32(np.linalg.norm(mean))
    return mean / length if length > 0 else mean


def _pieces(text: str) -> tuple[str, ...]:
    """A long text in pieces that a model can read, cut at spaces."""
    pieces: list[str] = []
    while len(text) > _PIECE_CHARS and len(pieces) < MAX_PIECES:
        cut = text.rfind(" ", _PIECE_CHARS // 2, _PIECE_CHARS)
        cut = cut if cut > 0 else _PIECE_CHARS
        pieces.append(text[:cut])
        text = text[cut:]
    return tuple(piece for piece in [*pieces, text] if piece.strip())[:MAX_PIECES] or ("",)
