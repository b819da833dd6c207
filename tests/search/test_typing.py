"""Words that are still being typed: they find what begins with them, before any correction."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.search.query.terms import query_terms, says_little
from notewell.search.rank.guarantees import is_beginning
from tests.search.library import Library, MakeLibrary

NOTES = {
    "Sourdough.md": "Flour, water and patience. Feed the starter every morning.\n",
    "Pitch.md": "A sound has a pitch; sounds of bells have several. Sound travels.\n",
    "Bicycle repair.md": "Bicycles need oil. Mend the tyre of a bicycle.\n",
    "Memory.md": "Memorise names by pictures. A memory palace holds many.\n",
    "Hotkeys.md": "Press the hotkey to open a note; how to change it.\n",
    "Home.md": "Where everything begins. See the holiday plan.\n",
    "Plan.md": "A holiday in the mountains, with memories of home.\n",
    "Node.js.md": "A runtime for scripts on servers.\n",
    "Diary.md": "Today nothing happened. How quiet.\n",
}
WORDS = {
    path: sorted(
        {
            word
            for word in text.lower().replace(".", " ").split()
            if word.isalpha() and not says_little(word)
        }
    )
    for path, text in NOTES.items()
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


@pytest.mark.parametrize("typing", [True, False])
@pytest.mark.parametrize(
    ("typed", "first", "others"),
    [
        ("mem", "Memory.md", {"Plan.md"}),
        ("ho", "Home.md", {"Hotkeys.md", "Plan.md"}),
        ("bicyc", "Bicycle repair.md", set()),
        ("sourd", "Sourdough.md", set()),
        ("bicycle rep", "Bicycle repair.md", set()),
        ("morning fl", "Sourdough.md", set()),
    ],
)
def test_an_unfinished_word_finds_what_begins_with_it(
    library: Library, typed: str, first: str, others: set[str], *, typing: bool
) -> None:
    reply = library.search(typed, mode="keyword", weak=False, typing=typing)
    found = [result.path for result in reply.results]
    assert found[0] == first
    assert others <= set(found)
    assert reply.corrected is None
    assert all(result.match != "weak" for result in reply.results)


def test_one_letter_finds_names_that_begin_so_before_notes_of_many_such_words(
    make_library: MakeLibrary,
) -> None:
    many = "Can cats count colours, cakes, coins, cups, cards and clouds? Come closer. "
    texts = {f"Note {n}.md": f"{many} Common things, copied {n} times.\n" for n in range(30)}
    library = make_library({**texts, "Cymbal.md": "It rings.\n"})

    assert library.paths("c", typing=True, weak=True)[0] == "Cymbal.md"


@pytest.mark.parametrize("typed", ["D", "da", "Dar"])
def test_names_that_begin_with_the_first_letters_come_before_other_words_of_names(
    make_library: MakeLibrary, typed: str
) -> None:
    names = ("Proper Dark", "Behave dark", "Data cards", "Dark castle")
    library = make_library({f"{name}.md": "Notes.\n" for name in names})
    begin = {f"{name}.md" for name in names if name.lower().startswith(typed.lower())}

    found = library.paths(typed, mode="keyword", weak=True, typing=True)

    assert set(found[: len(begin)]) == begin


def test_a_beginning_is_not_corrected_wherever_it_stands(library: Library) -> None:
    terms = query_terms(library.index, "sourd starter")
    assert terms.fixes == ()
    assert terms.begun == {"sourd"}
    assert library.paths("sourd starter", mode="keyword")[0] == "Sourdough.md"
    assert query_terms(library.index, "sourd", correct=False).begun == frozenset()


def test_a_space_ends_a_word(library: Library) -> None:
    assert query_terms(library.index, "bicyc", typing=True).begun == {"bicyc"}
    assert library.paths("trave", mode="keyword", typing=True) == ["Pitch.md"]
    assert library.paths("trave ", mode="keyword", typing=True) == []
    assert library.search("sourd ", mode="keyword").corrected is None
    reply = library.search("memry ", mode="keyword", typing=True)
    assert reply.corrected == {"text": "memory ", "from": ("memry",)}


def test_a_word_that_is_complete_ranks_before_longer_ones(library: Library) -> None:
    assert library.paths("sound", mode="keyword", typing=True)[0] == "Pitch.md"
    assert library.paths("home", mode="keyword", typing=True)[0] == "Home.md"


def test_the_end_of_a_compound_may_be_unfinished(library: Library) -> None:
    assert library.paths("node.j", mode="keyword", typing=True)[0] == "Node.js.md"


def test_the_model_reads_the_likeliest_word(library: Library) -> None:
    read: list[str] = []
    embed = library.embedder.embed_query

    class Listening(type(library.embedder)):  # type: ignore[misc]
        def embed_query(self, text: str) -> object:
            read.append(text)
            return embed(text)

    Library(library.record.path, library.index, Listening()).search("a sourd", typing=True)
    assert read == ["a sourdough"]


@given(st.data())
def test_every_beginning_of_a_word_finds_its_note(library: Library, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(WORDS)))
    word = data.draw(st.sampled_from([each for each in WORDS[path] if len(each) > 2]))
    typed = word[: data.draw(st.integers(2, len(word)))]
    before = data.draw(st.sampled_from(["", *WORDS[path]]))
    query = f"{before} {typed}".strip()

    reply = library.search(query, mode="keyword", weak=False, typing=True, limit=50)

    assert path in [result.path for result in reply.results], query
    assert "weak" not in [result.match for result in reply.results]


@pytest.mark.parametrize("typed", ["k", "ka", "KA"])
def test_while_two_letters_are_typed_names_that_begin_so_come_before_all_others(
    make_library: MakeLibrary, typed: str
) -> None:
    begin = {"Kale.md", "Kanban board of the team.md", "People/Kim.md"}
    texts = dict.fromkeys(begin, "Green.\n")
    texts["People/Kim.md"] = "---\naliases: [Kaito]\n---\nA friend.\n"
    others = {"To katex.md": "---\ntags: [kale, katex]\n---\n# Kale\n" + "Kale, katex, kale. " * 9}

    paths = make_library(texts | others).paths(typed, mode="keyword", weak=True, typing=True)

    assert set(paths[:3]) == begin
    assert paths[3:] == ["To katex.md"]


@pytest.mark.parametrize("text", ["会議", "12", "kal", "k9", ".."])
def test_what_may_be_a_word_by_itself_is_no_beginning(text: str) -> None:
    assert not is_beginning(text, typing=True)
    assert not is_beginning("ka", typing=False)
