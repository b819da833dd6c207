"""Reads the configuration from its layers; no other module reads the environment.

Later layers take precedence: defaults < per-user file (`config.toml`) < file in the vault
(`.notewell.toml`) < `NOTEWELL_*` environment < command-line flags. Keys are `section.key`
(`server.port`), in the environment `NOTEWELL_SERVER_PORT`. An unknown or invalid key is a
ConfigError that names the key and the layer.
"""

from __future__ import annotations

import dataclasses
import os
import string
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias

import platformdirs

from notewell.base.config.values import check_time, parse_record
from notewell.base.config.vault_file import (
    INDEX_FOLDER,
    MAX_BYTES,
    VAULT_FILE,
    check_vault_layer,
    folder_name,
)
from notewell.base.errors import ConfigError, near
from notewell.base.support.plain_file import read_plain
from notewell.base.types import (
    AskRules,
    AssistantRules,
    ChunkRules,
    DocumentRules,
    FeatureRules,
    LimitRules,
    LogRules,
    ModelRules,
    ScheduleRules,
    SearchRules,
    Section,
    ServerRules,
    Settings,
    TopicRules,
    VaultRules,
)
from notewell.base.types.hints import FieldType, members

ENV_PREFIX = "NOTEWELL_"

# Variables that are not settings: the path of the per-user file, and those of the test suite.
ENV_CONFIG = "NOTEWELL_CONFIG"
ENV_DATA = "NOTEWELL_DATA_DIR"  # a setting, which says where others are written
ENV_KEY = "NOTEWELL_ASK_KEY"  # a secret, so it is not a setting, and never shown or stored
ENV_ROAM_TOKEN = "NOTEWELL_ROAM_TOKEN"  # noqa: S105 - the name; likewise, of graphs at Roam
ENV_MODEL_KEY = "NOTEWELL_MODEL_KEY"  # likewise, of a service of embeddings
ENV_POSTGRES = "NOTEWELL_POSTGRES_PASSWORD"  # likewise, of an index in PostgreSQL
ENV_RERANK_KEY = "NOTEWELL_RERANK_KEY"  # and of one that reranks
_SECRETS = {ENV_KEY, ENV_MODEL_KEY, ENV_POSTGRES, ENV_RERANK_KEY, ENV_ROAM_TOKEN}
ENV_TEST_PREFIX = "NOTEWELL_TEST_"

INDEXES = "indexes"  # folder of the data directory for those that a vault's file names

_CORE = (
    Section(
        "vault",
        VaultRules,
        in_vault=(
            *("types", "include", "exclude", "max_note_bytes", "max_document_bytes"),
            *("watch", "reconcile_at"),
        ),
        usual=("exclude", "types"),
    ),
    Section(
        "chunking",
        ChunkRules,
        in_vault=("method", "percentile", "max_tokens", "min_tokens", "overlap_tokens"),
    ),
    Section(
        "model",
        ModelRules,
        in_vault=(
            *("name", "quantisation", "dimensions", "late_chunking"),
            *("query_prefix", "passage_prefix"),
        ),
        usual=("name", "provider"),
    ),
    Section("search", SearchRules, live=True),
    Section("server", ServerRules, here=("public_url",), usual=("host", "port", "public_url")),
    Section("limits", LimitRules),
    Section("log", LogRules, usual=("queries",)),
    Section("ask", AskRules, usual=("provider", "model")),
    Section("topics", TopicRules, in_vault=("folder",), here=("folder",)),
    Section("assistants", AssistantRules, usual=("exclude",)),
    Section("schedule", ScheduleRules, here=("reconcile", "extract", "maintain", "sync", "plan")),
    Section("documents", DocumentRules),
    Section("features", FeatureRules),
)
PATHS = ("data_dir", "model_dir", "state_dir", "index_dir")
_TOP = (*PATHS, "offline")

Source = Literal["user", "vault", "environment", "flag"]
Value: TypeAlias = object
Sections: TypeAlias = Sequence[Section]
Layer: TypeAlias = dict[str, Value]  # "section.key" or "key" -> value as written


