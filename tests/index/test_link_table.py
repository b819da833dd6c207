"""The compact table of links: what it stores, updates of it, and damage."""

from __future__ import annotations

from typing import Any

import msgpack
import numpy as np
import pytest

from notewell.index.link_table import LinkTable, Node, name_key


def node(path: str, **links: int | None) -> Node:
    columns = [(name, None, None, None, False, "wikilink", 1, 0, 1) for name in links]
    return Node(path, (path.upper(),), msgpack.packb(columns), tuple(links.values()))


NODES = {
    3: node("a.md", b=7, nowhere=None, a=3),
    7: node("b.md"),
    9: node("c/c.md", b=7, a=3, B=7),
}


@pytest.fixture
def table() -> LinkTable:
    return LinkTable.of(NODES)


def test_stored_links_are_read_back(table: LinkTable) -> None:
    for note_id, expected in NODES.items():
        assert table.node(note_id) == expected
    assert table.node(8) is None


def test_links_are_counted_once_a_note_and_without_those_to_itself(table: LinkTable) -> None:
    assert table.targets_of(9) == {3, 7}
    assert table.targets_of(3) == {7}
    assert table.sources_of(7) == {3, 9}
    assert table.sources_of(3) == {9}
    assert table.source_counts(np.array([7, 8, 3, 0, 99])).tolist() == [2, 0, 1, 0, 0]
    assert table.unresolved() == {3}


def test_the_notes_that_link_to_a_name_are_found(table: LinkTable) -> None:
    assert table.linking_to({name_key("B.md")}) == {3, 9}
    assert table.linking_to({name_key("nowhere"), name_key("x")}) == {3}
    assert table.linking_to(set()) == frozenset()


def test_an_empty_table_has_no_links() -> None:
    empty = LinkTable.from_arrays(LinkTable.of({}).arrays())
    assert empty.node(1) is None
    assert empty.sources_of(1) == empty.targets_of(1) == empty.unresolved() == frozenset()
    assert empty.source_counts(np.array([1, 2])).tolist() == [0, 0]


def test_an_updated_table_equals_a_rebuilt_one(table: LinkTable) -> None:
    changes: dict[int, Node | None] = {3: None, 8: node("d.md", c=9), 9: node("c/c.md", d=8)}
    expected = LinkTable.of({7: NODES[7], 8: node("d.md", c=9), 9: node("c/c.md", d=8)})
    changed, wanted = table.changed(changes).arrays(), expected.arrays()
    assert {name: array.tolist() for name, array in changed.items()} == {
        name: array.tolist() for name, array in wanted.items()
    }


def test_damage_anywhere_is_noticed(table: LinkTable) -> None:
    arrays: dict[str, Any] = table.arrays()
    for name, array in arrays.items():
        with pytest.raises(ValueError, match="missing"):
            LinkTable.from_arrays({each: arrays[each] for each in arrays if each != name})
        damaged = array.copy()
        damaged[0] ^= 1
        with pytest.raises(ValueError, match="checksum"):
            LinkTable.from_arrays({**arrays, name: damaged})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Folder/Note.md", "note"),
        ("Café", "cafe\u0301".upper()),
        ("a%20b", "A b"),
        ("x.md.md", "X"),
    ],
)
def test_spellings_of_one_name_share_a_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)
    assert name_key(one) != name_key(f"{other} else")
