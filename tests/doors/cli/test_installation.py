"""`notewell doctor`, and the settings that `notewell config` shows."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.doors.cli.support import CommandLine


def states(report: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {check["name"]: check["state"] for check in report["checks"]}


def test_a_complete_installation_passes_every_check(
    notewell: CommandLine, indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_SERVER_PORT", "0")  # a server of somebody else has the usual one
    report = notewell.json("doctor")

    assert report["ok"]
    assert states(report) == {
        "notewell": "ok",
        "libraries": "ok",
        "settings": "ok",
        "data directory": "ok",
        "model": "warning",
        "vault Notes": "ok",
    }


def test_missing_parts_are_listed_with_advice(notewell: CommandLine, vault: Path) -> None:
    text = notewell("doctor").stdout
    assert "notewell models get" in text
    assert "notewell index FOLDER" in text

    notewell("vaults", "add", vault)
    assert "notewell index Notes" in notewell("doctor").stdout


def test_a_missing_vault_is_a_failure(notewell: CommandLine, indexed: Path) -> None:
    indexed.rename(indexed.with_name("Away"))

    assert "vaults remove" in notewell("doctor", fails=1).stdout


def test_unreadable_settings_are_a_failure(notewell: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("nonsense = 1", encoding="utf-8")
    report = notewell.json("doctor", fails=1)

    assert not report["ok"]
    assert states(report)["settings"] == "failed"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs file modes that hold")
def test_an_unwritable_data_directory_is_a_failure(notewell: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o500)

    assert "--data-dir" in notewell("doctor", fails=1).stdout


def test_every_setting_is_shown(notewell: CommandLine, tmp_path: Path) -> None:
    shown = notewell.json("config", "show")

    assert shown["data_dir"] == str(tmp_path / "data")
    assert shown["server.port"] == 8765
    assert shown["vault.exclude"] == []
    assert "server.port" in notewell("config", "show").stdout


def test_inside_a_vault_its_own_file_is_shown_too(
    notewell: CommandLine, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault / ".notewell.toml").write_text('[vault]\nexclude = ["Old/"]\n', encoding="utf-8")
    assert notewell.json("config", "show")["vault.exclude"] == []

    monkeypatch.chdir(vault / "Garden")
    assert notewell.json("config", "show")["vault.exclude"] == ["Old/"]
    (line,) = (
        each for each in notewell("config", "show").stdout.splitlines() if "vault.exclude" in each
    )
    assert line.split() == ["vault.exclude", ".notewell.toml", "Old/"]


def test_an_unknown_variable_is_told_the_nearest(
    notewell: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_SERVER_PROT", "1")
    error = notewell("config", "show", fails=2).stderr

    assert error == (
        "notewell: environment: unknown setting NOTEWELL_SERVER_PROT;"
        " did you mean NOTEWELL_SERVER_PORT?\n"
    )


def test_flags_override_other_settings(notewell: CommandLine, tmp_path: Path) -> None:
    assert notewell.json("--data-dir", tmp_path / "x", "config", "show")["data_dir"] == str(
        tmp_path / "x"
    )


def test_another_configuration_file_can_be_named(notewell: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text("[server]\nport = 9999\n", encoding="utf-8")

    assert notewell.json("config", "show", "--config", file)["server.port"] == 9999
    assert notewell("config", "path", "--config", file).stdout == f"{file}\n"


def test_the_error_about_an_unknown_key_names_key_and_file(
    notewell: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "settings.toml").write_text("[server]\nprot = 1\n", encoding="utf-8")
    result = notewell("config", "show", fails=2)

    assert "server.prot" in result.stderr
    assert "settings.toml" in result.stderr


def test_a_setting_is_checked_and_set(notewell: CommandLine, tmp_path: Path) -> None:
    notewell("config", "set", "server.port", 8911)
    notewell("config", "set", "vault.exclude", "Old/, Drafts/")
    notewell("config", "set", "log.queries", "false")
    shown = notewell.json("config", "show")
    assert (shown["server.port"], shown["log.queries"]) == (8911, False)
    assert shown["vault.exclude"] == ["Old/", "Drafts/"]
    before = (tmp_path / "settings.toml").read_text()

    assert "server.port" in notewell("config", "set", "server.port", "abc", fails=2).stderr
    assert "at most 65535" in notewell("config", "set", "server.port", 99999, fails=2).stderr
    assert "at least 1" in notewell("config", "set", "search.snippet_chars", 0, fails=2).stderr
    assert "did you mean" in notewell("config", "set", "server.prot", 1, fails=2).stderr
    assert (tmp_path / "settings.toml").read_text() == before

    notewell("config", "set", "server.port")
    assert notewell.json("config", "show")["server.port"] == 8765


def test_a_setting_of_one_vault_is_in_its_file(notewell: CommandLine, indexed: Path) -> None:
    said = notewell("config", "set", "vault.exclude", "Old/", "--vault", "Notes").stderr
    assert str(indexed / ".notewell.toml") in said
    assert notewell.json("config", "show", "--vault", "Notes")["vault.exclude"] == ["Old/"]
    refused = notewell("config", "set", "server.port", 1, "--vault", "Notes", fails=2).stderr
    assert "cannot be set in a vault" in refused


def test_the_usual_settings_are_shown_and_those_that_are_set(notewell: CommandLine) -> None:
    notewell("config", "set", "limits.body_timeout_s", 50)
    usual = notewell("config", "show").stdout.splitlines()
    assert len([line for line in usual if " environment " not in line]) < 20
    assert any(line.startswith("limits.body_timeout_s") for line in usual)
    assert len(notewell("config", "show", "--all").stdout.splitlines()) > 100


def test_settings_lie_beside_the_data_that_was_named(
    notewell: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOTEWELL_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    (tmp_path / "home/notewell").mkdir(parents=True)
    own = tmp_path / "home/notewell/config.toml"
    own.write_text("[server]\nport = 9001\n")
    notewell("config", "set", "log.queries", "false")

    assert notewell("config", "path").stdout.strip() == str(tmp_path / "data/config.toml")
    assert own.read_text() == "[server]\nport = 9001\n"
    shown = notewell.json("config", "show")
    assert (shown["server.port"], shown["log.queries"]) == (9001, False)
    elsewhere = notewell("config", "path", "--data-dir", tmp_path / "x").stdout.strip()
    assert elsewhere == str(tmp_path / "x/config.toml")
