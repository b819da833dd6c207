"""Columns of notes: the same as a look at every note, at the cost of a look at none."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.types import StoredNote
from notewell.index.port import KeywordIndex
from notewell.search.query import note_columns
from notewell.search.query.language import PathContains, Property, Tagged, Text, ValueTest
from notewell.search.query.note_columns import Flags, NoteColumns

READ: Counter[str] = Counter()
DONE = Property("status", (ValueTest("=", "done"),), "status")


class Watched(StoredNote):
    """A note that counts how often its fields are read."""

    def __getattribute__(self, name: str) -> object:
        if name in {"path", "tags", "properties", "aliases"}:
            READ[name] += 1
        return super().__getattribute__(name)


def note(number: int, path: str, tags: tuple[str, ...] = (), **properties: object) -> Watched:
    return Watched(
        id=number,
        path=path,
        title=path,
        aliases=(),
        tags=tags,
        properties=properties,  # type: ignore[arg-type]
        description=None,
        created=None,
        modified=None,
        size=1,
        warnings=(),
    )


@pytest.fixture
def many() -> NoteColumns:
    READ.clear()
    status = ("done", "open", "waiting")
    return NoteColumns(
        tuple(
            note(n, f"目录{n % 40}/笔记 {n}.md", (f"area/{n % 7}",), status=status[n % 3])
            for n in range(3000)
        )
    )


def test_a_condition_reads_no_note_twice(many: NoteColumns) -> None:
    for number in range(40):
        assert many.meeting(PathContains("path", f"目录{number}/")).sum() == 75
        assert many.meeting(PathContains("file", f"笔记 {number}.md")).sum() == 1
        assert many.meeting(Tagged(f"area/{number % 7}")).any()
        assert many.meeting(Property("status", (ValueTest("=", f"{number}"),), "status")).sum() == 0
    assert many.meeting(Tagged("area")).all()
    assert READ["path"] == 3000
    assert READ["tags"] <= 3 * 3000
    assert READ["properties"] == 3000


def test_each_different_value_is_compared_once(
    many: NoteColumns, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[object] = []
    meets = note_columns._meets

    def counting(value: object, test: ValueTest) -> bool:
        compared.append(value)
        return meets(value, test)  # type: ignore[arg-type]

    monkeypatch.setattr(note_columns, "_meets", counting)
    assert many.meeting(DONE).sum() == 1000
    assert many.meeting(DONE).sum() == 1000
    assert sorted(map(str, compared)) == ["done", "open", "waiting"]


PIECES = st.text("aAbBßß/.éé日本 ", max_size=4)


@given(st.lists(st.lists(PIECES, min_size=1, max_size=3), max_size=8), PIECES, st.booleans())
def test_paths_hold_a_text_as_strings_do(parts: list[list[str]], text: str, in_name: bool) -> None:
    paths = ["/".join(each) for each in parts]
    columns = NoteColumns(tuple(note(at, path) for at, path in enumerate(paths)))
    wanted = text.casefold()
    expected = [
        wanted in (path.rpartition("/")[2] if in_name else path).casefold() for path in paths
    ]
    assert columns.with_path(wanted, in_name=in_name).tolist() == expected


TAGS = st.lists(
    st.sampled_from(["a", "a/b", "a/b/c", "ab", "a-b", "A/d", "日", "日/本"]), max_size=4
)


@given(st.lists(TAGS, max_size=8), st.sampled_from(["a", "a/b", "ab", "日", "x"]))
def test_a_tag_matches_its_children(tags: list[list[str]], wanted: str) -> None:
    notes = tuple(note(at, f"{at}.md", tuple(own)) for at, own in enumerate(tags))
    expected = [any(f"{tag.casefold()}/".startswith(f"{wanted}/") for tag in own) for own in tags]
    assert NoteColumns(notes).with_tag(wanted).tolist() == expected


def test_the_notes_with_a_word_are_remembered_until_the_index_has_other_ones(
    many: NoteColumns,
) -> None:
    wanted, asked = Text("bees", exact=False), []

    def find(count: int) -> Flags:
        asked.append(count)
        return np.arange(len(many.ids)) < count

    class Counts:
        document_count = 3000

        def __init__(self, frequency: int) -> None:
            self.document_frequency = lambda _: frequency

    for frequency, count in ((1, 1), (1, 2), (2, 2)):
        held = many.with_text(wanted, cast("KeywordIndex", Counts(frequency)), partial(find, count))
        assert held.sum() == frequency
    assert asked == [1, 2]
