"""`notewell engine`: where the index of a vault is, and moving it to PostgreSQL and back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from notewell.api.commands import (
    Group,
    Invocation,
    clean,
    current_invocation,
    emit_object,
    json_option,
    server_for,
    vault_option,
)
from notewell.api.types import VaultRecord
from notewell.base.errors import IndexInUseError

_FOLDER = "embedded"

_keep = click.option("--keep", is_flag=True, help="Leave the old index where it is, unused.")
_url = click.argument("url", metavar="URL")


@dataclass(frozen=True, slots=True)
class IndexPlace:
    """The place of an index; `address` has no password, and is null for the embedded engine."""

    vault: str
    engine: str
    address: str | None


@dataclass(frozen=True, slots=True)
class MovedIndex:
    """An index that was moved."""

    vault: str
    engine: str
    address: str | None
    notes: int
    chunks: int
    vectors: int


@click.group(cls=Group)
def engine() -> None:
    """Keep the index of a vault in PostgreSQL, for a vault or a team that outgrows one computer.

    The embedded engine is the default, and enough for a hundred thousand passages and more.
    """


@engine.command()
@vault_option
@json_option
def show(vault: str | None, as_json: bool) -> None:
    """Say where the index of the vault is: for a database, the URL for other computers."""
    place = _place(*_find(current_invocation(), vault))
    if as_json:
        emit_object(place)
    else:
        click.echo(f"{clean(place.vault)}: {place.engine} {clean(place.address or '')}".rstrip())


@engine.command()
@_url
@vault_option
@_keep
@json_option
def move(url: str, vault: str | None, keep: bool, as_json: bool) -> None:
    """Move the index to the database at URL, or back: with `embedded` for URL.

    URL is postgres://USER@HOST:PORT/DATABASE; `?schema=` names another schema than `notewell`.
    The password comes from NOTEWELL_POSTGRES_PASSWORD, the keyring (`engine password`) or
    ~/.pgpass. Nothing is embedded anew, and until all is copied the index stays as it is.
    """
    from notewell_postgres import engine as db  # noqa: PLC0415 - loads numpy

    invocation = current_invocation()
    record, directory = _find(invocation, vault)
    _refuse_if_served(invocation, record)
    if url == _FOLDER:
        copied = db.move_to_folder(directory, say=invocation.say, keep=keep)
    else:
        copied = db.move_to_database(directory, url, record.id, say=invocation.say, keep=keep)
    place = _place(record, directory)
    if as_json:
        emit_object(
            MovedIndex(
                place.vault,
                place.engine,
                place.address,
                copied.notes,
                copied.chunks,
                copied.vectors,
            )
        )
        return
    click.echo(
        f"{clean(place.vault)}: {copied.notes:,} notes and {copied.vectors:,} vectors are now in"
        f" {clean(place.address or 'the folder ' + str(directory))}; none was embedded anew."
    )


@engine.command()
@_url
@vault_option
def use(url: str, vault: str | None) -> None:
    """Search the index of the vault that another computer has moved to the database at URL.

    `notewell engine show` says URL on that computer; it names the vault as well.
    """
    from notewell_postgres import engine as db  # noqa: PLC0415 - loads numpy

    invocation = current_invocation()
    record, directory = _find(invocation, vault)
    db.use_database(directory, url, record.id)
    invocation.say(f"{clean(record.name)} is searched in {db.database_address(directory)}")


@engine.command()
@_url
@vault_option
def remove(url: str, vault: str | None) -> None:
    """Delete the index of the vault in the database at URL; notes are not touched."""
    from notewell_postgres import engine as db  # noqa: PLC0415 - loads numpy

    invocation = current_invocation()
    record, _ = _find(invocation, vault)
    db.delete_in_database(url, record.id)


@engine.command()
@_url
def password(url: str) -> None:
    """Store the password of the database at URL in the system's keyring; an empty one goes."""
    from notewell_postgres.address import store_password  # noqa: PLC0415 - loads a keyring

    typed = click.prompt("Password", hide_input=True, default="", show_default=False)
    store_password(url, typed)


def _find(invocation: Invocation, vault: str | None) -> tuple[VaultRecord, Path]:
    record = invocation.vault(vault)
    return record, invocation.known().directory(record)


def _place(record: VaultRecord, directory: Path) -> IndexPlace:
    from notewell_postgres import engine as db  # noqa: PLC0415 - loads numpy

    address = db.database_address(directory)
    return IndexPlace(record.name, "postgres" if address else _FOLDER, address)


def _refuse_if_served(invocation: Invocation, record: VaultRecord) -> None:
    server = server_for(invocation.known(), record)
    if server is not None:
        raise IndexInUseError(
            f"{record.name} is being served at {server.info.url}, and its index cannot be moved"
            " meanwhile: stop that server, move, and start it again"
        )
