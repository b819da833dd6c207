"""Puts the built plugin into a vault, where Obsidian looks for plugins.

Only the plugin's own three files and, where asked for, Obsidian's list of enabled plugins are
written. A vault may come from a stranger: a link in it may lead nowhere else.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import orjson

from notewell.base.errors import ConfigError, NotFoundError, OutsideVaultError, UsageError
from notewell.base.support import disk
from notewell.base.support.plain_file import NotPlainFileError, read_plain
from notewell.base.types.frozen import frozen

PLUGIN = "notewell"
FILES = ("main.js", "styles.css", "manifest.json")  # the manifest last: it says what is installed
BUILT = Path(__file__).parent / "built"
CONFIG_FOLDER = ".obsidian"
_ENABLED = "community-plugins.json"
_READABLE = 0o644
_MOST_BYTES = 1024 * 1024  # of a file of Obsidian's that is read


@frozen
class Installed:
    """The outcome of an installation: the plugin's folder, and the versions before and after it.

    `enabled` says whether Obsidian's list has the plugin, `changed` whether files were written.
    """

    folder: str
    version: str
    before: str | None
    enabled: bool
    changed: bool


def install(
    vault: Path,
    *,
    enable: bool,
    config_folder: str = CONFIG_FOLDER,
    force: bool = False,
    built: Path = BUILT,
) -> Installed:
    """Write the plugin into a vault; its settings there stay.

    `config_folder` is the folder in which Obsidian keeps the vault's settings. An installed version
    that is newer stays, unless with `force`.

    Raises:
        NotFoundError: the folder is not there, was never opened in Obsidian, or this package was
            built without the plugin.
        UsageError: a newer version is installed, or `config_folder` is not the name of a folder.
        OutsideVaultError: a link leads out of the vault.
        ConfigError: Obsidian's list of enabled plugins cannot be read.

    """
    contents = _built(built)
    settings = _settings_folder(vault, config_folder)
    folder = _within(vault, settings / "plugins" / PLUGIN)
    version = _version(contents["manifest.json"])
    before = installed_version(folder)
    if before is not None and not force and _numbers(before) > _numbers(version):
        raise UsageError(
            f"{vault} has the plugin {before}, which is newer than {version}. To install this one"
            " all the same, add --force."
        )
    enabled = _enabled_plugins(
        vault, settings
    )  # read first: nothing is written beside a broken list
    changed = _write(vault, folder, contents)
    if enable and PLUGIN not in enabled:
        place = _within(vault, settings / _ENABLED)
        listed = orjson.dumps([*enabled, PLUGIN], option=orjson.OPT_INDENT_2)
        disk.replace(place, listed, mode=_READABLE)
        enabled = [*enabled, PLUGIN]
        changed = True
    return Installed(str(folder), version, before, PLUGIN in enabled, changed)


def installed_version(folder: Path) -> str | None:
    """The version of the plugin in a folder; None if there is none, or its manifest is broken."""
    try:
        return _version(read_plain(folder / "manifest.json", most=_MOST_BYTES))
    except (OSError, ConfigError):
        return None


def _built(built: Path) -> dict[str, bytes]:
    try:
        return {name: (built / name).read_bytes() for name in FILES}
    except FileNotFoundError as error:
        raise NotFoundError(
            "This installation carries no built plugin. In the source code, `make plugin` builds"
            " it; a release has it."
        ) from error


def _settings_folder(vault: Path, name: str) -> Path:
    if not vault.is_dir():
        raise NotFoundError(f"There is no folder {vault}.")
    if Path(name).name != name or name in {"", ".", ".."}:
        raise UsageError(f"“{name}” is not the name of a folder in the vault.")
    settings = vault / name
    if not settings.is_dir():
        raise NotFoundError(
            f"{vault} has no folder {name}: open it as a vault in Obsidian once. If Obsidian keeps"
            " its settings in another folder there, name it with --config-folder."
        )
    return _within(vault, settings)


def _within(vault: Path, place: Path) -> Path:
    """The place, if no link in its path leads out of the vault."""
    root = Path(os.path.realpath(vault))
    if not Path(os.path.realpath(place)).is_relative_to(root):
        raise OutsideVaultError(
            f"{place} is a link that leads out of the vault, so nothing is written there."
        )
    return place


def _write(vault: Path, folder: Path, contents: dict[str, bytes]) -> bool:
    """Write the files that differ; True if there were any."""
    changed = False
    for name, content in contents.items():
        place = _within(vault, folder / name)
        if not place.is_file() or place.read_bytes() != content:
            disk.replace(place, content, mode=_READABLE)
            changed = True
    return changed


def _enabled_plugins(vault: Path, settings: Path) -> list[str]:
    place = _within(vault, settings / _ENABLED)
    try:
        listed = orjson.loads(read_plain(place, most=_MOST_BYTES))
    except FileNotFoundError:
        return []
    except (NotPlainFileError, orjson.JSONDecodeError) as error:
        raise ConfigError(
            f"{place} is broken, so nothing was written: mend or delete it first ({error})."
        ) from error
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise ConfigError(f"{place} is not a list of names, so nothing was written: mend it first.")
    return listed


def _version(manifest: bytes) -> str:
    try:
        parsed = orjson.loads(manifest)
    except orjson.JSONDecodeError as error:
        raise ConfigError(f"The plugin's manifest is broken ({error}).") from error
    version = parsed.get("version") if isinstance(parsed, dict) else None
    if not isinstance(version, str) or not version:
        raise ConfigError("The plugin's manifest names no version.")
    return version


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, to compare; Obsidian allows nothing but numbers and points."""
    return tuple(int(number) for number in re.findall(r"\d{1,9}", version))
