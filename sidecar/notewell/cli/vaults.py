"""`notewell vaults`: which vaults are known, and which is the default."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from notewell.cli.backend import server_for
from notewell.cli.known import add, add_mirror
from notewell.cli.options import Group, invocation, json_option
from notewell.cli.output import emit_object, print_table
from notewell.errors import IndexInUseError, UsageError
from notewell.support.logs import LOGS, delete_logs
from notewell.types import VaultRecord


@click.group(cls=Group)
def vaults() -> None:
    """List, add and remove vaults."""


@vaults.command("list")
@json_option
def list_vaults(as_json: bool) -> None:
    """List the known vaults."""
    records = invocation().known().records()
    if as_json:
        emit_object({"vaults": [_view(record) for record in records]})
    elif records:
        rows = [("yes" if r.default else "", r.name, r.id, str(r.path)) for r in records]
        print_table(("default", "name", "id", "path"), rows)
    else:
        invocation().say("No vault is known yet; add one with `notewell index FOLDER`.")


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
@click.option("--name", help="What to call it; by default the folder's name.")
@click.option("--mirror", metavar="NAME", help="Instead of FOLDER: a vault that clients fill.")
@json_option
def add_vault(folder: Path | None, name: str | None, mirror: str | None, as_json: bool) -> None:
    """Make FOLDER known, without indexing it yet."""
    inv = invocation()
    if (folder is None) == (mirror is None) or (mirror is not None and name is not None):
        raise UsageError("name either a FOLDER or, with --mirror, a vault that clients fill")
    record = add_mirror(inv, mirror or "") if folder is None else add(inv, folder, name=name)
    if as_json:
        emit_object(_view(record))
        return
    then = (
        "index it with `notewell index" if folder is not None else "serve it with `notewell serve"
    )
    inv.say(f"{record.name} is known; {then} {record.name}`.")


@vaults.command("remove")
@click.argument("vault", metavar="VAULT")
@click.option(
    "--delete-data",
    is_flag=True,
    help="Delete its index, query log and the logs too, and a mirror's copy of the notes. Your own"
    " notes are never touched.",
)
def remove_vault(vault: str, delete_data: bool) -> None:
    """Forget VAULT. Its index is kept unless --delete-data is given."""
    inv = invocation()
    known = inv.known()
    record = known.find(vault, cwd=Path.cwd())
    server = server_for(known, record)
    if server is not None:
        raise IndexInUseError(
            f"{record.name} is being served at {server.info.url}: stop that server first"
        )
    with closing(inv.vaults()) as vaults:
        vaults.remove(record, delete_data=delete_data)
    if delete_data:
        delete_logs(inv.settings().state_dir / LOGS)
    kept = "its index and the logs are deleted" if delete_data else "its index is kept"
    inv.say(f"{record.name} is forgotten; {kept}.")


@vaults.command("default")
@click.argument("vault", metavar="VAULT")
def default_vault(vault: str) -> None:
    """Make VAULT the one that is meant where none is named."""
    known = invocation().known()
    record = known.find(vault, cwd=Path.cwd())
    known.set_default(record)
    invocation().say(f"{record.name} is the default now.")
