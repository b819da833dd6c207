"""Finds the known vaults by id, name or folder, and keeps the list of them, `vaults.json`.

Opens no index; that is for `open_vaults`. So a command beside a running server loads no engine.

A damaged list is taken from the copy beside it, or made again from what lies beside the indexes;
the damaged file is kept. What happened is logged once, and told by the list until its next change.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from notewell.base.errors import ConfigError, NotewellError, NotFoundError, UsageError, near
from notewell.base.support import disk
from notewell.base.support.disk import expand_user
from notewell.base.types import Settings, VaultRecord
from notewell.base.types.values import VAULTS
from notewell.engine import switch
from notewell.engine.backup_log import log_verified, log_written
from notewell.engine.vault_list import (
    FORMAT,
    MIRRORS,
    Listed,
    decode,
    encode,
    forget,
    is_any,
    keep_records,
    rebuilt,
    write_if_changed,
)

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
        return self._read_list().records

    def notice(self) -> str | None:
        """A notice on a list that was damaged, until its next change. Raises ConfigError."""
        return self._read_list().notice

    def write(self, records: Sequence[VaultRecord]) -> None:
        """Write a list that nobody uses yet. Raises OSError."""
        self._write(Listed(tuple(records)))

    def replace(self, moves: Sequence[switch.FileMove]) -> None:
        """Make `moves`, of which some replace this list, while no other process changes it.

        All of them are made or none. Raises NotewellError or ConfigError.
        """
        with self._lock():
            switch.switch(self._folder, moves)

    def keep_copies(self) -> None:
        """Make the copies of the list that are missing; earlier versions made none.

        Where the disk refuses, the list is used without.
        """
        try:
            with self._lock():
                listed = self._sound()
                if listed.records:
                    self._write(listed)
        except NotewellError as error:
            log.warning("the list of vaults has no copy: %s", error.message)

    @contextmanager
    def changing(self) -> Iterator[list[VaultRecord]]:
        """The records to change in place; written back when the block ends well."""
        with self._lock():
            before = self._sound().records
            records = list(before)
            yield records
            if tuple(records) != before:
                self._write(Listed(tuple(records)))
                kept = {record.id for record in records}
                for gone in before:
                    if gone.id not in kept:
                        forget(self._folder, gone)

    def _read_list(self) -> Listed:
        if not switch.is_unfinished(self._folder):
            read_list = self._read()
            if isinstance(read_list, Listed):
                return read_list
        with self._lock():  # which takes back what a stopped process left
            return self._sound()

    def _read(self) -> Listed | _Damaged:
        try:
            content = self._file.read_bytes()
        except FileNotFoundError:
            is_lost = self._backup.exists() or is_any(self._folder)
            return _Damaged(None) if is_lost else Listed()
        except OSError as error:
            raise ConfigError(f"{self._file} cannot be read ({error})") from error
        try:
            return decode(content)
        except ValueError as error:
            if _is_newer(content):
                raise ConfigError(
                    f"{self._file} is of a newer version of Notewell; update this one"
                ) from error
            return _Damaged(content)

    def _write(self, listed: Listed) -> None:
        """Write the copies first: where the list is written, they are at least as new."""
        content = encode(listed)
        keep_records(self._folder, listed.records)
        write_if_changed(self._backup, content)
        write_if_changed(self._file, content)

    def _sound(self) -> Listed:
        """Read the list, which is repaired where it is damaged; the caller holds the lock."""
        read_list = self._read()
        if isinstance(read_list, Listed):
            return read_list
        records, how = self._recover()
        told = "missing" if read_list.content is None else "damaged"
        notice = f"The list of vaults, {self._file}, was {told} and {how}"
        if read_list.content is not None:
            disk.replace(self._file.with_name(DAMAGED), read_list.content, durable=True)
            notice += f" The damaged file is kept as {DAMAGED}."
        listed = Listed(records, notice)
        self._write(listed)
        log.warning("%s", notice)
        return listed

    def _recover(self) -> tuple[tuple[VaultRecord, ...], str]:
        """Return the records from the copy, or else made again, and how that was done."""
        try:
            kept = decode(self._backup.read_bytes()).records
        except (OSError, ValueError):
            return _rebuild(self._folder)
        return kept, "has been taken from its copy: nothing is lost."

    @contextmanager
    def _lock(self) -> Iterator[None]:
        # Takes as long to load as reading the list does, and most commands only read.
        from filelock import FileLock, Timeout  # noqa: PLC0415

        try:
            disk.make_folder(self._folder)
            with FileLock(f"{self._file}.lock", timeout=_LOCK_SECONDS, mode=disk.FILE_MODE):
                switch.take_back(self._folder)
                yield
        except Timeout as error:
            raise NotewellError(f"{self._file} is locked by another process; try again") from error
        except OSError as error:
            raise ConfigError(
                f"the data directory {self._folder} cannot be written: {error}; "
                "choose another with --data-dir"
            ) from error


def _rebuild(data_dir: Path) -> tuple[tuple[VaultRecord, ...], str]:
    records, unknown = rebuilt(data_dir)
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
                return number > FORMAT
    except ValueError:
        pass
    return False


OURS = (VAULTS, MIRRORS)


class KnownVaults:
    """The vaults in the registry of one data directory, each with its settings."""

    def __init__(
        self, settings: Settings, *, for_vault: Callable[[Path], Settings] | None = None
    ) -> None:
        """`for_vault` gives the settings with a vault's own file merged in."""
        self._settings = settings
        self._for_vault = for_vault or (lambda _: settings)
        self._registry = Registry(settings.data_dir)

    @property
    def common(self) -> Settings:
        """The settings of this computer, without those of a vault."""
        return self._settings

    def records(self) -> tuple[VaultRecord, ...]:
        """All known vaults, in the order they became known."""
        return self._registry.records()

    def notice(self) -> str | None:
        """A notice of what happened to a damaged list of vaults, until its next change."""
        return self._registry.notice()

    def find(self, word: str | None, *, cwd: Path) -> VaultRecord:
        """The vault that `word` names (id, name or folder).

        Without a word: the one that `cwd` lies in, the only one, or the default. NotFoundError
        if there is none.
        """
        records = self.records()
        if word is not None:
            record = _find_named(records, word, cwd)
        else:
            record = _around(records, cwd) or _obvious(records)
        if record is None:
            raise NotFoundError(_not_found(records, word))
        return record

    def add_mirror(self, name: str) -> VaultRecord:
        """Make a vault that clients fill, or give its record when there is one of that name.

        Its folder lies in the data directory. UsageError where a folder has the name already.
        """
        with self._registry.changing() as records:
            known = next((r for r in records if r.name.casefold() == name.casefold()), None)
            if known is not None and known.source == "mirror":
                return known
            if known is not None or not name.strip():
                raise UsageError(f"a mirror cannot be called '{name}': choose another name")
            record = _mirror_record(self._mirrors, name, default=not records)
            disk.make_folder(record.path)
            records.append(record)
        return record

    def add_made(self, make: Callable[[Path, Sequence[VaultRecord]], VaultRecord]) -> VaultRecord:
        """Make a vault known whose notes are kept here.

        `make` makes its record and its folder, below the one that it is given; it is also given the
        records that there are.
        """
        with self._registry.changing() as records:
            record = make(self._mirrors, records)
            records.append(record)
        return record

    def set_default(self, record: VaultRecord) -> None:
        """Make `record` the vault that is meant when none is named."""
        with self._registry.changing() as records:
            records[:] = [replace(known, default=known.id == record.id) for known in records]

    def log_backup(self, file: Path, at: float) -> None:
        """Note that a backup of all vaults was written; `at` in POSIX seconds."""
        log_written(self._settings.data_dir, file, at)

    def log_tried_backup(self, file: Path, at: float, problem: str | None) -> None:
        """Note that a backup was tried, and the reason where it cannot be restored."""
        log_verified(self._settings.data_dir, file, at, problem)

    def settings(self, record: VaultRecord) -> Settings:
        return self._for_vault(record.path)

    def directory(self, record: VaultRecord) -> Path:
        if record.view:  # an index of its own, on this computer
            return self._data(record)
        chosen = self.settings(record).index_dir
        return chosen if chosen is not None else self._data(record)

    def _data(self, record: VaultRecord) -> Path:
        """Where what belongs to a vault lives, but for an index that was put elsewhere."""
        return record.data_folder(self._settings.data_dir)

    @property
    def _mirrors(self) -> Path:
        return Path(os.path.realpath(self._settings.data_dir)) / MIRRORS


