"""Shows each setting and its source, and changes settings in the per-user file."""

from __future__ import annotations

import dataclasses
import os
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notewell.base.config import (
    PATHS,
    Layer,
    Sections,
    Source,
    changed_here,
    live_sections,
    merge,
    parse_file,
    read_layers,
    types_of,
    user_file,
    vault_layer,
)
from notewell.base.config.vault_file import VAULT_FILE
from notewell.base.errors import (
    ConfigError,
)
from notewell.base.support import disk
from notewell.base.types import Settings
from notewell.base.types.hints import FieldType
from notewell.contract.manage import (
    ConfigReply,
    SettingSource,
    SettingType,
    SettingValue,
    SettingView,
)

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


# Settings that may be changed over HTTP: how notes are found and shown. Not where this machine
# stores data, who may use the server, what it may write to a vault, or what it connects to.
SAFE_SECTIONS = ("vault", "chunking", "model", "search", "log")
# Of sections that have other settings too, which concern this machine.
UNSAFE = (
    "model.folder",
    "model.threads",
    "model.provider",
    "model.base_url",
    "model.consent",
    "search.rerank_provider",
    "search.rerank_url",
)
_FOLDERS_OF_COMPUTER = ("model.folder", "search.rerank_folder")  # and not of the vault
_UNSAFE_REASON = (
    "It concerns this machine or who may use the server: set it in the configuration file,"
    " which `notewell config path` shows."
)
_SET_BY = {
    "environment": "The environment of the server sets it, which wins over the file.",
    "flag": "The command that started the server sets it, which wins over the file.",
    "vault": "The file .notewell.toml in the vault sets it, which wins over the file.",
}


