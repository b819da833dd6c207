"""The doctor sees what is wrong, and says what to do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.support import CommandLine


def states(report: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {check["name"]: check["state"] for check in report["checks"]}


def test_a_sound_installation_is_sound(recollect: CommandLine, indexed: Path) -> None:
    report = recollect.json("doctor")

    assert report["ok"]
    assert states(report) == {
        "recollect": "ok",
        "libraries": "ok",
        "settings": "ok",
        "data directory": "ok",
        "model": "warning",
        "vault Notes": "ok",
    }


def test_what_is_missing_comes_with_advice(recollect: CommandLine, vault: Path) -> None:
    text = recollect("doctor").stdout
    assert "recollect models get" in text
    assert "recollect index FOLDER" in text

    recollect("vaults", "add", vault)
    assert "recollect index Notes" in recollect("doctor").stdout


def test_a_vault_that_is_gone_is_a_failure(recollect: CommandLine, indexed: Path) -> None:
    indexed.rename(indexed.with_name("Away"))

    assert "vaults remove" in recollect("doctor", fails=1).stdout


def test_settings_that_do_not_read_are_a_failure(recollect: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("nonsense = 1", encoding="utf-8")
    report = recollect.json("doctor", fails=1)

    assert not report["ok"]
    assert states(report)["settings"] == "failed"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs file modes that hold")
def test_a_data_directory_that_cannot_be_written_is_a_failure(
    recollect: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir(mode=0o500)

    assert "--data-dir" in recollect("doctor", fails=1).stdout