class _BelowData(str):
    """A folder that a vault's own file named: below `INDEXES` of the data directory."""

    __slots__ = ()


def known_keys(features: Sections = ()) -> tuple[str, ...]:
    """All keys of settings, `section.key` or `key`, sorted."""
    nested = (key for key, _ in _defaults(features))
    return tuple(sorted([*_TOP, *nested]))


def usual_keys(features: Sections = ()) -> tuple[str, ...]:
    """The keys that people change."""
    return (
        "data_dir",
        "offline",
        *(f"{section.name}.{key}" for section in (*_CORE, *features) for key in section.usual),
    )


def live_sections(keys: Iterable[str], features: Sections = ()) -> tuple[str, ...]:
    """The sections of these keys whose changes a server uses at once."""
    changed = {key.partition(".")[0] for key in keys}
    return tuple(
        section.name for section in (*_CORE, *features) if section.live and section.name in changed
    )


def changed_here(features: Sections = ()) -> frozenset[str]:
    """The keys that an administrator on the server's computer may change, after a question."""
    return frozenset(
        f"{section.name}.{key}" for section in (*_CORE, *features) for key in section.here
    )


def types_of(features: Sections = ()) -> Iterator[tuple[str, FieldType]]:
    """Each key with the type of its values."""
    yield from _types(Settings, "")
    for feature in features:
        yield from _types(feature.rules, f"{feature.name}.")


def _types(record: type, prefix: str) -> Iterator[tuple[str, FieldType]]:
    for name, kind in members(record):
        if kind.kind == "record":
            yield from _types(kind.hint, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", kind


def _defaults(features: Sections) -> Iterator[tuple[str, object]]:
    """Each key below a section with its default."""
    for section in (*_CORE, *features):
        yield from _within(section.rules(), section.name)


def _within(section: object, name: str) -> Iterator[tuple[str, object]]:
    """The keys and values of a section and of the sections within it, `section.inner.key`."""
    if not dataclasses.is_dataclass(section):
        yield name, section
        return
    for field in dataclasses.fields(section):
        yield from _within(getattr(section, field.name), f"{name}.{field.name}")


def user_file(environ: Mapping[str, str]) -> Path:
    """The path of the file that settings are written to, which need not exist.

    That of the user, or one beside the data where a data directory was named.
    """
    named, data = environ.get(ENV_CONFIG), environ.get(ENV_DATA)
    if named:
        return _expand(ENV_CONFIG, named, environ)
    if data:
        return _expand(ENV_DATA, data, environ) / "config.toml"
    return _own_file()


def _own_file() -> Path:
    return Path(platformdirs.user_config_dir("notewell", appauthor=False)) / "config.toml"


def provider_key(rules: AskRules, environ: Mapping[str, str] | None = None) -> str | None:
    """The key of a language model's provider in the environment, or None.

    `environ` None is the environment of this process. The usual variable of the provider is only
    used for its own address, so that its key is not sent elsewhere.
    """
    usual = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}.get(rules.provider, "")
    return secret(*([ENV_KEY] if rules.base_url else [ENV_KEY, usual]), environ=environ)


def secret(*variables: str, environ: Mapping[str, str] | None = None) -> str | None:
    """The first of these variables that the environment sets, or None.

    `environ` None is the environment of this process.
    """
    environ = os.environ if environ is None else environ
    return next((environ[name] for name in variables if environ.get(name)), None)


def load_settings(
    *,
    flags: Mapping[str, Value] | None = None,
    environ: Mapping[str, str],
    vault: Path | None = None,
    features: Sections = (),
) -> Settings:
    """Merge all layers. `flags` has known keys; None values in it mean "not given".

    `features` are the sections beside those of the core, here and below.
    """
    layers = read_layers(flags=flags, environ=environ, vault=vault, features=features)
    return merge(layers, environ, features)


