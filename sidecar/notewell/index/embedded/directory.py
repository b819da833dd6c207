"""The folder of an index: the lock of its one writer, and its deletion.

The operating system frees the lock when its process ends. The folder may be one that a person
chose, and hold other things, even notes: only files of an index are deleted.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

import filelock

from notewell import querylog
from notewell.errors import IndexFailure, IndexInUseError
from notewell.index.embedded.postings import FOLDER
from notewell.index.embedded.store import DATABASE

LOCK = "lock"
SERVER_FILE = "server.json"  # a server leaves it where an index is to be
_FILES = (f"{DATABASE}*", "*.snapshot", "damaged", SERVER_FILE)


def hold(directory: Path) -> filelock.BaseFileLock:
    """Hold the writer's lock of the index in a folder, which is made where it is missing.

    Raises:
        IndexInUseError: another process, or another index object in this one, holds it.
        IndexFailure: the folder cannot be written, or holds what is no index.

    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _check_ours(directory)
        # Who closes an index may be another thread than who opened it.
        lock = filelock.FileLock(directory / LOCK, thread_local=False)
        lock.acquire(timeout=0)
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


def _check_ours(directory: Path) -> None:
    """Refuse a folder that somebody uses for other things: an index replaces what it finds."""
    # The query log may have been here before the index: it stays when index_dir is set and unset.
    ours = (".", querylog.NAME)
    names = {entry.name for entry in directory.iterdir() if not entry.name.startswith(ours)}
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
        # Where there is no such file, somebody has named a folder of notes like ours.
        if (keywords / "meta.json").exists():
            shutil.rmtree(keywords, ignore_errors=True)
    finally:
        lock.release()
    (directory / LOCK).unlink(missing_ok=True)
    with suppress(OSError):
        directory.rmdir()
