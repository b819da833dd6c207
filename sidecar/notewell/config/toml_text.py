"""Changes settings in the text of a configuration file and leaves the rest unchanged."""

from __future__ import annotations

from collections.abc import Mapping

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.exceptions import TOMLKitError

from notewell.contract.manage import SettingValue
from notewell.errors import ConfigError


def changed(text: str, changes: Mapping[str, SettingValue]) -> str:
    """The text of a file with changed settings; comments and order are kept.

    None removes a setting. Raises ConfigError if the text cannot be changed.
    """
    try:
        document = tomlkit.parse(text)
        for key, value in changes.items():
            _put(document, key, value)
        return tomlkit.dumps(document)
    except (TOMLKitError, TypeError, ValueError) as error:
        raise ConfigError(f"the configuration file cannot be changed: {error}") from error


def _put(document: TOMLDocument, key: str, value: SettingValue) -> None:
    section, _, name = key.partition(".")
    if value is None:
        table = document.get(section, {})
        table.pop(name, None)
        return
    if section not in document:
        document[section] = {}
    table = document[section]
    if not isinstance(table, dict):
        raise TypeError(f"'{section}' is not a section in it")
    table[name] = _as_toml(value)


def _as_toml(value: SettingValue) -> object:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value
