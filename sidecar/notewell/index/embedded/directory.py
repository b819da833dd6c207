"""The folder of an index: its writer's lock, a cache of arrays, deletion, copies and their checks.

The operating system frees the lock when the process ends. The folder may be one that a person
chose, and hold other things, even notes: only files of an index are deleted. A copy is checked
before it is used.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import filelock
import numpy.typing as npt

from notewell.base import querylog
from notewell.base.errors import IndexDamagedError, IndexFailure, IndexInUseError, NotFoundError
from notewell.base.support import disk
from notewell.base.types import APPROXIMATE
from notewell.index.embedded import reads, tables
from notewell.index.embedded.checksums import (
    DamagedRowError,
    check_note_sums,
    check_parts,
    vector_sum,
)
from notewell.index.embedded.postings import FOLDER
from notewell.index.embedded.snapshots import Fingerprint, load_snapshot, save_snapshot
from notewell.index.embedded.store import DATABASE, Store, connect_read_only, translate_errors

LOCK = "lock"
SERVER_FILE = "server.json"  # a server leaves it where an index is to be
_FILES = (f"{DATABASE}*", "*.snapshot", "damaged", SERVER_FILE)
# The query log may have been here before the index: it stays when index_dir is set and unset.
# `source` is of notes that are converted, `vault.json` says which vault this is.
_OF_OTHERS = (".", querylog.NAME, "source", "vault.json")

logger = logging.getLogger(__name__)


class SnapshotCache:
    """Implements `ArrayCache` of the port: arrays as snapshots in the index's folder.

    `content` names what they are made of and how; arrays of another content are not loaded.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def load(self, name: str, content: str) -> Mapping[str, npt.NDArray[Any]] | None:
        return load_snapshot(
            self._store.directory / f"{name}.snapshot", self._fingerprint_of(content)
        )

    def save(self, name: str, content: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        if not self._store.writable or self._store.closed:
            return
        try:
            save_snapshot(
                self._store.directory / f"{name}.snapshot", self._fingerprint_of(content), arrays
            )
        except OSError as error:
            logger.warning("%s was not saved (%s); the next start takes longer.", name, error)

    def _fingerprint_of(self, content: str) -> Fingerprint:
        return Fingerprint(reads.generations(self._store)[0], 0, content)


def hold(directory: Path) -> filelock.BaseFileLock:
    """Hold the writer's lock of the index in a folder, which is made where it is missing.

    Raises:
        IndexInUseError: another process, or another index object in this one, holds it.
        IndexFailure: the folder cannot be written, or holds what is no index.

    """
    try:
        disk.make_folder(directory)
        _check_ours(directory)
        # Who closes an index may be another thread than who opened it.
        lock = filelock.FileLock(directory / LOCK, mode=disk.FILE_MODE, thread_local=False)
        lock.acquire(timeout=0)
        _restrict(directory)
    except filelock.Timeout as error:
        raise IndexInUseError(
            f"Another process writes the index in {directory}. Use that one, or stop it first."
        ) from error
    except OSError as error:
        raise IndexFailure(
            f"The index folder {directory} cannot be written ({error}). Check its permissions, or"
            " choose another with --data-dir.",
            code="index_not_writable",
        ) from error
    return lock


def _restrict(directory: Path) -> None:
    """Make an index private that an older version left readable for other users.

    A folder that holds other things as well stays as it is; only the index's files are closed.
    """
    ours = {path for pattern in (*_FILES, LOCK, FOLDER) for path in directory.glob(pattern)}
    for path in ours:
        disk.restrict_all(path)
    if all(path in ours or path.name.startswith(_OF_OTHERS) for path in directory.iterdir()):
        disk.restrict(directory)


def _check_ours(directory: Path) -> None:
    """Refuse a folder used for other things, because an index replaces existing files."""
    names = {entry.name for entry in directory.iterdir() if not entry.name.startswith(_OF_OTHERS)}
    if names - {SERVER_FILE} and not names & {LOCK, DATABASE}:
        raise IndexFailure(
            f"{directory} is to hold an index, but has other files in it. Name a folder of its own"
            " for the index (setting index_dir, or --data-dir).",
            code="not_an_index",
        )


def delete_index(directory: Path) -> None:
    """Delete an index that nobody uses; the folder too, if nothing else is in it.

    Raises:
        IndexInUseError: somebody writes it.
        IndexFailure: the disk refuses.

    """
    if not (directory / LOCK).exists():
        return
    lock = hold(directory)
    try:
        for pattern in _FILES:
            for file in directory.glob(pattern):
                file.unlink(missing_ok=True)
        keywords = directory / FOLDER
        # Where there is no such file, it is a person's folder of the same name.
        if (keywords / "meta.json").exists():
            shutil.rmtree(keywords, ignore_errors=True)
    finally:
        lock.release()
    (directory / LOCK).unlink(missing_ok=True)
    with suppress(OSError):
        directory.rmdir()


# Without vectors, every passage waits for its own, as those of a note that was never embedded.
_WITHOUT_VECTORS = f"""
DELETE FROM vectors;
DELETE FROM models WHERE quantisation LIKE '%{APPROXIMATE}';
UPDATE chunks SET vector_hash = NULL;
UPDATE notes SET awaiting = 1 WHERE id IN (SELECT note_id FROM chunks);
UPDATE ledger SET state = 'keyword_only' WHERE state = 'indexed'
  AND path IN (SELECT path FROM notes WHERE awaiting = 1);
"""  # noqa: S608 - a constant is put into SQL


@contextmanager
def _tell_of_copy(file: Path) -> Iterator[None]:
    """Raise OSError for a full disk as one of the copy: its source is only read."""
    try:
        yield
    except IndexFailure as error:
        if getattr(error.__cause__, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file)) from error
        raise


