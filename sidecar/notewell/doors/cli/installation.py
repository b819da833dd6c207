"""`notewell config` and `doctor`: the settings in effect, and checks of the installation."""

from __future__ import annotations

import os
import platform
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click

from notewell import __version__
from notewell.base.config import usual_keys
from notewell.base.config.vault_file import VAULT_FILE
from notewell.base.errors import (
    ConfigError,
    NotewellError,
)
from notewell.doors.cli.backends import server_for
from notewell.doors.cli.checks import (
    Check,
    check_devices,
    check_libraries,
    check_model,
    check_readable_by_others,
    check_writable,
)
from notewell.doors.cli.options import (
    Command,
    Group,
    Invocation,
    current_invocation,
    json_option,
    vault_option,
)
from notewell.doors.cli.output import emit_object, print_table
from notewell.engine.configuration import settings_by_key
from notewell.engine.feature import sections
from notewell.engine.known_vaults import KnownVaults
from notewell.features import FEATURES, INSTALLED

_SET_BY = {
    "user": "your file",
    "vault": VAULT_FILE,
    "environment": "environment",
    "flag": "command line",
}


@click.group(cls=Group)
def config() -> None:
    """Show and change settings."""


@config.command("show")
@click.option("--all", "every", is_flag=True, help="All settings, not only the usual ones.")
@vault_option
@json_option
def show_config(*, every: bool, vault: str | None, as_json: bool) -> None:
    """Show the settings as they stand after all layers are merged, and where they are set.

    Common settings and every setting that you changed; --all and --json show all of them.
    Inside a vault, or with --vault, its file .notewell.toml is one of the layers.
    """
    invocation = current_invocation()
    folder = _vault_folder(invocation, vault)
    values = settings_by_key(invocation.settings(vault=folder))
    if as_json:
        emit_object(values)
        return
    sources = invocation.configuration().sources(folder)
    usual = usual_keys(sections(FEATURES))
    rows = [
        (key, _SET_BY[sources[key]] if key in sources else "", _setting_text(value))
        for key, value in values.items()
        if every or key in sources or key in usual
    ]
    print_table(("setting", "set by", "value"), rows)
    if not every:
        invocation.say(f"{len(rows)} of {len(values)} settings; `notewell config show --all`")
    if folder is not None:
        invocation.say(f"Settings for the vault {folder}.")


def _vault_folder(invocation: Invocation, vault: str | None) -> Path | None:
    """Return the folder of the vault that is named, or else that the current folder is in."""
    here = Path.cwd()
    if vault is not None:
        return invocation.known().find(vault, cwd=here).path
    return next(
        (folder for folder in (here, *here.parents) if (folder / VAULT_FILE).is_file()), None
    )


@config.command("set")
@click.argument("key")
@click.argument("value", required=False)
@click.option("--vault", metavar="VAULT", help="For this vault alone, in its file .notewell.toml.")
def set_config(key: str, value: str | None, vault: str | None) -> None:
    """Set the setting KEY to VALUE; without VALUE it has its default again.

    The file that `config path` names is changed, or with --vault the one in the vault. VALUE is
    read as TOML, and a list may be words with commas between. What is not valid changes nothing.
    """
    invocation = current_invocation()
    folder = None if vault is None else invocation.vault(vault).path
    configuration = invocation.configuration()
    file = configuration.put(key, value, folder)
    present = settings_by_key(invocation.settings(vault=folder))[key]
    invocation.say(f"{key} is {_setting_text(present)} now, in {file}")
    source = configuration.sources(folder).get(key)
    if source is not None and source not in {"user", "vault"}:
        invocation.say(f"The {_SET_BY[source]} sets it too, and wins")
    invocation.say("Commands use it from now on, and a running server after its next start")
    if key.partition(".")[0] in {"vault", "model", "chunking"}:
        invocation.say("`notewell index` brings the index up to it")


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
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    default=None,
    metavar="N",
    help="Also read N notes of each vault once more, drawn at random, and compare them with the"
    " index: content, passages and, with a model on this computer, vectors.",
)
@json_option
def doctor(repair: bool, sample: int | None, as_json: bool) -> None:
    """Check installation, settings, model and vaults, and say what to do."""
    repaired = tuple(_repair(current_invocation())) if repair else ()
    for line in repaired:
        current_invocation().say(line)
    checks = tuple(run_checks(current_invocation(), sample=sample))
    failed = any(check.state == "failed" for check in checks)
    if as_json:
        emit_object({"ok": not failed, "checks": checks, "repaired": repaired})
    else:
        print_table(("state", "check", "found"), [(c.state, c.name, c.detail) for c in checks])
    if failed:
        click.get_current_context().exit(1)


def run_checks(invocation: Invocation, *, sample: int | None = None) -> Iterator[Check]:
    """Run the checks in order; settings that cannot be read end them early.

    `sample` is how many notes of each vault are compared with the index.
    """
    yield Check("notewell", "ok", f"{__version__}, Python {platform.python_version()}")
    yield check_libraries()
    try:
        settings = invocation.settings()
    except ConfigError as error:
        yield Check("settings", "failed", error.message)
        return
    yield Check("settings", "ok", _settings_text(invocation.config_file()))
    data = check_writable("data directory", settings.data_dir)
    yield data if data.state == "failed" else check_readable_by_others(settings) or data
    yield from _left_out()
    yield from _leftovers(invocation)
    yield from _port(invocation)
    yield from check_devices(settings)
    yield check_model(settings)
    yield from _vaults(invocation, sample)


def _left_out() -> Iterator[Check]:
    """Warn of packages whose features cannot be used."""
    for package in INSTALLED:
        if package.problem is not None:
            detail = (
                f"{package.name} of the package {package.package} is left out: {package.problem}"
            )
            yield Check("features", "warning", detail)


def _settings_text(file: Path) -> str:
    return str(file) if file.exists() else f"defaults; {file} does not exist"


def _repair(invocation: Invocation) -> Iterator[str]:
    from notewell.doors.cli.vault_checks import repair  # noqa: PLC0415 - loads the index

    yield from repair(invocation.settings(), _directories(invocation.known()))


def _directories(known: KnownVaults) -> list[Path]:
    return [known.directory(record) for record in known.records()]


def _leftovers(invocation: Invocation) -> Iterator[Check]:
    from notewell.doors.cli.vault_checks import leftovers  # noqa: PLC0415 - loads the index

    try:
        left = list(leftovers(invocation.settings(), _directories(invocation.known())))
    except NotewellError:
        return  # the check of the vaults says what is wrong
    if left:
        first = f"{left[0].path} ({left[0].what})"
        detail = f"{len(left):,} files that nobody needs, such as {first}"
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


def _vaults(invocation: Invocation, sample: int | None) -> Iterator[Check]:
    from notewell.doors.cli.vault_checks import check_vaults  # noqa: PLC0415 - loads the index

    try:
        with closing(invocation.vaults()) as vaults:
            yield from check_vaults(vaults, sample)
    except NotewellError as error:
        yield Check("vaults", "failed", error.message)
