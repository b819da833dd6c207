"""Links are resolved as Obsidian resolves them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.vault.link_targets import NoteNames

PATHS = {
    "Home.md": ("Start",),
    "Projects/Apollo.md": ("Moon shot", "start"),
    "Projects/Deep/Notes.md": (),
    "Notes.md": (),
    "Archive/Apollo.md": (),
    "Straße.md": (),
    "Weird.md.md": (),
    "Ver 1.2.md": (),
}


@pytest.fixture
def names() -> NoteNames:
    known = NoteNames()
    for path, aliases in PATHS.items():
        known.add(path, aliases)
    return known


@pytest.mark.parametrize(
    ("target", "source", "expected"),
    [
        ("Home", "x.md", "Home.md"),
        ("home", "x.md", "Home.md"),
        ("HOME.MD", "x.md", "Home.md"),
        ("Projects/Apollo", "x.md", "Projects/Apollo.md"),
        ("Apollo", "x.md", "Archive/Apollo.md"),  # the shortest path
        ("Apollo", "Projects/y.md", "Projects/Apollo.md"),  # beneath the linking folder
        ("Notes", "Projects/y.md", "Notes.md"),  # an exact path first
        ("Deep/Notes", "x.md", "Projects/Deep/Notes.md"),  # the end of a path
        ("eep/Notes", "x.md", None),
        ("./Apollo", "Projects/y.md", "Projects/Apollo.md"),
        ("./Apollo", "y.md", None),
        ("../Home.md", "Projects/y.md", "Home.md"),
        ("../../Home", "Projects/y.md", None),
        ("/Notes", "Projects/y.md", "Notes.md"),
        ("/Apollo", "Projects/y.md", None),
        ("Moon shot", "x.md", "Projects/Apollo.md"),
        ("start", "x.md", "Home.md"),  # of two aliases, the shorter path
        ("STRASSE", "x.md", "Straße.md"),
        ("Weird.md", "x.md", "Weird.md.md"),
        ("Ver 1.2", "x.md", "Ver 1.2.md"),
        ("picture.png", "x.md", None),
        ("", "Projects/Apollo.md", "Projects/Apollo.md"),
        ("Nowhere", "x.md", None),
    ],
)
def test_resolution(names: NoteNames, target: str, source: str, expected: str | None) -> None:
    assert names.resolve(target, source) == expected


def test_unicode_forms_do_not_matter(names: NoteNames) -> None:
    names.add("Caf\u00e9.md", ())
    assert names.resolve("cafe\u0301", "x.md") == "Caf\u00e9.md"


def test_removing_and_adding_again_changes_what_resolves(names: NoteNames) -> None:
    names.remove("Archive/Apollo.md")
    assert names.resolve("Apollo", "x.md") == "Projects/Apollo.md"
    names.add("Projects/Apollo.md", ("Saturn",))
    assert names.resolve("Moon shot", "x.md") is None
    assert names.resolve("saturn", "x.md") == "Projects/Apollo.md"
    names.remove("never there.md")


name = st.text("aB/. é", min_size=1, max_size=6)


@given(st.lists(st.tuples(name, st.lists(name, max_size=2)), max_size=12), name)
def test_incremental_changes_give_the_same_result_as_a_fresh_start(
    notes: list[tuple[str, list[str]]], target: str
) -> None:
    changed, fresh = NoteNames(), NoteNames()
    for path, aliases in notes:
        changed.add(f"{path}.md", aliases)
    kept = dict(notes[::2])
    for path, _ in notes:
        if path not in kept:
            changed.remove(f"{path}.md")
    for path, aliases in kept.items():
        changed.add(f"{path}.md", aliases)
        fresh.add(f"{path}.md", aliases)
    assert len(changed) == len(fresh)
    assert changed.resolve(target, "x.md") == fresh.resolve(target, "x.md")
