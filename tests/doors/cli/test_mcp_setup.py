"""`notewell mcp setup`: lists assistants, shows what to enter, writes it, and takes it out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.cli.support import CommandLine


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "person" / ".config"))
    return tmp_path / "person"


def states(notewell: CommandLine) -> dict[str, str]:
    listed = json.loads(notewell("mcp", "setup", "--json").stdout)["clients"]
    return {client["name"]: client["state"] for client in listed}


def test_without_write_nothing_is_written(notewell: CommandLine, home: Path) -> None:
    shown = notewell("mcp", "setup", "--client", "cursor")

    assert json.loads(shown.stdout)["mcpServers"]["notewell"]["args"][-1] == "mcp"
    assert str(home / ".cursor" / "mcp.json") in shown.stderr
    assert not home.exists()
    assert set(states(notewell).values()) == {"not found"}


def test_it_is_written_and_taken_out(notewell: CommandLine, home: Path, indexed: Path) -> None:
    settings = home / ".cursor" / "mcp.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"mcpServers": {"other": {"command": "x"}}}')

    told = notewell(
        "mcp", "setup", "--client", "cursor", "--write", "--vault", indexed.name, "--allow-write"
    )

    entry = json.loads(settings.read_text())["mcpServers"]["notewell"]
    assert entry["args"][-4:] == ["mcp", "--vault", indexed.name, "--allow-write"]
    assert Path(entry["command"]).is_absolute()
    assert "backup" in told.stderr
    assert states(notewell)["cursor"] == "entered"
    assert "no longer in" in notewell("mcp", "setup", "--client", "cursor", "--remove").stderr
    assert list(json.loads(settings.read_text())["mcpServers"]) == ["other"]
    assert "is not in" in notewell("mcp", "setup", "--client", "cursor", "--remove").stderr


def test_what_cannot_be_meant_is_refused(notewell: CommandLine, home: Path) -> None:
    assert "--client" in notewell("mcp", "setup", "--write", fails=2).stderr
    both = notewell("mcp", "setup", "--client", "zed", "--write", "--remove", fails=2)
    assert "not both" in both.stderr
    assert "left alone" not in notewell("mcp", "setup", "--client", "zed").stderr
    (home / ".config" / "zed").mkdir(parents=True)
    (home / ".config" / "zed" / "settings.json").write_text("{ broken")
    refused = notewell("mcp", "setup", "--client", "zed", "--write", fails=2)
    assert "left alone" in refused.stderr
    assert states(notewell)["zed"] == "broken"
