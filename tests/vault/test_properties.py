"""Tags, aliases and dates in the forms that people write."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from notewell.base.types import PropertyValue
from notewell.vault.properties import (
    CREATED_KEYS,
    aliases_of,
    date_of,
    field_value,
    fold,
    merge_fields,
    tags_of,
    text_of,
)


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"tags": ("one", "#two/three")}, ("one", "two/three")),
        ({"tags": "one, #two"}, ("one", "two")),
        ({"Tag": "one two"}, ("one", "two")),
        ({"tags": ("a b", 2024, None, "y2024")}, ("a", "b", "y2024")),
        ({"tags": ("Work", "work", "WORK")}, ("Work",)),
        ({"tags": (("nested",),)}, ("nested",)),
        ({"tags": {"a": 1}}, ()),
        ({"tags": None}, ()),
    ],
)
def test_tags(properties: dict[str, PropertyValue], expected: tuple[str, ...]) -> None:
    assert tags_of(fold(properties), ()) == expected


def test_inline_tags_follow_property_tags_without_repetition() -> None:
    assert tags_of({"tags": "Work"}, ["work", "home"]) == ("Work", "home")


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"aliases": ("One name", "Other, name")}, ("One name", "Other, name")),
        ({"alias": "One name, Other"}, ("One name", "Other")),
        ({"Aliases": ("x", "x", "")}, ("x",)),
        ({"aliases": 1984}, ("1984",)),
    ],
)
def test_aliases(properties: dict[str, PropertyValue], expected: tuple[str, ...]) -> None:
    assert aliases_of(fold(properties)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024-05-03", datetime(2024, 5, 3, tzinfo=UTC)),
        ("2024-05-03T10:30", datetime(2024, 5, 3, 10, 30, tzinfo=UTC)),
        ("2024-05-03 10:30:15+02:00", datetime(2024, 5, 3, 8, 30, 15, tzinfo=UTC)),
        ("2024-05-03T10:30:15.123Z", datetime(2024, 5, 3, 10, 30, 15, tzinfo=UTC)),
        ("2024/5/3", datetime(2024, 5, 3, tzinfo=UTC)),
        ("[[2023-10-29 Sunday]]", datetime(2023, 10, 29, tzinfo=UTC)),
        ("20240503", datetime(2024, 5, 3, tzinfo=UTC)),
        (20240503, datetime(2024, 5, 3, tzinfo=UTC)),
        (202405031030, datetime(2024, 5, 3, 10, 30, tzinfo=UTC)),
        (1714732200, datetime(2024, 5, 3, 10, 30, tzinfo=UTC)),
        (1714732200000, datetime(2024, 5, 3, 10, 30, tzinfo=UTC)),
        (("2024-05-03",), datetime(2024, 5, 3, tzinfo=UTC)),
    ],
)
def test_dates(value: PropertyValue, expected: datetime) -> None:
    assert date_of({"created": value}, CREATED_KEYS) == expected.timestamp()


@pytest.mark.parametrize("value", ["2024-13-45", "soon", "", True, None, 7, {"a": 1}, ()])
def test_a_value_that_is_not_a_date_is_none(value: PropertyValue) -> None:
    assert date_of({"created": value}, CREATED_KEYS) is None


def test_the_first_name_with_a_date_counts() -> None:
    folded = fold({"date": "2020-01-01", "Date Created": "2021-01-01", "created": "unknown"})
    assert date_of(folded, CREATED_KEYS) == datetime(2021, 1, 1, tzinfo=UTC).timestamp()


def test_texts_are_one_line() -> None:
    assert text_of({"title": " A\n  title "}, "title") == "A title"
    assert text_of({"title": 1984}, "title") == "1984"
    assert text_of({"title": ("a",)}, "title") is None
    assert text_of({"title": "  "}, "title") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [(" 12 ", 12), ("1.5", 1.5), ("true", True), ("", None), ("[[A]]", "[[A]]"), ("1e5", "1e5")],
)
def test_values_of_inline_fields(text: str, value: PropertyValue) -> None:
    assert field_value(text) == value


def test_properties_override_inline_fields_and_repeated_fields_are_lists() -> None:
    fields: list[tuple[str, PropertyValue]] = [("Status", "open"), ("n", 1), ("n", 2)]
    assert merge_fields({"status": "done"}, fields) == {"status": "done", "n": (1, 2)}
