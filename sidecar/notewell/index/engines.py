"""The registry of engines: each name with what opens and what deletes an index.

A new engine is one module or package and one row here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from notewell.errors import ConfigError
from notewell.index import embedded, in_memory, postgres
from notewell.index.port import Index

if TYPE_CHECKING:
    from notewell.index.transfer import Copied

DEFAULT = "embedded"

Say = Callable[[str], None]


class OpenIndex(Protocol):
    """Opens the index whose local files are in a folder."""

    def __call__(self, directory: Path, *, writable: bool) -> Index:
        """See `open_index`."""
        ...


class DeleteIndex(Protocol):
    """Deletes the index whose local files are in a folder."""

    def __call__(self, directory: Path, /) -> None:
        """See `delete_index`."""
        ...


@dataclass(frozen=True, slots=True)
class IndexEngine:
    """An engine that can hold indexes. `persistent`: they are there at the next opening."""

    open: OpenIndex
    delete: DeleteIndex
    persistent: bool


ENGINES: Mapping[str, IndexEngine] = MappingProxyType(
    {
        "embedded": IndexEngine(embedded.open_index, embedded.delete_index, persistent=True),
        "in_memory": IndexEngine(in_memory.open_index, in_memory.delete_index, persistent=False),
        "postgres": IndexEngine(postgres.open_index, postgres.delete_index, persistent=True),
    }
)


def engine_of(directory: Path) -> str:
    """The engine of the index in a folder: the one whose address is there, else the default."""
    return "postgres" if (directory / postgres.ADDRESS_FILE).exists() else DEFAULT


def open_index(directory: Path, *, writable: bool, engine: str | None = None) -> Index:
    """Open the index in a folder; a writer creates it.

    `engine` None is the one that the folder says. An engine that stores its data elsewhere finds
    its address in this folder.

    Raises:
        ConfigError: no engine has this name.
        NotFoundError: there is none, and it is opened for reading.
        IndexInUseError: another process writes it.
        IndexFailure: it cannot be opened, or a newer version wrote it.

    """
    return _engine(engine or engine_of(directory)).open(directory, writable=writable)


def delete_index(directory: Path, *, engine: str | None = None) -> None:
    """Delete the index in a folder, and nothing else in it; `engine` as for `open_index`.

    Raises:
        ConfigError: no engine has this name.
        IndexInUseError: a process writes it.
        IndexFailure: the disk refuses.

    """
    _engine(engine or engine_of(directory)).delete(directory)


def _engine(name: str) -> IndexEngine:
    if name not in ENGINES:
        raise ConfigError(f"There is no engine {name!r}. Known: {', '.join(sorted(ENGINES))}.")
    return ENGINES[name]


# --- indexes in PostgreSQL ----------------------------------------------------------------------


def database_address(directory: Path) -> str | None:
    """The address of the database that has the index of a folder, without a password.

    It names the vault too: by it, other computers use the same index.
    """
    if engine_of(directory) == DEFAULT:
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
    postgres.check_driver()
    return import_module(f"notewell.index.postgres.{module}")


# --- backups and repairs: of the default engine, whose index is one database file ---------------

DATABASE = embedded.DATABASE  # in the index's folder
copy_index = embedded.copy_index
check_copy = embedded.check_copy
check_notes = embedded.check_notes
damaged_snapshots = embedded.damaged_snapshots
damaged_vectors = embedded.damaged_vectors


@contextmanager
def held(directory: Path) -> Iterator[None]:
    """Keep everybody else from writing the index in a folder. IndexInUseError: somebody does."""
    lock = embedded.hold(directory)
    try:
        yield
    finally:
        lock.release()
