"""Deleting an index: the files it is made of, and nothing else that lies in its folder.

The folder may be one that a person chose, and hold other things; it may even be the vault.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from notewell.index.embedded import lock as locks
from notewell.index.embedded.postings import FOLDER
from notewell.index.embedded.store import DATABASE

_FILES = (f"{DATABASE}*", "*.snapshot", "damaged", locks.SERVER_FILE)


def delete(directory: Path) -> None:
    """Delete an index that nobody uses; the folder too, if nothing else is in it.

    Raises:
        IndexInUseError: somebody writes it.
        IndexFailure: the disk refuses.

    """
    if not (directory / locks.LOCK).exists():
        return
    lock = locks.hold(directory)
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
    (directory / locks.LOCK).unlink(missing_ok=True)
    with suppress(OSError):
        directory.rmdir()