def read_layers(
    *,
    flags: Mapping[str, Value] | None,
    environ: Mapping[str, str],
    vault: Path | None,
    features: Sections = (),
) -> dict[Source, Layer]:
    """Read all layers, those with precedence last."""
    given = {key: value for key, value in (flags or {}).items() if value is not None}
    _check_keys(given, "command line", features)
    return {
        "user": _user_layer(environ, features),
        "vault": _vault_layer(vault, environ, features) if vault is not None else {},
        "environment": _environment_layer(environ, features),
        "flag": given,
    }


def merge(
    layers: Mapping[Source, Layer], environ: Mapping[str, str], features: Sections = ()
) -> Settings:
    """Merge layers into settings. ConfigError names the first invalid value."""
    merged: Layer = {}
    for layer in layers.values():
        merged.update(layer)
    return _build(merged, environ, features)


def parse_file(text: str, where: str, features: Sections = ()) -> Layer:
    """Parse the text of a configuration file. Raises ConfigError if it is not valid."""
    layer = _flatten(_parse(text, where), where, features)
    _check_keys(layer, where, features)
    return layer


def _user_layer(environ: Mapping[str, str], features: Sections) -> Layer:
    path = user_file(environ)
    if not path.exists():
        if ENV_CONFIG in environ:
            raise ConfigError(
                f"the configuration file {path}, named by --config or {ENV_CONFIG}, does not exist;"
                " create it, or name another"
            )
        beside: Layer = {}
    else:
        beside = parse_file(_read(path), str(path), features)
    own = _own_file()
    if ENV_CONFIG in environ or ENV_DATA not in environ or not own.exists():
        return beside
    return {**parse_file(_read(own), str(own), features), **beside}


def _vault_layer(vault: Path, environ: Mapping[str, str], features: Sections) -> Layer:
    path = vault / VAULT_FILE
    if not path.exists():
        return {}
    try:
        text = read_plain(path, most=MAX_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from error
    return vault_layer(text, path, environ, features)


def vault_layer(
    text: str, path: Path, environ: Mapping[str, str], features: Sections = ()
) -> Layer:
    """Parse the text of the file in a vault, at `path`. ConfigError for what it may not set."""
    layer = parse_file(text, str(path), features)
    check_vault_layer(layer, (*_CORE, *features), path, user_file(environ))
    if INDEX_FOLDER in layer:
        layer[INDEX_FOLDER] = _BelowData(folder_name(str(layer[INDEX_FOLDER]), path))
    return layer


def _environment_layer(environ: Mapping[str, str], features: Sections) -> Layer:
    names = {ENV_PREFIX + key.replace(".", "_").upper(): key for key in known_keys(features)}
    layer: Layer = {}
    for name, value in environ.items():
        if (
            not name.startswith(ENV_PREFIX)
            or name in _SECRETS
            or name == ENV_CONFIG
            or name.startswith(ENV_TEST_PREFIX)
        ):
            continue
        if name not in names:
            raise ConfigError(f"environment: unknown setting {name}; {_meant(name, names)}")
        layer[names[name]] = value
    return layer


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError | UnicodeDecodeError) -> ConfigError:
    cause = (error.strerror if isinstance(error, OSError) else None) or error
    return ConfigError(f"{path} cannot be read: {cause}")


def _parse(text: str, where: str) -> Mapping[str, Value]:
    try:
        return tomllib.loads(text)
    except ValueError as error:  # TOMLDecodeError, or a number with too many digits
        raise ConfigError(f"{where} is not valid TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{where} has values nested too deeply; remove some levels") from error


def _flatten(table: Mapping[str, Value], where: str, features: Sections) -> Layer:
    sections = {section.name for section in (*_CORE, *features)}
    known = known_keys(features)
    layer: Layer = {}
    for name, value in table.items():
        if name in sections:
            if not isinstance(value, Mapping):
                raise ConfigError(f"{where}: '{name}' must be a section, [{name}]")
            layer.update(_flatten_section(value, name, known))
        else:
            layer[name] = value
    return layer


