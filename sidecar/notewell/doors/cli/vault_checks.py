"""Checks of each vault by `notewell doctor`, and the repairs of `--repair` in the data folders.

Everything that is deleted is made again when it is needed, or is no use to anybody. Notes,
databases and what a restore kept are never touched.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom

import orjson

from notewell import __version__
from notewell.base.errors import IndexDamagedError, IndexFailure, NotewellError, NotFoundError
from notewell.base.support import disk
from notewell.base.types import Settings, VaultRecord
from notewell.doors.cli.backends import server_for
from notewell.doors.cli.checks import Check
from notewell.engine.client import SERVER_FILE, has_live_server
from notewell.engine.feature import databases, files
from notewell.engine.open_vaults import DATABASES, Vaults
from notewell.engine.sample_check import SampleCheck
from notewell.features import FEATURES
from notewell.index import engines
from notewell.index.engines import DATABASE, damaged_snapshots, hold_index
from notewell.vault.watch import is_silent, unwatchable
from notewell.vault.write_journal import NAME as JOURNAL

# What follows from a damaged file: logs are begun anew, the rest is a person's.
_LOST = {
    JOURNAL: "move it away: nothing is written to the vault before, and undone afterwards",
    **dict.fromkeys(files(FEATURES), "restore it from a backup, or move it away"),
}
_BEGUN_ANEW = "it is set aside at its next use, and a new one is begun"


def check_vaults(vaults: Vaults, sample: int | None = None) -> Iterator[Check]:
    """Check every vault; a person is told how to add the first.

    `sample` is how many notes of each are compared with the index; None: none.
    """
    records = vaults.records()
    if not records:
        advice = "add one with `notewell index FOLDER`"
        yield Check("vaults", "warning", f"none is known yet; {advice}")
    for record in records:
        # Before the vault is opened, which sets damaged logs aside.
        folder = record.data_folder(vaults.settings(record).data_dir)
        damaged = tuple(damaged_files(folder))
        of_vault = _vault(vaults, record)
        yield of_vault
        if sample is not None and of_vault.state == "ok":
            yield _compare_sample(vaults, record, sample)
        for file, what in damaged:
            advice = _LOST.get(file.name, _BEGUN_ANEW)
            yield Check(f"files of {record.name}", "failed", f"{file}: {what}; {advice}")


def _vault(vaults: Vaults, record: VaultRecord) -> Check:
    name = f"vault {record.name}"
    if record.source == "folder" and not os.access(record.path, os.R_OK | os.X_OK):
        advice = f"bring it back, or `notewell vaults remove {record.id}`"
        return Check(name, "failed", f"{record.path} is not there or not readable; {advice}")
    directory = vaults.directory(record)
    try:
        server = server_for(vaults, record)
        if server is None:
            files = vaults.open(record, writable=False).ledger().total
            text = f"{files:,} files in the index, no server running"
        else:
            text = f"served at {server.info.url}"
        _check_database(directory)
        damaged = engines.damaged_vectors(directory)
    except NotFoundError:
        advice = f"`notewell index {record.name}` makes one"
        return Check(name, "warning", f"{record.path} has no index yet; {advice}")
    except NotewellError as error:
        return Check(name, "failed", error.message)
    if damaged:
        advice = f"`notewell index {record.name} --full` embeds their texts again"
        return Check(name, "failed", f"{damaged:,} stored vectors are damaged; {advice}")
    if server is not None and server.info.version != __version__:
        detail = f"{text} by version {server.info.version}, and this is {__version__}; restart it"
        return Check(name, "warning", detail)
    return _check_watching(record, text)


def _compare_sample(vaults: Vaults, record: VaultRecord, most: int) -> Check:
    """Read some notes once more, and compare them with the index."""
    name = f"sample of {record.name}"
    try:
        engine = vaults.open(record, writable=False)
        if vaults.settings(record).model.provider == "local":
            engine.wait_for_model()
        vault, settings = engine.vault, vaults.settings(record)
        embedder = vault.embedder() if settings.model.provider == "local" else None
        check = SampleCheck(vault.index, vault.source, settings, embedder)
        report = check.run(most, SystemRandom().sample)
    except NotewellError as error:
        return Check(name, "failed", error.message)
    if report.differences:
        first = report.differences[0]
        advice = f"`notewell index {record.name} --full` reads all notes again"
        detail = f"{len(report.differences):,} of {report.notes:,} notes differ from the index"
        return Check(name, "failed", f"{detail}, such as {first.path}: {first.what}; {advice}")
    waiting = f"; {report.changed:,} have changed and wait to be read" if report.changed else ""
    vectors = f", {report.vectors:,} vectors" if report.vectors else ""
    return Check(name, "ok", f"{report.notes:,} notes{vectors}: the index has the same{waiting}")


def _check_watching(record: VaultRecord, status: str) -> Check:
    """The check of a sound vault, by how a server notices its changes."""
    name = f"vault {record.name}"
    if record.source != "folder":
        return Check(name, "ok", f"{record.path}, {status}")
    if is_silent(record.path):
        polled = "a network drive, so a server looks for changes now and then"
        return Check(name, "ok", f"{record.path}, {status}; {polled}")
    limit = unwatchable(record.path)
    if limit is not None:
        advice = f"`sudo sysctl fs.inotify.max_user_watches={4 * limit}` lets it watch them"
        more = f"it has more than the {limit:,} folders that this system watches for one user"
        polled = "so a server looks for changes now and then"
        return Check(name, "warning", f"{record.path}, {status}; {more}, {polled}; {advice}")
    return Check(name, "ok", f"{record.path}, {status}")


def _check_database(directory: Path) -> None:
    engines.check_notes(directory)  # first, because what it finds is marked for the next writer
    try:
        engines.check_copy(directory / engines.DATABASE)
    except IndexDamagedError as error:
        raise IndexDamagedError(
            f"The index in {directory} is damaged; `notewell index` rebuilds it and keeps the"
            " vectors that can still be read."
        ) from error


def damaged_files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Each damaged file of a vault's state but its index, and what is wrong with it."""
    for name in (*DATABASES, *databases(FEATURES)):
        file = folder / name
        if name != engines.DATABASE and file.is_file() and (wrong := _of_database(file)):
            yield file, wrong
    for name in files(FEATURES):
        file = folder / name
        if file.is_file() and (wrong := _of_json(file)):
            yield file, wrong


