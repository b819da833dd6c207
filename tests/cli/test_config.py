"""Settings as a person sees them, and the flag that names another file."""

from __future__ import annotations

from pathlib import Path

from tests.cli.support import CommandLine


def test_every_setting_is_shown(notewell: CommandLine, tmp_path: Path) -> None:
    shown = notewell.json("config", "show")

    assert shown["data_dir"] == str(tmp_path / "data")
    assert shown["server.port"] == 8765
    assert shown["vault.exclude"] == []
    assert "server.port" in notewell("config", "show").stdout


def test_flags_win(notewell: CommandLine, tmp_path: Path) -> None:
    assert notewell.json("--data-dir", tmp_path / "x", "config", "show")["data_dir"] == str(
        tmp_path / "x"
    )


def test_another_file_can_be_named(notewell: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text("[server]\nport = 9999\n", encoding="utf-8")

    assert notewell.json("config", "show", "--config", file)["server.port"] == 9999
    assert notewell("config", "path", "--config", file).stdout == f"{file}\n"


def test_a_wrong_key_is_named_with_its_file(notewell: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("[server]\nprot = 1\n", encoding="utf-8")
    result = notewell("config", "show", fails=2)

    assert "server.prot" in result.stderr
    assert "settings.toml" in result.stderr
