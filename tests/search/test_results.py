"""Results of a reply: links, parents, blocks and descriptions."""

from __future__ import annotations

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
def test_a_hit_in_a_list_leads_to_its_block_and_names_what_it_hangs_under(
    library: Library, query: str, block: str | None, parent: str | None
) -> None:
    result = library.search(query, mode="keyword").results[0]
    assert (result.path, result.block, result.parent) == ("Plan.md", block, parent)
    file = parse_qs(urlsplit(result.uri).query)["file"]
    assert file == [f"Plan#^{block}" if block else "Plan"]


def test_an_item_cut_off_from_its_list_still_names_what_it_hangs_under(library: Library) -> None:
    assert library.search("trombone", mode="keyword").results[0].parent == "Errands of the week"


def test_a_note_found_by_nothing_it_says_is_shown_by_its_description(library: Library) -> None:
    listed = library.search("[description]").results[0]
    assert listed.snippet == "What a bond pays, and when."
    meant = library.search("zzz", mode="semantic").results
    (bond,) = [result for result in meant if result.path == "Bond.md"]
    assert bond.snippet == "What a bond pays, and when."
    found = library.search("coupons", mode="keyword").results[0]
    assert found.snippet.startswith("Coupons are due")
