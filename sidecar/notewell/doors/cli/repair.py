"""What `notewell doctor` finds left over in the data folders, and what `--repair` does about it.

Everything here is made again when it is needed, or is no use to anybody. Notes, databases and what
a restore kept are never touched.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from notewell.base.errors import IndexFailure
from notewell.base.support import private
from notewell.base.types import Settings
from notewell.engine.client import SERVER_FILE, has_live_server
from notewell.index.engines import DATABASE, damaged_snapshots, held

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
    ours = (each for each in indexes if each.is_relative_to(settings.data_dir))
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
    for found in tuple(leftovers(settings, indexes)):
        if _delete(found.path, indexes):
            yield f"deleted {found.path}: {found.what}"
    for folder in dict.fromkeys((settings.data_dir, settings.state_dir)):
        exposed = len(list(private.exposed(folder))) if folder.exists() else 0
        if exposed:
            private.restrict_all(folder)
            still = len(list(private.exposed(folder)))
            yield f"closed {exposed - still:,} files and folders in {folder} to other users"


def _in(folder: Path) -> tuple[Path, ...]:
    with suppress(OSError):
        return tuple(sorted(folder.iterdir()))
    return ()


def _delete(path: Path, indexes: Iterable[Path]) -> bool:
    """Delete a leftover; False where a process uses its index, or the disk refuses."""
    try:
        if path.parent in indexes and (path.parent / DATABASE).exists():
            with held(path.parent):
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
