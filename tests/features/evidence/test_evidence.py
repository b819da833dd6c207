"""Sentences that answer questions: quoted as they stand, with their place, or nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.base.config import load_settings
from notewell.base.types import Settings, StoredChunk, StoredNote, VaultRecord
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.features.evidence.confidence import AnswerSentence
from notewell.features.evidence.likeness import read_within_budget
from notewell.features.evidence.requests import EvidenceReply, EvidenceRequest

BEES = """---
tags: [garden]
---
# Bees

Bees live in a hive with up to 50,000 others.

## Dance

- They dance to tell the others where flowers are.
- A dance lasts two minutes.

How long does a dance last?
"""
TERMINAL = """# Terminal

## Show hidden files

`Ctrl+Shift+.`

## List open ports

`ss -tlnp`
"""
NOTES = {
    "Garden/Bees.md": BEES,
    "Terminal.md": TERMINAL,
    "Wifi.md": "# Wifi\n\nPassword: hunter2-blue\n",
    "Trams.md": "Trams run every ten minutes, from the harbour to the hill.",
    "Sourdough.md": "Feed the starter with flour and water once a day. Bake the bread for an hour.",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """With the real model, whose cosines the weights were fitted to."""
    model_dir = load_settings(environ=os.environ).model_dir
    folder = tmp_path_factory.mktemp("evidence")
    for name, text in NOTES.items():
        file = folder / "vault" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    made = Engine.open(
        VaultRecord("v1", "Notes", folder / "vault"),
        folder / "index",
        Settings(folder, model_dir, folder, offline=True),
        writable=True,
        features=FEATURES,
    )
    made.index_now()
    if made.status().semantic != "ready":
        pytest.skip("the model is not on this computer")
    yield made
    made.close()


def asked(engine: Engine, question: str, **fields: int) -> EvidenceReply:
    return engine.answer(EvidenceRequest(question, **fields))


def test_the_sentence_is_quoted_with_its_place(engine: Engine) -> None:
    reply = asked(engine, "how long does a dance last")
    answer = reply.answers[0]

    assert reply.said
    assert answer.text == "A dance lasts two minutes."
    assert (answer.path, answer.line) == ("Garden/Bees.md", 11)
    assert BEES.splitlines()[answer.line - 1].endswith(answer.text)
    assert answer.uri.startswith("obsidian://open?vault=vault&file=Garden%2FBees")
    assert 0 < answer.confidence <= 1


def test_a_question_in_the_notes_answers_none(engine: Engine) -> None:
    texts = [answer.text for answer in asked(engine, "how long does a dance last").answers]
    assert "How long does a dance last?" not in texts


def test_answers_are_ordered_limited_and_each_said_once(engine: Engine) -> None:
    reply = asked(engine, "how long do I bake the bread", limit=1)
    assert len(reply.answers) == 1
    sure = [answer.confidence for answer in asked(engine, "where do bees live").answers]
    assert sure == sorted(sure, reverse=True)


@pytest.mark.parametrize("question", ["who won the chess final", "?!", ""])
def test_what_the_notes_do_not_say_is_told(engine: Engine, question: str) -> None:
    reply = asked(engine, question)
    assert (reply.said, reply.answers) == (False, ())


def test_the_nearest_notes_are_named_where_nothing_answers(engine: Engine) -> None:
    reply = asked(engine, "trams or what else goes to the moon, and who drives them at night")
    assert not reply.said
    assert [each.path for each in reply.nearest][:1] == ["Trams.md"]


@given(st.text(max_size=60))
@settings(max_examples=40, deadline=None)
def test_any_question_is_answered_by_text_of_the_notes(engine: Engine, question: str) -> None:
    for answer in asked(engine, question).answers:
        assert answer.text in NOTES[answer.path]


class _SlowModel:
    """A model of which each call takes a minute of its own clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.texts: list[str] = []

    def embed_passages(self, texts: list[str]) -> np.ndarray:
        self.now += 60.0
        self.texts += texts
        return np.ones((len(texts), 3), np.float32)


def test_a_slow_model_reads_the_likeliest_sentences_and_no_more() -> None:
    note = StoredNote(1, "Bees.md", "Bees", (), (), {}, None, None, None, len(BEES), ())
    chunk = StoredChunk(1, 1, 0, ("Bees",), None, None, 0, len(BEES), BEES, (1,), b"")
    sentences = [AnswerSentence(note, chunk, at, at + 4) for at in range(50)]
    model = _SlowModel()
    vectors = read_within_budget(model, sentences, lambda: model.now)  # type: ignore[arg-type]

    assert len(vectors) == len(model.texts) < 2 * len(sentences)
    assert model.texts[0::2] == [sentence.text for sentence in sentences[: len(vectors) // 2]]


def test_what_stands_in_a_conflict_copy_alone_is_not_quoted(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "Trams.md").write_text(NOTES["Trams.md"], encoding="utf-8")
    copy = folder / "Trams (conflicted copy 2026-01-01).md"
    copy.write_text(NOTES["Trams.md"] + "\n\nThe ferry costs four crowns.\n", encoding="utf-8")
    engine = Engine.open(
        VaultRecord("v1", "Notes", folder),
        tmp_path / "index",
        Settings(tmp_path, tmp_path, tmp_path, offline=True),
        writable=True,
        features=FEATURES,
    )
    try:
        engine.index_now()
        assert not asked(engine, "how many crowns does the ferry cost").said
        (folder / "Own.md").write_text("The ferry costs four crowns.\n", encoding="utf-8")
        engine.index_now()
        answers = asked(engine, "how many crowns does the ferry cost").answers
        assert [answer.path for answer in answers] == ["Own.md"]
    finally:
        engine.close()


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("how do I show hidden files", "Ctrl+Shift+."),
        ("what command lists open ports", "ss -tlnp"),
        ("what is the wifi password", "Password: hunter2-blue"),
    ],
)
def test_a_bare_key_or_command_answers_by_what_stands_above_it(
    engine: Engine, question: str, value: str
) -> None:
    reply = engine.answer(EvidenceRequest(question))
    assert [answer.text for answer in reply.answers[:1]] == [value]


@pytest.mark.parametrize(
    "question",
    ["what is the ssh password", "when do trams list their ports", "where is the hive key"],
)
def test_a_value_below_something_else_answers_nothing(engine: Engine, question: str) -> None:
    assert not engine.answer(EvidenceRequest(question)).said


def test_a_heading_that_repeats_the_question_is_no_answer(engine: Engine) -> None:
    reply = engine.answer(EvidenceRequest("show hidden files"))
    assert "Show hidden files" not in [answer.text for answer in reply.answers]
