"""Changes settings in the text of a configuration file and leaves the rest unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.exceptions import TOMLKitError

from notewell.base.errors import ConfigError
from notewell.contract.manage import SettingValue


def changed(text: str, changes: Mapping[str, SettingValue]) -> str:
    """The text of a file with changed settings; comments and order are kept.

    None removes a setting. Raises ConfigError if the text cannot be changed.
    """
    try:
        document = tomlkit.parse(text)
        for key, value in changes.items():
            _put(document, key, value)
        return tomlkit.dumps(document)
    except (TOMLKitError, TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"the configuration file cannot be changed: {error}") from error


def with_top_level(text: str, values: Mapping[str, object]) -> str:
    """The text of a file with other values of keys outside all sections; None removes a key."""
    document = tomlkit.parse(text)
    for key in values:
        document.pop(key, None)
    kept = {key: value for key, value in values.items() if value is not None}
    # In front, because keys after a section's heading belong to the section.
    return (tomlkit.dumps(kept) + tomlkit.dumps(document)) if kept else tomlkit.dumps(document)


def _put(document: TOMLDocument, key: str, value: SettingValue) -> None:
    *sections, name = key.split(".")
    table: Any = document
    for section in sections:
        if value is None and section not in table:
            return
        if section not in table:
            table[section] = tomlkit.table()
        table = table[section]
        if not isinstance(table, dict):
            raise TypeError(f"'{section}' is not a section in it")
    if value is None:
        table.pop(name, None)
    else:
        table[name] = _as_toml(value)


def _as_toml(value: SettingValue) -> object:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value
