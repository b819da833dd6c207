"""The PostgreSQL engine: the index of a vault in a database that several servers share.

The driver is the extra `notewell[postgres]`, so nothing is imported before an index is opened.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from notewell.errors import MissingExtraError

if TYPE_CHECKING:
    from notewell.index.port import Index

ADDRESS_FILE = "postgres.json"  # in an index's folder: the index is in the database it names
_DRIVER = "asyncpg"


def open_index(directory: Path, *, writable: bool) -> Index:
    """Open the index whose address is in a folder; see `engines.open_index`.

    Raises:
        MissingExtraError: the driver is not installed.

    """
    check_driver()
    opening = import_module("notewell.index.postgres.opening")
    opened: Index = opening.open_index(directory, writable=writable)
    return opened


def delete_index(directory: Path) -> None:
    """Delete the index whose address is in a folder, and the address; see `engines`."""
    check_driver()
    import_module("notewell.index.postgres.opening").delete_index(directory)


def check_driver() -> None:
    """Raise MissingExtraError where the driver is not installed."""
    try:
        import_module(_DRIVER)
    except ImportError as error:
        raise MissingExtraError(
            "An index in PostgreSQL needs an extra: run pip install 'notewell[postgres]'."
        ) from error
