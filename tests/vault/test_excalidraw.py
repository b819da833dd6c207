"""The words of a drawing are found, its data is not."""

from __future__ import annotations

import pytest

from tests.vault.notes import chunks_of, note_of

HEAD = "---\nexcalidraw-plugin: parsed\ntags: [excalidraw]\n---\n"
TEXTS = """## Text Elements
First box
with two lines ^aBcD1234

[[Linked note|shown]] ^zZ9_-xyz

## Element Links
q1w2e3r4: [[Element target]]

## Embedded Files
0123abcd: [[picture.png]]

"""
DATA = "## Drawing\n```compressed-json\nN4KAkARALgngDgUwgLgAQQQ\n\nDwMYEMA2AlgCYBOuA7h\n```\n%%"
NEW = f"{HEAD}# Back of the note\nBack text.\n\n%%\n# Excalidraw Data\n\n{TEXTS}{DATA}"
OLD = f"{HEAD}==⚠  Switch to EXCALIDRAW VIEW ⚠==\n\n# Text Elements\nOld box ^12345678\n\n%%\n# Drawing\n"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_drawing_texts_and_the_back_of_the_note_are_kept(ending: str) -> None:
    text = NEW.replace("\n", ending)
    note = note_of(text)
    assert [(span.text, span.block) for span in note.spans] == [
        ("Back of the note", None),
        ("Back text.", None),
        ("First box\nwith two lines", "aBcD1234"),
        ("shown", "zZ9_-xyz"),
    ]
    assert [heading.text for heading in note.headings] == ["Back of the note"]
    box = note.spans[2]
    assert [text.splitlines()[line - 1][:9] for line in box.lines] == ["First box", "with two "]


@pytest.mark.parametrize(
    "line",
    [
        "==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of this document. ⚠==",
        "⚠ Switch to EXCALIDRAW VIEW ⚠",
    ],
)
def test_the_notice_of_the_plugin_is_no_text(line: str) -> None:
    shown = [span.text for span in note_of(f"{HEAD}{line}\n\nBack text.\n").spans]
    assert shown == ["Back text."]


def test_links_of_elements_and_embedded_files_are_links() -> None:
    found = [(link.target, link.embed) for link in note_of(NEW).links]
    assert found == [("Linked note", False), ("Element target", False), ("picture.png", True)]


@pytest.mark.parametrize(
    "text",
    [
        NEW,
        NEW.removesuffix("\n```\n%%"),
        NEW.replace("compressed-json", "json"),
        OLD + '```json\n{"type":"excalidraw","elements":[]}\n```\n%%',
        OLD + '{"type":"excalidraw","elements":["unfenced"]}',
        "Just text\n\n```compressed-json\nN4KAkARALgngDgUwgLgAQQQ\n```",
        'Just text\n\n```json\n{\n  "type": "excalidraw",\n  "elements": []\n}\n```',
    ],
)
def test_the_drawing_is_never_indexed(text: str) -> None:
    together = " ".join(f"{chunk.header} {chunk.text}" for chunk in chunks_of(text))
    assert together
    for data in ("N4KAk", "DwMYE", "elements", "unfenced", "aBcD1234", "0123abcd"):
        assert data not in together


def test_the_old_layout() -> None:
    assert "Old box" in [span.text for span in note_of(OLD + "```json\n{}\n```\n%%").spans]


def test_text_behind_the_drawing_is_kept() -> None:
    assert note_of(f"{NEW}\n\nLast words.").spans[-1].text == "Last words."


def test_a_drawing_is_recognised_by_its_file_name() -> None:
    text = NEW.removeprefix(HEAD)
    assert note_of(text, "a.excalidraw.md").spans[-1].block == "zZ9_-xyz"


def test_headings_like_a_drawings_in_another_note_are_headings() -> None:
    note = note_of("# Text Elements\nabout them\n# Drawing\nhow to")
    assert [heading.text for heading in note.headings] == ["Text Elements", "Drawing"]


def test_a_drawing_without_data_is_a_note() -> None:
    assert note_of(f"{HEAD}Only text.").spans[0].text == "Only text."
