"""Notes that a feature adds lie beside those of the vault and do not touch them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from notewell.base.errors import SourceError, UnreadableNoteError
from notewell.base.types import VaultRecord, VaultRules
from notewell.vault.added_notes import add_notes
from notewell.vault.sources import FolderSource, Source


@dataclass(frozen=True)
class Letter:
    """A note that is added."""

    text: str
    modified: float = 1_700_000_000.0
    uri: str = "mail://1"


class Letters:
    """What a feature would read; `away` is why it cannot now."""

    def __init__(self) -> None:
        self.notes = {"2024/a.md": Letter("# Plums\n\nripe"), "b.md": Letter("pears")}
        self.away = ""

    def address(self, name: str) -> str:
        return self.notes[name].uri if name in self.notes else ""

    def load(self) -> dict[str, Letter]:
        if self.away:
            raise SourceError(self.away)
        return dict(self.notes)


@pytest.fixture
def letters() -> Letters:
    return Letters()


@pytest.fixture
def source(tmp_path: Path, letters: Letters) -> Source:
    (tmp_path / "Own.md").write_text("own", encoding="utf-8")
    own = FolderSource(VaultRecord("v", "v", tmp_path), VaultRules())
    return add_notes(own, "letters", letters.load, letters.address, VaultRules())


ROOT = ".documents/.letters"


@pytest.mark.parametrize(
    ("within", "listed"),
    [
        ((), [f"{ROOT}/2024/a.md", f"{ROOT}/b.md", "Own.md"]),
        ((ROOT,), [f"{ROOT}/2024/a.md", f"{ROOT}/b.md"]),
        ((".documents",), [f"{ROOT}/2024/a.md", f"{ROOT}/b.md"]),
        ((f"{ROOT}/2024",), [f"{ROOT}/2024/a.md"]),
        ((f"{ROOT}/b.md", "Own.md"), [f"{ROOT}/b.md", "Own.md"]),
        ((f"{ROOT}/c.md",), []),
        (("Own.md",), ["Own.md"]),
    ],
)
def test_what_is_asked_for_is_listed(
    source: Source, within: tuple[str, ...], listed: list[str]
) -> None:
    assert [file.path for file in source.list(within).files] == listed


def test_a_note_is_read_and_opened_by_its_own_address(source: Source) -> None:
    path = f"{ROOT}/2024/a.md"
    read = source.read(source.stamp(path))
    assert (read.note.title, read.text) == ("a", "# Plums\n\nripe")
    assert source.uri(path) == "mail://1"
    assert source.excluded(path) is None
    assert source.uri("Own.md").startswith("obsidian://")


def test_another_text_of_the_same_size_is_another_stamp(source: Source, letters: Letters) -> None:
    before = source.stamp(f"{ROOT}/b.md")
    letters.notes["b.md"] = replace(letters.notes["b.md"], text="peaks")
    assert source.stamp(f"{ROOT}/b.md") != before


def test_one_that_is_gone_has_vanished(source: Source, letters: Letters) -> None:
    stamp = source.stamp(f"{ROOT}/b.md")
    del letters.notes["b.md"]
    with pytest.raises(UnreadableNoteError) as gone:
        source.read(stamp)
    assert gone.value.code == "vanished"
    assert source.uri(stamp.path) == ""
    assert source.excluded(stamp.path) is not None


def test_while_they_cannot_be_read_they_stay_and_the_vault_is_listed(
    source: Source, letters: Letters
) -> None:
    letters.away = "the letters are locked"
    walk = source.list()
    assert [file.path for file in walk.files] == ["Own.md"]
    assert walk.unread == (ROOT,)
    assert "the letters are locked" in walk.warnings[0].name
    assert source.uri(f"{ROOT}/b.md") == "mail://1"  # which a search asks for, and reads nothing
