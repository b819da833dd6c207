"""Conflict copies of synchronisers: known by their names and by an original that is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from notewell.base.types import VaultRules
from notewell.vault import files, walker
from notewell.vault.conflicts import CONFLICT_COPY, original_names

TEXT = "# Orchard\n\nQuinces stand by the wall of stone.\nThe medlars came in May.\n"

SURE = [
    # The forms that each program documents or its users show.
    ("Syncthing", "A.sync-conflict-20260101-120000-ABCDEFG.md"),
    ("Syncthing before 2019", "A.sync-conflict-20180101-120000.md"),
    ("Obsidian Sync", "A (Conflicted copy Toms-Laptop 202601011200).md"),
    ("Dropbox", "A (conflicted copy 2026-01-01).md"),
    ("Dropbox with a person", "A (Tom O'Neil's conflicted copy 2026-01-01).md"),
    ("Dropbox with a device", "A (DESKTOP-1 (old)'s conflicted copy 2026-01-01 1).md"),
    ("Dropbox, German", "A (In Konflikt stehende Kopie von Tom 2026-01-01).md"),
    ("Dropbox, French", "A (Copie en conflit de Tom 2026-01-01).md"),
    ("Nextcloud", "A (conflicted copy 2026-01-01 120000).md"),
    ("ownCloud", "A_conflict-20260101-120000.md"),
    ("Seafile", "A (SFConflict tom@example.org 2026-01-01-12-00-00).md"),
    ("OneDrive", "A-DESKTOP-8H2K1QZ.md"),
    ("OneDrive, a second one", "A-LAPTOP-0AB12CD-2.md"),
]
BY_TEXT = [
    ("iCloud Drive", "A 2.md"),
    ("OneDrive, a computer with a name", "A-TOMSPC.md"),
    ("OneDrive, a Mac", "A-Tom's MacBook Pro.md"),
]


def listed(folder: Path) -> tuple[set[str], set[str]]:
    """The notes of a folder, and its conflict copies."""
    found = walker.walk(folder, VaultRules())
    copies = {item.file.path for item in found.excluded if item.rule == CONFLICT_COPY}
    return {file.path for file in found.files}, copies


@pytest.mark.parametrize("name", [name for _, name in (*SURE, *BY_TEXT)])
def test_a_copy_beside_its_original_is_no_note(tmp_path: Path, name: str) -> None:
    (tmp_path / "A.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / name).write_text(TEXT + "One line more.\n", encoding="utf-8")

    assert listed(tmp_path) == ({"A.md"}, {name})
    assert walker.decide(tmp_path, VaultRules(), name) is not None
    assert walker.decide(tmp_path, VaultRules(), "A.md") is None


@pytest.mark.parametrize("name", [name for _, name in (*SURE, *BY_TEXT)])
def test_without_an_original_it_is_a_note(tmp_path: Path, name: str) -> None:
    (tmp_path / "B.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / name).write_text(TEXT, encoding="utf-8")
    (tmp_path / "Sub").mkdir()
    (tmp_path / "Sub" / "A.md").write_text(TEXT, encoding="utf-8")

    assert listed(tmp_path) == ({"B.md", "Sub/A.md", name}, set())
    assert walker.decide(tmp_path, VaultRules(), name) is None


@pytest.mark.parametrize("name", [name for _, name in BY_TEXT])
@pytest.mark.parametrize("text", ["", "# Orchard\n\nPears, and nothing of the other.\n"])
def test_a_name_that_people_give_too_needs_nearly_the_same_text(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / "A.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / name).write_text(text, encoding="utf-8")

    assert listed(tmp_path) == ({"A.md", name}, set())


def test_notes_of_one_template_are_no_copies_of_each_other(tmp_path: Path) -> None:
    head = "---\ntype: memory\nstatus: active\ncreated: 2026-01-01\nid: {}\n---\n"
    (tmp_path / "A.md").write_text(head.format(1) + TEXT, encoding="utf-8")
    (tmp_path / "A 2.md").write_text(head.format(2) + TEXT, encoding="utf-8")
    (tmp_path / "A 3.md").write_text(head.format(1) + "Pears.\n", encoding="utf-8")
    (tmp_path / "A 4.md").write_text(head.format(1) + TEXT, encoding="utf-8")

    assert listed(tmp_path) == ({"A.md", "A 2.md", "A 3.md"}, {"A 4.md"})


@pytest.mark.parametrize(
    "name",
    [
        "A plan.md",
        "A 1.md",
        "A-plan.md",
        "A conflicted copy.md",
        "A (copy).md",
        "A (draft).md",
        "A.sync-conflict.md",
        "A-2026-01-01.md",
        "A.txt",
    ],
)
def test_other_names_are_of_notes_of_their_own(tmp_path: Path, name: str) -> None:
    (tmp_path / "A.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / name).write_text(TEXT, encoding="utf-8")

    rules = VaultRules(types=(".md", ".txt"))
    found = walker.walk(tmp_path, rules)
    assert {file.path for file in found.files} == {"A.md", name}


def test_a_copy_of_a_copy_is_one_of_the_original(tmp_path: Path) -> None:
    first = "A.sync-conflict-20260101-120000-ABCDEFG.md"
    second = "A.sync-conflict-20260101-120000-ABCDEFG (conflicted copy 2026-01-02).md"
    for name in ("A.md", first, second):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")

    (note,) = walker.walk(tmp_path, VaultRules()).files
    assert [copy.path for copy in note.copies] == sorted((first, second))


def test_an_original_may_have_parentheses(tmp_path: Path) -> None:
    for name in ("A (draft).md", "A (draft) (Tom's conflicted copy 2026-01-01).md"):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")

    assert listed(tmp_path)[0] == {"A (draft).md"}


def test_an_excluded_original_has_no_copies(tmp_path: Path) -> None:
    copy = "A (conflicted copy 2026-01-01).md"
    for name in ("A.md", copy):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    found = walker.walk(tmp_path, VaultRules(exclude=("A.md",)))

    assert [file.path for file in found.files] == [copy]


def test_a_look_at_one_of_them_lists_all(tmp_path: Path) -> None:
    first = "A.sync-conflict-20260101-120000-ABCDEFG.md"
    second = "A 2.md"
    for name in ("A.md", first, second, "B.md"):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")

    for path in ("A.md", first, second):
        found = walker.walk(tmp_path, VaultRules(), within=[path])
        (note,) = found.files
        assert [copy.path for copy in note.copies] == sorted((first, second))
        assert {path, *found.beside} >= {"A.md", first, second}


def test_a_text_that_is_elsewhere_is_not_fetched_to_compare_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("A.md", "A 2.md"):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")

    def refuse(*_: object, **__: object) -> int:
        raise AssertionError("a file was opened")

    monkeypatch.setattr(files, "is_elsewhere", lambda _: True)
    monkeypatch.setattr(os, "open", refuse)
    assert listed(tmp_path) == ({"A.md", "A 2.md"}, set())


@pytest.mark.parametrize("name", ["(" * 3000 + ".md", "A " * 2000 + "2.md", "A-" * 2000 + "X.md"])
def test_long_names_take_no_long_time(name: str) -> None:
    assert len(original_names(name)) < 20
