"""Bookmarks of Obsidian are listed as they stand there, whatever else is in their file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from notewell.base.types import VaultRules
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.bookmarks.requests import BookmarksRequest
from tests.vaults import settings_in

Listed = Callable[[object], list[tuple[str, str]]]


@pytest.fixture
def listed(tmp_path: Path) -> Iterator[Listed]:
    """A vault of three notes; gives the bookmarks of what its file holds."""
    root = tmp_path / "vault"
    for name in ("Bees.md", "Garden/Plums.md", "Tea.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"about {name}", encoding="utf-8")
    (root / ".obsidian").mkdir()
    vaults = Vaults(settings_in(tmp_path, vault=VaultRules(watch="off")), features=FEATURES)
    with closing(vaults):
        engine = vaults.open(vaults.add(root), writable=True)
        engine.index_now()

        def ask(held: object) -> list[tuple[str, str]]:
            text = held if isinstance(held, str) else json.dumps(held)
            (root / ".obsidian" / "bookmarks.json").write_text(text, encoding="utf-8")
            reply = engine.vault.ask(BookmarksRequest())
            return [(note.path, note.title) for note in reply.notes]

        yield ask


def file(path: str, **more: str) -> dict[str, str]:
    return {"type": "file", "ctime": "1", "path": path, **more}


def test_notes_stand_in_the_order_of_obsidian_also_those_of_groups(listed: Listed) -> None:
    group = {"type": "group", "title": "Later", "items": [file("Garden/Plums.md", title="Jam")]}
    items = [file("Tea.md"), group, file("Bees.md", subpath="#Winter"), file("Tea.md")]
    assert listed({"items": items}) == [
        ("Tea.md", "Tea"),
        ("Garden/Plums.md", "Jam"),
        ("Bees.md", "Bees"),
    ]


def test_what_is_no_note_of_the_vault_is_left_out(listed: Listed) -> None:
    others = [
        {"type": "search", "query": "tag:bee"},
        {"type": "folder", "path": "Garden"},
        {"type": "graph"},
        file("Gone.md"),
        file("../../etc/passwd"),
        {"type": "file"},
        {"type": "file", "path": 3},
        None,
    ]
    assert listed({"items": [*others, file("Bees.md")]}) == [("Bees.md", "Bees")]


@pytest.mark.parametrize("held", ["", "{", "[]", "3", '{"items": 3}', "\x00", '{"items": {}}'])
def test_a_file_that_is_not_obsidians_has_no_bookmarks(listed: Listed, held: str) -> None:
    assert listed(held) == []


def test_groups_within_groups_without_end_are_followed(listed: Listed) -> None:
    items: object = [file("Bees.md")]
    for _ in range(150):
        items = [{"type": "group", "items": items}]
    assert listed({"items": items}) == [("Bees.md", "Bees")]
