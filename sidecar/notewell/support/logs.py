"""Logging, one line per event as text or JSON, to the terminal and to rotating files.

A line never contains the text of a note or a secret. Of an unexpected error, whose message may
quote anything, only the type and the place are logged.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from io import TextIOWrapper
from pathlib import Path

from filelock import FileLock, Timeout

from notewell.support import private
from notewell.types import LogFormat, LogRules

FILE_BYTES = 2_000_000
FILES = 5
# The most servers of one user that run at the same time, each with its own files.
_MOST_WRITERS = 20
_OURS = "notewell"
LOGS = "logs"  # below the state directory
AUDIT = "notewell.audit"  # the logger whose records also have a file of their own
_SECRET = re.compile(r"(token=|bearer\s+)[^\s&\"']+", re.IGNORECASE)

log = logging.getLogger(__name__)


class AboutFiles(str):
    """An argument of a log line that names files of a vault: shown at a terminal, never stored."""

    __slots__ = ()


class Lines(logging.Formatter):
    """Turns a record into one line."""

    def __init__(self, choose: Callable[[], LogFormat], *, names_files: bool = False) -> None:
        """`choose` returns the format; it is called for every record.

        Without `names_files`, arguments that are `AboutFiles` become an ellipsis.
        """
        super().__init__()
        self._choose = choose
        self._names_files = names_files

    def _message(self, record: logging.LogRecord) -> str:
        if self._names_files or not isinstance(record.args, tuple):
            return record.getMessage()
        told = tuple("…" if isinstance(each, AboutFiles) else each for each in record.args)
        return str(record.msg) % told if told else str(record.msg)

    def format(self, record: logging.LogRecord) -> str:
        """The line, without a line break."""
        message = _SECRET.sub(r"\1…", self._message(record))
        error, places = _failure(record)
        when = datetime.fromtimestamp(record.created).astimezone().isoformat("T", "milliseconds")
        if self._choose() == "json":
            fields = {
                "time": when,
                "level": record.levelname.lower(),
                "logger": record.name,
                "message": message,
            }
            return json.dumps(fields | ({"error": error, "at": places} if error else {}))
        where = f" ({error} at {' < '.join(places)})" if error else ""
        return f"{when} {record.levelname} {record.name}: {_on_one_line(message + where)}"


def _on_one_line(text: str) -> str:
    """Escape characters that would break the line, which names of files may contain."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def _failure(record: logging.LogRecord) -> tuple[str | None, list[str]]:
    """The type of a record's exception and where it was raised, innermost first."""
    if not record.exc_info or record.exc_info[0] is None:
        return None, []
    frames = traceback.extract_tb(record.exc_info[2])
    places = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    return record.exc_info[0].__name__, places[::-1]


def log_to_terminal(choose: Callable[[], LogFormat], *, level: int) -> None:
    """Write records of at least `level` to stderr; replaces an earlier handler."""
    handler = logging.StreamHandler()
    handler.setLevel(level)
    handler.setFormatter(Lines(choose, names_files=sys.stderr.isatty()))
    root = logging.getLogger()
    for old in [each for each in root.handlers if isinstance(each.formatter, Lines)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level)


@contextmanager
def logging_to_files(folder: Path, rules: LogRules) -> Iterator[Path | None]:
    """While the block runs, write records to files in `folder`; yields the path of the newest one.

    A second process gets its own files. If they cannot be created, a warning is logged and None is
    yielded.
    """
    from logging.handlers import RotatingFileHandler  # noqa: PLC0415 - imports socket servers

    class PrivateFileHandler(RotatingFileHandler):
        """Creates each file for its owner only, also after a rotation."""

        def _open(self) -> TextIOWrapper:
            private.make_file(Path(self.baseFilename))
            return super()._open()

    root = logging.getLogger()
    before = root.level

    def opened(file: Path) -> RotatingFileHandler:
        handler = PrivateFileHandler(
            file, maxBytes=FILE_BYTES, backupCount=FILES - 1, encoding="utf-8", errors="replace"
        )
        handler.setFormatter(Lines(lambda: rules.format))
        return handler

    try:
        lock, file = _own_file(folder)
        handler, audit = opened(file), opened(_audit_file(file))
    except OSError as error:
        log.warning("nothing is logged to %s: %s", folder, error)
        yield None
        return
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
        lock = FileLock(folder / f".{name}.lock", mode=private.FILE_MODE)
        with suppress(Timeout, OSError), lock.acquire(timeout=0):
            audit = _audit_file(folder / name).name
            for file in (*folder.glob(f"{name}*"), *folder.glob(f"{audit}*")):
                file.unlink(missing_ok=True)


def _name(number: int) -> str:
    return "notewell.log" if number == 1 else f"notewell-{number}.log"


def _audit_file(file: Path) -> Path:
    """The audit log that belongs to a log file."""
    return file.with_name(file.name.replace("notewell", "audit", 1))


def _is_relevant(record: logging.LogRecord) -> bool:
    """Whether a record is ours, or a warning or error of another library."""
    return record.name.split(".", 1)[0] == _OURS or record.levelno >= logging.WARNING


def _own_file(folder: Path) -> tuple[FileLock, Path]:
    """Lock a log file for this process, so that it can be rotated; OSError if none is free."""
    private.make_folder(folder)
    private.restrict_all(folder)
    for number in range(1, _MOST_WRITERS + 1):
        name = _name(number)
        lock = FileLock(folder / f".{name}.lock", mode=private.FILE_MODE, thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        file = folder / name
        for own in (file, _audit_file(file)):
            private.make_file(own)
        return lock, file
    raise OSError(f"{_MOST_WRITERS} servers write logs there already")
