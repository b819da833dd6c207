"""Restores a backup: everything is checked first, then all of it takes its place in one step."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from notewell.api.errors import NotFoundError, UsageError
from notewell.api.files import disk, expand_user, open_plain
from notewell.api.types import Settings, VaultRecord
from notewell.base.errors import BackupError, IndexInUseError
from notewell.base.support.plain_tar import Member
from notewell.engine.configuration import Configuration
from notewell.engine.known_vaults import BACKUP as LIST_COPY
from notewell.engine.known_vaults import OURS, REGISTRY, KnownVaults, Registry
from notewell.engine.switch import FileMove
from notewell.features.backup.manifest import (
    BACKUP,
    MANIFEST,
    MAX_MANIFEST_BYTES,
    SETTINGS,
    BackupManifest,
    BackupPart,
    SavedDevice,
    damage_error,
    load,
)
from notewell.index.engines import DATABASE, check_copy, hold_index

STAGED = ".restore-"  # begins the name of the folder in which a restore prepares the state
ASIDE = "before-restore-"  # begins the name of the folder with what a restore replaced
_READ_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class RestoredVault:
    """A vault after a restore. `present`: its folder of notes exists on this computer."""

    id: str
    name: str
    path: str
    present: bool


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """The outcome of a restore.

    `settings_left_out` are settings of the backup that name folders of its computer; `devices` have
    to be given access again; `aside` is the folder with the state that was replaced.
    """

    vaults: tuple[RestoredVault, ...]
    devices: tuple[SavedDevice, ...]
    settings: bool
    settings_left_out: tuple[str, ...]
    logs: bool
    vectors: bool
    aside: str | None


@dataclass(frozen=True, slots=True)
class _Computer:
    """The state of the computer that a backup is restored to."""

    known: KnownVaults
    data: Path
    configuration: Configuration


def restore_backup(
    file: Path,
    known: KnownVaults,
    settings: Settings,
    configuration: Configuration,
    *,
    folders: Mapping[str, Path],
    replace_state: bool = False,
) -> RestoreReport:
    """Restore the state in `file` to the data directory of `settings`.

    `folders` are the folders of vaults on this computer, by name or id. The whole file is checked
    before anything is changed, and if the process ends early, the earlier state stays.

    Raises:
        NotFoundError: the file, a vault of `folders` or its folder does not exist.
        BackupError: the file is not a backup, is damaged, or cannot be restored here.
        UsageError: there is a state already and `replace_state` is false.
        IndexInUseError: a server or another process uses a vault.

    """
    data = settings.data_dir
    try:
        with open_plain(file) as stream:
            manifest, members = _read_manifest(stream)
            _check_parts(stream, manifest, members)
            records = _records(manifest, data, folders)
            if not replace_state:
                _refuse_state(known, data, configuration)
            disk.make_folder(data)
            with _hold_indexes(known), _staging(data) as staged:
                _extract(stream, manifest, members, staged)
                return _put_in_place(
                    manifest, records, staged, _Computer(known, data, configuration)
                )
    except OSError as error:
        if error.filename is not None and Path(os.fsdecode(error.filename)) == file:
            raise _unreadable(file, error) from error
        raise BackupError(
            f"The backup cannot be restored to {data}: {error}. Nothing was changed; mend that,"
            " then try again."
        ) from error


@dataclass(frozen=True, slots=True)
class VerifiedBackup:
    """The contents of a backup that can be restored. `made` is in POSIX seconds."""

    file: str
    made: float
    vaults: tuple[str, ...]
    parts: int
    bytes: int
    logs: bool
    vectors: bool


def verify_backup(file: Path, known: KnownVaults) -> VerifiedBackup:
    """Try whether `file` can be restored, and note the outcome in the data directory.

    It is unpacked and checked as `restore_backup` does, in a folder of its own that is deleted.

    Raises:
        NotFoundError: the file does not exist.
        BackupError: it is not a backup, is damaged, or there is no room to unpack it.

    """
    try:
        with open_plain(file) as stream:
            manifest, members = _read_manifest(stream)
            data = known.common.data_dir
            disk.make_folder(data)
            with _staging(data) as staged:
                _extract(stream, manifest, members, staged)
    except OSError as error:
        raise _unreadable(file, error) from error
    except BackupError as error:
        known.log_tried_backup(file, time.time(), error.message)
        raise
    known.log_tried_backup(file, time.time(), None)
    return VerifiedBackup(
        file=str(file),
        made=manifest.made,
        vaults=tuple(vault.name for vault in manifest.vaults),
        parts=len(manifest.parts),
        bytes=sum(part.size for part in manifest.parts),
        logs=manifest.logs,
        vectors=manifest.vectors,
    )


def _unreadable(file: Path, error: OSError) -> BackupError | NotFoundError:
    if isinstance(error, FileNotFoundError):
        return NotFoundError(f"There is no file {file}: check its name.")
    return BackupError(f"{file} cannot be read: {error.strerror}. Nothing was changed.")


def _read_manifest(stream: BinaryIO) -> tuple[BackupManifest, Mapping[str, Member]]:
    members = BACKUP.members(stream)
    content = BACKUP.read(stream, members[MANIFEST], most=MAX_MANIFEST_BYTES)
    return load(content, members), members


def _check_parts(stream: BinaryIO, manifest: BackupManifest, members: Mapping[str, Member]) -> None:
    for part in manifest.parts:
        for _ in _content(stream, part, members):
            pass


def _content(stream: BinaryIO, part: BackupPart, members: Mapping[str, Member]) -> Iterator[bytes]:
    """The bytes of a part in blocks; after the last one its checksum is compared."""
    checksum = hashlib.sha256()
    member = members[part.name]
    stream.seek(member.start)
    left = member.size
    while left:
        block = stream.read(min(left, _READ_BYTES))
        if not block:
            raise damage_error(f"{part.name} is incomplete")
        checksum.update(block)
        left -= len(block)
        yield block
    if checksum.hexdigest() != part.sha256:
        raise damage_error(f"{part.name} does not match its checksum")


def _records(
    manifest: BackupManifest, data: Path, folders: Mapping[str, Path]
) -> tuple[VaultRecord, ...]:
    """The known vaults with their folders on this computer."""
    chosen: dict[str, Path] = {}
    for word, folder in folders.items():
        saved = [vault for vault in manifest.vaults if word in {vault.id, vault.name}]
        if not saved or saved[0].source != "folder":
            names = ", ".join(vault.name for vault in manifest.vaults if vault.source == "folder")
            raise NotFoundError(f"The backup has no vault '{word}' with a folder; it has: {names}.")
        place = Path(os.path.realpath(expand_user(folder)))
        if not place.is_dir():
            raise NotFoundError(f"There is no folder {folder} for the vault {saved[0].name}.")
        chosen[saved[0].id] = place
    mirrors = Path(os.path.realpath(data)) / OURS[1]
    return tuple(
        VaultRecord(
            id=vault.id,
            name=vault.name,
            path=mirrors / vault.id / "vault"
            if vault.source != "folder"
            else chosen.get(vault.id, Path(vault.path)),
            source=vault.source,
            default=vault.default,
        )
        for vault in manifest.vaults
    )


def _refuse_state(known: KnownVaults, data: Path, configuration: Configuration) -> None:
    if known.records() or any(any((data / name).glob("*")) for name in OURS):
        there = f"{data} has vaults already"
    elif not configuration.only_places():
        there = f"{configuration.file} has settings already"
    else:
        return
    raise UsageError(
        f"{there}, and a restore would replace them. Restore to another --data-dir, or add"
        " --replace: then the present state is kept in a folder beside the restored one.",
        code="state_exists",
    )


@contextmanager
def _hold_indexes(known: KnownVaults) -> Iterator[None]:
    """Hold the indexes of all known vaults, so that no server or other process writes them."""
    with ExitStack() as locks:
        for record in known.records():
            directory = known.directory(record)
            if not (directory / DATABASE).is_file():
                continue
            try:
                locks.enter_context(hold_index(directory))
            except IndexInUseError as error:
                raise IndexInUseError(
                    f"A server or another process uses {record.name}. Stop it (servers, `notewell"
                    " index`), then restore again. Nothing was changed."
                ) from error
        yield


@contextmanager
def _staging(data: Path) -> Iterator[Path]:
    folder = data / f"{STAGED}{secrets.token_hex(4)}"
    disk.make_folder(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _extract(
    stream: BinaryIO, manifest: BackupManifest, members: Mapping[str, Member], staged: Path
) -> None:
    """Write all parts below `staged`, in the layout of a data directory, and check databases."""
    for name in OURS:
        disk.make_folder(staged / name)
    try:
        for part in manifest.parts:
            place = staged / _place(part)
            disk.make_folder(place.parent)
            with disk.open_private(place) as target:
                for block in _content(stream, part, members):
                    target.write(block)
                target.flush()
                os.fsync(target.fileno())
            if part.is_note:
                os.utime(place, ns=(part.mtime_ns, part.mtime_ns))
            if part.vault and part.below_vault == DATABASE:
                check_copy(place)
    except OSError as error:
        raise BackupError(
            f"The backup cannot be unpacked in {staged.parent}: {error}. Nothing was changed."
        ) from error


def _place(part: BackupPart) -> Path:
    """The place of a part in a data directory."""
    if part.is_note:
        return Path(OURS[1], part.vault, "vault", part.path)
    return Path(part.name)


def _put_in_place(
    manifest: BackupManifest, records: tuple[VaultRecord, ...], staged: Path, here: _Computer
) -> RestoreReport:
    data = here.data
    stamp = f"{ASIDE}{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(2)}"
    aside = data / stamp
    Registry(staged).write(records)
    moves = [
        FileMove(data / name, staged / name, aside / name) for name in (*OURS, LIST_COPY, REGISTRY)
    ]
    with ExitStack() as prepared:
        for directory, index in _indexes_elsewhere(records, here.known, staged, data).items():
            moves.append(prepared.enter_context(_index_move(directory, index, stamp)))
        file = Path(os.path.realpath(here.configuration.file))
        left_out: tuple[str, ...] = ()
        saved = staged / SETTINGS
        if saved.is_file():
            text, left_out = here.configuration.carry_over(saved.read_text(encoding="utf-8"))
            moves.append(prepared.enter_context(_settings_move(file, text, stamp)))
        Registry(data).replace(moves)
    return RestoreReport(
        vaults=tuple(
            RestoredVault(record.id, record.name, str(record.path), record.path.is_dir())
            for record in records
        ),
        devices=manifest.devices,
        settings=saved.name in {part.name for part in manifest.parts},
        settings_left_out=left_out,
        logs=manifest.logs,
        vectors=manifest.vectors,
        aside=str(aside) if aside.exists() else None,
    )


def _indexes_elsewhere(
    records: tuple[VaultRecord, ...], known: KnownVaults, staged: Path, data: Path
) -> dict[Path, Path]:
    """The restored databases whose place, by the settings, is not in the vaults' data folder."""
    elsewhere: dict[Path, Path] = {}
    for record in records:
        index = staged / OURS[0] / record.id / DATABASE
        directory = known.directory(record)
        if not index.is_file() or directory == data / OURS[0] / record.id:
            continue
        if directory in elsewhere:
            raise BackupError(
                f"The setting index_dir names {directory} for several vaults, and each index needs"
                " a folder of its own. Unset it, then restore again. Nothing was changed."
            )
        elsewhere[directory] = index
    return elsewhere


@contextmanager
def _index_move(directory: Path, index: Path, stamp: str) -> Iterator[FileMove]:
    """A move of an index whose folder may be on another disk than the data directory."""
    prepared = directory.with_name(f"{STAGED}{directory.name}-{secrets.token_hex(4)}")
    try:
        disk.make_folder(prepared)
        with disk.open_private(prepared / DATABASE) as target, index.open("rb") as source:
            shutil.copyfileobj(source, target)
        index.unlink()
        yield FileMove(directory, prepared, directory.with_name(f"{directory.name}.{stamp}"))
    finally:
        shutil.rmtree(prepared, ignore_errors=True)


@contextmanager
def _settings_move(file: Path, text: str, stamp: str) -> Iterator[FileMove]:
    prepared = file.with_name(f"{STAGED}{file.name}-{secrets.token_hex(4)}")
    try:
        disk.replace(prepared, text.encode(), durable=True)
        yield FileMove(file, prepared, file.with_name(f"{file.name}.{stamp}"))
    finally:
        prepared.unlink(missing_ok=True)
