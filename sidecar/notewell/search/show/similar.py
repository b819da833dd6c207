"""Finds notes similar to a note or a text, by vectors, or by key terms without a model."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from notewell.base.errors import ModelError, UsageError
from notewell.base.types import (
    Embedder,
    FloatArray,
    IdArray,
    SearchRules,
    VaultRecord,
)
from notewell.base.types.frozen import frozen
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
from notewell.index.lexical import QueryTerm
from notewell.index.port import IndexReader
from notewell.search.facts.copies import NO_COPIES, Copies
from notewell.search.rank import retrieve
from notewell.search.rank.candidates import Candidates, CosineMap, by_note, exclude
from notewell.search.rank.ranking import (
    KEYWORD_ONLY,
    SEMANTIC_ONLY,
    RankedNote,
    Ranking,
    Scored,
    rank,
)
from notewell.search.show import results
from notewell.search.show.copies import told_copies, with_copies
from notewell.search.show.duplicates import (
    MAX_COMPARED,
    Runs,
    find_duplicates,
    is_duplicate,
    runs_of,
)
from notewell.search.show.explain import first_paths
from notewell.search.show.results import Uri
from notewell.search.show.shared_context import Reasons, link_proximity
from notewell.search.show.similar_relevance import by_meaning, by_words
from notewell.search.show.similar_source import SimilarSource, key_terms, read_source
from notewell.search.show.similarity import (
    SimilarCandidates,
    center,
    find_similar,
    neighbour_count,
)
from notewell.search.show.snippets import Snippets
from notewell.search.trace import Trace
from notewell.vault.sources import source_of

Number = TypeVar("Number", float, npt.NDArray[Any])
_MOST_COPIES, _MIN_COPY_COSINE = 20, 0.9  # notes that are compared with the source as texts
ECHOED_CHARS = 200  # of a given text; the reply repeats only its beginning


def similar(
    index: IndexReader,
    embedder: Embedder | None,
    request: SimilarRequest | SimilarTextRequest,
    rules: SearchRules,
    vault: VaultRecord,
    *,
    semantic_reason: str | None,
    uri: Uri | None = None,
    copies: Copies = NO_COPIES,
) -> SearchReply:
    """Notes most similar to the note at `request.path` or to a text, without the note itself.

    Without an `embedder`, notes that share the key terms of the source; `warnings` says so. `uri`
    gives the address of a note; None: that of the vault alone.

    Raises:
        NotFoundError: there is no note at the path, or no such heading in it.
        UsageError: both a heading and a line are given.
        IndexFailure: the index cannot be read.

    """
    text = request.text if isinstance(request, SimilarTextRequest) else None
    if isinstance(request, SimilarTextRequest):
        request = SimilarRequest(
            "", limit=request.limit, weak=request.weak, explain=request.explain
        )
    if request.heading is not None and request.line is not None:
        raise UsageError("A part is chosen of a note, by its `heading` or by a `line`: give one.")
    address = uri or source_of(vault).uri
    return _SimilarSearch(
        index, embedder, request, text, rules, vault, semantic_reason, address, copies
    ).reply()


@frozen
class _SimilarNotes:
    """The ranked notes. `similar` and `proximity` (by links, 0..1 by note id) if known."""

    ranking: Ranking
    terms: Sequence[QueryTerm] = ()
    similar: SimilarCandidates | None = None
    proximity: Mapping[int, float] = field(default_factory=dict)


@dataclass(slots=True)
class _SimilarSearch:
    index: IndexReader
    embedder: Embedder | None
    request: SimilarRequest
    text: str | None
    rules: SearchRules
    vault: VaultRecord
    semantic_reason: str | None
    uri: Uri
    copies_beside: Copies
    began: float = field(default_factory=time.perf_counter)
    warnings: list[str] = field(default_factory=list)
    filtered: dict[str, int] = field(default_factory=dict)
    total: int = 0

    def reply(self) -> SearchReply:
        trace = Trace(enabled=self.request.explain)
        generation = self.index.generation
        if self.text is not None and not self.text.strip():
            return self.finished(generation, None, (), trace)
        source = read_source(self.index, self.request if self.text is None else self.text)
        trace.stage("source", count_in=1, count_out=len(source.texts))
        vectors = self.vectors(source)
        similar_notes = (
            self.by_terms(source) if vectors is None else self.by_vectors(source, vectors)
        )
        trace.stage(
            "retrieve",
            count_in=self.index.keywords.document_count,
            count_out=len(similar_notes.ranking.chunks),
        )
        trace.stage(
            "rank",
            count_in=len(similar_notes.ranking.notes),
            count_out=len(similar_notes.ranking),
            removed=[Removed(reason, count) for reason, count in self.filtered.items()],
            top=lambda: first_paths(self.index, similar_notes.ranking),
        )
        similar_notes = self.related(similar_notes, trace)
        shown = self.shown(source, similar_notes, trace)
        return self.finished(generation, similar_notes.ranking, shown, trace)

    def finished(
        self, generation: int, ranking: Ranking | None, shown: tuple[Result, ...], trace: Trace
    ) -> SearchReply:
        """The reply; `ranking` is None for an empty text."""
        keyword = ranking is not None and ranking.plan is not SEMANTIC_ONLY
        fusion = Fusion("none")
        if ranking is not None:
            fusion = Fusion(
                ranking.plan.method, {"best": ranking.best, "links": self.request.links}
            )
        request = self.request
        return SearchReply(
            query=request.path if self.text is None else self.text[:ECHOED_CHARS],
            vault=self.vault.name,
            mode="keyword" if keyword else "semantic",
            fusion=fusion,
            expanded=(),
            filtered=self.filtered,
            generation=generation,
            took_ms=round((time.perf_counter() - self.began) * 1000, 3),
            total=self.total - self.filtered.get("near_duplicate", 0),
            confidence=None,
            results=with_copies(shown, self.copies_beside),
            warnings=(*self.warnings, *told_copies(self.copies_beside.get(request.path, ()))),
            explain=trace.explain(
                {
                    "path": request.path or None,
                    "unlinked": request.unlinked,
                    "heading": request.heading,
                    "line": request.line,
                }
            ),
        )

    def vectors(self, source: SimilarSource) -> FloatArray | None:
        """The vectors of the source's passages (n, dimensions); None without a model."""
        if source.chunk_ids:
            stored = self.index.vectors.of_chunks(np.array(source.chunk_ids, np.int64))[1]
            if len(stored) == len(source.chunk_ids):
                return stored
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

    def by_terms(self, source: SimilarSource) -> _SimilarNotes:
        """Notes that contain key terms of the source."""
        key = key_terms(self.index, source.texts)
        limit = retrieve.depth(self.request.limit) + len(source.own)
        chunks = retrieve.retrieve(self.index, key.terms, None, limit=limit, notes=None)
        chunks = exclude(chunks, self.excluded(source, chunks))
        notes = by_note(chunks)
        ranking, _ = rank(
            chunks,
            Scored.of(notes, KEYWORD_ONLY),
            KEYWORD_ONLY,
            paths=self.index.paths,
        )
        shares = notes.bm25 / np.float32(key.total_idf or 1.0)
        relevance = by_words(shares, key.known)
        return _SimilarNotes(replace(ranking, relevance=relevance), key.terms)

    def by_vectors(self, source: SimilarSource, vectors: FloatArray) -> _SimilarNotes:
        """Notes with passages similar to the source's, weighted by their proximity in links."""
        own = np.array(source.own, np.int64)
        proximity: dict[int, float] = {}
        if source.note is not None and self.request.links > 0:
            proximity = link_proximity(
                self.index,
                source.note.id,
                direction=self.request.direction,
                decay=self.request.decay,
            )
        candidates = find_similar(
            self.index,
            center(self.index, vectors, own, CosineMap.between_passages(self.embedder)),
            limit=2 * self.request.limit + len(own),
            linked=np.array(sorted(proximity), np.int64),
        )
        excluded = self.excluded(source, candidates.chunks)
        notes = exclude(candidates.notes, excluded)
        near = np.array([proximity.get(note_id, 0.0) for note_id in notes.ids.tolist()])
        weights = self.link_weight(near).astype(np.float32)
        weighted = replace(notes, cosine=notes.cosine * weights)
        scored = Scored.of(weighted, SEMANTIC_ONLY)
        ranking, _ = rank(
            exclude(candidates.chunks, excluded),
            scored,
            SEMANTIC_ONLY,
            paths=self.index.paths,
        )
        plain = candidates.best_plain(notes.ids)
        linked = [note_id for note_id, share in proximity.items() if share >= 1.0]
        certain = self.copies(source, notes.ids, plain) | np.isin(notes.ids, linked)
        count = neighbour_count(self.index.vectors.count)
        relevance = by_meaning(notes.cosine, plain, certain, count)
        return _SimilarNotes(replace(ranking, relevance=relevance), (), candidates, proximity)

    def copies(
        self, source: SimilarSource, ids: IdArray, plain: FloatArray
    ) -> npt.NDArray[np.bool_]:
        """Mask (n,) of the notes with the best plain cosines that have nearly the same text."""
        is_copy = np.zeros(len(ids), np.bool_)
        likely = np.argsort(-plain, kind="stable")[:_MOST_COPIES]
        likely = likely[plain[likely] >= _MIN_COPY_COSINE]
        runs: Runs = runs_of(source.texts) if len(likely) else frozenset()
        for at in likely.tolist():
            texts = (chunk.text for chunk in self.index.chunks_of(int(ids[at])))
            is_copy[at] = is_duplicate(runs, runs_of(texts))
        return is_copy

    def related(self, similar_notes: _SimilarNotes, trace: Trace) -> _SimilarNotes:
        """Without the notes that are hardly similar, unless these were requested."""
        self.total = len(similar_notes.ranking)
        if self.request.weak:
            return similar_notes
        ranking, weak = similar_notes.ranking.without_weak()
        if weak:
            self.filtered["weak"] = weak
        if weak and not len(ranking):
            self.warnings.append(
                f"Nothing matches well. {weak} notes are hardly similar; ask with `weak` to see"
                " them."
            )
        trace.stage(
            "relevance",
            count_in=self.total,
            count_out=len(ranking),
            removed=[Removed("weak", weak)] if weak else [],
        )
        return replace(similar_notes, ranking=ranking)

    def link_weight(self, proximity: Number) -> Number:
        """The multiplier of a score by proximity in links, 0..1; of many at once too."""
        return (1.0 + self.request.links * proximity) / (1.0 + self.request.links)

    def excluded(self, source: SimilarSource, chunks: Candidates) -> Sequence[int]:
        """Ids of the source and, with `unlinked`, of the notes linked with it."""
        if source.note is None:
            return ()
        if not self.request.unlinked:
            return (source.note.id,)
        around = link_proximity(self.index, source.note.id, direction="both", decay=1.0, hops=1)
        count = len(around.keys() & set(chunks.note_ids.tolist()))
        if count:
            self.filtered["linked"] = count
        return (source.note.id, *around)

    def shown(
        self, source: SimilarSource, similar_notes: _SimilarNotes, trace: Trace
    ) -> tuple[Result, ...]:
        """The results with their reasons, without near-duplicates of better results."""
        limit = self.request.limit
        ranked = similar_notes.ranking.top(max(2 * limit, limit + 20), self.rules.passages)
        duplicate_of = find_duplicates(self.index, ranked[:MAX_COMPARED])
        kept = [note for note in ranked if note.note_id not in duplicate_of][:limit]
        trace.stage(
            "duplicates",
            count_in=len(ranked),
            count_out=len(ranked) - len(duplicate_of),
            removed=[Removed("near_duplicate", len(duplicate_of))] if duplicate_of else [],
        )
        if duplicate_of:
            self.filtered["near_duplicate"] = len(duplicate_of)
        weights = {term.token: term.weight for term in similar_notes.terms}
        template = self.index.keywords.template_lines
        snippets = Snippets(
            weights, self.rules.snippet_chars, template=template, use_description=False
        )
        scored = [self.rescored(note, similar_notes) for note in kept]
        shown = results.build(self.index, scored, snippets, self.uri)
        reasons = Reasons(self.index, source, similar_notes.similar)
        reasoned = reasons.added_to(shown, kept, duplicate_of)
        trace.stage("snippet", count_in=len(kept), count_out=len(shown))
        return reasoned

    def rescored(self, note: RankedNote, similar_notes: _SimilarNotes) -> RankedNote:
        """The note with its cosine and the multiplier by links as separate scores."""
        if not self.request.links or similar_notes.similar is None:
            return note
        multiplier = self.link_weight(similar_notes.proximity.get(note.note_id, 0.0))
        cosine = round((note.raw.cosine or 0.0) / multiplier, 6)
        unit = max(0.0, cosine)
        scores = Scores(semantic=unit, fused=unit, graph=round(multiplier, 6))
        return replace(note, scores=scores, raw=RawScores(cosine=cosine))
