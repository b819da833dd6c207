"""Misspelt words of a query, and what they stand for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.search.facts import word_list
from notewell.search.facts.names_cache import NamesCache
from notewell.search.facts.word_list import WordList, WordListCache
from notewell.search.query.spelling import (
    Fix,
    Speller,
    Spelling,
    correct_query,
    correct_text,
    is_word_of,
)
from notewell.search.query.terms import query_terms
from tests.search.library import HashedWords, Library, MakeLibrary, index_vault

NOTES = {
    "Garden.md": "The gardener waters the beautiful garden before breakfast.\n",
    "Bees.md": "Beekeeping needs patience, a veil, and a calm morning. Honey comes later.\n",
    "More.md": "Beekeeping in the city: gardens on roofs, and neighbours.\n",
    "Deutsch.md": "Die Übersicht der Königinnen im Bienenstock.\n",
    "Russisch.md": "Пчёлы собирают мёд.\n",
    "Data.md": "The data of Dataview.\n",
    "Links.md": "The backlinks of a note. A search panel shows them.\n",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


Check = Callable[[str], Spelling]


@pytest.fixture
def check(library: Library) -> Check:
    speller = Speller(library.index, WordListCache())
    return lambda query: speller.check(query.split(), ())


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("beekeping", "beekeeping"),  # left out
        ("beekkeeping", "beekeeping"),  # doubled
        ("beekxeeping", "beekeeping"),  # added
        ("breakfest", "breakfast"),  # changed
        ("agrden", "garden"),  # swapped at the start
        ("brekafast", "breakfast"),  # swapped
        ("neigbohurs", "neighbours"),  # two
        ("gerden", "garden"),
        ("hsrden", ""),  # two in a short word
        ("jarden", "garden"),  # the first letter changed
        ("atience", "patience"),  # the first letter left out
        ("spatience", "patience"),  # a letter before the first
        ("konigninen", "koniginnen"),
        ("пчелф", "пчелы"),
    ],
)
def test_a_mistyped_word_is_replaced_by_the_nearest_one(
    check: Check, typed: str, wanted: str
) -> None:
    found = check(typed).alternatives.get(typed, {})
    assert next(iter(found), "") == wanted


def test_the_corrected_word_is_searched_for(library: Library) -> None:
    for typed, wanted in (
        ("jarden", "garden"),
        ("beekeping", "beekeeping"),
        ("beautifull", "beautiful"),  # by its stem
        ("собирют", "собирают"),
    ):
        assert library.paths(typed, mode="keyword")[0] == library.paths(wanted, mode="keyword")[0]


@pytest.mark.parametrize(
    "typed",
    ["cat", "xyzzy", "x1234", "学习机器", "veilchenblau", "zzzzqqq", "garden", "patience", "c++"],
)
def test_short_foreign_and_correct_words_are_not_changed(check: Check, typed: str) -> None:
    assert check(typed) == Spelling()


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [("graf", "graph"), ("graff", "graph"), ("fotos", "photos"), ("filosofy", "philosophy")],
)
def test_a_word_that_sounds_alike_is_meant(
    make_library: MakeLibrary, typed: str, wanted: str
) -> None:
    notes = {
        "Graph view.md": "The graph of all notes.",
        "Photos.md": "Photos of the garden, and a folio.",
        "Books.md": "Philosophy, mostly.",
        "Other.md": "Grass and gravel; a quote.",
    }
    library = make_library(notes)
    reply = library.search(typed, mode="keyword")
    assert reply.corrected is not None
    assert reply.corrected["text"] == wanted
    assert library.paths(typed, mode="keyword") == library.paths(wanted, mode="keyword")


def test_of_equally_near_words_the_one_that_fits_the_other_words_is_meant(
    make_library: MakeLibrary,
) -> None:
    notes = {
        f"Race {number}.md": "We start at the line. The start is early.\n" for number in range(6)
    }
    notes["Bread.md"] = "The sourdough needs flour. Its starter sleeps.\n"
    library = make_library(notes)

    def corrected(typed: str) -> str | None:
        fixed = library.search(typed, mode="keyword").corrected
        return None if fixed is None else fixed["text"]

    assert corrected("startr") == "start"  # the more frequent one, where nothing else is said
    assert corrected("sourdough startr") == "sourdough starter"
    assert (
        corrected("sourdoh and its startr") == "sourdough and its starter"
    )  # beside what is meant


def test_two_edits_count_half_of_one(check: Check) -> None:
    assert check("beekeping").alternatives["beekeping"] == {"beekeeping": 0.5}
    assert check("bekeping").alternatives["bekeping"] == {"beekeeping": 0.25}


def test_a_prefix_is_not_corrected_to_a_shorter_word(check: Check) -> None:
    assert check("datav") == Spelling()


def test_a_real_word_that_the_vault_does_not_have_is_not_a_mistake(library: Library) -> None:
    speller = Speller(library.index, WordListCache(), is_real={"warden"}.__contains__)
    assert speller.check(["warden"], ()) == Spelling()
    assert speller.check(["gerden"], ()).alternatives == {"gerden": {"garden": 0.5}}


def test_only_a_model_of_this_computer_tells_which_words_are_real() -> None:
    class Estimating(HashedWords):
        def token_vectors(self, _text: str) -> None:
            """None, as the handle of a service."""

    assert is_word_of(HashedWords()) is None
    estimating = is_word_of(Estimating())
    assert estimating is not None
    assert not estimating("garden")


def test_only_a_few_words_of_a_query_are_corrected(check: Check) -> None:
    found = check("beekeping brekfast jarden neigbours patiense")
    assert len(found.fixes) == 3


def test_joined_words_are_split_if_the_vault_has_them_in_sequence(check: Check) -> None:
    found = check("searchpanel")
    assert found.alternatives == {"searchpanel": {"search": 0.5, "panel": 0.5}}
    assert found.fixes == (Fix(("searchpanel",), "search panel"),)
    assert check("panelsearch") == Spelling()


def test_separate_words_are_joined_if_the_vault_has_them_as_one(
    library: Library, check: Check
) -> None:
    found = check("back links")
    assert found.alternatives == {"back": {"backlinks": 0.5}, "links": {"backlinks": 0.5}} or (
        found.offered == {"backlinks": 0.5}
    )
    assert "Links.md" in library.paths("back links", mode="keyword")


# --- words that the vault has rarely --------------------------------------------------------------


@pytest.fixture(scope="module")
def large(make_library: MakeLibrary) -> Library:
    # Each line is another one: what very many notes share would count as a line of a template.
    notes = {f"Notes/{n}.md": f"Every template has a form, as {n} has.\n" for n in range(320)}
    notes |= {
        "A.md": "A temlpate of mine.\n",
        "B.md": "The temptate is a name of somebody.\n",
        "Temptate.md": "",
        "C.md": "Many templates; formy.\n",
    }
    return make_library(notes)


def test_a_rare_word_may_be_a_mistake_for_a_frequent_one(large: Library) -> None:
    terms = query_terms(large.index, "temlpate")
    assert terms.alternatives.keys() == {"temlpate"}
    assert terms.weights["template"] == 0.5
    assert 0.5 < terms.alternatives["temlpate"]["temlpate"] < 0.75
    # The rare word counts little more than the one that may be meant, so that it hides no note.
    worth = {token: terms.weights[token] * terms.idf[token] for token in terms.weights}
    assert worth["template"] < worth["temlpate"] < 1.5 * worth["template"]
    assert terms.fixes == (Fix(("temlpate",), "template"),)


def test_a_mistake_that_the_vault_has_as_well_is_not_what_was_meant(large: Library) -> None:
    # At one edit there is only "temlpate", which one note has by mistake.
    terms = query_terms(large.index, "temlpatte")
    assert terms.fixes == (Fix(("temlpatte",), "template"),)
    assert terms.alternatives["temlpatte"] == {"template": 0.5, "temlpate": 0.5}
    # The name of a note is no mistake, however rare.
    speller = Speller(large.index, WordListCache(), NamesCache().current(large.index))
    assert speller.check(["temptatte"], ()).fixes == (Fix(("temptatte",), "temptate"),)


def test_words_of_names_and_other_word_forms_are_not_corrected(large: Library) -> None:
    names = NamesCache().current(large.index)
    speller = Speller(large.index, WordListCache(), names)
    assert speller.check(["temptate"], ()) == Spelling()
    assert speller.check(["templates"], ()) == Spelling()
    assert speller.check(["temlpate"], ()).fixes


# --- the corrected text ---------------------------------------------------------------------------

FIXES = (Fix(("obsidain",), "obsidian"), Fix(("back", "liks"), "backlinks"))


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("obsidain", "obsidian"),
        ("Obsidain Git", "Obsidian Git"),
        ("OBSIDAIN", "OBSIDIAN"),
        ("my  obsidain-git, notes!", "my  obsidian-git, notes!"),
        (
            '"obsidain git" tag:obsidain OR path:obsidain',
            '"obsidian git" tag:obsidain OR path:obsidain',
        ),
        ("obsidain -obsidain [key:obsidain]", "obsidian -obsidain [key:obsidain]"),
        ("(obsidain OR vault) x", "(obsidian OR vault) x"),
        ("Back liks of obsidain", "Backlinks of obsidian"),
        ("gitObsidain 日本語 obsidain", "gitObsidian 日本語 obsidian"),
    ],
)
def test_a_query_is_corrected_within_its_operators(query: str, wanted: str) -> None:
    found = correct_query(query, FIXES)
    assert found is not None
    assert found["text"] == wanted


def test_a_plain_query_has_no_operators() -> None:
    found = correct_query("tag:obsidain", FIXES, plain=True)
    assert found == {"text": "tag:obsidian", "from": ("obsidain", "back", "liks")}


def test_a_query_without_mistakes_is_not_corrected(check: Check) -> None:
    assert correct_query("obsidian", FIXES) is None
    assert correct_query("obsidain", ()) is None
    assert correct_query("zzzzqqq", check("zzzzqqq").fixes) is None


def test_the_corrected_text_has_the_vaults_accents(check: Check) -> None:
    assert correct_text("Ubersihct", check("ubersihct").fixes) == "Übersicht"


@given(st.text('ab -"():日é', max_size=12))
def test_text_without_misspelt_words_is_unchanged(text: str) -> None:
    assert correct_text(text, FIXES) == text


# --- the list of words ------------------------------------------------------------------------------


def edits(one: str, other: str) -> int:
    """Optimal string alignment, as in the textbook."""
    table = {(at, -1): at + 1 for at in range(-1, len(one))} | {
        (-1, to): to + 1 for to in range(-1, len(other))
    }
    for at, letter in enumerate(one):
        for to, wanted in enumerate(other):
            choices = [
                table[at - 1, to] + 1,
                table[at, to - 1] + 1,
                table[at - 1, to - 1] + (letter != wanted),
            ]
            if at and to and letter == other[to - 1] and one[at - 1] == wanted:
                choices.append(table[at - 2, to - 2] + 1)
            table[at, to] = min(choices)
    return table[len(one) - 1, len(other) - 1]


WORDS = st.text("abcф", min_size=3, max_size=7)


@given(st.sets(WORDS, max_size=12), st.sets(WORDS, max_size=3), WORDS, st.integers(1, 2))
def test_candidates_are_within_the_edit_distance(
    words: set[str], more: set[str], word: str, most: int
) -> None:
    found = WordList.of(more, WordList.of(words)).near(word, most)
    distances = {each: edits(word, each) for each in words | more if each != word}
    assert found == {each: count for each, count in distances.items() if count <= most}


@pytest.fixture
def changing(make_library: MakeLibrary, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setattr(word_list, "_MIN_SAVED", 0)  # as if there were many words
    return make_library({"A.md": "apple\n", "B.md": "birch\n"})


def near(library: Library, cache: WordListCache, word: str) -> list[str]:
    speller = Speller(library.index, cache)
    return list(speller.check([word], ()).alternatives.get(word, {}))


def test_words_of_a_changed_note_are_known(changing: Library) -> None:
    cache = WordListCache()
    assert near(changing, cache, "aple") == ["apple"]
    (changing.record.path / "C.md").write_text("# Cherry\nbirches\n", encoding="utf-8")
    index_vault(changing.index, changing.record.path, changing.embedder)
    assert near(changing, cache, "chrery") == ["cherry"]
    assert near(changing, cache, "birhces") == ["birches"]


def test_the_next_start_loads_the_words(changing: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    WordListCache().current(changing.index)
    keywords = type(changing.index.keywords)
    monkeypatch.setattr(keywords, "terms_with_prefix", lambda *_: pytest.fail("words were read"))
    assert "apple" in WordListCache().current(changing.index).words


def test_a_query_in_a_language_that_the_vault_lacks_is_not_corrected(
    make_library: MakeLibrary,
) -> None:
    notes = {f"{n}.md": f"The builder of house {n} and the summer.\n" for n in range(5)}
    english = make_library(notes)
    assert query_terms(english.index, "wie geht das mit builde").fixes == ()
    assert query_terms(english.index, "wo ist der bilder").fixes == ()
    assert query_terms(english.index, "how is the bilder").fixes == (Fix(("bilder",), "builder"),)
    lists = make_library({"List.md": "builder\n"})  # in no language
    assert query_terms(lists.index, "wo ist der bilder").fixes == (Fix(("bilder",), "builder"),)


@pytest.mark.parametrize("word", ["Sommer", "letzten", "Dienstag", "gestern", "месяц"])
def test_words_of_dates_are_not_corrected(make_library: MakeLibrary, word: str) -> None:
    library = make_library({"A.md": "Summer, lezten, dienstags, gesten, месяцы.\n"})
    assert query_terms(library.index, f"{word} x").fixes == ()


def test_two_words_are_not_joined_where_one_is_mistyped(make_library: MakeLibrary) -> None:
    notes = {f"{n}.md": f"Style and settings, {n} settings.\n" for n in range(60)}
    library = make_library({**notes, "Once.md": "See stylesetings.\n"})
    assert query_terms(library.index, "style setings").fixes == (Fix(("setings",), "settings"),)
    assert "stylesetings" in query_terms(library.index, "style setings").offered
