"""Settings as a person sees them, and the flag that names another file."""

from __future__ import annotations

from pathlib import Path

from tests.cli.support import CommandLine


def test_every_setting_is_shown(recollect: CommandLine, tmp_path: Path) -> None:
    shown = recollect.json("config", "show")

    assert shown["data_dir"] == str(tmp_path / "data")
    assert shown["server.port"] == 8765
    assert shown["vault.exclude"] == []
    assert "server.port" in recollect("config", "show").stdout


def test_flags_win(recollect: CommandLine, tmp_path: Path) -> None:
    assert recollect.json("--data-dir", tmp_path / "x", "config", "show")["data_dir"] == str(
        tmp_path / "x"
    )


def test_another_file_can_be_named(recollect: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text("[server]\nport = 9999\n", encoding="utf-8")

    assert recollect.json("config", "show", "--config", file)["server.port"] == 9999
    assert recollect("config", "path", "--config", file).stdout == f"{file}\n"


def test_a_wrong_key_is_named_with_its_file(recollect: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("[server]\nprot = 1\n", encoding="utf-8")
    result = recollect("config", "show", fails=2)

    assert "server.prot" in result.stderr
    assert "settings.toml" in result.stderr
