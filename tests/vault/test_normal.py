"""Letters in two parts and soft hyphens make no other words, tags, values or links."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from notewell.base.types import FileRef, VaultRules
from notewell.vault.normal import normal_text
from notewell.vault.read_notes import read_bytes_of_note

NOTE = (
    "---\ntags: [grün]\nort: Köln\naliases: [Zürich]\n---\n# Größe\n\n"
    "Gespräch über [[Bücher|Büchlein]] #süß\n"
)


def read(text: str) -> object:
    raw = text.encode()
    file = FileRef("a.md", Path("a.md"), len(raw), 0)
    return read_bytes_of_note(file, raw, VaultRules()).note


def said(note: object) -> object:
    """What a note says, without the places in its file."""
    return (
        note.title, note.tags, note.aliases, note.properties,  # type: ignore[attr-defined]
        [heading.text for heading in note.headings],  # type: ignore[attr-defined]
        [(link.target, link.display) for link in note.links],  # type: ignore[attr-defined]
        [span.text for span in note.spans],  # type: ignore[attr-defined]
    )  # fmt: skip


def test_a_note_of_a_mac_says_the_same() -> None:
    assert said(read(unicodedata.normalize("NFD", NOTE))) == said(read(NOTE))


def test_soft_hyphens_are_no_letters() -> None:
    assert said(read(NOTE.replace("sp", "s\u00adp"))) == said(read(NOTE))


def test_places_are_those_of_the_file() -> None:
    text = unicodedata.normalize("NFD", NOTE)
    (link,) = read(text).links  # type: ignore[attr-defined]
    assert text[link.start : link.end] == unicodedata.normalize("NFD", "[[Bücher|Büchlein]]")


@given(st.text())
def test_the_form_is_stable(text: str) -> None:
    once = normal_text(text)
    assert normal_text(once) == once
