"""The engines of indexes: each name with what opens and what deletes an index.

A new engine is one module and one row here, or in the row of a feature.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeAlias

from notewell.base.errors import ConfigError
from notewell.base.packages import PACKAGES, missing_package
from notewell.index import embedded
from notewell.index.port import Index

DEFAULT = "embedded"


class OpenIndex(Protocol):
    """Opens the index whose local files are in a folder."""

    def __call__(self, directory: Path, *, writable: bool) -> Index:
        """See `open_index`."""


class DeleteIndex(Protocol):
    """Deletes the index whose local files are in a folder."""

    def __call__(self, directory: Path, /) -> None:
        """See `delete_index`."""


@dataclass(frozen=True, slots=True)
class IndexEngine:
    """An engine that can hold indexes."""

    open: OpenIndex
    delete: DeleteIndex


Engines: TypeAlias = Mapping[str, IndexEngine]

ENGINES: Engines = MappingProxyType(
    {DEFAULT: IndexEngine(embedded.open_index, embedded.delete_index)}
)
_NO_OTHERS: Engines = MappingProxyType({})


def engine_of(directory: Path, added: Engines = _NO_OTHERS) -> str:
    """The engine of the index in a folder: the one whose address is there, else the default.

    The address of an index that an engine stores elsewhere is in a file of the engine's name.
    Raises MissingExtraError where that engine is in a package that is not there.
    """
    if engine := next((name for name in added if _has_address(directory, name)), None):
        return engine
    for package in PACKAGES:
        if package.engine and _has_address(directory, package.engine):
            raise missing_package(package, f"The index of {directory} is in a database, which")
    return DEFAULT


def _has_address(directory: Path, engine: str) -> bool:
    return (directory / f"{engine}.json").exists()


def open_index(
    directory: Path, *, writable: bool, engine: str | None = None, added: Engines = _NO_OTHERS
) -> Index:
    """Open the index in a folder; a writer creates it.

    `engine` None is the one that the folder says; `added` are engines of features. An engine that
    stores its data elsewhere finds its address in this folder.

    Raises:
        ConfigError: no engine has this name.
        MissingExtraError: its engine is in a package that is not installed.
        NotFoundError: it does not exist, and it is opened for reading.
        IndexInUseError: another process writes it.
        IndexFailure: it cannot be opened, or a newer version wrote it.

    """
    return _engine(engine or engine_of(directory, added), added).open(directory, writable=writable)


def delete_index(
    directory: Path, *, engine: str | None = None, added: Engines = _NO_OTHERS
) -> None:
    """Delete the index in a folder, and nothing else in it; parameters as for `open_index`.

    Raises:
        ConfigError: no engine has this name.
        MissingExtraError: its engine is in a package that is not installed.
        IndexInUseError: a process writes it.
        IndexFailure: the disk refuses.

    """
    _engine(engine or engine_of(directory, added), added).delete(directory)


def _engine(name: str, added: Engines) -> IndexEngine:
    known = {**ENGINES, **added}
    if name not in known:
        raise ConfigError(f"There is no engine {name!r}. Known: {', '.join(sorted(known))}.")
    return known[name]


# --- backups and repairs: of the default engine, whose index is one database file ---------------

DATABASE = embedded.DATABASE  # in the index's folder
copy_index = embedded.copy_index
check_copy = embedded.check_copy
check_notes = embedded.check_notes
damaged_snapshots = embedded.damaged_snapshots
damaged_vectors = embedded.damaged_vectors


@contextmanager
def hold_index(directory: Path) -> Iterator[None]:
    """Keep everybody else from writing the index in a folder. IndexInUseError: somebody does."""
    lock = embedded.hold(directory)
    try:
        yield
    finally:
        lock.release()
