"""Known vaults: names, ids, what is meant when little is said, and what removal leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.errors import ConfigError, NotFoundError, UsageError
from recollect.types import Settings
from recollect.vaults import REGISTRY, Vaults


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        data_dir=tmp_path / "data",
        model_dir=tmp_path / "models",
        state_dir=tmp_path / "state",
        offline=True,
    )


@pytest.fixture
def vaults(settings: Settings) -> Vaults:
    return Vaults(settings)


def folder(path: Path) -> Path:
    path.mkdir(parents=True)
    (path / "note.md").write_text("hello", encoding="utf-8")
    return path


def test_a_vault_keeps_its_id(vaults: Vaults, settings: Settings, tmp_path: Path) -> None:
    first = vaults.add(folder(tmp_path / "Notes"))

    assert vaults.add(tmp_path / "Notes") == first
    assert Vaults(settings).records() == (first,)
    assert first.name == "Notes"
    assert first.default


def test_equal_names_are_told_apart(vaults: Vaults, tmp_path: Path) -> None:
    vaults.add(folder(tmp_path / "a" / "Notes"))
    second = vaults.add(folder(tmp_path / "b" / "notes"))
    third = vaults.add(folder(tmp_path / "c" / "Notes"))

    assert (second.name, third.name) == ("notes-2", "Notes-3")


def test_a_vault_is_found_by_name_id_or_folder(vaults: Vaults, tmp_path: Path) -> None:
    record = vaults.add(folder(tmp_path / "Notes"))
    vaults.add(folder(tmp_path / "Other"))

    for word in (record.id, "Notes", "notes", str(tmp_path / "Notes"), "Notes/../Notes"):
        assert vaults.find(word, cwd=tmp_path) == record


def test_without_a_word_the_place_decides(vaults: Vaults, tmp_path: Path) -> None:
    first = vaults.add(folder(tmp_path / "Notes"))
    assert vaults.find(None, cwd=Path("/")) == first

    inner = vaults.add(folder(tmp_path / "Notes" / "Inner"))
    assert vaults.find(None, cwd=tmp_path / "Notes" / "Inner") == inner
    assert vaults.find(None, cwd=tmp_path / "Notes") == first
    assert vaults.find(None, cwd=Path("/")) == first

    vaults.set_default(inner)
    assert vaults.find(None, cwd=Path("/")).id == inner.id


def test_an_unknown_vault_names_the_known_ones(vaults: Vaults, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no vault is known"):
        vaults.find(None, cwd=tmp_path)
    vaults.add(folder(tmp_path / "Notes"))
    with pytest.raises(NotFoundError, match="known: Notes"):
        vaults.find("Nots", cwd=tmp_path)


def test_what_is_no_folder_is_refused(vaults: Vaults, tmp_path: Path) -> None:
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


def test_a_damaged_registry_says_so(vaults: Vaults, settings: Settings, tmp_path: Path) -> None:
    vaults.add(folder(tmp_path / "Notes"))
    (settings.data_dir / REGISTRY).write_text('{"vaults": [{', encoding="utf-8")

    with pytest.raises(ConfigError, match="cannot be read"):
        vaults.records()


def test_an_engine_is_opened_once(vaults: Vaults, tmp_path: Path) -> None:
    record = vaults.add(folder(tmp_path / "Notes"))

    engine = vaults.open(record, writable=True)

    assert vaults.open(record, writable=True) is engine
    assert vaults.opened() == (engine,)
    vaults.close()
    assert vaults.opened() == ()
