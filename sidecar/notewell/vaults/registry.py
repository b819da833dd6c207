"""The list of known vaults, `vaults.json` in the data directory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import orjson

from notewell.errors import ConfigError, NotewellError
from notewell.support import atomic, private
from notewell.types import VaultRecord
from notewell.vaults import switch

REGISTRY = "vaults.json"
FORMAT = 1
_LOCK_SECONDS = 10


class Registry:
    """The records on disk, changed by one process at a time; a reader sees them whole."""

    def __init__(self, data_dir: Path) -> None:
        """Nothing is read or made yet."""
        self._file = data_dir / REGISTRY

    def records(self) -> tuple[VaultRecord, ...]:
        """All known vaults, in the order they became known; ConfigError if it does not read."""
        if switch.is_unfinished(self._file.parent):
            with self.changing() as records:  # which takes back what a stopped process left
                return tuple(records)
        return _read(self._file)

    def write(self, records: Sequence[VaultRecord]) -> None:
        """Write a list that nobody uses yet. Raises OSError."""
        _write(self._file, records)

    def replace(self, moves: Sequence[switch.Move]) -> None:
        """Make `moves`, of which one replaces this list, while no other process changes it.

        All of them are made or none. Raises NotewellError or ConfigError.
        """
        with self.changing():
            switch.switch(self._file.parent, moves)

    @contextmanager
    def changing(self) -> Iterator[list[VaultRecord]]:
        """The records to change in place; written back when the block ends well."""
        # Takes as long to load as reading the list does, and most commands only read.
        from filelock import FileLock, Timeout  # noqa: PLC0415

        try:
            private.make_folder(self._file.parent)
            with FileLock(f"{self._file}.lock", timeout=_LOCK_SECONDS, mode=private.FILE_MODE):
                switch.take_back(self._file.parent)
                before = _read(self._file)
                records = list(before)
                yield records
                if tuple(records) != before:
                    _write(self._file, records)
        except Timeout as error:
            raise NotewellError(f"{self._file} is locked by another process; try again") from error
        except OSError as error:
            raise ConfigError(
                f"the data directory {self._file.parent} cannot be written: {error}; "
                "choose another with --data-dir"
            ) from error


def _read(file: Path) -> tuple[VaultRecord, ...]:
    try:
        stored = orjson.loads(file.read_bytes())
        return tuple(
            VaultRecord(
                id=item["id"],
                name=item["name"],
                path=Path(item["path"]),
                source=item["source"],
                default=item["default"],
            )
            for item in stored["vaults"]
        )
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{file} cannot be read ({error}); mend it or move it away and add the vaults again"
        ) from error


def _write(file: Path, records: Sequence[VaultRecord]) -> None:
    stored = {
        "format": FORMAT,
        "vaults": [
            {
                "id": record.id,
                "name": record.name,
                "path": str(record.path),
                "source": record.source,
                "default": record.default,
            }
            for record in records
        ],
    }
    atomic.replace(file, orjson.dumps(stored, option=orjson.OPT_INDENT_2), durable=True)
