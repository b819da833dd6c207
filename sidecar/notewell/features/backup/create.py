"""Writes a backup: the members of its tar file, and the manifest last.

Every part is copied as it is at one moment, while servers and writers work.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from notewell import __version__
from notewell.api.errors import NotFoundError, UsageError
from notewell.api.files import disk
from notewell.api.types import Settings, VaultRecord, VaultRules
from notewell.base import querylog
from notewell.base.errors import BackupError
from notewell.engine.access import Device, Devices
from notewell.engine.feature import open_source
from notewell.engine.known_vaults import KnownVaults
from notewell.features import FEATURES
from notewell.features.backup.manifest import (
    DATABASES,
    FILES,
    FORMAT,
    MANIFEST,
    NOTES,
    SETTINGS,
    BackupManifest,
    BackupPart,
    SavedDevice,
    SavedVault,
    dump,
)
from notewell.index.engines import DATABASE, copy_index
from notewell.vault import walker

_BUSY_SECONDS = 10.0
_READ_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class BackupReport:
    """The contents of a backup. `bytes` is its size, `without_index` the vaults that have none."""

    file: str
    bytes: int
    vaults: tuple[str, ...]
    devices: int
    logs: bool
    vectors: bool
    without_index: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Content:
    """A part before it is written: its name, the file with its content, and a note's path."""

    name: str
    file: Path
    path: str = ""
    mtime_ns: int = 0


def write_backup(
    known: KnownVaults,
    settings: Settings,
    settings_file: Path,
    file: Path,
    *,
    logs: bool,
    vectors: bool,
    overwrite: bool = False,
) -> BackupReport:
    """Write the state of all known vaults, the settings and the names of devices into `file`.

    `logs`: with the searches and opened results; verdicts are always part of it. `vectors`: with
    the embeddings. Copies of databases lie beside `file` until it is complete.

    Raises:
        UsageError: the file exists and `overwrite` is false.
        BackupError: a part cannot be read or the file cannot be written.

    """
    if file.exists() and not overwrite:
        raise UsageError(f"{file} exists already. Name another file, or replace it with --force.")
    records = known.records()
    try:
        disk.make_folder(file.parent)
        with (
            tempfile.TemporaryDirectory(prefix=".backup-", dir=file.parent) as scratch,
            disk.replacing(file, durable=True) as stream,
        ):
            copier = _Copier(known, settings, Path(scratch), logs=logs, vectors=vectors)
            parts = _write_parts(stream, copier.contents(records, settings_file))
            devices = Devices(settings.state_dir).all()
            manifest = _manifest(records, devices, parts, logs=logs, vectors=vectors)
            _finish(stream, dump(manifest))
    except sqlite3.Error as error:
        raise BackupError(f"The backup was not written: {error}. Try again.") from error
    except OSError as error:
        raise BackupError(
            f"The backup {file} cannot be written: {error}. Choose another place."
        ) from error
    known.log_backup(file.absolute(), manifest.made)
    indexed = {part.vault for part in parts if part.name.endswith(f"/{DATABASE}")}
    return BackupReport(
        file=str(file),
        bytes=file.stat().st_size,
        vaults=tuple(record.name for record in records),
        devices=len(manifest.devices),
        logs=logs,
        vectors=vectors,
        without_index=tuple(record.name for record in records if record.id not in indexed),
    )


def _manifest(
    records: Sequence[VaultRecord],
    devices: Sequence[Device],
    parts: tuple[BackupPart, ...],
    *,
    logs: bool,
    vectors: bool,
) -> BackupManifest:
    """The manifest of the backup. Of a device, no token and no hash of one."""
    return BackupManifest(
        format=FORMAT,
        version=__version__,
        made=time.time(),
        logs=logs,
        vectors=vectors,
        vaults=tuple(
            SavedVault(record.id, record.name, str(record.path), record.source, record.default)
            for record in records
        ),
        devices=tuple(
            SavedDevice(device.name, device.scope, device.created, device.last_used)
            for device in devices
        ),
        parts=parts,
    )


