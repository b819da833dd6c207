"""Canvases: text nodes, edges and groups, and files that are not canvases."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.base.errors import UnreadableNoteError
from notewell.vault.readers import READERS
from notewell.vault.readers.canvas_file import MAX_GROUPS, MAX_NODES
from notewell.vault.readers.reader import ReadNote
from tests.vault.notes import check_note
from tests.vault.reading import canvas, check, node, read


def read_canvas(source: str) -> ReadNote:
    return read(READERS[".canvas"], source.encode("utf-8", "surrogatepass"))


def test_nodes_belong_to_the_smallest_enclosing_group() -> None:
    found = read_canvas(
        canvas(
            node("inside", text="Deep inside", x=30, y=30),
            node("outer", "group", label="Garden", width=200, height=200),
            node("inner", "group", label="Bees", x=20, y=20, width=60, height=60),
            node("shared", text="In the garden", x=150, y=150),
            node("alone", text="Out in the fields", x=500, y=0),
        )
    )
    check(found)

    titles = [(heading.level, heading.text) for heading in found.note.headings]
    placed = {span.block: span.section for span in found.note.spans if span.kind == "paragraph"}
    assert titles == [(1, "Garden"), (2, "Bees")]
    assert placed == {"alone": -1, "shared": 0, "inside": 1}


def test_headings_in_a_node_belong_to_its_group() -> None:
    found = read_canvas(
        canvas(
            node("g", "group", label="Garden", width=100, height=100),
            node("a", text="# Bees\nThey dance.", x=10, y=10),
            node("b", text="No heading of its own", x=10, y=50),
        )
    )
    check(found)

    assert [(h.level, h.text) for h in found.note.headings] == [(1, "Garden"), (2, "Bees")]
    sections = [span.section for span in found.note.spans if span.kind == "paragraph"]
    assert sections == [1, 0]


def test_passages_are_in_reading_order() -> None:
    found = read_canvas(
        canvas(
            node("c", text="third", y=50),
            node("b", text="second", x=50),
            node("a", text="first", x=-50),
        )
    )

    assert [span.block for span in found.note.spans] == ["a", "b", "c"]


def test_file_nodes_and_edges_are_links() -> None:
    found = read_canvas(
        canvas(
            node("a", text="Bees"),
            node("b", "file", file="Fields/Grass.md", subpath="#Clover", y=20),
            node("c", text="Honey", y=40),
            edges=(
                {"id": "1", "fromNode": "a", "toNode": "b"},
                {"id": "2", "fromNode": "a", "toNode": "c", "label": "make"},
                {"id": "3", "fromNode": "a", "toNode": "gone"},
            ),
        )
    )
    check(found)

    links = [(x.target, x.heading, x.block, x.display, x.embed) for x in found.note.links]
    assert links == [
        ("Fields/Grass.md", "Clover", None, None, False),
        ("", None, "c", "make", False),
        ("Fields/Grass.md", "Clover", None, None, True),
    ]
    for link in found.note.links:
        assert found.text[link.start : link.end].strip("!").startswith("[[")


def test_the_address_of_a_link_node_is_text() -> None:
    found = read_canvas(canvas(node("a", "link", url="https://example.org/bees")))

    assert [span.text for span in found.note.spans] == ["https://example.org/bees"]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ('{"nodes": [{"id": "a", "type": "te', "broken or cut off at line 1"),
        ("[]", "no object"),
        ('{"nodes": {}}', "not lists"),
        ("[" * 100_000, "cannot be read"),
        ('{"nodes": [' + "9" * 5000 + "]}", "cannot be read"),
    ],
)
def test_a_file_that_is_not_a_canvas_is_refused_with_a_reason(source: str, reason: str) -> None:
    with pytest.raises(UnreadableNoteError, match=reason) as refused:
        read_canvas(source)

    assert refused.value.code == "unreadable"


def test_a_huge_canvas_is_read_partly() -> None:
    groups = [node(f"g{n}", "group", label=f"G{n}", width=n, height=n) for n in range(300)]
    found = read_canvas(canvas(*groups, *(node(f"n{n}", text="x") for n in range(MAX_NODES))))
    check_note(found.note, found.text)

    assert len(found.note.headings) == MAX_GROUPS
    assert any("Only the first 10,000 of 10,300 nodes" in each for each in found.note.warnings)


def test_characters_that_cannot_be_stored_are_replaced() -> None:
    found = read_canvas(
        '{"nodes": [{"id": "a\\ud800", "type": "text", "text": "b\\ud800\\u0000"}]}'
    )
    check(found)

    (span,) = found.note.spans
    (span.text + str(span.block)).encode()
    assert "\x00" not in found.text


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
texts = st.text(max_size=60) | st.sampled_from(
    [
        "# A\ntext",
        "```\nopen",
        "- a\n  - b ^id",
        "%% [[x]]",
        "---\na: b\n---",
        "| a |\n|---|",
        "$$x",
    ]
)
numbers = st.integers(-100, 100) | st.floats() | json_values
nodes = st.fixed_dictionaries(
    {"id": st.sampled_from("abcdef"), "type": st.sampled_from(["text", "file", "link", "group"])},
    optional={
        **dict.fromkeys(("x", "y", "width", "height"), numbers),
        **dict.fromkeys(("text", "file", "url", "label"), texts),
        "subpath": texts,
    },
)
edges = st.fixed_dictionaries(
    {"fromNode": st.sampled_from("abcdef"), "toNode": st.sampled_from("abcdef")},
    optional={"label": texts},
)


@settings(deadline=None)
@given(
    nodes=st.lists(nodes | json_values, max_size=12),
    edges=st.lists(edges | json_values, max_size=8),
)
def test_any_canvas_gives_a_valid_note(nodes: list[object], edges: list[object]) -> None:
    source = canvas(*nodes, edges=tuple(edges))

    found = read_canvas(source)

    check(found)
    assert found == read_canvas(source)
    assert {span.block for span in found.note.spans} <= {*"abcdef", None}


def test_a_card_whose_path_ends_with_a_slash_shows_the_path() -> None:
    found = read(READERS[".canvas"], canvas(node("a", "file", file="Fields/")).encode())
    assert [span.text for span in found.note.spans] == ["Fields/"]
    check(found)
