"""Known vaults from the terminal, and which one a command means."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.cli.known import sample_folder
from recollect.cli.options import Invocation
from tests.cli.support import CommandLine, write_notes


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return write_notes(tmp_path / "Other", {"a.md": "alpha"})


def test_a_vault_is_added_listed_and_forgotten(recollect: CommandLine, vault: Path) -> None:
    added = recollect.json("vaults", "add", vault)

    assert added["name"] == "Notes"
    assert added["path"] == str(vault.resolve())
    assert recollect.json("vaults", "list") == {"vaults": [added]}
    assert added["id"] in recollect("vaults", "list").stdout

    recollect("vaults", "remove", "Notes")
    assert recollect.json("vaults", "list") == {"vaults": []}
    assert (vault / "City.md").exists()


def test_a_name_can_be_given(recollect: CommandLine, vault: Path) -> None:
    assert recollect.json("vaults", "add", vault, "--name", "Mine")["name"] == "Mine"


def test_the_default_can_be_changed(recollect: CommandLine, vault: Path, other: Path) -> None:
    recollect("vaults", "add", vault)
    recollect("vaults", "add", other)
    recollect("vaults", "default", "other")

    defaults = {one["name"]: one["default"] for one in recollect.json("vaults", "list")["vaults"]}
    assert defaults == {"Notes": False, "Other": True}


def test_what_is_not_known_is_exit_3(recollect: CommandLine, vault: Path) -> None:
    recollect("vaults", "add", vault)

    for command in (("vaults", "remove"), ("vaults", "default"), ("search", "x", "--vault")):
        assert "Notes" in recollect(*command, "nowhere", fails=3).stderr


def test_a_folder_that_is_not_there_is_exit_3(recollect: CommandLine, tmp_path: Path) -> None:
    for command in (("vaults", "add"), ("index",), ("serve",)):
        recollect(*command, tmp_path / "nowhere", fails=3)


def test_removing_keeps_or_deletes_the_index(
    recollect: CommandLine, indexed: Path, tmp_path: Path
) -> None:
    (folder,) = (tmp_path / "data" / "vaults").iterdir()
    recollect("vaults", "remove", "Notes")
    assert folder.exists()

    recollect("vaults", "add", indexed)
    recollect("index", "Notes")
    recollect("vaults", "remove", "Notes", "--delete-data")
    assert list((tmp_path / "data" / "vaults").iterdir()) == [folder]


def test_a_vault_of_ones_own_takes_over_from_the_sample(
    recollect: CommandLine, vault: Path
) -> None:
    sample = sample_folder(Invocation().settings())
    sample.mkdir(parents=True)
    recollect("vaults", "add", sample)
    assert recollect.json("vaults", "add", vault)["default"]

    defaults = [one["default"] for one in recollect.json("vaults", "list")["vaults"]]
    assert defaults == [False, True]


def test_a_mirror_is_added_by_its_name_alone(recollect: CommandLine, vault: Path) -> None:
    added = recollect.json("vaults", "add", "--mirror", "Phone")

    assert (added["name"], added["source"]) == ("Phone", "mirror")
    assert recollect.json("vaults", "add", "--mirror", "Phone") == added
    recollect("vaults", "add", fails=2)
    recollect("vaults", "add", vault, "--mirror", "Other", fails=2)
    recollect("vaults", "add", vault)
    assert "another name" in recollect("vaults", "add", "--mirror", "Notes", fails=2).stderr

    recollect("vaults", "remove", "Phone", "--delete-data")
    assert not Path(added["path"]).exists()


def test_a_queue_is_that_of_a_server(recollect: CommandLine, indexed: Path) -> None:
    assert "no server runs" in recollect("queue", "pause", fails=3).stderr
