"""Forms of words in vaults of other languages than English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.index.port import IndexReader
from notewell.search.facts.inflections import InflectionsCache, find_languages
from notewell.search.facts.word_list import WordList, WordListCache
from tests.search.library import Library, MakeLibrary, index_vault

GERMAN = {
    "Regal.md": "Das Buch steht neben dem Regal, und die Lampe ist aus.",
    "Garten.md": "Die Bäume im Garten sind alt, der Apfel ist sauer.",
    "Schule.md": "Das Kind spielt nicht gern, wir warten auf die Rechnung.",
    "Markt.md": "Wir kaufen ein Brot und die Milch.",
}
FRENCH = {
    "Ferme.md": "Les chevaux sont dans la cour, et le chien dort.",
    "Bureau.md": "Le journal est sur une table, pour les clients.",
    "Rue.md": "Le travail dans la rue est fini.",
}
RUSSIAN = {
    "Полка.md": "Эта книга моя.",
    "Город.md": "Большой город спит.",
}
SPANISH = {
    "Casa.md": "La luz de la casa es roja, y el niño duerme.",
    "Radio.md": "Las canciones que suenan en el coche.",
}
PORTUGUESE = {
    "Pão.md": "O pão com manteiga para o café.",
    "Música.md": "Uma canção que não termina.",
}
ENGLISH = {
    "Bees.md": "The hive stands by the fence, and the bees are out.",
    "Kind.md": "A kind neighbour brought the kinder eggs.",
    "Gift.md": "The gift was left at the gate.",
}


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
@pytest.mark.parametrize(
    ("notes", "typed", "path"),
    [
        (GERMAN, "Bücher", "Regal.md"),
        (GERMAN, "Baum", "Garten.md"),
        (GERMAN, "Äpfel", "Garten.md"),
        (GERMAN, "Kinder", "Schule.md"),
        (GERMAN, "was kosten Rechnungen", "Schule.md"),
        (GERMAN, "gekauft", "Markt.md"),
        (FRENCH, "cheval", "Ferme.md"),
        (FRENCH, "journaux", "Bureau.md"),
        (FRENCH, "travaux", "Rue.md"),
        (RUSSIAN, "книгами", "Полка.md"),
        (RUSSIAN, "в городах", "Город.md"),
        (SPANISH, "luces", "Casa.md"),
        (SPANISH, "niños", "Casa.md"),
        (SPANISH, "canción", "Radio.md"),
        (PORTUGUESE, "canções", "Música.md"),
        (PORTUGUESE, "pães", "Pão.md"),
    ],
)
def test_any_form_of_a_word_finds_any_other(
    make_library: MakeLibrary, notes: dict[str, str], typed: str, path: str, mode: str
) -> None:
    assert make_library(notes).paths(typed, mode=mode)[0] == path


@pytest.mark.parametrize(
    ("notes", "language"),
    [(GERMAN, "German"), (FRENCH, "French"), (SPANISH, "Spanish"), (PORTUGUESE, "Portuguese")],
)
def test_the_language_of_a_vault_is_told_by_its_commonest_words(
    make_library: MakeLibrary, notes: dict[str, str], language: str
) -> None:
    assert language in find_languages(make_library(notes).index.keywords)


class NoWords(WordListCache):
    """A list of words that must not be read."""

    def current(self, index: IndexReader) -> WordList:
        raise AssertionError(index)


def test_of_an_english_vault_no_word_is_read(make_library: MakeLibrary) -> None:
    index = make_library(ENGLISH).index
    assert find_languages(index.keywords) == ()
    assert InflectionsCache().forms_of(index, NoWords(), "hives") == ()


def test_an_english_query_of_a_mixed_vault_stands_for_no_german_words(
    make_library: MakeLibrary,
) -> None:
    library = make_library({**ENGLISH, **GERMAN, "Kinder.md": "Die Kinder und der Hund."})
    assert "Kinder.md" in library.paths("Kind", mode="keyword", limit=20)
    assert "Kinder.md" not in library.paths("who was kind", mode="keyword", limit=20)


def test_a_word_that_was_written_meanwhile_is_known(make_library: MakeLibrary) -> None:
    library = make_library({**GERMAN, "Haus.md": "Das Haus ist alt."})
    cache, words = InflectionsCache(), WordListCache()
    assert cache.forms_of(library.index, words, "rechnungen") == ["rechnung"]
    note = library.record.path / "Mehr.md"
    note.write_text("Der Betrag der Rechnungsnummer, das Datum der Rechnungen.", "utf-8")
    index_vault(library.index, library.record.path, library.embedder)
    assert set(cache.forms_of(library.index, words, "rechnung")) == {"rechnungen"}


@given(st.text(max_size=30))
def test_any_text_may_be_asked_for(german: Library, text: str) -> None:
    forms = InflectionsCache().forms_of(german.index, WordListCache(), text)
    assert text not in forms
    assert all(german.index.keywords.document_frequency(form) for form in forms)


@pytest.fixture(scope="module")
def german(make_library: MakeLibrary) -> Library:
    return make_library(GERMAN)
