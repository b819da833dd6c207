"""A server's log files: rotated, private to their owner, one set for each server that runs.

A thread of its own writes the lines, so that no request waits for a slow disk.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path
from queue import SimpleQueue

from filelock import FileLock, Timeout

from notewell.base.support import disk
from notewell.base.support.logs import Lines
from notewell.base.types import LogRules

FILE_BYTES = 2_000_000
FILES = 5
# The most servers of one user that run at the same time, each with its own files.
_MOST_WRITERS = 20
_OURS = "notewell"
_CLOSE_S = 5.0  # until a disk that does not respond is given up
LOGS = "logs"  # below the state directory
AUDIT = "notewell.audit"  # the logger whose records also have a file of their own

log = logging.getLogger(__name__)


class _PrivateFileHandler(RotatingFileHandler):
    """Creates each file for its owner only, also after a rotation."""

    def _open(self) -> TextIOWrapper:
        disk.make_file(Path(self.baseFilename))
        return super()._open()


class _Waiting(QueueHandler):
    """Hands records as they are to the thread that writes them, which is in this process."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Leave format and traceback to the handler of the file."""
        return record


@contextmanager
def logging_to_files(folder: Path, rules: LogRules) -> Iterator[Path | None]:
    """While the block runs, write records to files in `folder`; yields the path of the newest one.

    A second process gets its own files. If they cannot be created, a warning is logged and None is
    yielded.
    """
    root = logging.getLogger()
    before = root.level

    try:
        lock, file = _own_file(folder)
        written, audit = _rotate(file), _rotate(_audit_file(file))
    except OSError as error:
        log.warning("nothing is logged to %s: %s", folder, error)
        yield None
        return
    for handler_of_file in (written, audit):
        handler_of_file.setFormatter(Lines(lambda: rules.format))
    records: SimpleQueue[logging.LogRecord] = SimpleQueue()
    listener, handler = QueueListener(records, written), _Waiting(records)
    handler.setLevel(rules.level.upper())
    handler.addFilter(_is_relevant)
    listener.start()
    root.addHandler(handler)
    root.setLevel(min(before, handler.level))
    try:
        with _audited_to(audit):
            yield file
    finally:
        root.setLevel(before)
        root.removeHandler(handler)
        _finish(listener, written)
        lock.release()


def _rotate(file: Path) -> _PrivateFileHandler:
    return _PrivateFileHandler(
        file, maxBytes=FILE_BYTES, backupCount=FILES - 1, encoding="utf-8", errors="replace"
    )


def _finish(listener: QueueListener, written: logging.Handler) -> None:
    """Write what waits and close the file; a disk that does not respond is given up."""

    def finish() -> None:
        listener.stop()
        written.close()

    finishing = threading.Thread(target=finish, name="log-files", daemon=True)
    finishing.start()
    finishing.join(_CLOSE_S)


@contextmanager
def _audited_to(handler: logging.Handler) -> Iterator[None]:
    """Write the audit log, the records about callers, to its own file at any log level."""
    audit = logging.getLogger(AUDIT)
    before = audit.level
    audit.setLevel(logging.INFO)
    audit.addHandler(handler)
    try:
        yield
    finally:
        audit.removeHandler(handler)
        audit.setLevel(before)
        handler.close()


def delete_logs(folder: Path) -> None:
    """Delete the log files of all vaults that no running server writes to."""
    for number in range(1, _MOST_WRITERS + 1):
        name = _name(number)
        if not (folder / name).exists():
            continue
        lock = FileLock(folder / f".{name}.lock", mode=disk.FILE_MODE)
        with suppress(Timeout, OSError), lock.acquire(timeout=0):
            audit = _audit_file(folder / name).name
            for file in (*folder.glob(f"{name}*"), *folder.glob(f"{audit}*")):
                file.unlink(missing_ok=True)


def audit_files(folder: Path) -> Iterator[tuple[Path, ...]]:
    """Yield the audit log of each server that logs to the folder: its files, newest first."""
    for number in range(1, _MOST_WRITERS + 1):
        file = _audit_file(folder / _name(number))
        copies = (file.with_name(f"{file.name}.{copy}") for copy in range(1, FILES))
        files = tuple(log_file for log_file in (file, *copies) if log_file.is_file())
        if files:
            yield files


def _name(number: int) -> str:
    return "notewell.log" if number == 1 else f"notewell-{number}.log"


def _audit_file(file: Path) -> Path:
    return file.with_name(file.name.replace("notewell", "audit", 1))


def _is_relevant(record: logging.LogRecord) -> bool:
    """True if a record is ours, or a warning or error of another library."""
    return record.name.split(".", 1)[0] == _OURS or record.levelno >= logging.WARNING


def _own_file(folder: Path) -> tuple[FileLock, Path]:
    """Lock a log file for this process, so that it can be rotated; OSError if none is free."""
    disk.make_folder(folder)
    disk.restrict_all(folder)
    for number in range(1, _MOST_WRITERS + 1):
        name = _name(number)
        lock = FileLock(folder / f".{name}.lock", mode=disk.FILE_MODE, thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        file = folder / name
        for own in (file, _audit_file(file)):
            disk.make_file(own)
        return lock, file
    raise OSError(f"{_MOST_WRITERS} servers write logs there already")
