"""Questions that wait: a sentence that is written later and answers one is noticed, once.

All sentences of the vault are known when the first question is kept. After that only sentences
that no note had before are compared with the questions, so that nothing is told that was there
before, was moved, or was told already.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from notewell.api import OpenVault
from notewell.api.errors import NotewellError, NotFoundError, UsageError
from notewell.api.types import FloatArray
from notewell.api.vault import Embedder
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
from notewell.features.evidence.standing_requests import (
    AddQuestion,
    QuestionShown,
    QuestionsReply,
    RemoveQuestion,
    StandingQuestion,
    ToldAnswer,
)
from notewell.features.evidence.standing_state import (
    KnownSentences,
    StandingFile,
    StandingState,
    hash_of_sentence,
)
from notewell.vault.copied_passages import copy_name

MOST_QUESTIONS = 100
_MOST_ANSWERS = 20  # of one question; later ones are not kept
# Surer than where somebody asks: nobody is waiting, and each sentence written is tried. Chosen on
# replays of made histories (docs/evidence.md).
TOLD = 0.3
_READ = 40  # new sentences that are embedded for a question, the likeliest
_LIKELY = 0.3  # of the question's words, beside the cosine of the passage; below, none is embedded
_PAUSE_S = 15.0  # after the last change before a server looks


class StandingQuestions:
    """The questions of one vault. Any thread may call."""

    def __init__(self, vault: OpenVault) -> None:
        self._vault = vault
        self._file = StandingFile(vault.folder)
        self._known = KnownSentences(vault.folder)
        self._looking = threading.Lock()
        self._timing = threading.Lock()  # never held for long: the writer waits for it
        self._timer: threading.Timer | None = None

    # --- requests ----------------------------------------------------------------------------

    def reply(self) -> QuestionsReply:
        """The questions, after notes that changed were looked at."""
        self.look()
        return self._reply(self._file.load())

    def add(self, request: AddQuestion) -> QuestionsReply:
        """Keep a question.

        Raises:
            UsageError: there are too many, or it says nothing.
            WriteError: the data folder cannot be written.

        """
        text = " ".join(request.text.split())
        if not any(letter.isalnum() for letter in text):
            raise UsageError("A question needs words. Type what you would ask a person.")
        self.look()
        if not self._known.exists():
            self._learn_all()

        def edit(state: StandingState) -> StandingState:
            if any(known.text.casefold() == text.casefold() for known in state.questions):
                return state
            if len(state.questions) >= MOST_QUESTIONS:
                raise UsageError(
                    f"{MOST_QUESTIONS} questions wait already. Remove one that is no longer asked."
                )
            question = StandingQuestion(secrets.token_hex(4), text, _now())
            return replace(state, questions=(question, *state.questions))

        return self._reply(self._file.change(edit))

    def show(self, request: QuestionShown) -> QuestionsReply:
        """Mark the answers of a question as shown."""
        return self._reply(self._file.change(lambda state: _shown(state, request.id)))

    def remove(self, request: RemoveQuestion) -> QuestionsReply:
        """Forget a question; with the last one, what is known of the notes."""

        def edit(state: StandingState) -> StandingState:
            _find(state, request.id)
            left = tuple(question for question in state.questions if question.id != request.id)
            return replace(state, questions=left) if left else StandingState()

        state = self._file.change(edit)
        if not state.questions:
            self._known.forget()
        return self._reply(state)

    def note_line(self, path: str) -> str | None:
        """Tell those who read a note which question it answers."""
        if not self._known.exists():
            return None
        asked = [
            question.text
            for question in self._file.load().questions
            if any(answer.path == path for answer in question.answers)
        ]
        return f"Answers your question: {asked[0]}" if asked else None

    # --- looking -----------------------------------------------------------------------------

    def look_soon(self) -> None:
        """Look when nothing has changed for a while; a server calls this for each change."""
        if not self._known.exists():
            return
        with self._timing:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(_PAUSE_S, self._look_alone)
            self._timer.daemon = True
            self._timer.start()

    def close(self) -> None:
        with self._timing:
            if self._timer is not None:
                self._timer.cancel()

    def _look_alone(self) -> None:
        try:
            self.look()
        except NotewellError:
            return  # whoever asks for the questions is told

    def look(self) -> None:
        """Compare what is new in the notes with the questions, and keep what answers them."""
        with self._looking:
            state = self._file.load()
            index = self._vault.index
            index.refresh()
            identity, generation = index.identity, index.generation
            if not state.questions or (state.index, state.generation) == (identity, generation):
                return
            since = state.generation if state.index == identity else -1
            known = self._known.load()
            sentences = list(self._new_sentences(since, known))
            told = dict(self._answers(state.questions, sentences)) if sentences else {}
            self._file.change(lambda state: _told(state, told, identity, generation))
            try:
                self._known.add({hash_of_sentence(sentence.text) for sentence in sentences})
            except OSError as error:
                raise self._file.unusable(error) from error

    def _learn_all(self) -> None:
        """Remember all sentences of the vault: what they say is never told."""
        identity, generation = self._vault.index.identity, self._vault.index.generation
        hashes = {hash_of_sentence(sentence.text) for sentence in self._new_sentences(-1, set())}
        try:
            self._known.begin(hashes)
        except OSError as error:
            raise self._file.unusable(error) from error
        self._file.change(lambda state: replace(state, index=identity, generation=generation))

    def _new_sentences(self, since: int, known: set[int]) -> Iterator[AnswerSentence]:
        """The sentences of notes that changed after a generation, without those that are known."""
        index = self._vault.index
        _, changed = index.notes_changed_since(since)
        for basics in changed:
            note = index.note_at(basics.path)
            if note is None:
                continue
            self._vault.give_way()
            for chunk in index.chunks_of(note.id):
                if copy_name(chunk.headings) is None:
                    for sentence in answer_sentences(note, chunk):
                        if hash_of_sentence(sentence.text) not in known:
                            yield sentence

    def _answers(
        self, questions: Sequence[StandingQuestion], sentences: Sequence[AnswerSentence]
    ) -> Iterator[tuple[str, tuple[ToldAnswer, ...]]]:
        """The sentences that answer each question, by its id."""
        embedder = self._vault.embedder()
        now = _now()
        for asked in questions:
            self._vault.give_way()
            since = datetime.fromisoformat(asked.added).timestamp()
            later = [sentence for sentence in sentences if sentence.note.mtime_ns / 1e9 >= since]
            sure = sure_answers(self._vault, embedder, asked.text, later) if later else []
            if sure:
                yield (
                    asked.id,
                    tuple(
                        ToldAnswer(
                            sentence.text,
                            sentence.note.path,
                            sentence.line,
                            round(value, 3),
                            now,
                            True,
                        )
                        for value, sentence in sure
                    ),
                )

    def _reply(self, state: StandingState) -> QuestionsReply:
        new = sum(answer.is_new for asked in state.questions for answer in asked.answers)
        return QuestionsReply(self._vault.record.name, state.questions, new)


def sure_answers(
    vault: OpenVault, embedder: Embedder | None, text: str, sentences: Sequence[AnswerSentence]
) -> list[tuple[float, AnswerSentence]]:
    """The best of `sentences` of each note that answers a question surely, the surest first."""
    question = Question(text, vault.index.keywords)
    asked = embed_question(embedder, text)
    likely = _likely(vault, question, asked, sentences)
    if not likely:
        return []
    alone, within = sentence_cosines(embedder, asked, question, likely)
    sure = confidences(question, likely[: len(alone)], alone, within)
    least = max(TOLD, least_said(likely))
    best: dict[int, tuple[float, AnswerSentence]] = {}
    for value, sentence in sorted(zip(sure, likely, strict=False), key=lambda pair: -pair[0]):
        if value >= least:
            best.setdefault(sentence.note.id, (value, sentence))
    return list(best.values())


def _likely(
    vault: OpenVault,
    question: Question,
    asked: FloatArray | None,
    sentences: Sequence[AnswerSentence],
) -> list[AnswerSentence]:
    """The sentences that are worth being embedded for a question, the likeliest first."""
    passages = (sentence.passage.id for sentence in sentences)
    cosines = passage_cosines(vault.index, asked, passages)
    scored = [
        (likelihood(question, sentence, cosines.get(sentence.passage.id, 0.0)), at)
        for at, sentence in enumerate(sentences)
    ]
    best = sorted((pair for pair in scored if pair[0] >= _LIKELY), reverse=True)[:_READ]
    return [sentences[at] for _, at in best]


def _told(
    state: StandingState,
    told: Mapping[str, tuple[ToldAnswer, ...]],
    identity: str,
    generation: int,
) -> StandingState:
    """The state with answers that were not told before, and how far was looked."""
    for question in state.questions:
        known = {hash_of_sentence(answer.text) for answer in question.answers}
        new = [
            answer
            for answer in told.get(question.id, ())
            if hash_of_sentence(answer.text) not in known
        ]
        if new:
            answers = (*new, *question.answers)[:_MOST_ANSWERS]
            state = state.with_question(replace(question, answers=answers))
    return replace(state, index=identity, generation=generation)


def _shown(state: StandingState, id_: str) -> StandingState:
    question = _find(state, id_)
    answers = tuple(replace(answer, is_new=False) for answer in question.answers)
    return state.with_question(replace(question, answers=answers))


def _find(state: StandingState, id_: str) -> StandingQuestion:
    for question in state.questions:
        if question.id == id_:
            return question
    raise NotFoundError(
        f"There is no question {id_}. `notewell questions list` shows those that wait.",
        code="question_not_found",
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
