"""Properties are read as Obsidian reads them, and no YAML damages the index."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.types import PropertyValue
from notewell.vault.properties import Frontmatter, read_frontmatter


def read(yaml: str) -> Frontmatter:
    return read_frontmatter(f"---\n{yaml}\n---\nbody")


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("x: text", "text"),
        ("x: 3", 3),
        ("x: -1.5", -1.5),
        ("x: true", True),
        ("x:", None),
        ("x: [a, 2]", ("a", 2)),
        ("x:\n  - a\n  - b: c", ("a", {"b": "c"})),
        ("x: 2024-05-03", "2024-05-03"),
        ("x: 2024-05-03T10:00:00", "2024-05-03T10:00:00"),
        ("x: 2024-02-31", "2024-02-31"),
        ("x: yes", "yes"),
        ("x: 12:30:45", "12:30:45"),
        ("x: =", "="),
        ("x: 0123", "0123"),
        ('x: "[[Some note]]"', "[[Some note]]"),
        ("x: .nan", "nan"),
        (f"x: {2**70}", str(2**70)),
        ("x: !!timestamp 2024-05-03", "2024-05-03"),
        ("x: !!binary aGk=", "hi"),
        ("x: !!set {a}", ("a",)),
    ],
)
def test_values(yaml: str, value: PropertyValue) -> None:
    front = read(yaml)
    assert front.properties == {"x": value}
    assert front.warnings == ()


def test_keys_are_texts() -> None:
    assert read("2: a\ntrue: b\n? ~\n: c").properties == {"2": "a", "True": "b", "": "c"}


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\na: 1\n---\nbody", "body"),
        ("---\na: 1\n...\nbody", "body"),
        ("---  \na: 1\n---  \nbody", "body"),
        ("---\n---\nbody", "body"),
        ("---\na: 1\n---", ""),
        (" ---\na: 1\n---\nbody", " ---\na: 1\n---\nbody"),
        ("\n---\na: 1\n---\n", "\n---\na: 1\n---\n"),
        ("---\nnever closed", "---\nnever closed"),
        ("----\na: 1\n----\n", "----\na: 1\n----\n"),
        ("text", "text"),
    ],
)
def test_the_offset_of_the_body(text: str, body: str) -> None:
    assert text[read_frontmatter(text).body :] == body


def test_broken_yaml_costs_only_the_broken_property() -> None:
    front = read("title: A: B\ntags:\n  - one\naliases:\n- @handle\ncreated: {{date}}")
    assert front.properties == {
        "title": "A: B",
        "tags": ("one",),
        "aliases": ("@handle",),
        "created": "{{date}}",
    }
    assert "Some properties are unread" in front.warnings[0]
    assert "line 2" in front.warnings[0]
    placeholder = read("created: {{date}}").warnings[0]
    assert "begins with {{ or {[ needs quotes around it (line 2)" in placeholder


@pytest.mark.parametrize("title", ["[unclosed", "{a: b", '"half', "'half"])
def test_half_a_value_is_no_title(title: str) -> None:
    assert read(f"title: {title}\nrating: 4").properties.get("title") is None


@pytest.mark.parametrize(
    "yaml",
    [
        "- a list",
        "just text",
        "x: !!python/object/apply:os.system [id]",
        "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "\n".join(f"{n}: &{n} [{','.join([f'*{p}'] * 9)}]" for p, n in pairwise("abcdefgh")),
        "a: &a [*a]",
        "a: &a " + "x" * 100_000 + "\nb: [" + "*a," * 10_000 + "]",
        "x: " + "[" * 100_000,
        "x: " + "[" * 2000 + "]" * 2000,
        "- " * 50_000,
        "? " * 50_000,
        "{a: " * 50_000,
        "x: " + "y" * 300_000,
        "x: \udc80",
        "x: \x07",
        "x: " + "9" * 5000,
    ],
    ids=lambda yaml: yaml[:12],
)
def test_hostile_yaml_is_a_warning(yaml: str) -> None:
    front = read(yaml)
    assert len(front.warnings) == 1
    assert len(str(front.properties)) < 10_000


def test_merge_keys_do_not_multiply() -> None:
    merges = "\n".join(
        f"{n}: &{n}\n  <<: [{','.join([f'*{p}'] * 9)}]" for p, n in pairwise("abcdefghij")
    )
    assert len(str(read(f"a: &a {{x: 1}}\n{merges}").properties)) < 1_000


@given(st.text("ab:-[]{}&*!|>#'\"\n ,?@%~0", max_size=80))
def test_any_yaml_gives_properties_or_a_warning(yaml: str) -> None:
    front = read(yaml)
    assert all(isinstance(name, str) for name in front.properties)
