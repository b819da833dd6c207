"""The file with the factors that were fitted to one vault, which its searches use.

It is read again when it changes, so that every process that has the vault open uses it.
"""

from __future__ import annotations

import logging
from dataclasses import asdict, fields
from pathlib import Path

import orjson

from notewell.base.support import disk
from notewell.search.weights import UNTUNED, Tuning

log = logging.getLogger(__name__)

NAME = "tuning.json"
_LEAST, _MOST = 0.5, 2.0  # what a file may hold


class TuningFile:
    """Stores and reads the factors of one vault. Any thread may call."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / NAME
        self._read: tuple[tuple[int, int] | None, Tuning] = (None, UNTUNED)

    def current(self) -> Tuning:
        """The factors that searches use; a look at the file's time, no more, if it is the same."""
        try:
            status = self._file.stat()
        except OSError:
            return UNTUNED
        version = (status.st_mtime_ns, status.st_size)
        if self._read[0] != version:
            self._read = (version, _load(self._file))
        return self._read[1]

    def store(self, tuning: Tuning) -> None:
        """Have searches use these factors."""
        disk.replace(self._file, orjson.dumps(asdict(tuning), option=orjson.OPT_INDENT_2))

    def delete(self) -> None:
        """Have searches use the default factors."""
        self._file.unlink(missing_ok=True)


def _load(file: Path) -> Tuning:
    """The factors in the file, each within its bounds; the default ones if it is damaged."""
    try:
        stored = orjson.loads(file.read_bytes())
        factors = {field.name: float(stored.get(field.name, 1.0)) for field in fields(Tuning)}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        log.warning("%s is ignored: it cannot be read (%s)", file, error)
        return UNTUNED
    return Tuning(**{name: min(max(factor, _LEAST), _MOST) for name, factor in factors.items()})
