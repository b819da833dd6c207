"""Known vaults: names, ids, choosing one without a name, and removing one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.errors import IndexFailure, IndexInUseError, NotFoundError, UsageError
from notewell.base.types import AskRules, ServerRules, Settings, VaultRecord
from notewell.contract.search import SearchRequest
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.ask.service import Conversations
from notewell.features.ask.tool_loop import AnswerDraft
from notewell.features.gardener import GardenRules
from notewell.vault.write import VaultWriter
from notewell.vault.write_journal import Journal


@pytest.fixture
def vaults(settings: Settings) -> Iterator[Vaults]:
    with closing(Vaults(settings, features=FEATURES)) as vaults:
        yield vaults


def folder(path: Path) -> Path:
    path.mkdir(parents=True)
    (path / "note.md").write_text("hello", encoding="utf-8")
    return path


def test_a_vault_keeps_its_id(vaults: Vaults, settings: Settings, tmp_path: Path) -> None:
    first = vaults.add(folder(tmp_path / "Notes"))

    assert vaults.add(tmp_path / "Notes") == first
    assert Vaults(settings, features=FEATURES).records() == (first,)
    assert first.name == "Notes"
    assert first.default


def test_equal_names_get_a_suffix(vaults: Vaults, tmp_path: Path) -> None:
    vaults.add(folder(tmp_path / "a" / "Notes"))
    second = vaults.add(folder(tmp_path / "b" / "notes"))
    third = vaults.add(folder(tmp_path / "c" / "Notes"))

    assert (second.name, third.name) == ("notes-2", "Notes-3")


def test_a_vault_is_found_by_name_id_or_folder(vaults: Vaults, tmp_path: Path) -> None:
    record = vaults.add(folder(tmp_path / "Notes"))
    vaults.add(folder(tmp_path / "Other"))

    for word in (record.id, "Notes", "notes", str(tmp_path / "Notes"), "Notes/../Notes"):
        assert vaults.find(word, cwd=tmp_path) == record


def test_without_a_name_the_current_folder_decides(vaults: Vaults, tmp_path: Path) -> None:
    first = vaults.add(folder(tmp_path / "Notes"))
    assert vaults.find(None, cwd=Path("/")) == first

    inner = vaults.add(folder(tmp_path / "Notes" / "Inner"))
    assert vaults.find(None, cwd=tmp_path / "Notes" / "Inner") == inner
    assert vaults.find(None, cwd=tmp_path / "Notes") == first
    assert vaults.find(None, cwd=Path("/")) == first

    vaults.set_default(inner)
    assert vaults.find(None, cwd=Path("/")).id == inner.id


def test_the_error_about_an_unknown_vault_lists_the_known_ones(
    vaults: Vaults, tmp_path: Path
) -> None:
    with pytest.raises(NotFoundError, match="no vault is known"):
        vaults.find(None, cwd=tmp_path)
    vaults.add(folder(tmp_path / "Notes"))
    with pytest.raises(NotFoundError, match="Known: Notes"):
        vaults.find("Nots", cwd=tmp_path)


def test_a_path_that_is_not_a_folder_is_refused(vaults: Vaults, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        vaults.add(tmp_path / "absent")
    (tmp_path / "file.md").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError):
        vaults.add(tmp_path / "file.md")


def test_removing_a_vault_never_touches_its_notes(vaults: Vaults, tmp_path: Path) -> None:
    record = vaults.add(folder(tmp_path / "Notes"))
    other = vaults.add(folder(tmp_path / "Other"))
    vaults.open(record, writable=True).index_now()
    directory = vaults.directory(record)
    assert directory.exists()

    vaults.remove(record, delete_data=True)

    assert not directory.exists()
    assert (tmp_path / "Notes" / "note.md").read_text(encoding="utf-8") == "hello"
    assert [(known.id, known.default) for known in vaults.records()] == [(other.id, True)]


def test_an_engine_is_opened_once(vaults: Vaults, tmp_path: Path) -> None:
    record = vaults.add(folder(tmp_path / "Notes"))

    engine = vaults.open(record, writable=True)

    assert vaults.open(record, writable=True) is engine
    assert vaults.opened() == (engine,)
    vaults.close()
    assert vaults.opened() == ()


def indexed(vaults: Vaults, path: Path, notes: int = 5) -> VaultRecord:
    path.mkdir(parents=True)
    for number in range(notes):
        (path / f"{number}.md").write_text(f"{path.name} {number}", encoding="utf-8")
    record = vaults.add(path)
    vaults.open(record, writable=True).index_now()
    vaults.close()
    return record


def test_a_moved_vault_keeps_its_index(vaults: Vaults, tmp_path: Path) -> None:
    indexed(vaults, tmp_path / "Other")
    record = indexed(vaults, tmp_path / "Notes")
    (tmp_path / "Notes").rename(tmp_path / "Renamed")

    moved = vaults.add(tmp_path / "Renamed")

    assert (moved.id, moved.name, moved.path) == (record.id, "Renamed", tmp_path / "Renamed")
    assert len(vaults.records()) == 2
    assert vaults.open(moved, writable=True).index_now().notes == 5


def test_a_copied_vault_is_a_separate_vault(vaults: Vaults, tmp_path: Path) -> None:
    record = indexed(vaults, tmp_path / "Notes")
    shutil.copytree(tmp_path / "Notes", tmp_path / "Copy")

    assert vaults.add(tmp_path / "Copy").id != record.id


def test_another_vault_does_not_get_the_index_of_a_missing_one(
    vaults: Vaults, tmp_path: Path
) -> None:
    record = indexed(vaults, tmp_path / "Notes")
    shutil.rmtree(tmp_path / "Notes")

    assert vaults.add(folder(tmp_path / "New")).id != record.id


def test_the_number_of_open_vaults_is_limited(settings: Settings, tmp_path: Path) -> None:
    few = replace(settings, server=ServerRules(open_vaults=2))
    vaults = Vaults(few, features=FEATURES)
    records = [indexed(vaults, tmp_path / name) for name in ("A", "B", "C")]
    vaults.set_default(records[2])

    vaults.serve(vaults.records())
    try:
        assert {engine.record.name for engine in vaults.opened()} == {"A", "C"}
        assert [record.name for record in vaults.served()] == ["A", "B", "C"]
        assert vaults.held(records[1]) is None

        with vaults.hold(records[1]) as engine:
            assert engine.search(SearchRequest("2")).total == 1
        assert {engine.record.name for engine in vaults.opened()} == {"B", "A"}
    finally:
        vaults.close()


def test_an_index_is_not_created_in_a_folder_with_other_files(
    settings: Settings, tmp_path: Path
) -> None:
    notes = folder(tmp_path / "Notes")
    vaults = Vaults(replace(settings, index_dir=notes), features=FEATURES)

    with pytest.raises(IndexFailure, match="index_dir"):
        vaults.open(vaults.add(notes), writable=True)
    assert [path.name for path in notes.iterdir()] == ["note.md"]


def test_deleting_the_data_deletes_logs_and_written_data(
    vaults: Vaults, settings: Settings, tmp_path: Path
) -> None:
    record = vaults.add(folder(tmp_path / "Notes"))
    data = settings.data_dir / "vaults" / record.id
    talks = Conversations(data)
    talk = talks.new_id()
    talks.save_turn(talk, AnswerDraft("Why?", record.name, talk).stopped())
    VaultWriter(record.path, Journal(data)).create("New.md", "text", action="test")
    assert len(list(data.iterdir())) >= 2

    vaults.remove(record, delete_data=True)

    assert not data.exists()
    assert (record.path / "New.md").exists()


def test_changed_sections_hold_for_open_vaults_and_for_those_opened_later(
    vaults: Vaults, settings: Settings, tmp_path: Path
) -> None:
    first, second = vaults.add(folder(tmp_path / "One")), vaults.add(folder(tmp_path / "Two"))
    engine = vaults.open(first, writable=True)
    asked = AskRules(provider="openai", model="one-model")
    changed = replace(settings, ask=asked, of_features={"garden": GardenRules(folder="Plans")})

    vaults.use_sections(["ask"], lambda _: changed)

    later = vaults.open(second, writable=True)
    assert [each.vault.chat().rules for each in (engine, later)] == [asked, asked]
    assert vaults.settings(first) == replace(settings, ask=asked)  # the other section as before
    vaults.close()


def test_deleting_an_index_deletes_nothing_else(settings: Settings, tmp_path: Path) -> None:
    place = tmp_path / "place"
    vaults = Vaults(replace(settings, index_dir=place), features=FEATURES)
    record = vaults.add(folder(tmp_path / "Notes"))
    vaults.open(record, writable=True).index_now()
    (place / "mine.txt").touch()

    vaults.remove(record, delete_data=True)

    assert [path.name for path in place.iterdir()] == ["mine.txt"]


def test_an_index_in_use_is_not_deleted(vaults: Vaults, settings: Settings, tmp_path: Path) -> None:
    record = vaults.add(folder(tmp_path / "Notes"))
    vaults.open(record, writable=True).index_now()
    try:
        with pytest.raises(IndexInUseError):
            Vaults(settings, features=FEATURES).remove(record, delete_data=True)
        assert vaults.records() == (record,)
    finally:
        vaults.close()
