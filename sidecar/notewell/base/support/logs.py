"""Logging, one line per event as text or JSON; to the terminal here, to files by `log_files`.

A line never contains the text of a note or a secret. Of an unexpected error, whose message may
quote anything, only the type and the place are logged.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import traceback
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from notewell.base.types import LogFormat

_SECRET = re.compile(r"(token=|bearer\s+)[^\s&\"']+", re.IGNORECASE)


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
        told = tuple(
            "…" if isinstance(argument, AboutFiles) else argument for argument in record.args
        )
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
    for old in [handler for handler in root.handlers if isinstance(handler.formatter, Lines)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level)
