"""Results of a reply: links, parents, blocks and descriptions."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.search.library import Library, MakeLibrary

NOTES = {
    "Plan.md": """# Plan

- Kitchen
  - buy a convection oven ^oven
    - with a pyrolytic cleaner
  - paint the walls
- Garden ^garden
  - plant roses

Call the plumber about the boiler. ^boiler
""",
    "Long list.md": "# Long list\n\n- Errands of the week\n"
    + "".join(f"  - errand number {n} of many that go on and on\n" for n in range(40))
    + "  - return the trombone\n",
    "Bond.md": "---\ndescription: What a bond pays, and when.\n---\n"
    "Coupons are due twice a year. The principal is due at the end.\n",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


@pytest.mark.parametrize(
    ("query", "block", "parent"),
    [
        ("convection", "oven", "Kitchen"),
        ("pyrolytic", "oven", "buy a convection oven"),
        ("walls", None, "Kitchen"),
        ("roses", "garden", "Garden"),
        ("kitchen", None, None),
        ("plumber", "boiler", None),
    ],
)
def test_a_hit_in_a_list_has_its_block_and_its_parent_items(
    library: Library, query: str, block: str | None, parent: str | None
) -> None:
    result = library.search(query, mode="keyword").results[0]
    assert (result.path, result.block, result.parent) == ("Plan.md", block, parent)
    file = parse_qs(urlsplit(result.uri).query)["file"]
    assert file == [f"Plan#^{block}" if block else "Plan"]


def test_an_item_in_a_later_chunk_still_has_its_parent_items(library: Library) -> None:
    assert library.search("trombone", mode="keyword").results[0].parent == "Errands of the week"


def test_a_note_found_only_by_metadata_shows_its_description(library: Library) -> None:
    listed = library.search("[description]").results[0]
    assert listed.snippet == "What a bond pays, and when."
    meant = library.search("zzz", mode="semantic").results
    (bond,) = [result for result in meant if result.path == "Bond.md"]
    assert bond.snippet == "What a bond pays, and when."
    found = library.search("coupons", mode="keyword").results[0]
    assert found.snippet.startswith("Coupons are due")


WEEK = """# Week

Groceries for the week come on Friday.

- Monday
  - groceries: bread and cheese ^bread
    - the dark bread
    - not too much
  - call the plumber
- Friday
  - more groceries
    and some cheese
