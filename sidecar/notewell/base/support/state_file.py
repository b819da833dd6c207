"""One JSON file of state that a person can read, changed by one thread of one process at a time."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

import filelock

from notewell.base.errors import ServerError, WriteError
from notewell.base.support import disk

S = TypeVar("S")


class StateFile(ABC, Generic[S]):
    """A file whose state is replaced as a whole. Any thread and any process may use it.

    Whoever keeps a state of type `S` says how it is stored, and what is said where it cannot be.
    """

    def __init__(self, file: Path, *, busy_seconds: float) -> None:
        """The folder of `file` is created with the first change; its lock lies beside it.

        Another process that changes the state is waited for during `busy_seconds`.
        """
        self.file = file
        self._changing = threading.RLock()
        self._lock = filelock.FileLock(_lock_of(file), timeout=busy_seconds, mode=disk.FILE_MODE)

    @abstractmethod
    def empty(self) -> S:
        """The state where there is no file."""

    @abstractmethod
    def decode(self, raw: bytes) -> S:
        """The state of a file; raises ServerError or ValueError if it is damaged."""

    @abstractmethod
    def encode(self, state: S) -> bytes:
        """The file of a state."""

    @abstractmethod
    def unusable(self, error: Exception) -> WriteError:
        """The error to raise where the file cannot be read or written."""

    def load(self) -> S:
        """The state; the empty one where there is no file. WriteError if it cannot be read."""
        try:
            return self.decode(self.file.read_bytes())
        except FileNotFoundError:
            return self.empty()
        except (OSError, ServerError, ValueError) as error:
            raise self.unusable(error) from error

    def save(self, state: S) -> None:
        """Replace the state, within `alone`. WriteError if it cannot be written."""
        try:
            disk.replace(self.file, self.encode(state), durable=True)
        except OSError as error:
            raise self.unusable(error) from error

    def change(self, edit: Callable[[S], S]) -> S:
        """Replace the state by what `edit` makes of it."""
        with self.alone():
            before = self.load()
            after = edit(before)
            if after != before:
                self.save(after)
        return after

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Exclude all others from changing the state; the thread that does may do so again."""
        with self._changing:
            try:
                disk.make_folder(self.file.parent)
                self._lock.acquire()
            except (OSError, filelock.Timeout) as error:
                raise self.unusable(error) from error
            try:
                yield
            finally:
                self._lock.release()


def delete(file: Path) -> None:
    """Delete a file of state and its lock, those that exist."""
    for one in (file, _lock_of(file)):
        one.unlink(missing_ok=True)


def delete_database(file: Path) -> None:
    """Delete a database of SQLite with the files beside it, those that exist."""
    for suffix in ("", "-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)


def _lock_of(file: Path) -> Path:
    return file.with_suffix(".lock")
