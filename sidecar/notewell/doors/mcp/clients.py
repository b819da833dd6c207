"""The assistants that Notewell can be entered in: where each keeps its servers, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import platformdirs

from notewell.base.types.frozen import frozen

Entry: TypeAlias = Mapping[str, object]


@frozen
class UserFolders:
    """Where programs keep the settings of a user: their home, and the system's place for them."""

    home: Path
    settings: Path

    @classmethod
    def of_user(cls) -> UserFolders:
        """The folders of whoever runs this."""
        settings = platformdirs.user_config_dir(appauthor=False, roaming=True)
        return cls(Path.home(), Path(settings))


@frozen
class AssistantClient:
    """A program that starts MCP servers, and how it is told of one.

    `file` gives its settings, `path` leads to the servers in them, `entry` makes that of a server
    from its command and arguments. `then` says what makes the program read it.
    """

    name: str
    title: str
    file: Callable[[UserFolders], Path]
    path: tuple[str, ...]
    entry: Callable[[str, Sequence[str]], Entry]
    then: str
    form: Literal["json", "toml"] = "json"


def _plain(command: str, arguments: Sequence[str]) -> Entry:
    return {"command": command, "args": list(arguments)}


def _entry_with_type(command: str, arguments: Sequence[str]) -> Entry:
    return {"type": "stdio", "command": command, "args": list(arguments)}


_SERVERS = ("mcpServers",)
_RESTART = "Restart it."

# https://code.claude.com/docs/en/mcp, https://modelcontextprotocol.io/docs/develop/connect-local-servers,
# https://developers.openai.com/codex/mcp, https://cursor.com/docs/context/mcp,
# https://code.visualstudio.com/docs/copilot/customization/mcp-servers, https://zed.dev/docs/ai/mcp,
# https://docs.windsurf.com/windsurf/cascade/mcp, https://geminicli.com/docs/tools/mcp-server
CLIENTS = (
    AssistantClient(
        "claude-code",
        "Claude Code",
        lambda folders: folders.home / ".claude.json",
        _SERVERS,
        _entry_with_type,
        "`/mcp` in a new session shows it.",
    ),
    AssistantClient(
        "claude-desktop",
        "Claude Desktop",
        lambda folders: folders.settings / "Claude" / "claude_desktop_config.json",
        _SERVERS,
        _plain,
        _RESTART,
    ),
    AssistantClient(
        "codex",
        "Codex",
        lambda folders: folders.home / ".codex" / "config.toml",
        ("mcp_servers",),
        _plain,
        "`codex mcp list` shows it.",
        form="toml",
    ),
    AssistantClient(
        "cursor",
        "Cursor",
        lambda folders: folders.home / ".cursor" / "mcp.json",
        _SERVERS,
        _plain,
        "Its settings list it under MCP.",
    ),
    AssistantClient(
        "vscode",
        "Visual Studio Code",
        lambda folders: folders.settings / "Code" / "User" / "mcp.json",
        ("servers",),
        _entry_with_type,
        "Its command *MCP: List Servers* starts it.",
    ),
    AssistantClient(
        "zed",
        "Zed",
        lambda folders: _zed(folders) / "settings.json",
        ("context_servers",),
        _plain,
        "Its agent panel's settings list it.",
    ),
    AssistantClient(
        "windsurf",
        "Windsurf",
        lambda folders: folders.home / ".codeium" / "windsurf" / "mcp_config.json",
        _SERVERS,
        _plain,
        "Its Cascade panel lists it after a refresh.",
    ),
    AssistantClient(
        "gemini",
        "Gemini CLI",
        lambda folders: folders.home / ".gemini" / "settings.json",
        _SERVERS,
        _plain,
        "`gemini mcp list` shows it.",
    ),
)


def _zed(folders: UserFolders) -> Path:
    """On a Mac it is with the settings of command lines, not with those of applications."""
    if folders.settings.name == "Application Support":
        return folders.home / ".config" / "zed"
    return folders.settings / ("Zed" if folders.settings.name == "Roaming" else "zed")