class Configuration:
    """The layers of one process's configuration."""

    def __init__(
        self,
        environ: Mapping[str, str],
        flags: Mapping[str, object] | None = None,
        features: Sections = (),
    ) -> None:
        """Nothing is read yet. `features` are the sections beside those of the core."""
        self._environ = environ
        self._flags = flags
        self._features = features
        self._changing = threading.Lock()

    @property
    def file(self) -> Path:
        """The per-user file, which need not exist."""
        return user_file(self._environ)

    def reply(
        self,
        vault: str,
        folder: Path,
        running: Settings,
        among: Callable[[str], bool],
        *,
        at_home: bool = False,
    ) -> ConfigReply:
        """The settings of a vault in `folder` whose keys satisfy `among`; reads the files again.

        `at_home`: an administrator asks who is at this computer.
        """
        layers = self._layers(folder)
        merged = settings_by_key(self._merge(layers))
        defaults = settings_by_key(self._merge({}))
        now = settings_by_key(running)
        sources = {key: source for source, layer in layers.items() for key in layer}
        types = dict(types_of(self._features))
        views = tuple(
            _view(
                key,
                merged[key],
                now.get(key, defaults[key]),
                defaults[key],
                sources.get(key, "default"),
                safe=_is_safe(key, self._features),
            )
            for key in merged
            if among(key)
        )
        return ConfigReply(
            vault=vault,
            file=str(self.file),
            restart=any(view.value != view.running for view in views),
            settings=views,
            types={key: _type(key, types[key]) for key in merged if among(key)},
            confirmable=tuple(
                view.key
                for view in views
                if at_home
                and view.key in changed_here(self._features)
                and view.source in {"default", "user"}
            ),
        )

    def sources(self, folder: Path | None) -> dict[str, SettingSource]:
        """Where each setting that is not a default was set; `folder` is that of a vault."""
        layers = self._layers(folder)
        return {key: source for source, layer in layers.items() for key in layer}

    def settings(self, folder: Path) -> Settings:
        """The settings of a vault in `folder`, as files, environment and flags set them now."""
        layers = self._layers(folder)
        return self._merge(layers)

    def change(
        self, changes: Mapping[str, SettingValue], folder: Path, *, at_home: bool = False
    ) -> tuple[str, ...]:
        """Change settings in the per-user file, all or none; None removes a setting.

        `at_home`: an administrator at this computer confirmed it. Returns the sections of them
        whose changes a server uses at once. The rest of the file is unchanged. Raises ConfigError
        if a key may not be changed here, a value is invalid, or the file cannot be written.
        """
        for key in changes:
            confirmed = at_home and key in changed_here(self._features)
            if not confirmed and not _is_safe(key, self._features):
                raise ConfigError(f"'{key}' cannot be changed here. {_UNSAFE_REASON}")
        with self._changing:
            text = change_settings(_text(self.file), changes)
            layers = self._layers(folder)
            layers["user"] = self._parse(text, str(self.file))
            self._merge(layers)
            self._merge({"user": layers["user"]})  # also values that another layer overrides
            _write(self.file, text)
        return live_sections(changes, self._features)

    def put(self, key: str, text: str | None, vault: Path | None = None) -> Path:
        """Set a setting in the per-user file, or in the one in a vault's folder.

        The text is read as TOML, else as it is; None is the default again. Returns the file.
        ConfigError for an unknown key or a bad value.
        """
        file = self.file if vault is None else vault / VAULT_FILE
        refused: ConfigError | None = None
        with self._changing:
            for value in _readings(text):
                try:
                    changed_text = change_settings(_text(file), {key: value})
                    if vault is None:
                        self._of_file(changed_text)
                    else:
                        layer = vault_layer(changed_text, file, self._environ, self._features)
                        self._merge({"vault": layer})
                except ConfigError as error:
                    refused = refused or error
                else:
                    _write(file, changed_text)
                    return file
        raise refused or ConfigError(f"'{key}' cannot be set")

    def of_user(self) -> Settings:
        """The settings that the per-user file makes alone."""
        return self._of_file(_text(self.file))

    def list_item(self, key: str, item: str, *, wanted: bool) -> None:
        """Put an item into a list of the per-user file, or take it out. Raises ConfigError."""
        with self._changing:
            text = _text(self.file)
            present = settings_by_key(self._of_file(text))[key]
            items = present if isinstance(present, tuple) else ()
            others = tuple(other for other in items if other != item)
            kept = (*others, item) if wanted else others
            _write(self.file, change_settings(text, {key: kept or None}))

    def set_section(self, name: str, values: Mapping[str, str]) -> None:
        """Set keys of a section in the per-user file; an empty value removes one.

        Not for what a client sends: the caller decides where notes may go. Raises ConfigError.
        """
        with self._changing:
            changes = {f"{name}.{key}": value or None for key, value in values.items()}
            text = change_settings(_text(self.file), changes)
            self._of_file(text)
            _write(self.file, text)

    def carry_over(self, saved: str) -> tuple[str, tuple[str, ...]]:
        """The text of another computer's settings file for this one, and the keys left out.

        Where data lies is decided here: these keys keep what the file of this computer says.
        Raises ConfigError if the settings are not valid.
        """
        layer = self._parse(saved, "the settings in the backup")
        present = self._parse(_text(self.file), str(self.file))
        kept = {key: present.get(key) for key in PATHS}
        others = {key: value for key, value in layer.items() if key not in PATHS}
        merge({"user": others}, {}, self._features)
        left_out = tuple(key for key in PATHS if key in layer and layer[key] != present.get(key))
        return with_top_level(saved, kept), left_out

    def _layers(self, folder: Path | None) -> dict[Source, Layer]:
        return read_layers(
            flags=self._flags, environ=self._environ, vault=folder, features=self._features
        )

    def _parse(self, text: str, where: str) -> Layer:
        return parse_file(text, where, self._features)

    def _merge(self, layers: Mapping[Source, Layer]) -> Settings:
        return merge(layers, self._environ, self._features)

    def _of_file(self, text: str) -> Settings:
        """The settings that the text of the per-user file makes alone."""
        return self._merge({"user": self._parse(text, str(self.file))})

    def only_places(self) -> bool:
        """True if the per-user file sets nothing but where data lies."""
        return set(self._parse(_text(self.file), str(self.file))) <= set(PATHS)


