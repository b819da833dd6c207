"""Groups and patterns as the values of filters: `path:(a OR b)`, `file:/^2024/`, `[p:/x/]`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.search.query.parser import parse
from tests.search.library import Library, MakeLibrary

NOTES = {
    "Work/Plan A.md": "---\nstatus: draft\npriority: 3\ntags: [work, urgent]\n---\nSeeds and soil.",
    "Work/Plan B.md": "---\nstatus: Done\npriority: 12\ntags: home\n---\nThe soil report.",
    "Home/Trip 2024.md": "---\ncreated: 2024-03-05\n---\n#travel/italy A trip.",
    "Home/Old (1).md": "---\nstatus: [on hold, draft 2]\ncreated: 2023-01-01\n---\nNothing.",
}
A, B, TRIP, OLD = NOTES


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("path:(Work OR Trip)", {A, B, TRIP}),
        ("path:(work plan)", {A, B}),
        ('path:("Plan A" OR "Trip 2024")', {A, TRIP}),
        ("path:(work -plan)", set()),
        ("path:(home -(old OR nothing))", {TRIP}),
        ("-path:(home OR b)", {A}),
        ("path:(work (a OR b))", {A, B}),
        ("file:(plan OR old)", {A, B, OLD}),
        ("tag:(work urgent)", {A}),
        ("tag:(#work OR #home)", {A, B}),
        ("tag:(travel)", {TRIP}),
        ("status:(draft OR done)", {A, B}),
        ("created:(2022 OR 2024)", {TRIP}),
        ("path:(home tag:travel)", {TRIP}),
        ("path:/plan [ab]/", {A, B}),
        ("path:/^home/", {TRIP, OLD}),
        ("file:/^home/", set()),
        (r"file:/\d{4}/", {TRIP}),
        (r"-file:/\d/", {A, B}),
        ("path:(/^home/ OR /b[.]md$/)", {B, TRIP, OLD}),
        ("path:(home line:(nothing))", {OLD}),
        ("[status:(draft OR done)]", {A, B}),
        ("[status:/^dr/]", {A, OLD}),
        ("[status:(/^do/ OR on hold)]", {B, OLD}),
        ("[priority:/^1/]", {B}),
    ],
)
def test_what_a_group_or_a_pattern_finds(
    library: Library, query: str, paths: set[str], mode: str
) -> None:
    reply = library.search(query, mode=mode, limit=20)
    assert {result.path for result in reply.results} == paths
    assert reply.warnings == ()


def test_words_beside_a_group_are_scored(library: Library) -> None:
    assert library.paths("path:(work OR home) report", mode="keyword")[0] == B


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("path:()", "path: has no value"),
        ("path:(work", "never closed"),
        ("path:/(/", "cannot be a condition"),
        ("tag:(work OR)", "lacks something"),
    ],
)
def test_what_cannot_be_read_is_told(library: Library, query: str, told: str) -> None:
    assert any(told in warning for warning in library.search(query, mode="keyword").warnings)


def test_a_group_that_is_still_typed_holds_already(library: Library) -> None:
    assert set(library.paths("path:(trip", mode="keyword", typing=True)) == {TRIP}


@given(st.text('pathfiletg:()/"- OR#[]a.*+?', max_size=40), st.booleans())
def test_any_text_is_read(text: str, typing: bool) -> None:
    parse(text, scopes=True, typing=typing)
    parse(f"path:({text}) tag:(a", scopes=True, typing=typing)