def copy_index(directory: Path, file: Path, *, vectors: bool) -> None:
    """Copy the database of an index, as it is at one moment, into a new private file.

    Another process may write the index meanwhile. Everything that is derived from the database is
    left out, and without `vectors` those too, so that they have to be computed again.

    Raises:
        NotFoundError: there is no index.
        IndexFailure: it cannot be read.
        OSError: the copy cannot be written.

    """
    source = directory / DATABASE
    if not source.is_file():
        raise NotFoundError(f"There is no index in {directory}.")
    disk.make_file(file)
    with (
        _tell_of_copy(file),
        translate_errors(directory),
        closing(connect_read_only(source)) as original,
        closing(sqlite3.connect(file, isolation_level=None)) as copy,
    ):
        original.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        # Of an older format there may be columns that these statements do not know.
        tables.migrate(copy)
        if not vectors:
            copy.execute("BEGIN")
            for statement in _WITHOUT_VECTORS.split(";\n"):
                copy.execute(statement)
            copy.execute("COMMIT")
            copy.execute("VACUUM")


def check_copy(file: Path) -> None:
    """Check that a file is a whole database of an index, and has nothing that runs by itself.

    Raises:
        IndexDamagedError: it is not.
        IndexFailure: a newer version of the program wrote it.

    """
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as copy:
            copy.execute("PRAGMA trusted_schema = OFF")
            version = tables.version_of(copy)
            # Not the quick one, which does not compare indexes with their tables.
            ((sound,),) = copy.execute("PRAGMA integrity_check(1)").fetchall()
            ((foreign,),) = copy.execute(
                "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index')"
                " OR sql LIKE 'CREATE VIRTUAL%'"
            ).fetchall()
            if version == tables.SCHEMA_VERSION:
                check_note_sums(copy)
                check_parts(copy)
    except (sqlite3.Error, DamagedRowError) as error:
        raise IndexDamagedError(f"{file.name} is not the database of an index: {error}.") from error
    if version == 0 or sound != "ok" or foreign:
        raise IndexDamagedError(f"{file.name} is not the database of an index.")


def check_notes(directory: Path) -> None:
    """Check the rows of every note of an index; a damaged one is repaired by the next writer.

    Raises:
        IndexDamagedError: one is not what was written.
        IndexFailure: the database cannot be read.

    """
    with (
        translate_errors(directory),
        closing(connect_read_only(directory / DATABASE)) as connection,
    ):
        if tables.version_of(connection) == tables.SCHEMA_VERSION:
            check_note_sums(connection)
            check_parts(connection)


def damaged_vectors(directory: Path) -> int:
    """The number of stored vectors of an index that differ from their checksums.

    Raises:
        IndexFailure: the database cannot be read.

    """
    with (
        translate_errors(directory),
        closing(connect_read_only(directory / DATABASE)) as connection,
    ):
        if tables.version_of(connection) != tables.SCHEMA_VERSION:
            return 0  # older ones are checked when they are brought up to date
        rows = connection.execute("SELECT model_id, text_hash, vector, checksum FROM vectors")
        return sum(
            vector_sum(model, text_hash, vector) != stored
            for model, text_hash, vector, stored in rows
        )
