"""Conditions on the text as it is written: within a line, a block, a section, a task; patterns."""

from __future__ import annotations

import pytest

from notewell.search.query.parser import parse
from notewell.search.query.scopes import pieces, written_test
from notewell.search.query.text_matching import text_matcher
from tests.search.library import MakeLibrary

NOTES = {
    "Bread.md": "---\nauthor: Jane Doe\n---\n# Bread\n\nMix the flour.\nAdd water and salt.\n\n"
    "## Oven\n\n- [ ] call the HappyCat bakery\n  about flour\n- [x] buy salt on 2026-03-02\n",
    "Cake.md": "# Cake\n\nMix eggs.\nThe happycat sifts flour.\n\n```\n## no heading\n- [ ] no task\n```\n"
    "> - [/] half done\n",
    "Log 2025-01.md": "Nothing here but water.\n\nAnd salt below.\n",
}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("line:(mix flour)", {"Bread.md"}),
        ("line:(mix -flour)", {"Cake.md"}),
        ('line:"sifts flour"', {"Cake.md"}),
        ("block:(mix flour)", {"Bread.md", "Cake.md"}),
        ("block:(water salt)", {"Bread.md"}),
        ("block:(happycat flour)", {"Bread.md", "Cake.md"}),
        ("section:(flour bakery)", {"Bread.md"}),
        ("section:(water bakery)", set()),
        ('task:""', {"Bread.md", "Cake.md"}),
        ("task-todo:flour", {"Bread.md"}),
        ("task-done:(salt OR half)", {"Bread.md", "Cake.md"}),
        ("task-done:flour", set()),
        ("task:no", set()),
        ("content:water", {"Bread.md", "Log 2025-01.md"}),
        ("content:(water salt) -content:oven", {"Log 2025-01.md"}),
        ('content:"sifts flour"', {"Cake.md"}),
        ("content:log", set()),
        ("-content:water", {"Cake.md"}),
        ("match-case:(content:HappyCat)", {"Bread.md"}),
        ("match-case:HappyCat", {"Bread.md"}),
        ("ignore-case:HappyCat", {"Bread.md", "Cake.md"}),
        ("line:(match-case:(HappyCat) bakery)", {"Bread.md"}),
        (r"/\d{4}-\d{2}/", {"Bread.md", "Log 2025-01.md"}),
        (r"line:(/^- \[x\]/ salt)", {"Bread.md"}),
        ("/^author: jane/", {"Bread.md"}),
        ("match-case:(/Mix E/)", set()),
        ("salt -line:(water salt)", {"Log 2025-01.md"}),
        ("line:(water salt) OR file:log", {"Bread.md", "Log 2025-01.md"}),
    ],
)
def test_what_a_condition_within_a_piece_of_text_finds(
    query: str, found: set[str], make_library: MakeLibrary
) -> None:
    library = make_library(NOTES)
    assert set(library.paths(query, mode="keyword", everything=True)) == found


@pytest.mark.parametrize("scope", ["section", "content", "block", "line"])
def test_words_may_be_far_apart_in_a_long_piece(make_library: MakeLibrary, scope: str) -> None:
    filler = "Nothing of note happened on this day either, and so on. " * 400
    library = make_library({"Long.md": f"Walrus. {filler} Sextant.", "Other.md": "Walrus."})
    assert library.paths(f"{scope}:(walrus sextant)", mode="keyword") == ["Long.md"]


def test_pieces_of_a_text() -> None:
    text = "a\nb\n\n# H\nc\n- d\n  e\n- f\n```\n# x\n\n- y\n```\n"
    assert list(pieces(text, "block")) == [
        "a\nb",
        "# H",
        "c",
        "- d\n  e",
        "- f\n```\n# x\n\n- y\n```",
    ]
    assert [piece.split("\n")[0] for piece in pieces(text, "section")] == ["a", "# H"]


def test_a_pattern_takes_a_time_linear_in_the_text() -> None:
    """Backtracking would try 2 to the power of 100,000 ways; a look-around is refused in words."""
    query = parse("/(a|a)*(a|aa)+$b/", scopes=True)
    assert query.condition is not None
    assert not written_test(query.condition, text_matcher)("a" * 100_000 + "!")

    refused = parse("/(?<=a)b/", scopes=True)
    assert refused.condition is None
    assert "cannot be a condition" in refused.warnings[0]


@pytest.mark.parametrize(
    ("query", "line", "snippet"),
    [
        (r"/sour\w+h/", 5, "sourdough"),
        (r"/Sour\w+h/ path:Baking", 5, "sourdough"),
        ("line:(starter fridge)", 7, "starter"),
        (r"line:(/f\w+ge/ starter)", 7, "starter"),
        (r"/Baking\.md/", 1, ""),  # its path matches, and nothing of its text
        (r"-/sourdough/ path:Baking", 0, ""),
    ],
)
def test_a_result_shows_what_the_condition_matches(
    make_library: MakeLibrary, query: str, line: int, snippet: str
) -> None:
    text = "A note about bread.\n\n## Later\n\nBread of sourdough rests.\n\nThe starter waits in the fridge.\n"
    reply = make_library({"Baking.md": text, "Other.md": "Nothing.\n"}).search(query)

    assert [result.line for result in reply.results] == ([line] if line else [])
    for result in reply.results:
        assert snippet == "".join(result.snippet[slice(*mark)] for mark in result.highlights[:1])
