"""Proper names of a vault: what they are, and that a query with one follows words more."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from notewell.index.port import IndexReader
from notewell.search.facts import proper_names
from notewell.search.facts.proper_names import ProperNamesCache, find_names
from tests.search.library import Library, MakeLibrary

_ABOUT = {
    "Maria": "the shelter",
    "Caroline": "the choir",
    "Nate": "a tournament",
    "Joanna": "her screenplay",
}
NOTES = {
    f"{name}/{n}.md": (
        f"On day {n} I met {name} and we talked about {what}. Later {name} said that the weather"
        f" was fine, and that {what} went well. Donating clothes came up, as did donating time."
        f" The trip to Paris was the idea of {name}."
    )
    for name, what in _ABOUT.items()
    for n in range(1, 7)
} | {"Title.md": "# How To Donate Clothes\n\nYou can donate clothes, and Clothes are sorted there."}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


def test_names_are_what_is_written_with_a_capital_within_sentences(library: Library) -> None:
    words = ["caroline", "maria", "nate", "choir", "clothes", "donating", "weather", "nobody", "2"]
    assert find_names(library.index, words) == ["caroline", "maria", "nate"]


def test_a_word_of_nearly_every_note_names_nobody(library: Library) -> None:
    assert find_names(library.index, ["paris"]) == []


@pytest.mark.parametrize("word", ["talking", "donates", "choirs", "said"])
def test_a_form_that_no_note_has_names_nobody(library: Library, word: str) -> None:
    assert find_names(library.index, [word]) == []


def test_a_word_is_looked_up_once(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def find(index: IndexReader, tokens: Sequence[str]) -> list[str]:
        asked.extend(tokens)
        return find_names(index, tokens)

    monkeypatch.setattr(proper_names, "find_names", find)
    cache = ProperNamesCache()
    for _ in range(3):
        assert cache.has_any(library.index, ["choir", "caroline"])
        assert not cache.has_any(library.index, ["choir", "weather"])
    assert sorted(asked) == ["caroline", "choir", "weather"]


@pytest.mark.parametrize(
    ("query", "settled"),
    [
        ("what did caroline say about singing in public", 0.6),
        ("what did Caroline say about singing in public", 0.6),
        ("what did somebody say about singing in public", 0.0),
    ],
)
def test_a_query_with_a_name_follows_words_more(
    library: Library, query: str, settled: float
) -> None:
    reply = library.search(query)
    assert reply.fusion.params["settled"] == pytest.approx(settled)


def test_capitals_of_the_query_change_nothing(library: Library) -> None:
    query = "what does Maria think about giving things away"
    for other in (query.lower(), query.upper(), query.title()):
        assert library.paths(other) == library.paths(query)
