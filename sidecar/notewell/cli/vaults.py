"""`notewell vaults`: which vaults are known, and which is the default."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click

from notewell.cli.backend import server_for
from notewell.cli.options import Group, Invocation, invocation, json_option
from notewell.cli.output import emit_object, print_table
from notewell.errors import IndexInUseError, NotFoundError, UsageError
from notewell.support.logs import LOGS, delete_logs
from notewell.types import Settings, VaultRecord

_SAMPLE = "Sample vault"


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


def sample_folder(settings: Settings) -> Path:
    """Where `notewell demo` keeps its copy of the sample vault."""
    return settings.data_dir / _SAMPLE


def find_or_add(
    inv: Invocation, word: str | None, *, say: Callable[[str], None] | None = None
) -> VaultRecord:
    """The vault that `word` names; a folder that is not known yet becomes known."""
    try:
        return inv.known().find(word, cwd=Path.cwd())
    except NotFoundError:
        if word is None or not Path(word).expanduser().is_dir():
            raise
        return add(inv, Path(word), say=say)


def add(
    inv: Invocation,
    folder: Path,
    *,
    name: str | None = None,
    say: Callable[[str], None] | None = None,
) -> VaultRecord:
    """Make `folder` known. The sample vault gives up being the default to a vault of one's own."""
    with closing(inv.vaults(say=say)) as vaults:
        return _before_sample(inv, vaults.add(folder, name=name))


def add_mirror(inv: Invocation, name: str) -> VaultRecord:
    """Make a vault that clients fill, as `add` does."""
    return _before_sample(inv, inv.known().add_mirror(name))


def _before_sample(inv: Invocation, record: VaultRecord) -> VaultRecord:
    known = inv.known()
    sample = sample_folder(inv.settings()).resolve()
    default = next((one for one in known.records() if one.default), None)
    if default is not None and default.path == sample and record.path != sample:
        known.set_default(record)
        return known.find(record.id, cwd=Path.cwd())
    return record
