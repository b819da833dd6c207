"""Enters Notewell among the servers of an assistant, and takes it out; all else there stays."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from notewell.base.errors import ConfigError
from notewell.base.support import disk, jsonc
from notewell.base.support.plain_file import NotPlainFileError, read_plain
from notewell.base.types.frozen import frozen
from notewell.doors.mcp.clients import AssistantClient, Entry, UserFolders

SERVER = "notewell"
BACKUP = ".notewell-backup"
_MOST_BYTES = 32 * 1024 * 1024  # Claude Code keeps more than settings in its file


@frozen
class ClientChange:
    """A change of an assistant's settings: the text before and after it; None: no file."""

    file: Path
    before: str | None
    after: str | None

    @property
    def is_needed(self) -> bool:
        """False if the settings are so already."""
        return self.before != self.after


def enter_server(
    client: AssistantClient, folders: UserFolders, command: str, arguments: Sequence[str]
) -> ClientChange:
    """The settings with Notewell among the servers.

    Raises:
        ConfigError: the settings are not in the form that the program writes.

    """
    file = client.file(folders)
    before = _read(file)
    entry = client.entry(command, arguments)
    return ClientChange(file, before, _with_entry(client, file, before or "", entry))


def remove_server(client: AssistantClient, folders: UserFolders) -> ClientChange:
    """The settings without Notewell; raises ConfigError as `entered` does."""
    file = client.file(folders)
    before = _read(file)
    after = before if before is None else _without_entry(client, file, before)
    return ClientChange(file, before, after)


def is_entered(client: AssistantClient, folders: UserFolders) -> bool:
    """True if Notewell is among the servers; raises ConfigError as `entered` does."""
    return remove_server(client, folders).is_needed


def snippet(client: AssistantClient, command: str, arguments: Sequence[str]) -> str:
    """The entry alone, as it stands in settings that have nothing else."""
    return _with_entry(client, Path(), "", client.entry(command, arguments))


def write(change: ClientChange) -> Path | None:
    """Write a change; returns the copy of the former file, None if there was none.

    The file is replaced in one step, with its permissions; where it is a link, what it leads to.
    """
    if change.after is None or not change.is_needed:
        return None
    real = Path(os.path.realpath(change.file))
    if change.before is None:
        disk.replace(real, change.after.encode())
        return None
    backup = real.with_name(real.name + BACKUP)
    shutil.copy2(real, backup)
    disk.replace(real, change.after.encode(), mode=real.stat().st_mode & 0o777)
    return backup


def _read(file: Path) -> str | None:
    try:
        return read_plain(file, most=_MOST_BYTES).decode()
    except FileNotFoundError:
        return None
    except (NotPlainFileError, UnicodeDecodeError) as error:
        raise _unreadable_settings(file, error) from error


def _with_entry(client: AssistantClient, file: Path, text: str, entry: Entry) -> str:
    path = (*client.path, SERVER)
    try:
        if client.form == "json":
            return jsonc.with_member(text, path, entry)
        document = tomlkit.parse(text)
        servers = document.setdefault(client.path[0], tomlkit.table(is_super_table=True))
        servers[SERVER] = entry
        return tomlkit.dumps(document)
    except (jsonc.JsoncError, TOMLKitError, TypeError) as error:
        raise _unreadable_settings(file, error) from error


def _without_entry(client: AssistantClient, file: Path, text: str) -> str:
    try:
        if client.form == "json":
            return jsonc.without_member(text, (*client.path, SERVER))
        document = tomlkit.parse(text)
        servers = document.get(client.path[0], {})
        if SERVER not in servers:
            return text
        del servers[SERVER]
        return tomlkit.dumps(document)
    except (jsonc.JsoncError, TOMLKitError, TypeError, AttributeError) as error:
        raise _unreadable_settings(file, error) from error


def _unreadable_settings(file: Path, error: Exception) -> ConfigError:
    return ConfigError(f"{file} cannot be read, so it was left alone: {error}.")
