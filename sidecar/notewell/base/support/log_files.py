"""A server's log files: rotated, private to their owner, one set for each server that runs.

Lines below a warning, such as one for each request, are collected for a moment and written
together: to write and flush each by itself took half of the time that a request spends in the
server besides its answer.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from filelock import FileLock, Timeout

from notewell.base.support import disk
from notewell.base.support.logs import Lines
from notewell.base.types import LogRules

FILE_BYTES = 2_000_000
FILES = 5
# The most servers of one user that run at the same time, each with its own files.
_MOST_WRITERS = 20
_OURS = "notewell"
_BATCH_S = 0.25  # lines are collected so long
_CLOSE_S = 5.0  # until a disk that does not respond is given up
LOGS = "logs"  # below the state directory
AUDIT = "notewell.audit"  # the logger whose records also have a file of their own

log = logging.getLogger(__name__)


class _PrivateFileHandler(RotatingFileHandler):
    """Creates each file for its owner only, also after a rotation."""

    def _open(self) -> TextIOWrapper:
        disk.make_file(Path(self.baseFilename))
        return super()._open()


class _BatchingFileHandler(_PrivateFileHandler):
    """Writes warnings at once, and what was logged before them; other lines in batches.

    A thread of its own writes the batches, without the lock that logging threads wait for.
    """

    def __init__(self, file: Path, *, most_bytes: int, copies: int) -> None:
        super().__init__(
            file, maxBytes=most_bytes, backupCount=copies, encoding="utf-8", errors="replace"
        )
        self._waiting: deque[logging.LogRecord] = deque()
        self._writing = threading.RLock()
        self._wake, self._closing = threading.Event(), threading.Event()
        self._writer = threading.Thread(target=self._work, name="log-files", daemon=True)
        self._writer.start()

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING or record.exc_info:
            with self._writing:
                self._write_waiting()
                super().emit(record)
            return
        self._waiting.append(record)
        if not self._wake.is_set():
            self._wake.set()

    def flush(self) -> None:
        # The handler's own lock comes before `_writing`, never after it.
        with self._writing:
            self._write_waiting()
        super().flush()

    def close(self) -> None:
        self._closing.set()
        self._wake.set()
        self._writer.join(_CLOSE_S)
        with self._writing:
            self._write_waiting()
        super().close()

    def _work(self) -> None:
        while not self._closing.is_set():
            self._wake.wait()
            self._closing.wait(_BATCH_S)
            self._wake.clear()
            with self._writing:
                self._write_waiting()

    def _opened(self) -> TextIOWrapper:
        self.stream = self.stream or self._open()
        return self.stream

    def _write_waiting(self) -> None:
        """Write the collected lines and flush them once."""
        if not self._waiting:
            return
        record = self._waiting[0]
        try:
            size = os.fstat(self._opened().fileno()).st_size
            while self._waiting:
                record = self._waiting.popleft()
                line = self.format(record) + self.terminator
                length = len(line.encode(errors="replace"))
                if size and size + length > self.maxBytes:
                    self.doRollover()
                    size = 0
                self._opened().write(line)
                size += length
            self._opened().flush()
        except (OSError, ValueError):  # ValueError: the stream is closed
            self.handleError(record)


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
        handler = _BatchingFileHandler(file, most_bytes=FILE_BYTES, copies=FILES - 1)
        audit = _PrivateFileHandler(
            _audit_file(file),
            maxBytes=FILE_BYTES,
            backupCount=FILES - 1,
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        log.warning("nothing is logged to %s: %s", folder, error)
        yield None
        return
    for each in (handler, audit):
        each.setFormatter(Lines(lambda: rules.format))
    handler.setLevel(rules.level.upper())
    handler.addFilter(_is_relevant)
    root.addHandler(handler)
    root.setLevel(min(before, handler.level))
    try:
        with _audited_to(audit):
            yield file
    finally:
        root.setLevel(before)
        root.removeHandler(handler)
        handler.close()
        lock.release()


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
        files = tuple(each for each in (file, *copies) if each.is_file())
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