class _Copier:
    """Makes the parts one after the other; a copy is deleted when the next one is made."""

    def __init__(
        self, known: KnownVaults, settings: Settings, scratch: Path, *, logs: bool, vectors: bool
    ) -> None:
        self._known = known
        self._settings = settings
        self._copy = scratch / "copy"
        self._logs = logs
        self._vectors = vectors

    def contents(self, records: tuple[VaultRecord, ...], settings_file: Path) -> Iterator[_Content]:
        """All parts; the file of each is there until the next one is asked for."""
        if settings_file.is_file():
            yield _Content(SETTINGS, settings_file)
        for record in records:
            folder = record.data_folder(self._settings.data_dir)
            for name in DATABASES:
                if self._copy_database_of(name, folder, record):
                    yield _Content(f"vaults/{record.id}/{name}", self._copy)
                    self._copy.unlink()
            for path in (file for name in FILES for file in sorted(folder.glob(name))):
                if path.is_file():
                    place = path.relative_to(folder).as_posix()
                    yield _Content(f"vaults/{record.id}/{place}", path)
            if record.source != "folder":
                yield from self._notes(record)

    def _copy_database_of(self, name: str, folder: Path, record: VaultRecord) -> bool:
        """Copy a database of a vault; False where it does not exist."""
        if name == DATABASE:
            try:
                copy_index(self._known.directory(record), self._copy, vectors=self._vectors)
            except NotFoundError:
                return False
            return True
        if not (folder / name).is_file():
            return False
        keep_all = self._logs or name != querylog.NAME
        _copy_database(folder / name, self._copy)
        if not keep_all:
            querylog.forget_searches(self._copy)
        return True

    def _notes(self, record: VaultRecord) -> Iterator[_Content]:
        if not record.path.is_dir():
            return
        rules = VaultRules(types=open_source(FEATURES, record, self._known.settings(record)).types)
        for number, note in enumerate(walker.walk(record.path, rules).files):
            name = f"vaults/{record.id}/{NOTES}/{number:07}"
            yield _Content(name, note.disk_path, note.path, note.mtime_ns)


def _copy_database(source: Path, copy: Path) -> None:
    """Copy an SQLite file as it is between two transactions."""
    disk.make_file(copy)
    uri = f"{source.absolute().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS)) as original,
        closing(sqlite3.connect(copy)) as target,
    ):
        original.backup(target)


def _write_parts(stream: BinaryIO, contents: Iterator[_Content]) -> tuple[BackupPart, ...]:
    parts = []
    for content in contents:
        try:
            part = _write_part(stream, content)
        except FileNotFoundError:  # a conversation or a note that was deleted meanwhile
            continue
        parts.append(part)
    return tuple(parts)


def _write_part(stream: BinaryIO, content: _Content) -> BackupPart:
    """Write one file as a member: as many bytes of it as it has at the beginning."""
    with content.file.open("rb") as source:
        size = os.fstat(source.fileno()).st_size
        stream.write(_header(content.name, size))
        checksum = hashlib.sha256()
        left = size
        while left:
            block = source.read(min(left, _READ_BYTES))
            if not block:
                raise BackupError(
                    f"{content.file} became shorter while it was copied. Try again.",
                )
            stream.write(block)
            checksum.update(block)
            left -= len(block)
    stream.write(_padding(size))
    return BackupPart(content.name, size, checksum.hexdigest(), content.path, content.mtime_ns)


def _finish(stream: BinaryIO, manifest: bytes) -> None:
    stream.write(_header(MANIFEST, len(manifest)))
    stream.write(manifest + _padding(len(manifest)))
    stream.write(bytes(2 * tarfile.BLOCKSIZE))


def _header(name: str, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = size
    info.mode = disk.FILE_MODE
    return info.tobuf(tarfile.GNU_FORMAT)  # sizes beyond 8 GB; names are short


def _padding(size: int) -> bytes:
    return bytes(-size % tarfile.BLOCKSIZE)
