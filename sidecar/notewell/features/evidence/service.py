"""Answers questions by sentences: notes by a search, their passages and sentences by likeness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import NotFoundError
from notewell.api.search import Result, SearchReply, SearchRequest
from notewell.api.types import FloatArray
from notewell.api.vault import StoredChunk, StoredNote
from notewell.contract.companions import Companion, CompanionsRequest
from notewell.features.evidence.confidence import (
    AnswerSentence,
    Question,
    answer_sentences,
    confidences,
    least_said,
)
from notewell.features.evidence.likeness import (
    embed_question,
    likelihood,
    passage_cosines,
    sentence_cosines,
)
from notewell.features.evidence.requests import Evidence, EvidenceReply, EvidenceRequest, NearNote
from notewell.features.evidence.standing import StandingQuestions
from notewell.features.evidence.standing_requests import (
    AddQuestion,
    QuestionShown,
    QuestionsRequest,
    RemoveQuestion,
)
from notewell.vault.copied_passages import copy_name

_NOTES, _PASSAGES_OF_NOTE, _PASSAGES, _SENTENCES = 8, 3, 20, 80
_NEAREST = 3
_ANSWERED = 0.3  # confidence of a sentence, from which most questions need no second note
_IN_PART = "The computer is busy: only the likeliest sentences were read. Ask again for all."


def open_feature(vault: OpenVault) -> OpenFeature:
    """Answers questions about a vault by its sentences, now or when they are written."""
    standing = StandingQuestions(vault)
    return OpenFeature(
        answers={
            EvidenceRequest: lambda one: answer(vault, one),
            QuestionsRequest: lambda _: standing.reply(),
            AddQuestion: standing.add,
            QuestionShown: standing.show,
            RemoveQuestion: standing.remove,
        },
        events={
            "vault_opened": standing.look_soon,
            "note_changed": lambda _path: standing.look_soon(),
            "note_shown": standing.note_line,
        },
        close=standing.close,
    )


def answer(vault: OpenVault, request: EvidenceRequest) -> EvidenceReply:
    """The sentences that answer a question; `said` is false where none does."""
    reply: SearchReply = vault.ask(
        SearchRequest(request.q, limit=_NOTES, plain=True, weak=True, passages=0)
    )
    sure, complete = _surest(vault, request, reply.results) if request.q.strip() else ([], True)
    near = () if sure else tuple(map(_near, reply.results[:_NEAREST]))
    warnings = reply.warnings if not sure and not near else ()
    return EvidenceReply(
        query=request.q,
        vault=vault.record.name,
        said=bool(sure),
        answers=tuple(sure[: request.limit]),
        nearest=near,
        warnings=warnings if complete else (*warnings, _IN_PART),
        companions=_companions(vault, request.q, sure),
    )


def _companions(
    vault: OpenVault, question: str, answers: Sequence[Evidence]
) -> tuple[Companion, ...]:
    """The notes that say the rest, where no sentence answers with confidence."""
    first = answers[0] if answers else None
    if first is not None and first.confidence >= _ANSWERED:
        return ()
    try:
        return vault.ask(CompanionsRequest(question, first.path if first else None)).companions
    except NotFoundError:  # the feature is off
        return ()


def _surest(
    vault: OpenVault, request: EvidenceRequest, results: Sequence[Result]
) -> tuple[list[Evidence], bool]:
    """The sentences that may answer, the surest first, each text once; and whether all were read.

    A busy computer reads as many as it can in `_BUDGET_S`, the likeliest first.
    """
    question = Question(request.q, vault.index.keywords)
    embedder = vault.embedder()
    asked = embed_question(embedder, request.q)
    sentences = list(_sentences(vault, question, asked, results))
    if not sentences:
        return [], True
    alone, within = sentence_cosines(embedder, asked, question, sentences)
    count, sentences = len(sentences), sentences[: len(alone)]
    sure = confidences(question, sentences, alone, within)
    least = least_said(sentences)
    answers: dict[str, Evidence] = {}
    for at in sorted(range(len(sentences)), key=lambda at: -sure[at]):
        if sure[at] < least:
            break
        answers.setdefault(sentences[at].text, _show(vault, sentences[at], sure[at]))
    return list(answers.values()), len(sentences) == count


def _sentences(
    vault: OpenVault, question: Question, asked: FloatArray | None, results: Sequence[Result]
) -> Iterator[AnswerSentence]:
    """The sentences of the notes that are most like the question, likeliest first."""
    rated = [
        (likelihood(question, sentence, cosine), sentence)
        for note, passage, cosine in _passages(vault, asked, results)
        for sentence in answer_sentences(note, passage)
    ]
    rated.sort(key=lambda each: -each[0])
    return (sentence for _, sentence in rated[:_SENTENCES])


def _passages(
    vault: OpenVault, asked: FloatArray | None, results: Sequence[Result]
) -> Sequence[tuple[StoredNote, StoredChunk, float]]:
    """Of each note the passages nearest to the question, each with its cosine."""
    index = vault.index
    notes = [note for result in results if (note := index.note_at(result.path)) is not None]
    # What a conflict copy says is not what the note says, so it is not quoted.
    chunks = {
        note.id: [chunk for chunk in index.chunks_of(note.id) if copy_name(chunk.headings) is None]
        for note in notes
    }
    ids = (chunk.id for of_note in chunks.values() for chunk in of_note)
    cosines = passage_cosines(index, asked, ids)
    nearest = [
        (note, chunk, cosines.get(chunk.id, 0.0))
        for note in notes
        for chunk in sorted(chunks[note.id], key=lambda chunk: -cosines.get(chunk.id, 0.0))[
            :_PASSAGES_OF_NOTE
        ]
    ]
    return nearest[:_PASSAGES]


def _show(vault: OpenVault, sentence: AnswerSentence, confidence: float) -> Evidence:
    return Evidence(
        text=sentence.text,
        path=sentence.note.path,
        title=sentence.note.title,
        line=sentence.line,
        heading=" > ".join(sentence.headings) or None,
        uri=vault.source.uri(sentence.note.path, sentence.passage.block),
        confidence=round(confidence, 3),
    )


def _near(result: Result) -> NearNote:
    return NearNote(
        result.path, result.title, result.line, result.heading, result.uri, result.snippet
    )
