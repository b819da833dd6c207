"""Questions that wait: what is written later and answers is told once, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.base.errors import NotFoundError, UsageError, WriteError
from notewell.contract.notes import NoteRequest
from notewell.engine.engine import Engine
from notewell.features.evidence import standing
from notewell.features.evidence.standing_requests import (
    AddQuestion,
    QuestionShown,
    QuestionsReply,
    QuestionsRequest,
    RemoveQuestion,
)
from notewell.features.evidence.standing_state import KnownSentences, hash_of_sentence
from tests.vaults import QUIET, indexed

ASKED = "When do the bees swarm?"
SAYS = "The bees swarm on warm days in May.\n"
NOTES = {
    "Hives.md": "# Hives\n\nA hive stands in the shade of the old tree.\n",
    "Wasps.md": "# Wasps\n\nWasps build nests of paper below the roof.\n",
}


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with indexed(tmp_path, NOTES, vault=QUIET) as opened:
        yield opened


@pytest.fixture(autouse=True)
def by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a model the confidences of so small a vault are low."""
    monkeypatch.setattr(standing, "TOLD", 0.02)


def write(engine: Engine, path: str, text: str) -> QuestionsReply:
    file = engine.record.path / path
    file.write_text(text)
    engine.index_now()
    return engine.answer(QuestionsRequest())


def told(reply: QuestionsReply) -> list[tuple[str, bool]]:
    return [(answer.path, answer.is_new) for one in reply.questions for answer in one.answers]


def test_a_note_that_is_written_later_and_answers_is_told_once(engine: Engine) -> None:
    reply = engine.answer(AddQuestion(ASKED))
    assert [one.text for one in reply.questions] == [ASKED]
    assert told(write(engine, "Walk.md", "# Walk\n\nWe walked around the lake.\n")) == []

    reply = write(engine, "May.md", f"# May\n\n{SAYS}")
    assert told(reply) == [("May.md", True)]
    ((answer,),) = (one.answers for one in reply.questions)
    assert (answer.text, answer.line) == (SAYS.strip(), 3)
    assert reply.new == 1
    assert engine.answer(NoteRequest("May.md")).lines == (f"Answers your question: {ASKED}",)

    again = write(engine, "May.md", f"# May\n\nOther words.\n\n{SAYS}")
    assert told(again) == [("May.md", True)]
    shown = engine.answer(QuestionShown(again.questions[0].id))
    assert (told(shown), shown.new) == ([("May.md", False)], 0)


def test_what_was_there_before_is_never_told(engine: Engine) -> None:
    write(engine, "May.md", f"# May\n\n{SAYS}")
    engine.answer(AddQuestion(ASKED))
    assert told(write(engine, "May.md", f"# May\n\n{SAYS}\nAnd more.\n")) == []
    assert told(write(engine, "Copy.md", "# Copy\n\nthe bees SWARM on warm days in may\n")) == []
    file = engine.record.path / "May.md"
    file.rename(file.with_name("June.md"))
    engine.index_now()
    assert told(engine.answer(QuestionsRequest())) == []


def test_a_question_that_comes_later_is_not_told_what_another_waited_through(
    engine: Engine,
) -> None:
    engine.answer(AddQuestion("What do wasps eat?"))
    write(engine, "May.md", f"# May\n\n{SAYS}")
    engine.answer(AddQuestion(ASKED))
    assert told(write(engine, "May.md", f"# May\n\n{SAYS}\nMore.\n")) == []


def test_a_note_that_is_indexed_later_and_was_written_before_is_never_told(engine: Engine) -> None:
    """The question was kept while a vault was indexed for the first time."""
    engine.answer(AddQuestion(ASKED))
    file = engine.record.path / "May.md"
    file.write_text(f"# May\n\n{SAYS}")
    os.utime(file, (1_700_000_000, 1_700_000_000))
    engine.index_now()
    assert told(engine.answer(QuestionsRequest())) == []


def test_a_full_disk_is_told_and_nothing_is_half_known(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("notewell.base.support.disk.replace", refuse)
        with pytest.raises(WriteError, match="No space left"):
            engine.answer(AddQuestion(ASKED))
    assert not (engine.vault.folder / "questions.known").exists()
    assert engine.answer(QuestionsRequest()).questions == ()


def test_a_question_in_a_note_answers_nothing(engine: Engine) -> None:
    engine.answer(AddQuestion(ASKED))
    assert told(write(engine, "Ask.md", "# Ask\n\nWhen do the bees swarm in May?\n")) == []


def test_what_changed_while_nobody_looked_is_told_after_a_restart(tmp_path: Path) -> None:
    with indexed(tmp_path, NOTES, vault=QUIET) as engine:
        engine.answer(AddQuestion(ASKED))
    (tmp_path / "vault" / "May.md").write_text(f"# May\n\n{SAYS}")
    with indexed(tmp_path, vault=QUIET) as engine:
        assert told(engine.answer(QuestionsRequest())) == [("May.md", True)]


def test_a_killed_process_tells_nothing_twice(engine: Engine) -> None:
    """The hashes of the last look are lost, as a power cut may take them."""
    engine.answer(AddQuestion(ASKED))
    write(engine, "May.md", f"# May\n\n{SAYS}")
    known = engine.vault.folder / "questions.known"
    os.truncate(known, known.stat().st_size - 12)
    assert told(write(engine, "May.md", f"# May\n\n{SAYS}\nMore.\n")) == [("May.md", True)]


def test_questions_are_removed_and_the_last_one_takes_what_is_known(engine: Engine) -> None:
    reply = engine.answer(AddQuestion(ASKED))
    assert engine.answer(AddQuestion(ASKED.upper())).questions == reply.questions
    with pytest.raises(NotFoundError, match="questions list"):
        engine.answer(RemoveQuestion("00000000"))
    assert engine.answer(RemoveQuestion(reply.questions[0].id)).questions == ()
    assert not (engine.vault.folder / "questions.known").exists()


@pytest.mark.parametrize("text", ["???", "  .. "])
def test_a_question_without_words_is_refused(engine: Engine, text: str) -> None:
    with pytest.raises(UsageError, match="needs words"):
        engine.answer(AddQuestion(text))


def test_known_sentences_survive_a_torn_write(tmp_path: Path) -> None:
    known = KnownSentences(tmp_path)
    known.begin({1, 2})
    with (tmp_path / "questions.known").open("ab") as file:
        file.write(b"abc")
    known.add({3})
    assert known.load() == {1, 2, 3}


def test_a_sentence_is_the_same_whatever_its_marks() -> None:
    assert hash_of_sentence("**Bees** swarm, in May.") == hash_of_sentence("bees swarm in May")
    assert hash_of_sentence("Bees swarm in May") != hash_of_sentence("Bees swarm in June")
