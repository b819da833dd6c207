"""The PostgreSQL engine as its row registers it, and moves of an index to a database and back.

The driver takes a while to import, so it is not before an index is opened or moved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notewell.index.engines import IndexEngine
from notewell_postgres.address import ADDRESS_FILE, DatabaseAddress, parse, read

if TYPE_CHECKING:
    from notewell.index.port import Index
    from notewell_postgres.opening import Copied


Say = Callable[[str], None]


def open_index(directory: Path, *, writable: bool) -> Index:
    """Open the index whose address is in a folder; see `engines.open_index`."""
    opened: Index = _opening().open_index(directory, writable=writable)
    return opened


def delete_index(directory: Path) -> None:
    """Delete the index whose address is in a folder, and the address; see `engines`."""
    _opening().delete_index(directory)


ENGINE = IndexEngine(open_index, delete_index)


def database_address(directory: Path) -> str | None:
    """The address of the database that has the index of a folder, without a password.

    It names the vault too: by it, other computers use the same index.
    """
    if not (directory / ADDRESS_FILE).exists():
        return None
    return str(read(directory).shared)


def move_to_database(directory: Path, url: str, vault: str, *, say: Say, keep: bool) -> Copied:
    """Move the index in a folder to the database at a URL, under the name of its vault.

    A password in the URL is used for this alone, and not stored. Raises as `opening.to_postgres`.
    """
    address, password = _with_password(url, vault)
    moved: Copied = _opening().to_postgres(directory, address, password, say=say, keep=keep)
    return moved


def move_to_folder(directory: Path, *, say: Say, keep: bool) -> Copied:
    """Move the index of a folder back from its database. Raises as `opening.to_folder`."""
    password = read(directory).password()
    moved: Copied = _opening().to_folder(directory, password, say=say, keep=keep)
    return moved


def use_database(directory: Path, url: str, vault: str) -> None:
    """Use the index of a vault that is in a database already. Raises as `opening.attach`."""
    address, password = _with_password(url, vault)
    _opening().attach(directory, address, password)


def delete_in_database(url: str, vault: str) -> None:
    """Delete the index of a vault in a database. Raises as `opening.delete_at`."""
    _opening().delete_at(*_with_password(url, vault))


def _with_password(url: str, vault: str) -> tuple[DatabaseAddress, str | None]:
    address, password = parse(url)
    return replace(address, vault=address.vault or vault), password or address.password()


def _opening() -> Any:
    """The module that opens indexes, loaded where it is used."""
    return import_module("notewell_postgres.opening")
