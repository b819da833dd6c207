"""Reading and cutting take time linear in the size of a file, whatever is in it.

Time differs between machines, so work is counted: the characters whose tokens were counted, and the
characters that were made of a file.
"""

from __future__ import annotations

import json

import pytest

from notewell.base.types import Chunk, ChunkSizes, Note
from notewell.vault.bounds import cap_note
from notewell.vault.chunk import chunk
from notewell.vault.readers import READERS
from tests.faults.hostile_folder import TEXTS, filled
from tests.vault.notes import words
from tests.vault.reading import read

SIZES = ChunkSizes(64, 12, 6)
SLOW = {"no such code.c"}  # for its parser, which is stopped
# What has no text that can be cut.
EMPTY = {
    "nested.canvas",
    "numbers.canvas",
    "quote without end.csv",
    "expanding.base",
    "nested.html",
    "entities.svg",
}
NAMES = sorted(TEXTS.keys() - SLOW - EMPTY)


def note_in(name: str) -> Note:
    return cap_note(read(READERS[name[name.rindex(".") :]], TEXTS[name].encode("utf-8")).note)


class Counter:
    """Counts words, and the characters that it was asked about."""

    def __init__(self) -> None:
        self.characters = 0

    def __call__(self, text: str) -> int:
        self.characters += len(text)
        return words(text)


@pytest.mark.parametrize("name", NAMES)
def test_cutting_does_a_bounded_amount_of_work_for_each_character(name: str) -> None:
    note = note_in(name)
    counter = Counter()
    chunks = chunk(note, count_tokens=counter, sizes=SIZES)

    sections = 200 * len(note.headings)  # each has a header
    assert counter.characters < 30 * (len(TEXTS[name]) + sections)
    assert sum(map(stored, chunks)) < 6 * (len(TEXTS[name]) + 300 * len(chunks))
    # No model reads more of a passage.
    assert max(len(piece.text) for piece in chunks) <= 64 * SIZES.max_tokens


def stored(piece: Chunk) -> int:
    parts = (piece.text, piece.header, piece.parent or "", *piece.headings)
    return sum(map(len, parts))


def test_a_heading_longer_than_a_page_is_a_paragraph() -> None:
    long = filled("word ", 2_000).strip()
    note = read(READERS[".md"], f"# {long}\n\n{long}\n===\n\n## Bees\n".encode()).note

    assert [heading.text for heading in note.headings] == ["Bees"]
    assert [len(span.text) for span in note.spans][:2] == [len(long) + 2, len(long) + 4]


def test_the_header_of_a_wide_table_is_repeated_in_part() -> None:
    columns = ",".join(f"column {number}" for number in range(2_000))
    rows = "".join(f"{number},bees\n" for number in range(1_000))
    first, *others = read(READERS[".csv"], f"{columns}\n{rows}".encode()).note.spans

    assert first.text.startswith("column 0 | column 1 | ")
    assert "column 1999" in first.text
    assert {span.text.split("\n")[0] for span in others} == {others[0].text.split("\n")[0]}
    assert len(others[0].text.split("\n")[0]) <= 2_000
    assert others[0].text.split("\n")[0].endswith(" | column 161")


def test_a_name_above_many_values_of_a_base_is_shortened() -> None:
    deep = "".join(f"{' ' * depth}{'a' * 900}:\n" for depth in range(1, 20))
    yaml = "filters:\n" + deep + "".join(f"{' ' * 20}k{number}: v\n" for number in range(2_000))
    found = read(READERS[".base"], yaml.encode())

    assert "k1999: v" in found.text
    assert len(found.text) < 1_000_000


def test_the_texts_of_frames_are_found_below_them() -> None:
    elements = [
        {"type": "frame", "id": "f", "name": "Hive"},
        {"type": "text", "id": "a", "frameId": "f", "text": "inside"},
        {"type": "text", "id": "b", "text": "outside", "frameId": "gone"},
    ]
    note = read(READERS[".excalidraw"], json.dumps({"elements": elements}).encode()).note

    assert [span.text for span in note.spans] == ["outside", "Hive", "inside"]


def test_a_note_has_as_many_names_and_tags_as_a_vault_can_search() -> None:
    tags = " ".join(f"#t{number}" for number in range(12_000))
    note = read(READERS[".md"], f"---\ntitle: {filled('word ', 5_000)}\n---\n{tags}".encode()).note
    kept = cap_note(note)

    assert len(kept.tags) == 10_000
    assert len(kept.title) == 1_000
    assert kept.spans == note.spans
    assert kept.warnings == (
        "Only the first 10,000 of 12,000 tags count.",
        "Only the first 1,000 characters of a title or alias count.",
    )
    assert cap_note(kept) is kept
