"""Store and read the query table of one vault."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeAlias

from notewell.base.support import disk
from notewell.base.types import ModelKey
from notewell.models.query_table import QueryTable, log

NAME = "query-table.bin"
# Finds the table that stands for a model; None if there is none.
FindTable: TypeAlias = "Callable[[ModelKey | None], QueryTable | None]"


class TableFile:
    """Stores and reads the table of one vault. Any thread may call.

    It is read again when it changes, so that every process that has the vault open uses it.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / NAME
        self._read: tuple[tuple[int, int], QueryTable | None] | None = None

    def of(self, model: ModelKey | None) -> QueryTable | None:
        """The table if it is of this model; a look at the file's time, no more, if it is known."""
        table = self._current()
        return table if table is not None and table.head.model == str(model) else None

    def _current(self) -> QueryTable | None:
        try:
            status = self._file.stat()
        except OSError:
            return None
        version = (status.st_mtime_ns, status.st_size)
        if self._read is None or self._read[0] != version:
            self._read = (version, _load(self._file))
        return self._read[1]

    def store(self, table: QueryTable) -> None:
        """Have searches use this table. Raises OSError."""
        disk.replace(self._file, table.encode())


def find_table_in(folder: Path, kept: Collection[str]) -> FindTable:
    """The function that finds tables in the data folder of a vault.

    It finds none unless the table's file is among the names `kept`.
    """
    return TableFile(folder).of if NAME in kept else lambda _: None


def _load(file: Path) -> QueryTable | None:
    """The table in the file; None if it is damaged: it is then made again."""
    try:
        return QueryTable.decode(file.read_bytes())
    except (OSError, ValueError) as error:
        log.warning("%s is ignored and will be made again: %s", file, error)
        return None
