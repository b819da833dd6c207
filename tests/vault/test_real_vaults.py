"""On real vaults: every note parses, links resolve, and no drawing's data is read.

The expected numbers were counted in the archives by another program. It also counts links in code
and comments, which Obsidian and this parser ignore; so our numbers are slightly lower, and the tests
limit the difference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from notewell.base.types import ChunkSizes, Note, VaultRules
from notewell.vault import files, walker
from notewell.vault.chunk import chunk
from notewell.vault.link_targets import NoteNames
from notewell.vault.parse import parse
from tests.vault.notes import check_chunks, check_note, words

pytestmark = pytest.mark.data
SharedData = Callable[[str], Path]
SIZES = ChunkSizes(200, 40, 20)


def notes_of(vault: Path) -> Iterator[tuple[Note, str]]:
    found = walker.walk(vault, VaultRules())
    assert found.warnings == ()
    for file in found.files:
        source = files.read(file, max_bytes=10**7)
        yield parse(file.path, source, modified=file.mtime_ns / 1e9), source.text


def wikilinks(notes: list[Note]) -> tuple[int, int]:
    """Count the wikilinks that are no embeds, and those of them that resolve."""
    names = NoteNames()
    for note in notes:
        names.add(note.path, note.aliases)
    links = [
        (note.path, link.target)
        for note in notes
        for link in note.links
        if link.kind == "wikilink" and not link.embed
    ]
    return len(links), sum(names.resolve(target, path) is not None for path, target in links)


@pytest.mark.parametrize(
    ("vault", "notes", "links", "resolved"),
    [
        ("obsidian-help-en", 173, (1520, 1582), (1515, 1523)),
        ("obsidian-help-i18n", 865, (7550, 7869), (7450, 7869)),
        ("excalidraw-wiki", 679, (1150, 1263), (720, 743)),
        ("kepano-obsidian", 133, (100, 200), (0, 200)),
        # 16,464 of the 38,930 stand in comments, five in each of 2,690 notes from one template.
        ("obsidian-hub", 6571, (22_400, 38_930), (22_300, 38_617)),
    ],
)
def test_links_of_real_vaults(
    shared_data: SharedData,
    vault: str,
    notes: int,
    links: tuple[int, int],
    resolved: tuple[int, int],
) -> None:
    parsed = [note for note, _ in notes_of(shared_data(vault))]
    assert len(parsed) == notes
    found, led = wikilinks(parsed)
    assert links[0] <= found <= links[1]
    assert resolved[0] <= led <= resolved[1]


@pytest.mark.parametrize("vault", ["obsidian-help-en", "kepano-obsidian"])
def test_real_notes_and_their_chunks_are_valid(shared_data: SharedData, vault: str) -> None:
    for note, text in notes_of(shared_data(vault)):
        check_note(note, text)
        check_chunks(note, chunk(note, count_tokens=words, sizes=SIZES), text, SIZES, words)


def test_no_drawing_is_read(shared_data: SharedData) -> None:
    encoded = re.compile(r"[A-Za-z0-9+/]{100,}={0,2}(?![A-Za-z0-9+/.])")
    drawings = 0
    for note, _ in notes_of(shared_data("excalidraw-wiki")):
        drawings += "excalidraw-plugin" in note.properties
        for span in note.spans:
            assert '"elements":[{' not in span.text
            assert not encoded.search(span.text), note.path
    assert drawings > 20


def test_chinese_notes_and_their_chunks_are_valid(shared_data: SharedData) -> None:
    sizes = ChunkSizes(300, 60, 30)
    for note, text in notes_of(shared_data("obsidian-help-i18n") / "zh"):
        check_note(note, text)
        check_chunks(note, chunk(note, count_tokens=len, sizes=sizes), text, sizes, len)
