"""Descriptions of annotations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

import pytest

from notewell.base.types import PropertyValue
from notewell.base.types.hints import FieldType, Ge, Le, describe, markers_of, members, rewritten


@dataclass
class Tree:
    name: str
    children: tuple[Tree, ...] = ()
    properties: Mapping[str, PropertyValue] | None = None


class Place(TypedDict):
    line: int
    column: int | None


@pytest.mark.parametrize(
    ("hint", "kind"),
    [
        (str, "plain"),
        (Path, "plain"),
        (Literal["on", "off"], "words"),
        (Tree, "record"),
        (Place, "record"),
        (str | int, "union"),
        (tuple[str, ...], "list"),
        (tuple[str, int], "tuple"),
        (frozenset[str], "set"),
        (Mapping[str, int], "mapping"),
    ],
)
def test_each_kind_of_annotation_is_known(hint: Any, kind: str) -> None:
    assert describe(hint).kind == kind
    assert not describe(hint).optional
    assert describe(hint | None).kind == kind
    assert describe(hint | None).optional


def test_the_parts_keep_their_order() -> None:
    assert [part.hint for part in describe(float | str | None).parts] == [float, str]
    assert [part.hint for part in describe(str | float | None).parts] == [str, float]
    assert [part.hint for part in describe(tuple[str, int]).parts] == [str, int]
    assert [part.hint for part in describe(Mapping[str, Tree]).parts] == [str, Tree]
    assert describe(Literal["on", "off"]).words == ("on", "off")


def test_markers_are_those_inside_and_outside_of_a_union() -> None:
    number = Annotated[int, Ge(1)]

    assert describe(Annotated[number | None, Le(9)]).markers == (Ge(1), Le(9))
    assert markers_of(Annotated[number | None, Le(9)]) == (Le(9),)
    assert markers_of(number | None) == ()


def test_the_fields_of_a_record_are_described_in_their_order() -> None:
    name, children, properties = members(Tree)

    assert name == ("name", FieldType("plain", str))
    assert children[1].parts == (FieldType("record", Tree),)
    assert properties[1].optional
    assert [field for field, _ in members(Place)] == ["line", "column"]


def test_a_value_of_a_property_ends_in_any_json() -> None:
    found = [describe(Mapping[str, PropertyValue])]
    while found[0].kind != "any":
        found = [part for each in found for part in each.parts if part.kind != "plain"]


def test_an_annotation_is_rewritten_below_its_unions_and_markers() -> None:
    hint = Annotated[Annotated[int, Ge(1)] | str | None, Le(9)]

    def longer(kind: Any) -> Any:
        return tuple[kind, ...] if kind is not type(None) else kind

    assert (
        rewritten(hint, longer)
        == Annotated[Annotated[tuple[int, ...], Ge(1)] | tuple[str, ...] | None, Le(9)]
    )
    assert (
        rewritten(hint, longer, lambda _: (Le(5),))
        == Annotated[Annotated[tuple[int, ...], Le(5)] | tuple[str, ...] | None, Le(5)]
    )