def _mirror_record(mirrors: Path, name: str, *, default: bool) -> VaultRecord:
    vault_id = os.urandom(6).hex()
    path = mirrors / vault_id / "vault"
    return VaultRecord(vault_id, name.strip(), path, source="mirror", default=default)


def _find_named(records: tuple[VaultRecord, ...], word: str, cwd: Path) -> VaultRecord | None:
    for record in records:
        if word in {record.id, record.name}:
            return record
    for record in records:
        if word.casefold() == record.name.casefold():
            return record
    if "\0" in word:
        return None  # no folder's name
    path = (cwd / expand_user(word)).resolve()
    return next((record for record in records if record.path == path), None)


def _around(records: tuple[VaultRecord, ...], cwd: Path) -> VaultRecord | None:
    inside = [record for record in records if cwd.resolve().is_relative_to(record.path)]
    return max(inside, key=lambda record: len(record.path.parts), default=None)


def _obvious(records: tuple[VaultRecord, ...]) -> VaultRecord | None:
    if len(records) == 1:
        return records[0]
    return next((record for record in records if record.default), None)


def _not_found(records: tuple[VaultRecord, ...], word: str | None) -> str:
    if not records:
        return "no vault is known yet; run `notewell index FOLDER` first"
    known = ", ".join(record.name for record in records)
    if word is None:
        return f"which vault? Name one with --vault; known: {known}"
    meant = near(word, (record.name for record in records))
    asked = f"did you mean '{meant}'? Known: {known}" if meant else f"known: {known}"
    return f"no vault '{word}'; {asked}. A new folder is added by `notewell index FOLDER`"
