"""The engine as its row registers it, and moving indexes between databases and folders.

The driver is the extra `notewell[postgres]`, so nothing of it is imported before an index is
opened or moved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notewell.base.errors import MissingExtraError
from notewell.index.engines import IndexEngine

if TYPE_CHECKING:
    from notewell.index.port import Index
    from notewell.index.transfer import Copied

Say = Callable[[str], None]

ADDRESS_FILE = "postgres.json"  # in an index's folder: the index is in the database it names
_DRIVER = "asyncpg"


def open_index(directory: Path, *, writable: bool) -> Index:
    """Open the index whose address is in a folder; see `engines.open_index`.

    Raises:
        MissingExtraError: the driver is not installed.

    """
    opened: Index = _postgres("opening").open_index(directory, writable=writable)
    return opened


def delete_index(directory: Path) -> None:
    """Delete the index whose address is in a folder, and the address; see `engines`."""
    _postgres("opening").delete_index(directory)


def check_driver() -> None:
    """Raise MissingExtraError where the driver is not installed."""
    try:
        import_module(_DRIVER)
    except ImportError as error:
        raise MissingExtraError(
            "An index in PostgreSQL needs an extra: run pip install 'notewell[postgres]'."
        ) from error


ENGINE = IndexEngine(open_index, delete_index, persistent=True)


def database_address(directory: Path) -> str | None:
    """The address of the database that has the index of a folder, without a password.

    It names the vault too: by it, other computers use the same index.
    """
    if not (directory / ADDRESS_FILE).exists():
        return None
    return str(_postgres("address").read(directory).shared)


def move_to_database(directory: Path, url: str, vault: str, *, say: Say, keep: bool) -> Copied:
    """Move the index in a folder to the database at a URL, under the name of its vault.

    A password in the URL is used for this alone, and not stored. Raises as `moves.to_postgres`.
    """
    address, password = _with_password(url, vault)
    moved: Copied = _postgres("moves").to_postgres(directory, address, password, say=say, keep=keep)
    return moved


def move_to_folder(directory: Path, *, say: Say, keep: bool) -> Copied:
    """Move the index of a folder back from its database. Raises as `moves.to_folder`."""
    password = _postgres("address").read(directory).password()
    moved: Copied = _postgres("moves").to_folder(directory, password, say=say, keep=keep)
    return moved


def use_database(directory: Path, url: str, vault: str) -> None:
    """Use the index of a vault that is in a database already. Raises as `moves.attach`."""
    address, password = _with_password(url, vault)
    _postgres("moves").attach(directory, address, password)


def delete_in_database(url: str, vault: str) -> None:
    """Delete the index of a vault in a database. Raises as `opening.delete_at`."""
    _postgres("opening").delete_at(*_with_password(url, vault))


def store_database_password(url: str, password: str) -> None:
    """Store the password of a database in the system's keyring; "" removes it.

    Raises as `models.keys.keep` does.
    """
    _postgres("address").store_password(url, password)


def _with_password(url: str, vault: str) -> tuple[Any, str | None]:
    address, password = _postgres("address").parse(url)
    return replace(address, vault=address.vault or vault), password or address.password()


def _postgres(module: str) -> Any:
    """A module of the engine, which is loaded only where it is used. Raises MissingExtraError."""
    check_driver()
    return import_module(f"notewell.features.postgres.{module}")
