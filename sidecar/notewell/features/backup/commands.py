"""`notewell backup` and `notewell restore`: the whole state in one file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from notewell.api.commands import Command, clean, current_invocation, emit_object, json_option
from notewell.api.errors import UsageError

if TYPE_CHECKING:
    from notewell.api.commands import Invocation
    from notewell.features.backup.restore import RestoreReport


@click.command(cls=Command)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option(
    "--logs/--no-logs",
    default=True,
    show_default=True,
    help="Include the log of searches and opened results. Verdicts are always included.",
)
@click.option(
    "--vectors/--no-vectors",
    default=True,
    show_default=True,
    help="Include the embeddings. Without them the file is smaller, and the notes are embedded"
    " again after a restore.",
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@click.option(
    "--verify",
    is_flag=True,
    help="Write nothing: try whether FILE can be restored. It is unpacked and checked as a restore"
    " does it, beside your data, and nothing is changed.",
)
@json_option
def backup(
    *, file: Path, logs: bool, vectors: bool, force: bool, verify: bool, as_json: bool
) -> None:
    """Write the whole state into FILE, a .tar; a server may run meanwhile.

    It holds settings, the known vaults, their indexes, verdicts, undo journals and conversations,
    and the notes of mirrors; of other vaults no notes, but texts of theirs, so only you can read
    FILE. Tokens and other secrets are not in it.
    """
    from notewell.features.backup.create import write_backup  # noqa: PLC0415 - loads the engine

    invocation = current_invocation()
    if verify:
        _verify(invocation, file, as_json=as_json)
        return
    report = write_backup(
        invocation.known(),
        invocation.settings(),
        invocation.config_file(),
        file,
        logs=logs,
        vectors=vectors,
        overwrite=force,
    )
    if as_json:
        emit_object(report)
        return
    size = f"{report.bytes / 1e6:,.1f} MB"
    click.echo(f"{clean(', '.join(report.vaults)) or 'no vault'}: {size} in {clean(str(file))}")
    for name in report.without_index:
        invocation.say(f"note: {name} has no index yet; only its name and folder are in the backup")


def _verify(invocation: Invocation, file: Path, *, as_json: bool) -> None:
    from notewell.features.backup.restore import verify_backup  # noqa: PLC0415 - loads the engine

    report = verify_backup(file, invocation.known())
    if as_json:
        emit_object(report)
        return
    when = datetime.fromtimestamp(report.made).astimezone().isoformat(" ", "minutes")
    vaults = clean(", ".join(report.vaults)) or "no vault"
    click.echo(f"{clean(str(file))} can be restored: {vaults}, as of {when},")
    click.echo(f"{report.parts:,} parts, {report.bytes / 1e6:,.1f} MB, databases sound")


@click.command(cls=Command)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option(
    "--vault",
    "folders",
    multiple=True,
    metavar="NAME=FOLDER",
    help="The folder of a vault on this computer, if it is another one. Several times for several.",
)
@click.option(
    "--replace",
    "replace_state",
    is_flag=True,
    help="Replace the present state, which is kept in a folder of the data directory.",
)
@json_option
def restore(file: Path, folders: tuple[str, ...], replace_state: bool, as_json: bool) -> None:
    """Restore the state that `notewell backup` wrote into FILE.

    All of FILE is checked before anything is changed. Stop servers first. Notes in your vaults are
    not touched; devices have to sign in again.
    """
    from notewell.features.backup.restore import restore_backup  # noqa: PLC0415 - loads the engine

    invocation = current_invocation()
    report = restore_backup(
        file,
        invocation.known(),
        invocation.settings(),
        invocation.configuration(),
        folders=_folders(folders),
        replace_state=replace_state,
    )
    if as_json:
        emit_object(report)
    else:
        for line in _lines(report):
            click.echo(clean(line))


def _folders(given: Iterable[str]) -> Mapping[str, Path]:
    folders = {}
    for pair in given:
        name, equals, folder = pair.partition("=")
        if not (name and equals and folder):
            raise UsageError(f"--vault takes NAME=FOLDER, not '{pair}'")
        folders[name] = Path(folder)
    return folders


def _lines(report: RestoreReport) -> Iterable[str]:
    for vault in report.vaults:
        if vault.present:
            yield f"{vault.name}: restored; its notes are in {vault.path}"
        else:
            yield (
                f"{vault.name}: restored, but {vault.path} does not exist here; when its notes are"
                " on this computer, `notewell vaults add FOLDER` finds them again"
            )
    if not report.vectors:
        yield "The backup has no embeddings: `notewell index` makes them again."
    for key in report.settings_left_out:
        yield f"The setting {key} named a folder of the other computer and was left out."
    for device in report.devices:
        yield (
            f"{device.name} had access ({device.scope}): `notewell token link` or `notewell token"
            " add` lets it in again"
        )
    if report.aside is not None:
        yield f"The state before is in {report.aside}; delete it when you do not need it."
