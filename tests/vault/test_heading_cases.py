"""Headings and the passages below them; the plugin's own search reads the same file of cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from notewell.base.types import ChunkSizes, SourceText
from notewell.vault.chunk import chunk
from notewell.vault.parse import parse
from tests.vault.notes import words

CASES = json.loads((Path(__file__).parent / "heading-cases.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_headings_are_as_the_app_has_them(case: dict[str, list[list[str]] | str]) -> None:
    text = str(case["note"])
    note = parse("A.md", SourceText(text, "utf-8", b""), modified=0.0)
    plain = [
        [heading[0], str(heading[1]).replace("**", ""), heading[2]] for heading in case["headings"]
    ]
    assert [[heading.level, heading.text, heading.line - 1] for heading in note.headings] == plain

    chunks = chunk(note, count_tokens=words, sizes=ChunkSizes(64, 1, 0))
    for word, path, line in case["passages"]:
        place = next(chunk for chunk in chunks if word in chunk.text.lower())
        at = place.text.lower().index(word)
        assert " > ".join(place.headings) == path
        assert place.lines[place.text.count("\n", 0, at)] == line
