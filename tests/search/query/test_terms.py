"""Mistyped words, and words that are still being typed."""

from __future__ import annotations

import pytest

from notewell.search.facts.word_list import WordListCache
from notewell.search.query.spelling import Speller
from notewell.search.query.terms import completions, content_words, query_terms
from notewell.search.rank.relevance import QueryRequirements
from tests.search.library import Library, MakeLibrary

NOTES = {
    "Garden.md": "The gardener waters the beautiful garden before breakfast.\n",
    "Bees.md": "Beekeeping needs patience, a veil, and a calm morning.\n",
    "More.md": "Beekeeping in the city: gardens on roofs, and neighbours.\n",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


def test_a_word_that_the_vault_has_is_not_corrected(library: Library) -> None:
    assert set(query_terms(library.index, "garden veil").weights) == {"garden", "veil"}


def test_a_correction_is_marked_in_the_snippet(library: Library) -> None:
    result = library.search("pateince", mode="keyword").results[0]
    assert [result.snippet[start:end] for start, end in result.highlights] == ["patience"]


def test_a_preposition_neither_ranks_nor_is_marked(make_library: MakeLibrary) -> None:
    """Notes have "about" less often than their topics, so it would weigh as much as one."""
    others = {f"Other {day}.md": f"Day {day}: nothing at all.\n" for day in range(20)}
    writing = {f"Writing {day}.md": "Ideas for writing.\n" for day in range(4)}
    aside = {"Aside.md": "About this: an idea about nothing, and more about it.\n"}
    library = make_library(others | writing | aside)
    found = library.search("ideas about writing", mode="keyword").results
    assert [result.path for result in found] == [*sorted(writing), "Aside.md"]
    result = found[-1]
    assert [result.snippet[start:end] for start, end in result.highlights] == ["idea"]


def test_the_last_word_while_typing_is_a_prefix(library: Library) -> None:
    assert set(completions(library.index.keywords, "gard")) == {"garden", "gardener", "gardens"}
    assert library.paths("roofs beekee", mode="keyword", typing=True)[0] == "More.md"
    assert library.paths("beekee ", mode="keyword") == []
    assert set(library.paths("beekee", mode="keyword")) == {"Bees.md", "More.md"}  # not a word
    assert set(library.paths("beekee", mode="keyword", typing=True)) == {"Bees.md", "More.md"}
    assert library.paths("beekee ", mode="keyword", typing=True) == []  # a space ends the word


def test_a_word_that_begins_others_may_be_another_form_of_them(make_library: MakeLibrary) -> None:
    notes = {
        "Рост.md": "Показатель роста за прошлый год.\n",
        "Планы.md": "Планы по всем показателям приняты.\n",
    }
    library = make_library(notes)
    assert set(library.paths("показателя", mode="keyword")) == set(notes)
    assert query_terms(library.index, "показателя").fixes == ()
    assert library.paths("показателя", mode="keyword", typing=True) == ["Планы.md"]


def test_a_real_word_that_only_begins_others_is_lacking(make_library: MakeLibrary) -> None:
    index = make_library({"Cards.md": "Cards and insurance.\n"}).index
    speller = Speller(index, WordListCache(), is_real={"car", "ins"}.__contains__)
    settled = query_terms(index, "car ins", speller=speller)
    assert settled.lacking == {"car", "ins"}
    assert query_terms(index, "car ins", typing=True, speller=speller).lacking == {"car"}
    assert QueryRequirements.of(settled, required=False).known < 0.6
    assert QueryRequirements.of(query_terms(index, "car ins"), required=False).known == 1.0


def test_words_that_begin_alike_are_added_up_in_one_order(make_library: MakeLibrary) -> None:
    """A set's order differs from process to process, and so would the last digits of scores."""
    words = [f"grow{ending}" for ending in ("a", "b", "c", "d", "e", "f", "g", "h")]
    notes = {f"{word}.md": f"{word} {word} in spring.\n" * at for at, word in enumerate(words, 1)}
    library = make_library(notes)
    terms = query_terms(library.index, "spring grow", typing=True)
    begun = completions(library.index.keywords, "grow")
    assert len(begun) > 5
    assert [word for word in terms.weights if word in begun] == list(begun)


def test_a_whole_word_ranks_before_words_that_begin_with_it(library: Library) -> None:
    assert library.paths("garden", mode="keyword", typing=True)[0] == "Garden.md"


def test_alternatives_for_one_word_weigh_as_one(library: Library) -> None:
    exact = query_terms(library.index, "garden veil")
    misspelt = query_terms(library.index, "gardne veil")
    assert misspelt.alternatives == {"gardne": {"garden": 0.5}}
    assert misspelt.total_idf(known=True) == pytest.approx(
        exact.idf["veil"] + 0.5 * exact.idf["garden"]
    )
    typed = query_terms(library.index, "veil gard", typing=True)
    whole = query_terms(library.index, "veil gard")
    assert typed.total_idf(known=False) == pytest.approx(whole.total_idf(known=False))


def test_spelling_is_not_corrected_when_switched_off(library: Library) -> None:
    terms = query_terms(library.index, "gardne veil", correct=False)
    assert (set(terms.weights), terms.unknown, terms.fixes) == ({"gardne", "veil"}, {"gardne"}, ())


def test_content_words_are_as_written_or_pairs_of_characters() -> None:
    assert content_words("How do I back up (Obsidian) notes?") == [
        "back",
        "up",
        "Obsidian",
        "notes",
    ]
    assert content_words("健身计划") == ["健身", "计划"]
    assert content_words("") == []


def test_a_number_that_is_typed_in_groups_is_found_in_one_piece(make_library: MakeLibrary) -> None:
    library = make_library(
        {
            "Whole.md": "A book, 9780306406157, on a shelf.\n",
            "Other.md": "ISBN 978-3-16-148410-0 of another one.\n",
            "Phone.md": "Call 0301234567.\n",
        }
    )
    for query, note in (
        ("978-0-306-40615-7", "Whole.md"),
        ("978-0306406157", "Whole.md"),
        ("030-1234567", "Phone.md"),
        ("978-3-16-148410-0", "Other.md"),
    ):
        results = library.search(query, mode="keyword").results
        assert [result.path for result in results][:1] == [note], query
