"""Notewell is entered in the settings of an assistant: one entry, a copy of the former, undone."""

from __future__ import annotations

import json
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from notewell.base.errors import ConfigError
from notewell.base.support import jsonc
from notewell.doors.mcp.client_setup import (
    BACKUP,
    enter_server,
    is_entered,
    remove_server,
    snippet,
    write,
)
from notewell.doors.mcp.clients import CLIENTS, AssistantClient, UserFolders

COMMAND, ARGUMENTS = "/opt/notewell/bin/notewell", ["mcp", "--vault", "Notes"]
BY_NAME = {client.name: client for client in CLIENTS}
EVERY = pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)


@pytest.fixture
def folders(tmp_path: Path) -> UserFolders:
    return UserFolders(tmp_path, tmp_path / ".config")


def servers_in(client: AssistantClient, text: str) -> Mapping[str, Any]:
    settings: Any = tomllib.loads(text) if client.form == "toml" else jsonc.parse(text)
    for step in client.path:
        settings = settings[step]
    return settings


def filled(client: AssistantClient) -> str:
    """Settings as somebody has them: another server, something else, comments where they may be."""
    if client.form == "toml":
        return '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "other"  # keep\n\n[tui]\nnotifications = true\n'
    comment = "  // mine\n" if client.name in {"zed", "vscode"} else ""
    return f'{{\n{comment}  "theme": "dark",\n  "{client.path[0]}": {{\n    "other": {{ "command": "other" }}\n  }}\n}}\n'


@EVERY
def test_it_is_entered_where_the_assistant_looks(
    client: AssistantClient, folders: UserFolders
) -> None:
    change = enter_server(client, folders, COMMAND, ARGUMENTS)
    assert write(change) is None

    found = servers_in(client, change.file.read_text())["notewell"]
    assert (found["command"], found["args"]) == (COMMAND, ARGUMENTS)
    assert found.get("type", "stdio") == "stdio"
    assert servers_in(client, snippet(client, COMMAND, ARGUMENTS))["notewell"] == found
    assert change.file.is_relative_to(folders.home)
    assert is_entered(client, folders)
    assert not enter_server(client, folders, COMMAND, ARGUMENTS).is_needed


@EVERY
def test_everything_else_stays_and_a_copy_is_kept(
    client: AssistantClient, folders: UserFolders
) -> None:
    file = client.file(folders)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(filled(client))
    file.chmod(0o640)

    backup = write(enter_server(client, folders, COMMAND, ARGUMENTS))

    assert backup is not None
    assert (backup.name, backup.read_text()) == (file.name + BACKUP, filled(client))
    after = file.read_text()
    assert set(servers_in(client, after)) == {"other", "notewell"}
    lines = [line.rstrip(",") for line in after.splitlines()]
    assert all(line.rstrip(",") in lines for line in filled(client).splitlines())
    assert stat.S_IMODE(file.stat().st_mode) == 0o640

    write(remove_server(client, folders))
    assert file.read_text().strip() == filled(client).strip()
    assert not remove_server(client, folders).is_needed


@EVERY
@pytest.mark.parametrize(
    "text", ["{", "= 3", "[]", '{"mcpServers": 3, "servers": 3, "context_servers": 3}']
)
def test_broken_settings_are_left_alone(
    client: AssistantClient, folders: UserFolders, text: str
) -> None:
    file = client.file(folders)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    if client.form == "toml" and text == "[]":
        text = "[]]"
        file.write_text(text)

    with pytest.raises(ConfigError, match="left alone"):
        enter_server(client, folders, COMMAND, ARGUMENTS)
    assert file.read_text() == text


def test_a_linked_file_stays_a_link(tmp_path: Path, folders: UserFolders) -> None:
    dotfiles = tmp_path / "dotfiles" / "mcp.json"
    dotfiles.parent.mkdir()
    dotfiles.write_text("{}")
    file = BY_NAME["cursor"].file(folders)
    file.parent.mkdir(parents=True)
    file.symlink_to(dotfiles)

    write(enter_server(BY_NAME["cursor"], folders, COMMAND, ARGUMENTS))

    assert file.is_symlink()
    assert "notewell" in json.loads(dotfiles.read_text())["mcpServers"]


@pytest.mark.parametrize(
    ("settings", "name", "file"),
    [
        ("Library/Application Support", "zed", ".config/zed/settings.json"),
        ("Library/Application Support", "vscode", "Library/Application Support/Code/User/mcp.json"),
        ("AppData/Roaming", "zed", "AppData/Roaming/Zed/settings.json"),
        ("AppData/Roaming", "claude-desktop", "AppData/Roaming/Claude/claude_desktop_config.json"),
        (".config", "zed", ".config/zed/settings.json"),
        (".config", "gemini", ".gemini/settings.json"),
    ],
)
def test_each_system_has_its_places(tmp_path: Path, settings: str, name: str, file: str) -> None:
    folders = UserFolders(tmp_path, tmp_path / settings)
    assert BY_NAME[name].file(folders) == tmp_path / file