def _flatten_section(
    table: Mapping[str, Value], name: str, known: Sequence[str]
) -> Iterator[tuple[str, Value]]:
    """The settings of a section by their keys; `[search.gars]` is a section within one."""
    for field, value in table.items():
        key = f"{name}.{field}"
        if isinstance(value, Mapping) and any(other.startswith(f"{key}.") for other in known):
            yield from _flatten_section(value, key, known)
        else:
            yield key, value


def _check_keys(layer: Mapping[str, Value], where: str, features: Sections) -> None:
    known = known_keys(features)
    for key in layer:
        if key not in known:
            raise ConfigError(f"{where}: unknown key '{key}'; {_meant(key, known)}")


def _meant(name: str, known: Iterable[str]) -> str:
    """The nearest known name, or those of its section, or the command that lists all."""
    known = sorted(known)
    meant = near(name, known)
    if meant:
        return f"did you mean {meant}?"
    sections = sorted({key.partition(".")[0] for key in known if "." in key})
    section = near(name.partition(".")[0], sections)
    if section is None:
        return "`notewell config show --all` lists all"
    return f"known: {', '.join(key for key in known if key.startswith(f'{section}.'))}"


def _expand(key: str, text: str, environ: Mapping[str, str]) -> Path:
    """The path that a setting names, with `~` and variables replaced."""
    if "\0" in text:
        raise ConfigError(f"'{key}' is invalid: a path cannot contain a NUL character")
    try:
        return Path(string.Template(text).safe_substitute(environ)).expanduser()
    except RuntimeError as error:
        raise ConfigError(
            f"'{key}' is invalid: {text!r} begins with the home folder of a user who is not known"
            " here; write the whole path"
        ) from error


def _default_paths(merged: Layer) -> Iterator[tuple[str, Path]]:
    """The default folders; a configured data directory also contains the state."""
    yield "data_dir", Path(platformdirs.user_data_dir("notewell", appauthor=False))
    yield "model_dir", Path(platformdirs.user_cache_dir("notewell", appauthor=False)) / "models"
    if "data_dir" in merged:
        yield "state_dir", Path(str(merged["data_dir"])) / "state"
    else:
        yield "state_dir", Path(platformdirs.user_state_dir("notewell", appauthor=False))


def _build(merged: Layer, environ: Mapping[str, str], features: Sections) -> Settings:
    for name, path in _default_paths(merged):
        merged.setdefault(name, path)
    lists = {key for key, default in _defaults(features) if isinstance(default, tuple)}
    tree: dict[str, Value] = {section.name: {} for section in (*_CORE, *features)}
    named = merged.get("index_dir")
    if isinstance(named, _BelowData):
        merged["index_dir"] = Path(str(merged["data_dir"]), INDEXES, named)
    for key, value in merged.items():
        *sections, field = key.split(".")
        target: Value = tree
        for section in sections:
            target = target.setdefault(section, {}) if isinstance(target, dict) else None
        if not isinstance(target, dict):  # pragma: no cover - only known keys come here
            raise ConfigError(f"'{'.'.join(sections)}' is not a section")
        target[field] = _coerce(key, value, environ, key in lists)
    of_features = {feature.name: _section(feature, tree.pop(feature.name)) for feature in features}
    settings = replace(parse_record(Settings, tree), of_features=of_features)
    _check_schedule(settings.schedule)
    return settings


def _section(section: Section, tree: Value) -> object:
    """The record of one feature's section; ConfigError names the whole key."""
    return parse_record(section.rules, tree if isinstance(tree, Mapping) else {}, section.name)


def _check_schedule(rules: ScheduleRules) -> None:
    for name, when in dataclasses.asdict(rules).items():
        if when not in {None, "", "on"}:
            try:
                check_time(when)
            except ConfigError as error:
                raise ConfigError(f"'schedule.{name}' is invalid: {error.message}") from error


def _coerce(key: str, value: Value, environ: Mapping[str, str], is_list: bool) -> Value:
    if key in PATHS:
        return _expand(key, str(value), environ).absolute()
    if key == "model.folder" and isinstance(value, str):
        return str(_expand(key, value, environ).absolute())
    if isinstance(value, str) and is_list:
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value
