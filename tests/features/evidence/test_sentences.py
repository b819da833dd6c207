"""How surely a sentence answers: what raises it, and what lowers it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from notewell.base.types import StoredChunk, StoredNote
from notewell.features.evidence.confidence import AnswerSentence, Question, confidences, least_said


@dataclass
class Keywords:
    """An index of one hundred documents, in which each word is in ten."""

    document_count: int = 100

    def document_frequency(self, _token: str) -> int:
        return 10


def question(text: str) -> Question:
    keywords: Any = Keywords()
    return Question(text, keywords)


def sentence(text: str, title: str = "Note", heading: str = "") -> AnswerSentence:
    note = StoredNote(1, f"{title}.md", title, (), (), {}, None, None, None, 1, ())
    headings = (heading,) if heading else ()
    chunk = StoredChunk(1, 1, 0, headings, None, None, 0, len(text), text, (1,), b"")
    return AnswerSentence(note, chunk, 0, len(text))


def confidence(asked: str, one: AnswerSentence, cosine: float = 0.5) -> float:
    alone = np.array([cosine], np.float32)
    return confidences(question(asked), [one], alone, alone)[0]


@pytest.mark.parametrize(
    ("asked", "better", "worse"),
    [
        ("how many notes fit", "10,000 notes fit in one vault.", "Many notes fit in a vault."),
        ("when is it saved", "It is saved every day at noon.", "It is saved in this folder."),
        ("who wrote the plan", "The plan was written by Anna Berg.", "the plan was written twice."),
        ("how do I fold a list", "Select the arrow beside the list.", "Lists of lists are nested."),
        ("where do notes live", "Notes live in a folder of yours.", "Where notes live"),
        ("where do notes live", "Notes live in a folder.", "Trams run to the hill."),
    ],
)
def test_one_sentence_answers_more_surely_than_another(asked: str, better: str, worse: str) -> None:
    assert confidence(asked, sentence(better)) > confidence(asked, sentence(worse))


def test_words_of_title_and_heading_count() -> None:
    within = sentence("It takes an hour.", title="Bread", heading="Baking")
    asked = "how long does baking bread take"
    assert confidence(asked, within) > confidence(asked, sentence("It takes an hour."))


def test_a_word_counts_in_another_form_and_not_in_another_word() -> None:
    asked = question("wann wurde die Verteidigungslinie gebaut")
    told = {"verteidigungslinien", "gebaut"}
    assert asked.share(told) == asked.share({"verteidigungslinie", "gebaut"}) > 0
    assert asked.share({"verteidiger"}) == asked.share({"die"}) == 0


def test_less_is_enough_where_words_inflect_and_questions_are_not_understood() -> None:
    german = sentence("Die Linie wurde in dem Jahr nach der Reise von den Siedlern gebaut.")
    english = sentence("The line was built in the year after that by the settlers of it.")
    chinese = sentence("这条防线是在第二年由定居者们一起建造起来的，历时三个月。")
    assert least_said([german]) < least_said([english]) == least_said([chinese]) == 0.1


def test_a_nearer_meaning_is_surer() -> None:
    one = sentence("It takes an hour.")
    assert confidence("how long", one, 0.7) > confidence("how long", one, 0.3)


def test_a_question_is_told_apart() -> None:
    assert sentence("Where do notes live?**").asks
    assert not sentence("Notes live in a folder.").asks
