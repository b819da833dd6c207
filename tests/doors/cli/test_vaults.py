"""`notewell vaults`, and which vault a command uses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from notewell.doors.cli.options import Invocation
from notewell.doors.cli.vaults import sample_folder
from tests.doors.cli.support import CommandLine, write_notes


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return write_notes(tmp_path / "Other", {"a.md": "alpha"})


def test_a_vault_is_added_listed_and_removed(notewell: CommandLine, vault: Path) -> None:
    added = notewell.json("vaults", "add", vault)

    assert added["name"] == "Notes"
    assert added["path"] == str(vault.resolve())
    assert notewell.json("vaults", "list") == {"vaults": [added]}
    assert added["id"] in notewell("vaults", "list").stdout

    notewell("vaults", "remove", "Notes")
    assert notewell.json("vaults", "list") == {"vaults": []}
    assert (vault / "City.md").exists()


def test_a_damaged_list_holds_no_command_up_and_is_told_once_on_stderr(
    notewell: CommandLine, vault: Path, other: Path, tmp_path: Path
) -> None:
    for folder in (vault, other):
        notewell("index", folder)
    notewell("vaults", "default", "Other")
    known = notewell.json("vaults", "list")
    (tmp_path / "data" / "vaults.json").write_bytes(b'{"vaults": [')

    found = notewell("search", "alpha", "--json")

    assert "a.md" in found.stdout  # of the default vault
    assert "taken from its copy" in found.stderr
    assert "vaults.json.damaged" in found.stderr
    again = notewell("vaults", "list", "--json")
    assert json.loads(again.stdout) == known
    assert again.stderr == ""


def test_a_name_can_be_given(notewell: CommandLine, vault: Path) -> None:
    assert notewell.json("vaults", "add", vault, "--name", "Mine")["name"] == "Mine"


def test_a_folder_that_moved_is_told_and_found_again(
    notewell: CommandLine, indexed: Path, other: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "Archive"
    indexed.rename(moved)
    searched = notewell("search", "bees", "--vault", "Notes")
    assert searched.stdout
    assert "is not there" in searched.stderr
    status = notewell.json("status", "--vault", "Notes")
    assert status["state"] == "degraded"
    assert "notewell vaults move" in status["problem"]

    assert "does not hold" in notewell("vaults", "move", "Notes", other, fails=2).stderr
    before = notewell.json("vaults", "list")["vaults"][0]
    after = notewell.json("vaults", "move", "Notes", moved)
    assert (after["id"], after["name"], after["path"]) == (before["id"], "Archive", str(moved))
    status = notewell.json("status", "--vault", "Archive")
    assert (status["state"], status["problem"]) == ("ready", None)
    assert "is not there" not in notewell("search", "bees", "--vault", "Archive").stderr
    assert "0 embedded" in notewell("index", "Archive").stdout


def test_the_default_can_be_changed(notewell: CommandLine, vault: Path, other: Path) -> None:
    notewell("vaults", "add", vault)
    notewell("vaults", "add", other)
    notewell("vaults", "default", "other")

    defaults = {
        vault["name"]: vault["default"] for vault in notewell.json("vaults", "list")["vaults"]
    }
    assert defaults == {"Notes": False, "Other": True}


def test_an_unknown_vault_is_exit_3(notewell: CommandLine, vault: Path) -> None:
    notewell("vaults", "add", vault)

    for command in (("vaults", "remove"), ("vaults", "default"), ("search", "x", "--vault")):
        assert "Notes" in notewell(*command, "nowhere", fails=3).stderr


def test_a_missing_folder_is_exit_3(notewell: CommandLine, tmp_path: Path) -> None:
    for command in (("vaults", "add"), ("index",), ("serve",)):
        notewell(*command, tmp_path / "nowhere", fails=3)


def test_a_whole_disk_or_home_folder_is_no_vault_by_mistake(
    notewell: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))

    for word in (home.anchor, home):
        said = notewell("index", word, fails=2).stderr
        assert "name the folder of your notes" in said
    assert notewell.json("vaults", "list")["vaults"] == []

    (home / ".obsidian").mkdir()
    notewell("vaults", "add", home)


def test_removing_keeps_or_deletes_the_index(
    notewell: CommandLine, indexed: Path, tmp_path: Path
) -> None:
    (folder,) = (tmp_path / "data" / "vaults").iterdir()
    notewell("vaults", "remove", "Notes")
    assert folder.exists()

    notewell("vaults", "add", indexed)
    notewell("index", "Notes")
    notewell("vaults", "remove", "Notes", "--delete-data")
    assert list((tmp_path / "data" / "vaults").iterdir()) == [folder]


def test_the_first_own_vault_replaces_the_sample_as_default(
    notewell: CommandLine, vault: Path
) -> None:
    sample = sample_folder(Invocation().settings())
    sample.mkdir(parents=True)
    notewell("vaults", "add", sample)
    assert notewell.json("vaults", "add", vault)["default"]

    defaults = [vault["default"] for vault in notewell.json("vaults", "list")["vaults"]]
    assert defaults == [False, True]


def test_a_mirror_is_added_by_its_name(notewell: CommandLine, vault: Path) -> None:
    added = notewell.json("vaults", "add", "--mirror", "Phone")

    assert (added["name"], added["source"]) == ("Phone", "mirror")
    assert notewell.json("vaults", "add", "--mirror", "Phone") == added
    notewell("vaults", "add", fails=2)
    notewell("vaults", "add", vault, "--mirror", "Other", fails=2)
    notewell("vaults", "add", vault)
    assert "another name" in notewell("vaults", "add", "--mirror", "Notes", fails=2).stderr

    notewell("vaults", "remove", "Phone", "--delete-data")
    assert not Path(added["path"]).exists()


def test_the_queue_commands_need_a_server(notewell: CommandLine, indexed: Path) -> None:
    assert "no server runs" in notewell("queue", "pause", fails=3).stderr