def _of_database(file: Path) -> str:
    """The fault of a database in words; "" if there is none."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as opened:
            ((sound,),) = opened.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.Error as error:
        return str(error)
    return "" if sound == "ok" else str(sound)


def _of_json(file: Path) -> str:
    try:
        orjson.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        return str(error)
    return ""


# What a process that was killed leaves: a file that was to replace another, copies for a backup,
# an unpacked restore.
_UNFINISHED = re.compile(r"\..+-[0-9a-f]{8}|\.backup-\w+|\.restore-.+")
_UNFINISHED_SECONDS = 3600.0  # an older one belongs to no process that still works


@dataclass(frozen=True, slots=True)
class Leftover:
    """A file or folder that may be deleted, and what it is."""

    path: Path
    what: str


def leftovers(settings: Settings, directories: Iterable[Path]) -> Iterator[Leftover]:
    """Find what may be deleted in the data folders and in the `directories` of indexes."""
    indexes = tuple(directories)
    # An index may be in a folder that a person chose, whose other files are not ours.
    ours = (index for index in indexes if index.is_relative_to(settings.data_dir))
    for folder in dict.fromkeys((settings.data_dir, settings.state_dir, *ours)):
        for path in _in(folder):
            is_old = path.lstat().st_mtime < time.time() - _UNFINISHED_SECONDS
            if _UNFINISHED.fullmatch(path.name) and is_old:
                yield Leftover(path, "left by a process that was killed")
    for directory in indexes:
        file = directory / SERVER_FILE
        if file.exists() and not has_live_server(directory):
            yield Leftover(file, "of a server that does not run any more")
        for snapshot in damaged_snapshots(directory):
            yield Leftover(snapshot, "a damaged snapshot, which is made again")


def repair(settings: Settings, directories: Iterable[Path]) -> Iterator[str]:
    """Delete leftovers and close data to other users; yields a sentence for each repair."""
    indexes = tuple(directories)
    for stale in tuple(leftovers(settings, indexes)):
        if _delete(stale.path, indexes):
            yield f"deleted {stale.path}: {stale.what}"
    for folder in dict.fromkeys((settings.data_dir, settings.state_dir)):
        exposed = len(list(disk.find_exposed(folder))) if folder.exists() else 0
        if exposed:
            disk.restrict_all(folder)
            still = len(list(disk.find_exposed(folder)))
            yield f"closed {exposed - still:,} files and folders in {folder} to other users"


def _in(folder: Path) -> tuple[Path, ...]:
    with suppress(OSError):
        return tuple(sorted(folder.iterdir()))
    return ()


def _delete(path: Path, indexes: Iterable[Path]) -> bool:
    """Delete a leftover; False where a process uses its index, or the disk refuses."""
    try:
        if path.parent in indexes and (path.parent / DATABASE).exists():
            with hold_index(path.parent):
                _unlink(path)
        else:
            _unlink(path)
    except (OSError, IndexFailure):
        return False
    return True


def _unlink(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
