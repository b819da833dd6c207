"""Recognising a vault by its notes: a moved one is found, a replaced one refused."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from notewell.base.errors import AnotherVaultError
from notewell.base.types import Settings, VaultRecord
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.ingest.plan import is_same_vault
from notewell.features import FEATURES
from notewell.index.embedded import EmbeddedIndex


def fill(folder: Path, topic: str, count: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (folder / f"{topic} {number}.md").write_text(f"{topic} of day {number}\n", encoding="utf-8")
    return folder


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    places = (tmp_path / "data", tmp_path / "models", tmp_path / "state")
    return Settings(*places, offline=True)


@contextmanager
def opened(vault: Path, settings: Settings, *, vault_id: str = "v1") -> Iterator[Engine]:
    record = VaultRecord(vault_id, vault.name, vault)
    with closing(
        Engine.open(record, settings.data_dir / "i", settings, writable=True, features=FEATURES)
    ) as engine:
        yield engine


def same(settings: Settings, folder: Path) -> bool:
    with closing(EmbeddedIndex.open(settings.data_dir / "i", writable=False)) as index:
        return is_same_vault(index.manifest(), folder)


def test_a_vault_is_recognised_by_its_notes(tmp_path: Path, settings: Settings) -> None:
    vault = fill(tmp_path / "Notes", "tea", 40)
    with opened(vault, settings) as engine:
        engine.index_now()

    copy = shutil.copytree(vault, tmp_path / "Copy")
    fill(copy, "new since", 30)
    (copy / "tea 1.md").write_text("changed", encoding="utf-8")

    assert same(settings, copy)
    assert not same(settings, fill(tmp_path / "Other", "coffee", 40))
    assert not same(settings, tmp_path / "absent")


def test_a_few_equal_notes_do_not_identify_a_vault(tmp_path: Path, settings: Settings) -> None:
    vault = fill(tmp_path / "Notes", "Welcome", 2)
    with opened(vault, settings) as engine:
        engine.index_now()
    assert not same(settings, vault)


def test_another_vault_at_the_old_path_is_not_indexed(tmp_path: Path, settings: Settings) -> None:
    vault = fill(tmp_path / "Notes", "tea", 80)
    with opened(vault, settings) as engine:
        engine.index_now()
    shutil.rmtree(vault)
    fill(vault, "coffee", 90)

    with opened(vault, settings) as engine:
        with pytest.raises(AnotherVaultError, match="--confirm-removals"):
            engine.index_now()
        assert engine.search(SearchRequest("tea", mode="keyword")).total == 80
        assert engine.search(SearchRequest("coffee", mode="keyword")).total == 0

        report = engine.index_now(confirm_removals=True)
        assert (report.notes, report.removed) == (90, 80)


def test_a_changed_vault_is_still_recognised(tmp_path: Path, settings: Settings) -> None:
    vault = fill(tmp_path / "Notes", "tea", 80)
    with opened(vault, settings) as engine:
        engine.index_now()
    (vault / "Archive").mkdir()
    for note in list(vault.glob("*.md")):
        note.rename(vault / "Archive" / note.name)
    fill(vault, "coffee", 90)

    with opened(vault, settings) as engine:
        assert engine.index_now().notes == 170


def test_one_index_folder_is_not_shared_by_two_vaults(tmp_path: Path, settings: Settings) -> None:
    with opened(fill(tmp_path / "A", "tea", 10), settings) as engine:
        engine.index_now()

    with (
        pytest.raises(AnotherVaultError, match="index_dir"),
        opened(fill(tmp_path / "B", "coffee", 10), settings, vault_id="v2"),
    ):
        pass


def test_an_index_copied_with_its_vault_is_adopted(tmp_path: Path, settings: Settings) -> None:
    vault = fill(tmp_path / "A", "tea", 10)
    with opened(vault, settings) as engine:
        engine.index_now()
    with opened(vault, settings, vault_id="of another machine") as engine:
        assert engine.search(SearchRequest("tea", mode="keyword")).total == 10
