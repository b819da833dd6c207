"""One writer an index: a lock of the kernel's, which dies with its process."""

from __future__ import annotations

from pathlib import Path

import filelock

from recollect.errors import IndexFailure, IndexInUseError

LOCK = "lock"


def hold(directory: Path) -> filelock.BaseFileLock:
    """Hold the writer's lock of the index in a folder, which is made where it is missing.

    Raises:
        IndexInUseError: another process, or another index object in this one, holds it.
        IndexFailure: the folder cannot be written.

    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
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
