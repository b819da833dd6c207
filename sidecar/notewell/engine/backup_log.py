"""When this computer's state was last backed up, and when a backup was last tried."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

import orjson

from notewell.base.support import disk
from notewell.base.types.frozen import frozen

NAME = "backups.json"  # in the data directory


@frozen
class BackupLog:
    """The last backup and the last test of one; times are POSIX seconds, None: never."""

    file: str | None = None
    written: float | None = None
    verified_file: str | None = None
    verified: float | None = None
    problem: str | None = None  # why that backup could not be restored


def read_log(data_dir: Path) -> BackupLog:
    """Read the log; it is empty where the file is missing or damaged, and then written anew."""
    try:
        return BackupLog(**orjson.loads((data_dir / NAME).read_bytes()))
    except (OSError, ValueError, TypeError):
        return BackupLog()


def log_written(data_dir: Path, file: Path, at: float) -> None:
    """Note that a backup was written."""
    _write(data_dir, replace(read_log(data_dir), file=str(file), written=at))


def log_verified(data_dir: Path, file: Path, at: float, problem: str | None) -> None:
    """Note that a backup was tried, and the reason where it cannot be restored."""
    log = replace(read_log(data_dir), verified_file=str(file), verified=at, problem=problem)
    _write(data_dir, log)


def _write(data_dir: Path, log: BackupLog) -> None:
    with suppress(OSError):  # the backup is what matters
        disk.replace(data_dir / NAME, orjson.dumps(asdict(log), option=orjson.OPT_INDENT_2))
