"""Finds what belongs to a paragraph: notes that it could link, while it is written or read.

The score of a note is a sum of six parts, each 0 to about 1. Their weights were chosen on
paragraphs of three public vaults and the sample whose links had been taken out
(`python -m tests.eval.around`), where all weights near these serve as well.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from notewell.base.errors import ModelError, NotFoundError, UsageError
from notewell.base.types import (
    ChunkHits,
    Embedder,
    FloatArray,
    SearchRules,
    StoredNote,
    VaultRecord,
)
from notewell.base.types.frozen import frozen
from notewell.contract.search import AroundReply, AroundRequest, RawScores, Result, Scores
from notewell.index.analyze import tokens
from notewell.index.port import IndexReader
from notewell.search.query.find_note import find_note
from notewell.search.rank.gars import link_direction
from notewell.search.rank.ranking import RankedNote
from notewell.search.show import results
from notewell.search.show.shared_context import SharedContext
from notewell.search.show.similar_source import KeyTerms, key_terms, paragraph_at
from notewell.search.show.snippets import Snippets

_PASSAGE, _WORDS, _NAME, _NOTE, _BACKLINK, _POPULAR = 0.5, 0.4, 0.3, 0.3, 0.15, 0.05
_DEPTH = 200  # passages of each kind, and notes by their mean, that are looked at
_LONGEST = 600  # characters of a text: its end, where the cursor is
_FEWEST_LETTERS = 12  # a text with less says too little, and the note's title is added
_TELLING = 0.4  # least weight of a word that is marked in a snippet, relative to the rarest
_DIGITS = 6

Uri = Callable[[str, str | None], str]


@frozen
class _Paragraph:
    """The text to find notes for, and the note that it is in, if that is indexed."""

    text: str
    line: int | None
    note: StoredNote | None


def around(
    index: IndexReader,
    embedder: Embedder | None,
    request: AroundRequest,
    rules: SearchRules,
    vault: VaultRecord,
    *,
    semantic_reason: str | None,
    uri: Uri,
) -> AroundReply:
    """The notes that a paragraph could link, best first, without those that its note links.

    Without an `embedder` the words, names and links decide; `warnings` says so.

    Raises:
        NotFoundError: there is no such note, and no text was given.
        UsageError: neither a text nor a note was given.

    """
    began = time.perf_counter()
    paragraph = _read(index, request)
    warnings: list[str] = []
    vector = _vector(embedder, paragraph.text, semantic_reason, warnings)
    terms = key_terms(index, (paragraph.text,))
    ranked = _Candidates(index, paragraph, vector, terms).ranked(request.limit)
    weights = {term.token: term.weight for term in terms.terms if term.weight >= _TELLING}
    template = index.keywords.template_lines
    snippets = Snippets(weights, rules.snippet_chars, template=template, use_description=False)
    shown = results.build(index, ranked, snippets, uri)
    return AroundReply(
        vault=vault.name,
        path=request.path,
        line=paragraph.line,
        text=paragraph.text,
        results=_with_reasons(index, paragraph.note, shown),
        generation=index.generation,
        took_ms=round((time.perf_counter() - began) * 1000, 3),
        warnings=tuple(warnings),
    )


def _read(index: IndexReader, request: AroundRequest) -> _Paragraph:
    """The paragraph: the text that was given, or what the note has at the line."""
    if not request.path and not request.text.strip():
        raise UsageError("Give the `path` of a note, or the `text` of a paragraph, or both.")
    try:
        note = find_note(index, request.path) if request.path else None
    except NotFoundError:
        if not request.text.strip():
            raise
        note = None  # a note that was just begun
    text, line = request.text, request.line
    if note is not None and not text.strip():
        text, line = paragraph_at(index.chunks_of(note.id), line, _LONGEST)
    text = text.strip()[-_LONGEST:]
    title = request.path.rpartition("/")[2].rpartition(".")[0] if note is None else note.title
    if sum(map(str.isalnum, text)) < _FEWEST_LETTERS:
        text = f"{title} {text}".strip()
    return _Paragraph(text, line, note)


def _vector(
    embedder: Embedder | None, text: str, reason: str | None, warnings: list[str]
) -> FloatArray | None:
    try:
        if embedder is not None:
            return embedder.embed_query(text)
        reason = reason or "no embedding model is loaded"
    except ModelError as error:
        reason = error.message
    warnings.append(f"Words, names and links alone decide, because meaning is missing: {reason}")
    return None


@frozen
class _Best:
    """The best score of each note, by id, and the passage that has it."""

    scores: Mapping[int, float]
    passages: Mapping[int, int]

    @classmethod
    def of(cls, index: IndexReader, hits: ChunkHits) -> _Best:
        scores: dict[int, float] = {}
        passages: dict[int, int] = {}
        notes = index.note_ids_of(hits.chunk_ids).tolist()
        for note, chunk, score in zip(
            notes, hits.chunk_ids.tolist(), hits.scores.tolist(), strict=True
        ):
            if score > scores.get(note, -math.inf):
                scores[note], passages[note] = score, chunk
        return cls(scores, passages)


_NOTHING = _Best({}, {})


class _Candidates:
    """The notes that one of the parts brings near a paragraph, with the sum of all parts."""

    def __init__(
        self, index: IndexReader, paragraph: _Paragraph, vector: FloatArray | None, terms: KeyTerms
    ) -> None:
        self._index = index
        self._tokens = set(tokens(paragraph.text))
        self._total_idf = terms.total_idf or 1.0
        own = paragraph.note
        self._backlinks = frozenset[int]() if own is None else index.graph.backlinks(own.id)
        self._words = _NOTHING
        if terms.terms:
            self._words = _Best.of(index, index.keywords.search(terms.terms, limit=_DEPTH))
        self._means = {} if own is None else _nearest_by_mean(index, own.id)
        near = (
            self._backlinks | self._words.scores.keys() | self._means.keys() | _most_linked(index)
        )
        self._meaning = _NOTHING
        if vector is not None and index.vectors.count:
            also = np.array(sorted(near), np.int64)
            self._meaning = _Best.of(index, index.vectors.search(vector, limit=_DEPTH, also=also))
        left_out = frozenset[int]() if own is None else index.graph.neighbours(own.id) | {own.id}
        self._ids = np.array(sorted((near | self._meaning.scores.keys()) - left_out), np.int64)

    def ranked(self, limit: int) -> list[RankedNote]:
        """The best notes; equal ones are ordered by their paths."""
        scores = self._scores()
        paths = self._index.paths(self._ids.tolist())
        order = sorted(scores, key=lambda note: (-scores[note], paths.get(note, "")))
        return [self._note(note, scores[note]) for note in order[:limit]]

    def _scores(self) -> dict[int, float]:
        notes = self._index.notes(self._ids.tolist())
        counts = self._index.graph.backlink_counts(self._ids).tolist()
        scores = {}
        for note, count in zip(self._ids.tolist(), counts, strict=True):
            if note not in notes:
                continue
            name = set(tokens(notes[note].title))
            scores[note] = (
                _PASSAGE * self._meaning.scores.get(note, 0.0)
                + _WORDS * self._words.scores.get(note, 0.0) / self._total_idf
                + _NAME * len(name & self._tokens) / (len(name) or 1)
                + _NOTE * self._means.get(note, 0.0)
                + _BACKLINK * (note in self._backlinks)
                + _POPULAR * math.log1p(count)
            )
        return scores

    def _note(self, note: int, score: float) -> RankedNote:
        passage = self._meaning.passages.get(note, self._words.passages.get(note))
        cosine = self._meaning.scores.get(note)
        return RankedNote(
            note,
            round(score, _DIGITS),
            Scores(),
            RawScores(cosine=None if cosine is None else round(cosine, _DIGITS)),
            () if passage is None else ((passage, 1.0),),
        )


def _nearest_by_mean(index: IndexReader, own: int) -> dict[int, float]:
    """Cosines of the notes that are nearest to a note as a whole, by id."""
    ids, means = index.vectors.note_means()
    at = int(np.searchsorted(ids, own))
    if at == len(ids) or ids[at] != own:
        return {}
    cosines = means @ means[at]
    nearest = np.argsort(-cosines, kind="stable")[:_DEPTH]
    return dict(zip(ids[nearest].tolist(), cosines[nearest].tolist(), strict=True))


def _most_linked(index: IndexReader) -> set[int]:
    ids = np.array([note.id for note in index.all_notes()], np.int64)
    counts = index.graph.backlink_counts(ids)
    most = np.argsort(-counts, kind="stable")[:_DEPTH]
    return set(ids[most[counts[most] > 0]].tolist())


def _with_reasons(
    index: IndexReader, note: StoredNote | None, shown: Sequence[Result]
) -> tuple[Result, ...]:
    """The results, with the links and tags that they share with the note, and links to it."""
    if note is None:
        return tuple(shown)
    shared = SharedContext.of(index, note)
    reasoned = []
    for result in shown:
        other = index.note_at(result.path)
        if other is not None:
            reasons = (*result.reasons, *shared.reasons(index, other))
            direction = link_direction(index, note.id, other.id)
            reasoned.append(replace(result, reasons=reasons, linked=direction))
    return tuple(reasoned)
