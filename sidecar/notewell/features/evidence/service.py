"""Answers questions by sentences: notes by a search, their passages and sentences by likeness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from notewell.base.errors import ModelError
from notewell.base.types import Embedder, FloatArray, StoredChunk, StoredNote
from notewell.contract.search import Result, SearchReply, SearchRequest
from notewell.engine.feature import OpenFeature, OpenVault
from notewell.features.evidence.requests import Evidence, EvidenceReply, EvidenceRequest, NearNote
from notewell.features.evidence.sentences import (
    Question,
    Sentence,
    by_words,
    confidences,
    least_said,
)
from notewell.search.rank.candidates import CosineMap
from notewell.search.show.snippets import sentences_of

_NOTES, _PASSAGES_OF_NOTE, _PASSAGES, _SENTENCES = 8, 3, 20, 80
_NEAREST = 3
_BY_WORDS = 0.5  # of a sentence's words, beside the cosine of its passage, before it is embedded


class _Cosines(NamedTuple):
    alone: FloatArray
    within: FloatArray


def opened(vault: OpenVault) -> OpenFeature:
    """What answers questions about a vault by its sentences."""
    return OpenFeature(answers={EvidenceRequest: lambda one: answer(vault, one)})


def answer(vault: OpenVault, request: EvidenceRequest) -> EvidenceReply:
    """The sentences that answer a question; `said` is false where none does."""
    found: SearchReply = vault.ask(
        SearchRequest(request.q, limit=_NOTES, plain=True, weak=True, passages=0)
    )
    sure = _surest(vault, request, found.results) if request.q.strip() else []
    near = () if sure else tuple(map(_near, found.results[:_NEAREST]))
    return EvidenceReply(
        query=request.q,
        vault=vault.record.name,
        said=bool(sure),
        answers=tuple(sure[: request.limit]),
        nearest=near,
        warnings=found.warnings if not sure and not near else (),
    )


def _surest(
    vault: OpenVault, request: EvidenceRequest, results: Sequence[Result]
) -> list[Evidence]:
    """The sentences that may answer, the surest first, each text once."""
    question = Question(request.q, vault.index.keywords)
    embedder = vault.embedder()
    asked = _vector(embedder, request.q)
    sentences = list(_sentences(vault, question, asked, results))
    if not sentences:
        return []
    alone, within = _cosines(embedder, asked, question, sentences)
    sure = confidences(question, sentences, alone, within)
    least = least_said(sentences)
    answers: dict[str, Evidence] = {}
    for at in sorted(range(len(sentences)), key=lambda at: -sure[at]):
        if sure[at] < least:
            break
        answers.setdefault(sentences[at].text, _shown(vault, sentences[at], sure[at]))
    return list(answers.values())


def _vector(embedder: Embedder | None, text: str) -> FloatArray | None:
    try:
        return None if embedder is None else embedder.embed_query(text)
    except ModelError:  # the search said so; words still answer
        return None


def _sentences(
    vault: OpenVault, question: Question, asked: FloatArray | None, results: Sequence[Result]
) -> Iterator[Sentence]:
    """The sentences of the notes that are most like the question, at most so many."""
    found = [
        (cosine + _BY_WORDS * question.share(one.stems), one)
        for note, passage, cosine in _passages(vault, asked, results)
        for start, end in sentences_of(passage.text)
        for one in (Sentence(note, passage, start, end),)
        if not one.asks
    ]
    best = sorted(range(len(found)), key=lambda at: -found[at][0])[:_SENTENCES]
    return (found[at][1] for at in sorted(best))


def _passages(
    vault: OpenVault, asked: FloatArray | None, results: Sequence[Result]
) -> Sequence[tuple[StoredNote, StoredChunk, float]]:
    """Of each note the passages nearest to the question, each with its cosine."""
    index = vault.index
    notes = [note for one in results if (note := index.note_at(one.path)) is not None]
    chunks = {note.id: index.chunks_of(note.id) for note in notes}
    cosines: dict[int, float] = {}
    if asked is not None:
        ids = np.unique([chunk.id for each in chunks.values() for chunk in each]).astype(np.int64)
        known, vectors = index.vectors.of_chunks(ids)
        if len(known) and vectors.shape[1] == len(asked):  # else they are of another model
            cosines = dict(zip(known.tolist(), (vectors @ asked).tolist(), strict=True))
    nearest = [
        (note, chunk, cosines.get(chunk.id, 0.0))
        for note in notes
        for chunk in sorted(chunks[note.id], key=lambda one: -cosines.get(one.id, 0.0))[
            :_PASSAGES_OF_NOTE
        ]
    ]
    return nearest[:_PASSAGES]


def _cosines(
    embedder: Embedder | None,
    asked: FloatArray | None,
    question: Question,
    sentences: Sequence[Sentence],
) -> _Cosines:
    """Cosines with the question on the scale of all-MiniLM-L6-v2, (sentences,) each."""
    try:
        if embedder is not None and asked is not None:
            texts = [*(one.text for one in sentences), *(one.in_place for one in sentences)]
            cosines = CosineMap.of(embedder).mapped(embedder.embed_passages(texts) @ asked)
            return _Cosines(cosines[: len(sentences)], cosines[len(sentences) :])
    except ModelError:
        pass
    alike = np.array(by_words(question, sentences), np.float32)
    return _Cosines(alike, alike)


def _shown(vault: OpenVault, sentence: Sentence, confidence: float) -> Evidence:
    headings = sentence.passage.headings
    return Evidence(
        text=sentence.text,
        path=sentence.note.path,
        title=sentence.note.title,
        line=sentence.line,
        heading=" > ".join(headings) or None,
        uri=vault.source.uri(sentence.note.path, sentence.passage.block),
        confidence=round(confidence, 3),
    )


def _near(result: Result) -> NearNote:
    return NearNote(
        result.path, result.title, result.line, result.heading, result.uri, result.snippet
    )
