"""Reading saved links from daily notes: forms, sections, malformed ones, ids."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.errors import UsageError
from notewell.base.types import SourceText
from notewell.features.gleanings.parse import (
    Found,
    SavedLink,
    domain,
    gleaning_id,
    normalise,
    read_entries,
)
from notewell.vault.parse import parse

NOTE = """---
type: daily
---
# 2026-11-22

- [Not here](https://no.example)

## Gleanings

- [Bees at night](https://bees.example/night)  [14:30]
  They find the hive
  > by its smell.

  And again.
- [With text](https://text.example/) - why it matters
- https://bare.example/page.
1. <https://angled.example/a(b)>
* [x] [Ticked](https://ticked.example/a_(b) "tip")
https://line.example/x 09:05
> quoted words

Some prose with https://prose.example in it.

```
- [Code](https://code.example)
```

- [Broken](htp:/broken)
- remember the milk
- 09:15 A title: https://before.example

### Deeper

- [Deeper](https://deeper.example)

## Other

- [Elsewhere](https://elsewhere.example)
"""


def found(text: str, *names: str) -> Found:
    note = parse("Daily/2026-11-22.md", SourceText(text, "utf-8", b""), modified=0.0)
    return read_entries(text, note.headings, names or ("## Gleanings",))


def test_every_form_of_an_entry_is_read() -> None:
    entries = found(NOTE).entries

    assert entries == (
        SavedLink(
            "https://bees.example/night",
            "Bees at night",
            "They find the hive\nby its smell.\n\nAnd again.",
            "14:30",
            10,
        ),
        SavedLink("https://text.example/", "With text", "why it matters", None, 15),
        SavedLink("https://bare.example/page", "", "", None, 16),
        SavedLink("https://angled.example/a(b)", "", "", None, 17),
        SavedLink("https://ticked.example/a_(b)", "Ticked", "", None, 18),
        SavedLink("https://line.example/x", "", "quoted words", "09:05", 19),
        SavedLink("https://before.example", "A title", "", "09:15", 30),
        SavedLink("https://deeper.example", "Deeper", "", None, 34),
    )


def test_malformed_entries_are_told_with_their_line() -> None:
    assert [each.line for each in found(NOTE).malformed] == [28, 29]
    assert "no web address" in found(NOTE).malformed[0].why


@pytest.mark.parametrize(
    ("name", "count"), [("gleanings", 8), ("# Gleanings", 0), ("other", 1), ("", 0), ("##", 0)]
)
def test_the_heading_is_the_one_that_was_named(name: str, count: int) -> None:
    assert len(found(NOTE, name).entries) == count


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("HTTPS://Example.COM:443/A/?b=1&utm_source=x&gclid=2#top", "https://example.com/A?b=1"),
        ("http://example.com:80/", "http://example.com"),
        ("http://example.com:8080//", "http://example.com:8080/"),
        ("https://example.com/a?fbclid=1", "https://example.com/a"),
        ("https://example.com/a?B=%20&a=1", "https://example.com/a?B=%20&a=1"),
        ("https://User:Pw@Example.com/x", "https://User:Pw@example.com/x"),
    ],
)
def test_the_id_is_made_of_the_normal_form(url: str, normal: str) -> None:
    assert normalise(url) == normal
    assert gleaning_id(url) == hashlib.md5(normal.encode()).hexdigest()[:12]


@pytest.mark.parametrize(
    "url", ["", "bees", "ftp://a.example", "https://", "http://a:b/", "http://["]
)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="no web address"):
        normalise(url)


def test_the_domain_has_no_www() -> None:
    assert domain("https://WWW.Example.com/a") == "example.com"


@given(
    st.text(
        alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=300
    )
)
def test_any_text_below_the_heading_is_read_without_an_error(text: str) -> None:
    read = found(f"## Gleanings\n{text}")

    for entry in read.entries:
        assert normalise(normalise(entry.url)) == normalise(entry.url) or "//" in entry.url
        assert len(gleaning_id(entry.url)) == 12
