"""The graph of links while notes are added, changed, renamed and removed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.base.types import Batch, NoteMove
from notewell.index.embedded import EmbeddedIndex
from notewell.index.link_graph import LinkGraph
from tests.index.inside import store_of


def link(target: str) -> tuple[Any, ...]:
    return (target, None, None, None, False, "wikilink", 1, 0, 1)


def graph_of(notes: dict[int, tuple[str, tuple[str, ...], tuple[str, ...]]]) -> LinkGraph:
    graph = LinkGraph()
    graph.update(
        put=[
            (id_, path, aliases, [link(t) for t in targets])
            for id_, (path, aliases, targets) in notes.items()
        ]
    )
    return graph


def targets(graph: LinkGraph, note_id: int) -> list[int | None]:
    return [target for _, target in graph.links_out(note_id)]


@pytest.fixture
def graph() -> LinkGraph:
    return graph_of(
        {
            1: ("Home.md", (), ("Garden", "Plans/Work", "nowhere", "", "Garden")),
            2: ("Garden.md", ("Allotment",), ("home",)),
            3: ("Plans/Work.md", (), ("Garden",)),
        }
    )


def test_links_are_followed_in_both_directions(graph: LinkGraph) -> None:
    assert targets(graph, 1) == [2, 3, None, 1, 2]
    assert [(source, found.target) for source, found in graph.links_in(2)] == [
        (1, "Garden"),
        (1, "Garden"),
        (3, "Garden"),
    ]
    assert graph.neighbours(1) == {2, 3}
    assert graph.backlinks(2) == {1, 3}
    assert [(note, found.target) for note, found in graph.unresolved()] == [(1, "nowhere")]
    assert graph.resolve("allotment", "Home.md") == 2
    assert graph.links_out(99) == ()
    assert graph.links_in(99) == ()


def test_several_links_count_as_one_and_links_to_itself_not_at_all(graph: LinkGraph) -> None:
    assert len(graph) == 3
    assert graph.edge_count == 4


def test_a_new_note_resolves_links_to_it(graph: LinkGraph) -> None:
    graph.update(put=[(4, "deep/down/Nowhere.md", (), [])])
    assert targets(graph, 1)[2] == 4
    graph.update(gone=[4])
    assert targets(graph, 1)[2] is None
    assert graph.backlinks(4) == frozenset()


def test_a_link_leads_to_no_alias_as_in_obsidian(graph: LinkGraph) -> None:
    graph.update(put=[(2, "Garden.md", ("Nowhere",), [])])
    assert targets(graph, 1)[2] is None
    assert graph.resolve("nowhere", "") == 2  # a person may name a note so
    graph.update(put=[(2, "Garden.md", (), [])])
    assert graph.resolve("nowhere", "") is None


def test_a_rename_follows_the_name(graph: LinkGraph) -> None:
    graph.update(moved=[(2, "Plans/Patch.md")])
    assert targets(graph, 1)[0] is None
    assert targets(graph, 3) == [None]
    assert targets(graph, 2) == [1]
    graph.update(moved=[(2, "elsewhere/Garden.md")])
    assert targets(graph, 1)[0] == 2


def test_notes_may_swap_names(graph: LinkGraph) -> None:
    graph.update(moved=[(2, "Plans/Work.md"), (3, "Garden.md")])
    assert targets(graph, 1)[:2] == [3, 2]


_NAMES = ("a", "b", "c/a", "c/b", "D")
_ALIASES = ("a", "alias", "d")
_STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("put"),
            st.sampled_from(_NAMES),
            st.lists(st.sampled_from(_ALIASES), max_size=2),
            st.lists(st.sampled_from((*_NAMES, *_ALIASES, "", "zz")), max_size=3),
        ),
        st.tuples(st.just("remove"), st.sampled_from(_NAMES)),
        st.tuples(st.just("move"), st.sampled_from(_NAMES), st.sampled_from(_NAMES)),
        st.tuples(st.sampled_from(("reload", "renew"))),
    ),
    max_size=12,
)


def renewed(graph: LinkGraph) -> None:
    """Let everything that changed go into the table at once, as much of it does by itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("notewell.index.link_graph._MOST_CHANGED", 0)
        graph.update()


