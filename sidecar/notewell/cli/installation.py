"""`notewell config` and `notewell doctor`: the settings in effect, and whether all parts work."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from notewell import __version__
from notewell.cli.backend import server_for
from notewell.cli.models import model_folder
from notewell.cli.options import Command, Group, Invocation, current_invocation, json_option
from notewell.cli.output import emit_object, print_facts, print_table
from notewell.config.edit import settings_by_key
from notewell.errors import ConfigError, NotewellError, NotFoundError
from notewell.models.catalogue import known
from notewell.types import Settings, VaultRecord

if TYPE_CHECKING:
    from notewell.vaults.opened import Vaults

State = Literal["ok", "warning", "failed"]

# Libraries with native code, which may be installed and still not work.
_NATIVE = ("numpy", "orjson", "tantivy", "onnxruntime", "tokenizers", "aiohttp", "pydantic")


@click.group(cls=Group)
def config() -> None:
    """Show the configuration."""


@config.command("show")
@json_option
def show_config(as_json: bool) -> None:
    """Show every setting as it stands after all layers are merged."""
    values = settings_by_key(current_invocation().settings())
    if as_json:
        emit_object(values)
    else:
        print_facts([(key, _setting_text(value)) for key, value in values.items()])


@config.command("path")
def config_path() -> None:
    """Print the path of the per-user configuration file, which may not exist."""
    click.echo(current_invocation().config_file())


def _setting_text(value: object) -> str:
    if value is None:
        return "(automatic)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "(none)"
    return str(value)


@dataclass(frozen=True, slots=True)
class Check:
    """One check and its result."""

    name: str
    state: State
    detail: str


@click.command(cls=Command)
@json_option
def doctor(as_json: bool) -> None:
    """Check installation, settings, model and vaults."""
    checks = tuple(run_checks(current_invocation()))
    failed = any(check.state == "failed" for check in checks)
    if as_json:
        emit_object({"ok": not failed, "checks": checks})
    else:
        print_table(("state", "check", "found"), [(c.state, c.name, c.detail) for c in checks])
    if failed:
        click.get_current_context().exit(1)


def run_checks(invocation: Invocation) -> Iterator[Check]:
    """Run the checks in order; settings that cannot be read end them early."""
    yield Check("notewell", "ok", f"{__version__}, Python {platform.python_version()}")
    yield _libraries()
    try:
        settings = invocation.settings()
    except ConfigError as error:
        yield Check("settings", "failed", error.message)
        return
    yield Check("settings", "ok", _settings_text(invocation.config_file()))
    yield _writable("data directory", settings.data_dir)
    yield _model(settings)
    yield from _vaults(invocation)


def _libraries() -> Check:
    found, missing = [], []
    for name in _NATIVE:
        try:
            import_module(name)
        except ImportError as error:
            missing.append(f"{name}: {error}")
        else:
            found.append(f"{name} {version(name)}")
    if missing:
        advice = "install Notewell again: `pip install --force-reinstall .` in its source folder"
        return Check("libraries", "failed", f"{'; '.join(missing)}; {advice}")
    return Check("libraries", "ok", ", ".join([*found, f"SQLite {sqlite3.sqlite_version}"]))


def _settings_text(file: Path) -> str:
    return str(file) if file.exists() else f"defaults; {file} does not exist"


def _writable(name: str, folder: Path) -> Check:
    """Write a file: permissions alone do not show full or read-only disks."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"notewell")
    except OSError as error:
        advice = "choose another with --data-dir"
        return Check(name, "failed", f"{folder} cannot be written ({error}); {advice}")
    free = shutil.disk_usage(there).free
    return Check(name, "ok", f"{folder}, {free / 1e9:.1f} GB free")


def _model(settings: Settings) -> Check:
    name = settings.model.name
    spec = known(name)
    if spec is None:
        return Check("model", "warning", f"{name} is not in the catalogue of `models list`")
    folder = model_folder(spec, settings)
    if folder is None:
        advice = f"`notewell models get {name}` gets it; keyword search works without"
        return Check("model", "warning", f"{name} is not on this computer; {advice}")
    return Check("model", "ok", f"{name} in {folder}")


def _vaults(invocation: Invocation) -> Iterator[Check]:
    try:
        with closing(invocation.vaults()) as vaults:
            records = vaults.records()
            if not records:
                advice = "add one with `notewell index FOLDER`"
                yield Check("vaults", "warning", f"none is known yet; {advice}")
            for record in records:
                yield _vault(vaults, record)
    except NotewellError as error:
        yield Check("vaults", "failed", error.message)


def _vault(vaults: Vaults, record: VaultRecord) -> Check:
    name = f"vault {record.name}"
    if record.source == "folder" and not os.access(record.path, os.R_OK | os.X_OK):
        advice = f"bring it back, or `notewell vaults remove {record.id}`"
        return Check(name, "failed", f"{record.path} is not there or not readable; {advice}")
    try:
        server = server_for(vaults, record)
        if server is not None:
            return Check(name, "ok", f"{record.path}, served at {server.info.url}")
        notes = vaults.open(record, writable=False).ledger().total
    except NotFoundError:
        advice = f"`notewell index {record.name}` makes one"
        return Check(name, "warning", f"{record.path} has no index yet; {advice}")
    except NotewellError as error:
        return Check(name, "failed", error.message)
    return Check(name, "ok", f"{record.path}, {notes:,} files in the index, no server running")
