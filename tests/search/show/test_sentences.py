"""Sentences: their offsets, and the closest one to a query."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.types import IdArray, TokenVectors
from notewell.search.show.closest_sentence import ClosestSentence, sentences_of

TOPICS = {"doctor": 0, "physician": 0, "medicine": 0, "bread": 1, "dough": 1, "flour": 1}


class Topics:
    """Knows a word by its topic."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def token_vectors(self, text: str) -> TokenVectors | None:
        self.read.append(text)
        words = list(re.finditer(r"\w+", text.lower()))
        topics = [TOPICS.get(word.group(), 2) for word in words]
        starts: IdArray = np.array([word.start() for word in words], np.int64)
        return TokenVectors(starts, np.eye(3, dtype=np.float32)[topics])


class Unread:
    """Knows no tokens."""

    def token_vectors(self, _: str) -> TokenVectors | None:
        return None


TEXT = "Knead the dough well.\n- [ ] Ask the physician today.\nThen the flour again."


def closest(query: str, text: str) -> str:
    where = ClosestSentence(Topics(), query)(text)
    assert where is not None
    return text[slice(*where)]


def test_the_sentence_with_the_most_similar_words_is_chosen() -> None:
    assert closest("a doctor", TEXT) == "Ask the physician today."
    assert closest("bread", TEXT) == "Knead the dough well."


def test_a_single_sentence_is_not_compared() -> None:
    assert ClosestSentence(Topics(), "doctor")("Ask the physician today.") is None


def test_a_model_without_token_vectors_chooses_no_sentence() -> None:
    assert ClosestSentence(Unread(), "doctor")(TEXT) is None


def test_only_the_first_passages_are_examined() -> None:
    topics = Topics()
    find = ClosestSentence(topics, "doctor", passages=2)
    assert [find(TEXT) is None for _ in range(4)] == [False, False, True, True]
    assert topics.read == ["doctor", TEXT, TEXT]


def test_a_query_without_tokens_chooses_no_sentence() -> None:
    assert ClosestSentence(Topics(), "…")(TEXT) is None


def test_a_line_of_tags_is_no_sentence() -> None:
    text = "Slash it once, and deep.\n#bread/everyday #kitchen/oven\n# of loaves: two"
    assert [text[start:end] for start, end in sentences_of(text)] == [
        "Slash it once, and deep.",
        "# of loaves: two",
    ]


@given(st.text(max_size=300))
def test_sentences_are_in_order_without_trailing_blanks(text: str) -> None:
    found = sentences_of(text)
    assert [edge for pair in found for edge in pair] == sorted(
        edge for pair in found for edge in pair
    )
    for start, end in found:
        assert text[start:end] == text[start:end].rstrip()