@settings(max_examples=200, deadline=None)
@given(_STEPS)
def test_an_updated_graph_equals_a_new_one(steps: list[tuple[Any, ...]]) -> None:
    graph = LinkGraph()
    held: dict[str, tuple[int, tuple[str, ...], tuple[str, ...]]] = {}
    number = 0
    for step in steps:
        if step[0] == "put":
            _, path, aliases, links = step
            number += 1
            id_ = held[path][0] if path in held else number
            held[path] = (id_, tuple(aliases), tuple(links))
            graph.update(put=[(id_, f"{path}.md", aliases, [link(t) for t in links])])
        elif step[0] == "remove" and step[1] in held:
            graph.update(gone=[held.pop(step[1])[0]])
        elif step[0] == "move" and step[1] in held and step[2] not in held:
            held[step[2]] = held.pop(step[1])
            graph.update(moved=[(held[step[2]][0], f"{step[2]}.md")])
        elif step[0] == "reload":
            graph = LinkGraph.from_arrays(graph.arrays())
        elif step[0] == "renew":
            renewed(graph)
    fresh = graph_of(
        {id_: (f"{path}.md", aliases, links) for path, (id_, aliases, links) in held.items()}
    )
    loaded = LinkGraph.from_arrays(graph.arrays())
    for id_, _, _ in held.values():
        for each in (graph, loaded):
            assert targets(each, id_) == targets(fresh, id_)
            assert each.backlinks(id_) == fresh.backlinks(id_)
            assert each.neighbours(id_) == fresh.neighbours(id_)
            assert each.links_in(id_) == fresh.links_in(id_)
    asked = np.array([*range(number + 2), -1], np.int64)
    counts = [len(fresh.backlinks(id_)) for id_ in asked.tolist()]
    for each in (graph, loaded):
        assert each.edge_count == fresh.edge_count
        assert each.unresolved() == fresh.unresolved()
        assert each.backlink_counts(asked).tolist() == counts
        sources, ends = each.links_among(asked[::-1], len(asked) // 2)
        pairs = list(zip(sources.tolist(), ends.tolist(), strict=True))
        among = enumerate(asked[::-1].tolist())
        linked = {place: (id_, fresh.neighbours(id_)) for place, id_ in among}
        assert pairs == [
            (source, end)
            for source in range(len(asked) // 2)
            for end, (id_, _) in linked.items()
            if id_ in linked[source][1]
        ]
        assert len(each) == len(held)


def test_links_that_stay_are_not_resolved_again(
    graph: LinkGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = LinkGraph.from_arrays(graph.arrays())
    with monkeypatch.context() as patch:
        patch.delattr("notewell.index.link_graph.Names")  # the names of all notes are not needed
        loaded.update(put=[(1, "Home.md", (), [link("nowhere"), link("Garden"), link("")])])
    assert targets(loaded, 1) == [None, 2, 1]
    assert loaded.backlinks(3) == frozenset()
    loaded.update(put=[(1, "Home.md", (), [link("Garden"), link("Work")])])
    assert targets(loaded, 1) == [2, 3]


def test_changes_are_merged_into_the_table(graph: LinkGraph) -> None:
    renewed(graph)
    assert not graph._changed
    assert targets(graph, 1) == [2, 3, None, 1, 2]
    graph.update(gone=[2])
    assert targets(graph, 1) == [None, 3, None, 1, None]


def test_the_graph_of_an_index_survives_reopening(index: EmbeddedIndex, make: Any) -> None:
    index.apply(Batch(puts=(make.note("a.md", "x", links=("b", "zz")), make.note("b.md", "y"))))
    note = index.note_at("a.md")
    assert note is not None
    assert [target for _, target in index.graph.links_out(note.id)] == [note.id + 1, None]
    index.apply(Batch(moves=(NoteMove("b.md", "zz.md", 1, 1),)))
    assert targets(index.graph, note.id) == [None, note.id + 1]
    directory = store_of(index).directory
    index.close()
    again = EmbeddedIndex.open(directory, writable=False)
    assert targets(again.graph, note.id) == [None, note.id + 1]
    again.close()


def test_a_damaged_snapshot_is_rebuilt(index: EmbeddedIndex, make: Any, tmp_path: Path) -> None:
    index.apply(Batch(puts=(make.note("a.md", "x", links=("b",)), make.note("b.md", "y"))))
    directory = store_of(index).directory
    index.close()
    snapshot = directory / "graph.snapshot"
    data = bytearray(snapshot.read_bytes())
    data[-65] ^= 0xFF  # the last array is the checksum
    snapshot.write_bytes(data)
    again = EmbeddedIndex.open(directory, writable=False)
    assert targets(again.graph, 1) == [2]
    again.close()
