"""Notes like a note, or like a text: by meaning, and by telling words where no model answers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from notewell.contract.search import (
    Fusion,
    RawScores,
    Removed,
    Result,
    Scores,
    SearchReply,
    SimilarRequest,
    SimilarTextRequest,
)
from notewell.errors import ModelError, UsageError
from notewell.index.lexical import QueryTerm
from notewell.index.port import IndexReader
from notewell.search import fuse, results, retrieve
from notewell.search.candidates import Candidates, by_note, exclude
from notewell.search.explain import MAX_TRACKED, Trace
from notewell.search.postprocess import MAX_COMPARED, find_duplicates
from notewell.search.rank import RankedNote, Ranking, rank
from notewell.search.similar_reasons import Reasons, near_by_links
from notewell.search.similarity import Asked, SimilarCandidates, alike, asked, center, telling
from notewell.search.snippet import Snippets
from notewell.sources import source_of
from notewell.types import (
    Embedder,
    FloatArray,
    SearchRules,
    VaultRecord,
)

ECHOED_CHARS = 200  # of a text; the reply is to show what was asked, not to carry it back


def similar(
    index: IndexReader,
    embedder: Embedder | None,
    request: SimilarRequest | SimilarTextRequest,
    rules: SearchRules,
    vault: VaultRecord,
    *,
    semantic_reason: str | None,
) -> SearchReply:
    """Notes most like the note at `request.path`, or like a text; never the note itself.

    Without an embedder, notes that share the source's telling words; `warnings` says so.

    Raises:
        NotFoundError: there is no note at the path, or no such heading in it.
        UsageError: a part is chosen both by its heading and by a line.
        IndexFailure: the index does not read.

    """
    text = request.text if isinstance(request, SimilarTextRequest) else None
    if isinstance(request, SimilarTextRequest):
        request = SimilarRequest("", limit=request.limit, explain=request.explain)
    if request.heading is not None and request.line is not None:
        raise UsageError("A part is chosen of a note, by its `heading` or by a `line`: give one.")
    return _Run(index, embedder, request, text, rules, vault, semantic_reason).reply()


@dataclass(frozen=True, slots=True)
class _Found:
    """The notes in order; `alike` and what each is `near` by links, where known."""

    ranking: Ranking
    terms: Sequence[QueryTerm] = ()
    alike: SimilarCandidates | None = None
    near: Mapping[int, float] = field(default_factory=dict)


@dataclass(slots=True)
class _Run:
    index: IndexReader
    embedder: Embedder | None
    request: SimilarRequest
    text: str | None
    rules: SearchRules
    vault: VaultRecord
    semantic_reason: str | None
    began: float = field(default_factory=time.perf_counter)
    warnings: list[str] = field(default_factory=list)
    filtered: dict[str, int] = field(default_factory=dict)

    def reply(self) -> SearchReply:
        trace = Trace(enabled=self.request.explain)
        generation = self.index.generation
        if self.text is not None and not self.text.strip():
            return self.finished(generation, None, (), trace)
        source = asked(self.index, self.request if self.text is None else self.text)
        trace.stage("source", count_in=1, count_out=len(source.texts))
        vectors = self.vectors(source)
        found = self.by_words(source) if vectors is None else self.by_meaning(source, vectors)
        trace.stage(
            "retrieve",
            count_in=self.index.keywords.document_count,
            count_out=len(found.ranking.chunks),
        )
        trace.stage(
            "rank",
            count_in=len(found.ranking.notes),
            count_out=len(found.ranking),
            removed=[Removed(reason, count) for reason, count in self.filtered.items()],
            top=lambda: self.paths(found.ranking),
        )
        shown = self.shown(source, found, trace)
        return self.finished(generation, found.ranking, shown, trace)

    def finished(
        self, generation: int, ranking: Ranking | None, shown: tuple[Result, ...], trace: Trace
    ) -> SearchReply:
        """The reply; without a ranking nothing was asked for."""
        by_words = ranking is not None and ranking.plan is not fuse.SEMANTIC_ONLY
        fusion = Fusion("none")
        if ranking is not None:
            fusion = Fusion(
                ranking.plan.method, {"best": ranking.best, "links": self.request.links}
            )
        request = self.request
        return SearchReply(
            query=request.path if self.text is None else self.text[:ECHOED_CHARS],
            vault=self.vault.name,
            mode="keyword" if by_words else "semantic",
            fusion=fusion,
            expanded=(),
            filtered=self.filtered,
            generation=generation,
            took_ms=round((time.perf_counter() - self.began) * 1000, 3),
            total=len(ranking) - self.filtered.get("near_duplicate", 0) if ranking else 0,
            confidence=None,
            results=shown,
            warnings=tuple(self.warnings),
            explain=trace.explain(
                {
                    "path": request.path or None,
                    "unlinked": request.unlinked,
                    "heading": request.heading,
                    "line": request.line,
                }
            ),
        )

    def vectors(self, source: Asked) -> FloatArray | None:
        """The vectors of the source's passages; None where no model answers."""
        if source.chunk_ids:
            kept = self.index.vectors.of_chunks(np.array(source.chunk_ids, np.int64))[1]
            if len(kept) == len(source.chunk_ids):
                return kept
        try:
            if self.embedder is not None:
                return self.embedder.embed_passages(source.texts)
            reason = self.semantic_reason or "no embedding model is loaded"
        except ModelError as error:
            reason = error.message
        self.warnings.append(
            f"Semantic search is unavailable, so notes with the same words are listed: {reason}"
        )
        return None

    def by_words(self, source: Asked) -> _Found:
        """Notes that have the source's telling words."""
        terms = telling(self.index, source.texts)
        limit = retrieve.depth(self.request.limit) + len(source.own)
        chunks = retrieve.retrieve(self.index, terms, None, limit=limit, notes=None)
        chunks = exclude(chunks, self.excluded(source, chunks))
        ranking, _ = rank(chunks, by_note(chunks), fuse.KEYWORD_ONLY)
        return _Found(ranking, terms)

    def by_meaning(self, source: Asked, vectors: FloatArray) -> _Found:
        """Notes with passages like the source's, moved by what they are near by links."""
        own = np.array(source.own, np.int64)
        near: dict[int, float] = {}
        if source.note is not None and self.request.links > 0:
            near = near_by_links(
                self.index,
                source.note.id,
                direction=self.request.direction,
                decay=self.request.decay,
            )
        found = alike(
            self.index,
            center(self.index, vectors, own),
            limit=2 * self.request.limit + len(own),
            near=np.array(sorted(near), np.int64),
        )
        gone = self.excluded(source, found.chunks)
        notes = exclude(found.notes, gone)
        weights = [self.moved(near.get(note_id, 0.0)) for note_id in notes.ids.tolist()]
        moved = replace(notes, cosine=notes.cosine * np.array(weights, np.float32))
        ranking, _ = rank(exclude(found.chunks, gone), moved, fuse.SEMANTIC_ONLY)
        return _Found(ranking, (), found, near)

    def moved(self, near: float) -> float:
        """What a score is multiplied by for being so near by links."""
        return (1.0 + self.request.links * near) / (1.0 + self.request.links)

    def excluded(self, source: Asked, chunks: Candidates) -> Sequence[int]:
        """The source itself and, if asked, the notes it is linked with."""
        if source.note is None:
            return ()
        if not self.request.unlinked:
            return (source.note.id,)
        around = near_by_links(self.index, source.note.id, direction="both", decay=1.0, hops=1)
        gone = len(around.keys() & set(chunks.note_ids.tolist()))
        if gone:
            self.filtered["linked"] = gone
        return (source.note.id, *around)

    def shown(self, source: Asked, found: _Found, trace: Trace) -> tuple[Result, ...]:
        """The results, near-duplicates of one another made one, each with its reasons."""
        limit = self.request.limit
        ranked = found.ranking.top(max(2 * limit, limit + 20), self.rules.passages)
        repeated = find_duplicates(self.index, ranked[:MAX_COMPARED])
        kept = [note for note in ranked if note.note_id not in repeated][:limit]
        trace.stage(
            "duplicates",
            count_in=len(ranked),
            count_out=len(ranked) - len(repeated),
            removed=[Removed("near_duplicate", len(repeated))] if repeated else [],
        )
        if repeated:
            self.filtered["near_duplicate"] = len(repeated)
        weights = {term.token: term.weight for term in found.terms}
        snippets = Snippets(weights, self.rules.snippet_chars, describing=False)
        scored = [self.rescored(note, found) for note in kept]
        shown = results.build(self.index, scored, snippets, source_of(self.vault).uri)
        reasons = Reasons(self.index, source, found.alike)
        reasoned = reasons.given(shown, kept, repeated)
        trace.stage("snippet", count_in=len(kept), count_out=len(shown))
        return reasoned

    def rescored(self, note: RankedNote, found: _Found) -> RankedNote:
        """The note with its cosine apart from what links did to its score."""
        if not self.request.links or found.alike is None:
            return note
        multiplier = self.moved(found.near.get(note.note_id, 0.0))
        cosine = round((note.raw.cosine or 0.0) / multiplier, 6)
        unit = max(0.0, cosine)
        scores = Scores(semantic=unit, fused=unit, graph=round(multiplier, 6))
        return replace(note, scores=scores, raw=RawScores(cosine=cosine))

    def paths(self, ranking: Ranking) -> list[str]:
        ids = ranking.note_ids(MAX_TRACKED)
        notes = self.index.notes(ids)
        return [notes[note_id].path for note_id in ids if note_id in notes]
