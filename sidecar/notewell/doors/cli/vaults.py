"""`notewell vaults`: list, add, move and remove vaults."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click

from notewell.base.errors import IndexInUseError, NotFoundError, UsageError
from notewell.base.support.disk import expand_user
from notewell.base.types import Settings, VaultRecord
from notewell.doors.cli.backends import server_for
from notewell.doors.cli.options import (
    Group,
    Invocation,
    complete_vaults,
    current_invocation,
    json_option,
)
from notewell.doors.cli.output import clean, emit_object, print_table
from notewell.engine.known_vaults import KnownVaults

_SAMPLE = "Sample vault"


@click.group(cls=Group)
def vaults() -> None:
    """List, add and remove vaults, and documents and sources beside them."""


@vaults.command("list")
@json_option
def list_vaults(as_json: bool) -> None:
    """List the known vaults."""
    records = current_invocation().known().records()
    if as_json:
        emit_object({"vaults": [_view(record) for record in records]})
    elif records:
        rows = [("yes" if r.default else "", r.name, r.id, str(r.path)) for r in records]
        print_table(("default", "name", "id", "path"), rows)
    else:
        current_invocation().say("No vault is known yet; add one with `notewell index FOLDER`.")


def _view(record: VaultRecord) -> dict[str, object]:
    return {
        "id": record.id,
        "name": record.name,
        "path": str(record.path),
        "default": record.default,
        "source": record.source,
    }


@vaults.command("add")
@click.argument("folder", type=click.Path(path_type=Path), metavar="[FOLDER]", required=False)
@click.option("--name", help="Name of the vault; by default the folder's name.")
@click.option(
    "--mirror", metavar="NAME", help="Instead of FOLDER: a vault whose notes clients send."
)
@json_option
def add_vault(folder: Path | None, name: str | None, mirror: str | None, as_json: bool) -> None:
    """Add FOLDER to the known vaults, without indexing it yet."""
    invocation = current_invocation()
    if (folder is None) == (mirror is None) or (mirror is not None and name is not None):
        raise UsageError("name either a FOLDER or, with --mirror, a vault whose notes clients send")
    record = (
        add_mirror(invocation, mirror or "")
        if folder is None
        else add(invocation, folder, name=name)
    )
    if as_json:
        emit_object(_view(record))
        return
    then = (
        "index it with `notewell index" if folder is not None else "serve it with `notewell serve"
    )
    invocation.say(f"{record.name} is known; {then} {record.name}`.")


@vaults.command("move")
@click.argument("vault", metavar="VAULT", shell_complete=complete_vaults)
@click.argument("folder", type=click.Path(path_type=Path), metavar="FOLDER")
@json_option
def move_vault(vault: str, folder: Path, as_json: bool) -> None:
    """Say that the folder of VAULT is FOLDER now. Its index stays, and nothing is embedded again.

    FOLDER has to hold its notes; no file is moved.
    """
    invocation = current_invocation()
    known = invocation.known()
    record = known.find(vault, cwd=Path.cwd())
    _refuse_while_served(known, record)
    with closing(invocation.vaults()) as vaults:
        moved = vaults.move(record, folder)
    if as_json:
        emit_object(_view(moved))
    else:
        invocation.say(f"{moved.name} is in {clean(str(moved.path))} and keeps its index.")


@vaults.command("remove")
@click.argument("vault", metavar="VAULT", shell_complete=complete_vaults)
@click.option(
    "--delete-data",
    is_flag=True,
    help="Delete its index, query log and the logs too, and a mirror's copy of the notes. Your own"
    " notes are never touched.",
)
def remove_vault(vault: str, delete_data: bool) -> None:
    """Remove VAULT from the known vaults. Its index is kept unless --delete-data is given."""
    invocation = current_invocation()
    known = invocation.known()
    record = known.find(vault, cwd=Path.cwd())
    _refuse_while_served(known, record)
    with closing(invocation.vaults()) as vaults:
        vaults.remove(record, delete_data=delete_data)
    if delete_data:
        # Locks files; a list of vaults does without.
        from notewell.base.support.log_files import LOGS, delete_logs  # noqa: PLC0415

        delete_logs(invocation.settings().state_dir / LOGS)
    kept = (
        "its index and the logs are deleted"
        if delete_data
        else "its index is kept for when the folder is added again"
    )
    invocation.say(f"{record.name} is removed; {kept}.")


def _refuse_while_served(known: KnownVaults, record: VaultRecord) -> None:
    server = server_for(known, record)
    if server is not None:
        raise IndexInUseError(
            f"{record.name} is being served at {server.info.url}: stop that server first"
        )


@vaults.command("default")
@click.argument("vault", metavar="VAULT", shell_complete=complete_vaults)
def default_vault(vault: str) -> None:
    """Make VAULT the default, for commands that name no vault."""
    known = current_invocation().known()
    record = known.find(vault, cwd=Path.cwd())
    known.set_default(record)
    current_invocation().say(f"{record.name} is the default now.")


def sample_folder(settings: Settings) -> Path:
    """Return the folder of the sample vault that `notewell demo` serves."""
    return settings.data_dir / _SAMPLE


def find_or_add(
    invocation: Invocation, word: str | None, *, say: Callable[[str], None] | None = None
) -> VaultRecord:
    """Find the vault that `word` names; a folder that is not known yet is added."""
    try:
        return invocation.vault(word)
    except NotFoundError as error:
        if word is None:
            raise
        folder = expand_user(word)
        if not folder.is_dir():
            raise NotFoundError(_no_folder(folder, error)) from error
        return invocation.about(add(invocation, folder, say=say))


def _no_folder(folder: Path, error: NotFoundError) -> str:
    """Say why a name that is not that of a known vault is no folder that could be added."""
    if folder.exists():
        return f"{folder} is a file, and a vault is a folder of notes: name the folder"
    if len(folder.parts) > 1:
        return f"there is no folder {folder}: check its spelling, or whether its drive is mounted"
    return f"here is no folder '{folder}', and {error.message}"


def add(
    invocation: Invocation,
    folder: Path,
    *,
    name: str | None = None,
    say: Callable[[str], None] | None = None,
) -> VaultRecord:
    """Add `folder` to the known vaults; it takes over from the sample vault as the default."""
    with closing(invocation.vaults(say=say)) as vaults:
        return _replace_sample_as_default(invocation, vaults.add(folder, name=name))


def add_mirror(invocation: Invocation, name: str) -> VaultRecord:
    """Add a vault whose notes clients send, as `add` does."""
    return _replace_sample_as_default(invocation, invocation.known().add_mirror(name))


def _replace_sample_as_default(invocation: Invocation, record: VaultRecord) -> VaultRecord:
    known = invocation.known()
    sample = sample_folder(invocation.settings()).resolve()
    default = next((record for record in known.records() if record.default), None)
    if default is not None and default.path == sample and record.path != sample:
        known.set_default(record)
        return known.find(record.id, cwd=Path.cwd())
    return record
