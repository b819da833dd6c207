"""The list of known vaults, `vaults.json` in the data directory, with a copy beside it.

A damaged list is taken from its copy, or made again from what lies beside the indexes; the damaged
file is kept. What happened is logged once, and told by the list until its next change.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from notewell.base.errors import ConfigError, NotewellError
from notewell.base.support import atomic, private
from notewell.base.types import VaultRecord
from notewell.engine.vaults import registry_copies as copies
from notewell.engine.vaults import switch
from notewell.engine.vaults.registry_copies import Listed

REGISTRY = "vaults.json"
BACKUP = f"{REGISTRY}.backup"
DAMAGED = f"{REGISTRY}.damaged"
_LOCK_SECONDS = 10

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Damaged:
    """A list that is not as it was written; `content` is what there is, None: it is missing."""

    content: bytes | None


class Registry:
    """The records on disk, changed by one process at a time; a reader sees them whole."""

    def __init__(self, data_dir: Path) -> None:
        """Nothing is read or made yet."""
        self._folder = data_dir
        self._file = data_dir / REGISTRY
        self._backup = data_dir / BACKUP

    def records(self) -> tuple[VaultRecord, ...]:
        """All known vaults, in the order they became known; ConfigError if it does not read."""
        return self._listed().records

    def notice(self) -> str | None:
        """What happened to a list that was damaged, until its next change. Raises ConfigError."""
        return self._listed().notice

    def write(self, records: Sequence[VaultRecord]) -> None:
        """Write a list that nobody uses yet. Raises OSError."""
        self._write(Listed(tuple(records)))

    def replace(self, moves: Sequence[switch.Move]) -> None:
        """Make `moves`, of which some replace this list, while no other process changes it.

        All of them are made or none. Raises NotewellError or ConfigError.
        """
        with self._locked():
            switch.switch(self._folder, moves)

    def keep_copies(self) -> None:
        """Make the copies of the list that are missing; earlier versions made none.

        Where the disk refuses, the list is used without.
        """
        try:
            with self._locked():
                listed = self._sound()
                if listed.records:
                    self._write(listed)
        except NotewellError as error:
            log.warning("the list of vaults has no copy: %s", error.message)

    @contextmanager
    def changing(self) -> Iterator[list[VaultRecord]]:
        """The records to change in place; written back when the block ends well."""
        with self._locked():
            before = self._sound().records
            records = list(before)
            yield records
            if tuple(records) != before:
                self._write(Listed(tuple(records)))
                kept = {record.id for record in records}
                for gone in before:
                    if gone.id not in kept:
                        copies.forget(self._folder, gone.id)

    def _listed(self) -> Listed:
        if not switch.is_unfinished(self._folder):
            found = self._read()
            if isinstance(found, Listed):
                return found
        with self._locked():  # which takes back what a stopped process left
            return self._sound()

    def _read(self) -> Listed | _Damaged:
        try:
            content = self._file.read_bytes()
        except FileNotFoundError:
            is_lost = self._backup.exists() or copies.is_any(self._folder)
            return _Damaged(None) if is_lost else Listed()
        except OSError as error:
            raise ConfigError(f"{self._file} cannot be read ({error})") from error
        try:
            return copies.decode(content)
        except ValueError as error:
            if _is_newer(content):
                raise ConfigError(
                    f"{self._file} is of a newer version of Notewell; update this one"
                ) from error
            return _Damaged(content)

    def _write(self, listed: Listed) -> None:
        """Write the copies first: where the list is written, they are at least as new."""
        content = copies.encode(listed)
        copies.keep_records(self._folder, listed.records)
        copies.write_if_changed(self._backup, content)
        copies.write_if_changed(self._file, content)

    def _sound(self) -> Listed:
        """Read the list, which is repaired where it is damaged; the caller holds the lock."""
        found = self._read()
        if isinstance(found, Listed):
            return found
        records, how = self._recovered()
        told = "missing" if found.content is None else "damaged"
        notice = f"The list of vaults, {self._file}, was {told} and {how}"
        if found.content is not None:
            atomic.replace(self._file.with_name(DAMAGED), found.content, durable=True)
            notice += f" The damaged file is kept as {DAMAGED}."
        listed = Listed(records, notice)
        self._write(listed)
        log.warning("%s", notice)
        return listed

    def _recovered(self) -> tuple[tuple[VaultRecord, ...], str]:
        """Return the records from the copy, or else made again, and how that was done."""
        try:
            kept = copies.decode(self._backup.read_bytes()).records
        except (OSError, ValueError):
            return _rebuilt(self._folder)
        return kept, "has been taken from its copy: nothing is lost."

    @contextmanager
    def _locked(self) -> Iterator[None]:
        # Takes as long to load as reading the list does, and most commands only read.
        from filelock import FileLock, Timeout  # noqa: PLC0415

        try:
            private.make_folder(self._folder)
            with FileLock(f"{self._file}.lock", timeout=_LOCK_SECONDS, mode=private.FILE_MODE):
                switch.take_back(self._folder)
                yield
        except Timeout as error:
            raise NotewellError(f"{self._file} is locked by another process; try again") from error
        except OSError as error:
            raise ConfigError(
                f"the data directory {self._folder} cannot be written: {error}; "
                "choose another with --data-dir"
            ) from error


def _rebuilt(data_dir: Path) -> tuple[tuple[VaultRecord, ...], str]:
    records, unknown = copies.rebuilt(data_dir)
    if not records:
        return (), "no vault could be found again: add yours with `notewell index FOLDER`."
    names = ", ".join(record.name for record in records)
    told = f"has been made again from what lies beside the indexes: {names}."
    if unknown:
        ids = ", ".join(record.id for record in unknown)
        told += (
            f" Where the notes of {ids} are is not known: `notewell index FOLDER` finds their index"
            " again."
        )
    return records, told


def _is_newer(content: bytes) -> bool:
    try:
        match orjson.loads(content):
            case {"format": int(number)}:
                return number > copies.FORMAT
    except ValueError:
        pass
    return False
