"""Conditions on a note's properties."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from notewell.base.types import PropertyValue, StoredNote
from notewell.search.query.language import Property
from notewell.search.query.note_columns import NoteColumns
from notewell.search.query.parser import parse

PROPERTIES: Mapping[str, PropertyValue] = {
    "Status": "Draft",
    "rating": 4,
    "price": "12.50",
    "done": True,
    "due": "2026-03-15",
    "topics": ("Search", "[[Notes/Vectors|Embeddings]]"),
    "author": "[[People/Frank Herbert]]",
    "empty": None,
    "nested": {"a": 1},
}


def meets(query: str, properties: Mapping[str, PropertyValue] = PROPERTIES) -> bool:
    asked = parse(query).condition
    assert isinstance(asked, Property)
    note = StoredNote(
        id=1,
        path="A.md",
        title="A",
        aliases=("Alpha",),
        tags=("x/y",),
        properties=properties,
        description=None,
        created=None,
        modified=None,
        size=1,
        warnings=(),
    )
    return bool(NoteColumns((note,)).with_property(asked)[0])


@pytest.mark.parametrize(
    "query",
    [
        "[status]",
        "[status:draft]",
        "status:DRAFT",
        "[status:done OR draft]",
        "[rating:4]",
        "[rating:4.0]",
        "[rating:>3]",
        "[rating:<=4]",
        "[price:>9]",
        "[done:true]",
        "[due:2026-03]",
        "[due:>2026-02]",
        "[due:<2026-04-01]",
        "[due:>=2026-03-15]",
        "[topics:search]",
        "[topics:embeddings]",
        "[topics:vectors]",
        '[author:"frank herbert"]',
        "[empty]",
        "[empty:null]",
        "[nested]",
        "[aliases:alpha]",
        "[tags:x/y]",
        "[status:>cat]",
    ],
)
def test_property_filters_that_match(query: str) -> None:
    assert meets(query)


@pytest.mark.parametrize(
    "query",
    [
        "[missing]",
        "[status:dra]",
        "[status:null]",
        "[rating:>4]",
        "[rating:40]",
        "[done:false]",
        "[done:>0]",
        "[due:>2026-03]",
        "[due:2026-04]",
        "[topics:vector]",
        "[empty:x]",
        "[nested:1]",
        "[missing:null]",
    ],
)
def test_property_filters_that_do_not_match(query: str) -> None:
    assert not meets(query)