def _readings(text: str | None) -> Iterator[SettingValue]:
    """The values that a word of a command line may stand for, the likeliest first."""
    if text is None:
        yield None
        return
    with suppress(ValueError):
        value = tomllib.loads(f"value = {text}")["value"]
        yield tuple(value) if isinstance(value, list) else value
    yield text
    yield tuple(part.strip() for part in text.split(",") if part.strip())


def settings_by_key(settings: Settings) -> dict[str, SettingValue]:
    """All settings by their keys, `section.key`; paths as text."""
    own = {key: value for key, value in _by_key(settings, "") if key != "of_features"}
    for name, section in settings.of_features.items():
        own |= _by_key(section, f"{name}.")
    return own


def _is_safe(key: str, features: Sections) -> bool:
    """True if a setting may be changed over HTTP."""
    section, _, name = key.partition(".")
    if any(feature.name == section and name in feature.safe for feature in features):
        return True
    return section in SAFE_SECTIONS and bool(name) and key not in UNSAFE


def _type(key: str, kind: FieldType) -> SettingType:
    """The values that a setting takes, by the type that its record declares."""
    name = key.rpartition(".")[2]
    of_vault = key not in _FOLDERS_OF_COMPUTER
    if kind.kind == "words":
        return SettingType("choice", kind.words)
    if kind.kind == "list":
        return SettingType("folders" if name == "daily_folders" else "list")
    if kind.kind == "mapping":
        return SettingType("table")
    if kind.hint is bool:
        return SettingType("switch")
    if kind.hint in {int, float}:
        return SettingType("number")
    return SettingType("folder" if name == "folder" and of_vault else "text")


def _by_key(section: object, prefix: str) -> Iterator[tuple[str, SettingValue]]:
    if not dataclasses.is_dataclass(section):
        raise TypeError(f"{section!r} is not a section of settings")
    for field in dataclasses.fields(section):
        value = getattr(section, field.name)
        if dataclasses.is_dataclass(value):
            yield from _by_key(value, f"{prefix}{field.name}.")
        else:
            yield prefix + field.name, str(value) if isinstance(value, Path) else value


def _view(
    key: str,
    value: SettingValue,
    running: SettingValue,
    default: SettingValue,
    source: SettingSource,
    *,
    safe: bool,
) -> SettingView:
    reason = _SET_BY.get(source) if safe else _UNSAFE_REASON
    return SettingView(key, value, running, default, source, reason is None, reason)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from error


def _write(file: Path, text: str) -> None:
    """Replace the file atomically; a symbolic link is kept."""
    target = Path(os.path.realpath(file))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with disk.replacing(target) as stream:
            stream.write(text.encode())
            if target.exists():
                Path(stream.name).chmod(target.stat().st_mode & 0o777)
    except OSError as error:
        raise ConfigError(
            f"{file} cannot be written ({error}); change it on the server itself"
        ) from error


def change_settings(text: str, changes: Mapping[str, SettingValue]) -> str:
    """The text of a file with changed settings; comments and order are kept.

    None removes a setting. Raises ConfigError if the text cannot be changed.
    """
    import tomlkit  # noqa: PLC0415 - takes long to load, and every command loads this module
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

    try:
        document = tomlkit.parse(text)
        for key, value in changes.items():
            _put(document, key, value)
        return tomlkit.dumps(document)
    except (TOMLKitError, TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"the configuration file cannot be changed: {error}") from error


def with_top_level(text: str, values: Mapping[str, object]) -> str:
    """The text of a file with other values of keys outside all sections; None removes a key."""
    import tomlkit  # noqa: PLC0415 - as above

    document = tomlkit.parse(text)
    for key in values:
        document.pop(key, None)
    kept = {key: value for key, value in values.items() if value is not None}
    # In front, because keys after a section's heading belong to the section.
    return (tomlkit.dumps(kept) + tomlkit.dumps(document)) if kept else tomlkit.dumps(document)


def _put(document: TOMLDocument, key: str, value: SettingValue) -> None:
    import tomlkit  # noqa: PLC0415 - as above

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
