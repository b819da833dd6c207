"""One member of a JSON text changes, with comments in it or not; every other byte stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.support.jsonc import JsoncError, parse, with_member, without_member

ENTRY = {"command": "/usr/bin/notewell", "args": ["mcp"]}
PATH = ("mcpServers", "notewell")
SETTINGS = """\
// Zed settings
{
  "theme": "One Dark", // dark
  /* servers */
  "context_servers": {
    "other": {
      "command": "x", /* , } */
    },
  },
  "url": "https://example.com/{a}", // trailing
}
"""

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=4), values, max_size=4)
comments = st.sampled_from(["", '// a " } comment\n', "/* { , */", "\n\n", " \t", "\r\n"])


@st.composite
def written(draw: st.DrawFn, value: Any = None) -> str:
    """A value as somebody might write it: with gaps and comments, and commas at the end."""

    def write(part: Any) -> str:
        gap = draw(comments)
        if isinstance(part, dict):
            rows = [
                f"{gap}{json.dumps(key)}{draw(comments)}:{write(one)}" for key, one in part.items()
            ]
        elif isinstance(part, list):
            rows = [f"{gap}{write(each)}" for each in part]
        else:
            return f"{gap}{json.dumps(part, ensure_ascii=draw(st.booleans()))}{draw(comments)}"
        end = "," if rows and draw(st.booleans()) else ""
        open_, close = "{}" if isinstance(part, dict) else "[]"
        return (
            f"{draw(comments)}{open_}{','.join(rows)}{end}{draw(comments)}{close}{draw(comments)}"
        )

    return write(draw(objects) if value is None else value)


@given(text=written(), key=st.text(max_size=4), value=values)
def test_the_member_is_set_and_nothing_else(text: str, key: str, value: Any) -> None:
    before = parse(text)
    assert isinstance(before, dict)

    after = with_member(text, [key], value)

    assert parse(after) == before | {key: value}
    assert parse(without_member(after, [key])) == {
        name: one for name, one in before.items() if name != key
    }


@given(text=written(), value=values)
def test_what_was_added_is_taken_out_to_the_byte(text: str, value: Any) -> None:
    before = parse(text)
    assert isinstance(before, dict)
    if "a new name" in before or not before:
        return
    assert without_member(with_member(text, ["a new name"], value), ["a new name"]) == text


@given(value=objects, text=st.data())
def test_plain_json_is_read_as_the_standard_library_reads_it(
    value: Any, text: st.DataObject
) -> None:
    assert parse(text.draw(written(value))) == value
    assert parse(json.dumps(value, indent=2)) == value


@given(text=st.text(max_size=60))
def test_any_text_is_changed_rightly_or_refused(text: str) -> None:
    try:
        after = with_member(text, PATH, ENTRY)
    except JsoncError:
        return
    assert parse(after)["mcpServers"]["notewell"] == ENTRY  # type: ignore[index]


def test_comments_and_commas_of_an_editor_stay() -> None:
    after = with_member(SETTINGS, ("context_servers", "notewell"), ENTRY)

    assert all(line in after.split("\n") for line in SETTINGS.split("\n"))
    assert parse(after)["context_servers"]["notewell"] == ENTRY  # type: ignore[index]
    assert without_member(after, ("context_servers", "notewell")) == SETTINGS


def test_a_new_file_is_as_a_person_would_write_it() -> None:
    assert with_member("", PATH, {"command": "x"}) == (
        '{\n  "mcpServers": {\n    "notewell": {\n      "command": "x"\n    }\n  }\n}\n'
    )


def test_line_ends_and_indentation_are_those_of_the_file() -> None:
    after = with_member('{\r\n\t"a": 1\r\n}\r\n', ["b"], 2)
    assert after == '{\r\n\t"a": 1,\r\n\t"b": 2\r\n}\r\n'
    assert with_member('{"a": 1}', ["b"], 2) == '{"a": 1, "b": 2}'


def test_what_is_set_already_is_replaced_in_its_place() -> None:
    text = '{"mcpServers": {"notewell": {"command": "old"}, "other": {}}, "x": 1}'
    assert with_member(text, PATH, 3) == '{"mcpServers": {"notewell": 3, "other": {}}, "x": 1}'


@pytest.mark.parametrize(
    "text", ["[]", '"text"', '{"mcpServers": []}', "{", '{"a" 1}', "{} {}", "/* open", "[" * 5000]
)
def test_what_is_no_such_text_is_refused(text: str) -> None:
    with pytest.raises(JsoncError):
        with_member(text, PATH, ENTRY)


def test_a_missing_member_is_not_removed() -> None:
    assert without_member("", PATH) == ""
    assert without_member(SETTINGS, PATH) == SETTINGS
