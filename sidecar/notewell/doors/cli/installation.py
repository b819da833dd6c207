"""`notewell config` and `notewell doctor`: the settings in effect, and whether all parts work."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import socket
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import click

from notewell import __version__
from notewell.base.config.load import VAULT_FILE
from notewell.base.errors import (
    ConfigError,
    ModelError,
    NotewellError,
)
from notewell.base.support import private
from notewell.base.types import Settings
from notewell.doors.cli.backend import server_for
from notewell.doors.cli.checks import Check
from notewell.doors.cli.models import model_folder
from notewell.doors.cli.options import (
    Command,
    Group,
    Invocation,
    current_invocation,
    json_option,
    vault_option,
)
from notewell.doors.cli.output import emit_object, print_table
from notewell.engine.access import Devices
from notewell.engine.configuration import settings_by_key
from notewell.engine.vaults.known import KnownVaults
from notewell.models.catalogue import known

_SET_BY = {
    "user": "your file",
    "vault": VAULT_FILE,
    "environment": "environment",
    "flag": "command line",
}
_LITTLE_SPACE = 500_000_000  # bytes

# Libraries with native code, which may be installed and still not work.
_NATIVE = ("numpy", "orjson", "tantivy", "onnxruntime", "tokenizers", "aiohttp", "pydantic")


@click.group(cls=Group)
def config() -> None:
    """Show the configuration."""


@config.command("show")
@vault_option
@json_option
def show_config(vault: str | None, as_json: bool) -> None:
    """Show every setting as it stands after all layers are merged, and where it is set.

    Inside a vault, or with --vault, its file .notewell.toml is one of the layers.
    """
    invocation = current_invocation()
    folder = _vault_folder(invocation, vault)
    values = settings_by_key(invocation.settings(vault=folder))
    if as_json:
        emit_object(values)
        return
    sources = invocation.configuration().sources(folder)
    rows = [
        (key, _SET_BY[sources[key]] if key in sources else "", _setting_text(value))
        for key, value in values.items()
    ]
    print_table(("setting", "set by", "value"), rows)
    if folder is not None:
        invocation.say(f"These hold for the vault {folder}.")


def _vault_folder(invocation: Invocation, vault: str | None) -> Path | None:
    """Return the folder of the vault that is named, or else that the current folder is in."""
    here = Path.cwd()
    if vault is not None:
        return invocation.known().find(vault, cwd=here).path
    return next((each for each in (here, *here.parents) if (each / VAULT_FILE).is_file()), None)


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


@click.command(cls=Command)
@click.option(
    "--repair",
    is_flag=True,
    help="First repair what is safe: close data to other users, delete damaged snapshots and what"
    " killed processes left. Notes and databases are not touched.",
)
@json_option
def doctor(repair: bool, as_json: bool) -> None:
    """Check installation, settings, model and vaults, and say what to do."""
    repaired = tuple(_repaired(current_invocation())) if repair else ()
    for line in repaired:
        current_invocation().say(line)
    checks = tuple(run_checks(current_invocation()))
    failed = any(check.state == "failed" for check in checks)
    if as_json:
        emit_object({"ok": not failed, "checks": checks, "repaired": repaired})
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
    data = _writable("data directory", settings.data_dir)
    yield data if data.state == "failed" else _readable_by_others(settings) or data
    yield from _leftovers(invocation)
    yield from _port(invocation)
    yield from _devices(settings)
    yield _model(settings)
    yield from _vaults(invocation)


def _repaired(invocation: Invocation) -> Iterator[str]:
    from notewell.doors.cli.repair import repair  # noqa: PLC0415 - loads the index

    yield from repair(invocation.settings(), _directories(invocation.known()))


def _directories(known: KnownVaults) -> list[Path]:
    return [known.directory(record) for record in known.records()]


def _leftovers(invocation: Invocation) -> Iterator[Check]:
    from notewell.doors.cli.repair import leftovers  # noqa: PLC0415 - loads the index

    try:
        found = list(leftovers(invocation.settings(), _directories(invocation.known())))
    except NotewellError:
        return  # the check of the vaults says what is wrong
    if found:
        first = f"{found[0].path} ({found[0].what})"
        detail = f"{len(found):,} files that nobody needs, such as {first}"
        yield Check("leftovers", "warning", f"{detail}; `notewell doctor --repair` deletes them")


def _port(invocation: Invocation) -> Iterator[Check]:
    """Warn where another program has the port that a server would take."""
    rules = invocation.settings().server
    try:
        known = invocation.known()
        if any(server_for(known, record) is not None for record in known.records()):
            return
    except NotewellError:
        return
    try:
        socket.create_server((rules.host, rules.port)).close()
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else error
        advice = "`notewell serve --port 0` takes a free one, or set server.port"
        detail = f"a server cannot listen on {rules.host} port {rules.port} ({why}); {advice}"
        yield Check("port", "warning", detail)


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
    if free < _LITTLE_SPACE:
        advice = "free some space: an index that cannot be written stays as it is"
        return Check(name, "warning", f"{folder} has only {free / 1e6:,.0f} MB free; {advice}")
    return Check(name, "ok", f"{folder}, {free / 1e9:.1f} GB free")


def _readable_by_others(settings: Settings) -> Check | None:
    """A warning where other users of this computer can read data; None where they cannot."""
    folders = [each for each in (settings.data_dir, settings.state_dir) if each.exists()]
    found = list(dict.fromkeys(path for each in folders for path in private.exposed(each)))
    if not found:
        return None
    places = " ".join(shlex.quote(str(folder)) for folder in folders)
    return Check(
        "data directory",
        "warning",
        f"other users of this computer have permissions for {len(found):,} files and folders,"
        f" such as {found[0]}; `notewell index` and `notewell serve` close those of a vault, and"
        f" `notewell doctor --repair` (or `chmod -R go= {places}`) closes all",
    )


def _model(settings: Settings) -> Check:
    name = settings.model.name
    spec = known(name)
    if spec is None:
        return Check("model", "warning", f"{name} is not in the catalogue of `models list`")
    try:
        folder = model_folder(spec, settings)  # compares the checksums of its files
    except ModelError as error:
        return Check("model", "failed", error.message)
    if folder is None:
        advice = f"`notewell models get {name}` gets it; keyword search works without"
        return Check("model", "warning", f"{name} is not on this computer; {advice}")
    return Check("model", "ok", f"{name} in {folder}")


def _devices(settings: Settings) -> Iterator[Check]:
    """Say so where the file of the devices' tokens cannot be read."""
    try:
        Devices(settings.state_dir).all()
    except NotewellError as error:
        yield Check("devices", "failed", error.message)


def _vaults(invocation: Invocation) -> Iterator[Check]:
    from notewell.doors.cli.vault_checks import check_vaults  # noqa: PLC0415 - loads the index

    try:
        with closing(invocation.vaults()) as vaults:
            yield from check_vaults(vaults)
    except NotewellError as error:
        yield Check("vaults", "failed", error.message)
