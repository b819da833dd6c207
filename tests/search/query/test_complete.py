"""Completion of a query with names from the vault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from notewell.base.types import PropertyValue, StoredNote
from notewell.contract.search import Completion
from notewell.search.query import parser
from notewell.search.query.complete import complete
from notewell.search.query.language import All, PathContains, Property, Tagged, Text
from notewell.search.query.note_columns import NoteColumns
from notewell.search.query.vocabulary import Name, NameIndex, Vocabulary, fold_line


def note(
    number: int,
    path: str,
    *,
    tags: Sequence[str] = (),
    aliases: Sequence[str] = (),
    properties: Mapping[str, PropertyValue] | None = None,
) -> StoredNote:
    title = path.rpartition("/")[2].removesuffix(".md")
    return StoredNote(
        number, path, title, tuple(aliases), tuple(tags), properties or {}, None, None, None, 1, ()
    )


NOTES = (
    note(1, "Projects/Garden plan.md", tags=["project/garden"], properties={"status": "open"}),
    note(
        2, "Projects/Garden walls.md", tags=["project/wall", "Idea"], properties={"Status": "done"}
    ),
    note(3, "Old stuff/Gärten.md", tags=["idea"], aliases=["Gardens, old"]),
    note(
        4,
        'Odd "names"/OR.md',
        properties={"rating": 4, "source": ("a b", 'x"y'), "a:b": 1, "done": True, "q": "[[x]]"},
    ),
)
LINKS = {1: 1, 2: 5, 3: 0, 4: 0}


@pytest.fixture(scope="module")
def words() -> Vocabulary:
    return Vocabulary(NOTES, LINKS.__getitem__)


def inserts(words: Vocabulary, prefix: str, limit: int = 20) -> list[str]:
    return [each.insert for each in complete(words, prefix, limit=limit)]


def of_kind(found: Sequence[Completion], kind: str) -> list[str]:
    return [completion.text for completion in found if completion.kind == kind]


def test_tags_are_completed_with_their_parents(words: Vocabulary) -> None:
    found = complete(words, "spring -tag:pro", limit=5)

    assert [(each.text, each.count) for each in found] == [
        ("project", 2),
        ("project/wall", 1),
        ("project/garden", 1),
    ]
    assert {each.start for each in found} == {8}
    assert inserts(words, "tag:project/w") == ["tag:project/wall"]
    assert inserts(words, "#IDE") == inserts(words, "tag:#ide") == ["tag:idea"]


def test_a_word_inside_a_tag_completes_it(words: Vocabulary) -> None:
    assert inserts(words, "tag:wal") == ["tag:project/wall"]


def test_paths_begin_with_folders(words: Vocabulary) -> None:
    assert inserts(words, "path:proj")[0] == "path:Projects/"
    assert 'path:"Projects/Garden walls.md"' in inserts(words, 'path:"Projects/Garden')
    assert inserts(words, "path:Odd")[0] == 'path:"Odd \\"names\\"/"'
    assert inserts(words, "file:wall") == ['file:"Garden walls"']


def test_properties_and_their_values(words: Vocabulary) -> None:
    assert inserts(words, "[stat") == ["[status]"] or inserts(words, "[stat") == ["[Status]"]
    assert sorted(inserts(words, "[status:")) == ["[status:done]", "[status:open]"]
    assert inserts(words, "x [rating: 4") == ["[rating:4]"]
    assert inserts(words, "[done:t") == ["[done:true]"]
    assert inserts(words, "status:op") == ["status:open"]
    assert inserts(words, "[q:") == inserts(words, "[a:") == []


def test_titles_and_aliases_by_several_words(words: Vocabulary) -> None:
    found = complete(words, "garden pl", limit=10)

    assert (found[0].kind, found[0].insert, found[0].start) == ("title", "Garden plan", 0)
    assert found[0].path == "Projects/Garden plan.md"
    assert complete(words, "an old garden w", limit=10)[0].start == 7
    assert of_kind(complete(words, "gardens, o", limit=10), "alias") == ["Gardens, old"]


def test_more_linked_notes_come_first_and_accents_are_ignored(words: Vocabulary) -> None:
    titles = of_kind(complete(words, "gar", limit=10), "title")

    assert titles == ["Garden walls", "Garden plan", "Gärten"]


def test_an_open_quote_or_link_is_completed_with_titles(words: Vocabulary) -> None:
    assert inserts(words, 'x "garden p') == ['"Garden plan"']
    assert inserts(words, "[[garden p") == ["[[Garden plan]]"]


def test_a_filters_own_name_is_offered(words: Vocabulary) -> None:
    assert inserts(words, "ta")[0] == "tag:"
    assert "created:" in inserts(words, "crea")


def test_a_name_with_query_syntax_is_quoted(words: Vocabulary) -> None:
    assert '"OR"' in inserts(words, "or")


def test_an_empty_prefix_offers_the_most_used_entries(words: Vocabulary) -> None:
    assert inserts(words, "", limit=1) == ["Garden walls"]
    assert inserts(words, "tag:", limit=1) == ["tag:idea"]


def test_offsets_are_in_utf16_code_units(words: Vocabulary) -> None:
    assert complete(words, "🐝 tag:id", limit=1)[0].start == 3


def test_names_are_found_by_the_beginning_of_a_word() -> None:
    names = NameIndex(
        [Name("red apple", 1), Name("apple pie", 2), Name("Apfel", 9), Name("grapple", 99)]
    )

    found = [(each.name.text, each.whole) for each in names.find("AP", 10)]

    assert found == [("Apfel", True), ("apple pie", True), ("red apple", False)]
    assert [each.name.text for each in names.find("apple", 1)] == ["apple pie", "red apple"]


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


@given(st.lists(TEXT, max_size=8, unique=True), TEXT)
def test_every_name_is_found_by_its_own_beginning(texts: list[str], fragment: str) -> None:
    names = NameIndex(Name(text, 1) for text in texts)

    for text in texts:
        assert text in {each.name.text for each in names.find(text, 20)}
    for found in names.find(fragment, 20):
        assert not fragment.strip() or fold_line(fragment).strip() in fold_line(found.name.text)


@given(st.text(max_size=30))
def test_no_prefix_makes_completion_raise(prefix: str) -> None:
    words = Vocabulary(NOTES, LINKS.__getitem__)

    for each in complete(words, prefix, limit=10):
        assert 0 <= each.start <= len(prefix.encode("utf-16-le", "surrogatepass")) // 2


VALUES = st.one_of(TEXT, st.integers(-99, 99), st.booleans())


@given(TEXT, VALUES, TEXT)
@example("0", "NAN", "0")
def test_what_is_inserted_finds_the_note_it_was_taken_from(
    name: str, value: PropertyValue, folder: str
) -> None:
    kept = note(1, f"{folder.replace('/', ' ')}/x.md", properties={name: value})
    words = Vocabulary([kept], lambda _: 0)

    for prefix in ("[", f"[{name}:", "path:"):
        for each in complete(words, prefix, limit=10):
            meant = parser.parse(each.insert)
            assert meant.warnings == ()
            match meant.condition:
                case Property() as wanted:
                    assert bool(NoteColumns((kept,)).with_property(wanted)[0])
                case PathContains(_, text):
                    assert text in kept.path.casefold()
                case other:
                    pytest.fail(f"{each.insert!r} was read as {other}")


@given(st.lists(st.text("ab-_/ä1", min_size=1, max_size=6), min_size=1, max_size=4))
def test_an_inserted_tag_finds_its_notes(tags: list[str]) -> None:
    words = Vocabulary([note(1, "x.md", tags=tags)], lambda _: 0)

    for each in complete(words, "tag:", limit=10):
        assert isinstance(parser.parse(each.insert).condition, Tagged | Text | All | None)