"""


@pytest.fixture(scope="module")
def lists(make_library: MakeLibrary) -> Library:
    return make_library(
        {"Week.md": WEEK, "Shop.md": "The cheese shop has groceries.\n", "Sea.md": "Ships.\n"}
    )


def test_each_matching_item_and_paragraph_is_a_result(lists: Library) -> None:
    reply = lists.search("groceries cheese", mode="keyword", group="block")

    found = {(result.path, result.snippet): result for result in reply.results}
    assert list(found) == [
        ("Shop.md", "The cheese shop has groceries."),
        ("Week.md", "groceries: bread and cheese"),
        ("Week.md", "more groceries and some cheese"),
        ("Week.md", "Groceries for the week come on Friday."),
    ]
    bread = found["Week.md", "groceries: bread and cheese"]
    assert (bread.parent, bread.block, bread.children, bread.line) == ("Monday", "bread", 2, 6)
    assert parse_qs(urlsplit(bread.uri).query)["file"] == ["Week#^bread"]
    assert [bread.snippet[a:b] for a, b in bread.highlights] == ["groceries", "cheese"]
    assert bread.passages == ()
    paragraph = reply.results[3]
    assert (paragraph.parent, paragraph.children, paragraph.line) == (None, None, 3)
    assert reply.total == 2  # notes


def test_the_best_block_has_the_score_of_its_note_and_others_a_share(lists: Library) -> None:
    notes = lists.search("groceries cheese", mode="keyword").results
    blocks = lists.search("groceries cheese", mode="keyword", group="block").results

    scores = [block.score for block in blocks]
    assert [notes[0].score, notes[1].score, notes[1].score] == scores[:3]
    assert scores[3] == pytest.approx(0.5 * notes[1].score, abs=0.1)
    assert blocks[3].scores == notes[1].scores


def test_a_nested_item_has_all_its_parent_items(lists: Library, library: Library) -> None:
    deep = lists.search("dark bread", mode="keyword", group="block").results[0]
    assert (deep.snippet, deep.parent) == ("the dark bread", "Monday > groceries: bread and cheese")
    cut_off = library.search("trombone", mode="keyword", group="block").results[0]
    assert cut_off.parent == "Errands of the week"


def test_no_more_blocks_than_the_limit_and_a_few_of_one_note(library: Library) -> None:
    blocks = library.search("errand", mode="keyword", group="block", limit=50).results
    assert len(blocks) == 10
    assert len({block.line for block in blocks}) == 10
    assert len(library.search("errand", mode="keyword", group="block", limit=4).results) == 4


def test_a_note_without_words_of_the_query_is_one_result(lists: Library) -> None:
    reply = lists.search("vessels", mode="semantic", group="block")
    assert sorted(result.path for result in reply.results) == ["Sea.md", "Shop.md", "Week.md"]
    assert [result.path for result in lists.search("file:sea", group="block").results] == ["Sea.md"]


def test_a_request_limits_the_further_passages_alone(lists: Library) -> None:
    every = lists.search("bread plumber").results
    assert max(len(result.passages) for result in every) > 1
    for most in (0, 1, 100):
        found = lists.search("bread plumber", passages=most).results
        assert found == tuple(replace(result, passages=result.passages[:most]) for result in every)


def test_further_items_of_a_passage_are_passages_of_the_note(lists: Library) -> None:
    [week] = lists.search("bread plumber -shop", mode="keyword").results
    shown = {week.snippet, *(passage.snippet for passage in week.passages)}
    assert {"call the plumber", "the dark bread"} <= shown
    plumber = next(passage for passage in week.passages if passage.snippet == "call the plumber")
    assert (plumber.parent, plumber.line, plumber.block) == ("Monday", 9, None)
    lines = [week.line, *(passage.line for passage in week.passages)]
    assert len(lines) == len(set(lines))


def test_a_footer_that_all_notes_have_is_not_shown_as_what_was_found(
    make_library: MakeLibrary,
) -> None:
    """A footer is embedded with the tags of its note, so it comes near to queries that name them."""
    footer = "## Links\n\nEdit this page, copy this page, or download all pages of this vault.\n"
    texts = {
        number: f"Text {number} on {number * 7} kinds of trees and how to plant each.\n\n"
        for number in range(20)
    }
    library = make_library(
        {f"{n}.md": f"---\ntags: [evergreen]\n---\n{text}{footer}" for n, text in texts.items()}
        | {"Only.md": f"---\ntags: [evergreen]\n---\n{footer}"}
    )
    found = library.search("evergreen vault pages", limit=30).results
    shown = {
        result.path: [result.snippet, *(passage.snippet for passage in result.passages)]
        for result in found
    }
    assert len(shown) == 21
    assert shown.pop("Only.md")[0].startswith("Edit this page")
    assert not [each for each in shown.values() if len(each) > 1 or "Edit this" in each[0]]


def test_a_phrase_is_shown_in_the_passage_that_has_it(make_library: MakeLibrary) -> None:
    filler = "Some words of no interest fill this part of the note, and more of them. " * 12
    often = "Doe met Jane. Doe and Jane: Jane, Doe. " * 3
    library = make_library(
        {
            "Late.md": f"{often}{filler}\n\n## Later\n\n{filler}Then **Jane** Doe came.\n{filler}\n",
            "Elsewhere.md": f"---\nauthor: Jane Doe\n---\n{often}\n",
        }
    )

    late, elsewhere = sorted(
        library.search('"jane doe"', mode="keyword").results, key=lambda one: -len(one.path)
    )[::-1]

    assert (late.path, late.heading, late.line, late.reasons) == ("Late.md", "Later", 5, ())
    assert "Then Jane Doe came" in late.snippet
    marks = [late.snippet[start:end] for start, end in late.highlights]
    assert "Jane Doe" in marks
    assert [reason.text for reason in elsewhere.reasons] == ["author: Jane Doe"]
