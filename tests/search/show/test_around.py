"""What belongs to a paragraph: notes that it could link, and none that its note links already."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.errors import NotFoundError, UsageError
from tests.search.library import Library, MakeLibrary

NOTES = {
    "Baking.md": (
        "# Baking\nKnead flour, water and salt. See [[Pizza]].\n\n"
        "The engine of the mixer is hot,\nits pistons and valves rattle.\n\nNothing else.\n"
    ),
    "Pizza.md": "# Pizza\nKnead flour, water, oil and yeast into a dough, top with tomato.\n",
    "Cake.md": "# Cake\nStir flour, sugar, butter and eggs into a dough. [[Oven]]\n",
    "Engines.md": "# Engines\nPistons and valves drive the crankshaft of an engine.\n",
    "Oven.md": "# Oven\nHeat it for an hour.\n",
    "Week.md": "# Week\nMonday: [[Baking]].\n",
    "Empty.md": "",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


@pytest.mark.parametrize("model", [True, False])
def test_the_paragraph_on_a_line_decides_not_the_whole_note(library: Library, model: bool) -> None:
    reply = library.around(path="Baking.md", line=5, model=model)

    assert (reply.line, reply.text.split("\n")[0]) == (4, "The engine of the mixer is hot,")
    assert reply.results[0].path == "Engines.md"
    assert bool(reply.warnings) is not model


def test_notes_that_are_linked_already_are_left_out_and_those_that_link_here_are_told(
    library: Library,
) -> None:
    reply = library.around(path="Baking.md", line=2, limit=50)

    linked = {result.path: result.linked for result in reply.results}
    assert "Pizza.md" not in linked
    assert "Baking.md" not in linked
    assert (linked["Week.md"], linked["Engines.md"]) == ("in", None)


def test_a_text_from_the_editor_stands_for_the_paragraph(library: Library) -> None:
    reply = library.around(path="Baking.md", line=2, text="Flour, sugar and butter, stirred")

    assert reply.results[0].path == "Cake.md"
    assert reply.text == "Flour, sugar and butter, stirred"


def test_a_note_that_is_not_indexed_yet_needs_a_text(library: Library) -> None:
    reply = library.around(path="New/Draft.md", text="pistons and valves of the old engine")
    assert reply.results[0].path == "Engines.md"

    with pytest.raises(NotFoundError):
        library.around(path="New/Draft.md")


def test_a_text_that_says_too_little_has_the_title_of_its_note(library: Library) -> None:
    assert library.around(path="New/Engines.md", text="See").text == "Engines See"
    assert library.around(path="Oven.md", text="Also").text == "Oven Also"


def test_an_empty_note_is_asked_by_its_name(library: Library) -> None:
    reply = library.around(path="Empty.md")
    assert (reply.text, reply.line) == ("Empty", None)


def test_neither_a_note_nor_a_text_is_an_error(library: Library) -> None:
    with pytest.raises(UsageError, match="Give the `path`"):
        library.around(text="  \n")


def test_a_note_named_in_the_paragraph_comes_before_one_that_uses_its_word(
    make_library: MakeLibrary,
) -> None:
    library = make_library(
        {
            "Harbour.md": "# Harbour\nShips and cranes.\n",
            "Log.md": "# Log\nSaw a harbour.\n\nHarbour again.\n",
            "Other.md": "# Other\nNothing of it.\n",
        }
    )
    reply = library.around(text="Tomorrow we walk down to the harbour in the morning.")
    assert reply.results[0].path == "Harbour.md"


@given(
    text=st.text(max_size=200),
    line=st.integers(min_value=1, max_value=10**9),
    limit=st.integers(min_value=1, max_value=5),
)
def test_any_paragraph_gives_different_notes_best_first(
    library: Library, text: str, line: int, limit: int
) -> None:
    reply = library.around(path="Baking.md", text=text, line=line, limit=limit)

    paths = [result.path for result in reply.results]
    assert len(paths) == len(set(paths)) <= limit
    assert not {"Baking.md", "Pizza.md"} & set(paths)
    scores = [result.score for result in reply.results]
    assert scores == sorted(scores, reverse=True)
