"""Files and folders that only their owner can read, and files that are replaced in one step.

Everything made from notes is private: on a machine of several users, the default permissions would
let all of them read it. On Windows these functions only create: the user's profile, where data
lies by default, is closed to other users by its own access list.
"""

from __future__ import annotations

import os
import stat
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

from notewell.base.errors import (
    ForbiddenError,
    NotFoundError,
    OutsideVaultError,
    ServerError,
    UsageError,
    WriteError,
)

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_OTHERS = 0o077  # the permissions of the group and of everybody

PRIVATE = FILE_MODE  # readable by its owner alone
SHARED = 0o666  # as the user's umask allows

_NOT_ALLOWED = (
    "Only documents below a folder that a person allowed are read. Allow it on this computer with"
    " `notewell documents allow FOLDER`."
)

S = TypeVar("S")


def make_folder(folder: Path) -> None:
    """Create a folder and its missing parents, all private; leaves one that exists as it is."""
    missing = []
    place = folder
    while not place.exists() and place != place.parent:
        missing.append(place)
        place = place.parent
    for absent in reversed(missing):
        with suppress(FileExistsError):  # another process was faster
            absent.mkdir(mode=FOLDER_MODE)
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")


def make_file(file: Path) -> None:
    """Create a file for its owner only, if it does not exist."""
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT, FILE_MODE))


def open_private(file: Path) -> BinaryIO:
    """Open a file for writing from its start; a new one is created private."""
    return open(file, "wb", opener=private_opener)


def private_opener(path: str, flags: int) -> int:
    """The `opener` of `open` that creates private files."""
    return os.open(path, flags, FILE_MODE)


def find_exposed(root: Path) -> Iterator[Path]:
    """Yield `root` and everything in it that other users of the machine have permissions for.

    Symbolic links are not followed. What cannot be looked at is left out.
    """
    if os.name != "posix":
        return
    with suppress(OSError):
        if _is_exposed(root.lstat().st_mode):
            yield root
    folders = [str(root)]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                with suppress(OSError):
                    if _is_exposed(entry.stat(follow_symlinks=False).st_mode):
                        yield Path(entry.path)
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)


def restrict(path: Path) -> None:
    """Take the permissions of other users from a file or folder of ours; leaves a link as it is.

    A folder that is plainly meant for more than our data stays as it is: the home folder, the
    file system's root, and folders that all users may write, such as /tmp.
    """
    if os.name != "posix" or path == Path.home() or path == path.parent:
        return
    with suppress(OSError):  # it is gone, or the file system has no permissions
        status = path.lstat()
        ours = status.st_uid == os.geteuid() and not stat.S_ISLNK(status.st_mode)
        if ours and status.st_mode & _OTHERS and not status.st_mode & stat.S_ISVTX:
            path.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS)


def restrict_all(root: Path) -> None:
    """Take the permissions of other users from `root` and everything in it."""
    for path in list(find_exposed(root)):
        restrict(path)


def _is_exposed(mode: int) -> bool:
    return bool(mode & _OTHERS) and not stat.S_ISLNK(mode)


@contextmanager
def replacing(file: Path, *, mode: int = PRIVATE, durable: bool = False) -> Iterator[BinaryIO]:
    """Replace `file`, at the end of the block, by what was written to the stream.

    Until then the content is in a temporary file of the same folder, which is created with `mode`.
    If the block fails, `file` is unchanged. With `durable`, the content is flushed to disk first.
    Raises OSError if the disk refuses: what it says of the content, not of the temporary file.
    """
    unfinished = file.with_name(f".{file.name}-{os.urandom(4).hex()}")

    def opener(path: str, flags: int) -> int:
        return os.open(path, flags, mode)

    try:
        with open(unfinished, "xb", opener=opener) as stream:
            yield stream
            if durable:
                stream.flush()
                os.fsync(stream.fileno())
        unfinished.replace(file)
    except BaseException:
        # Where it cannot be deleted either, `notewell doctor --repair` does that later.
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise


def replace(file: Path, content: bytes, *, mode: int = PRIVATE, durable: bool = False) -> None:
    """Replace the content of `file` in one step; creates its folder if it is missing.

    The folder of a private file is created private.
    """
    if mode == PRIVATE:
        make_folder(file.parent)
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
    with replacing(file, mode=mode, durable=durable) as stream:
        stream.write(content)


def expand_user(path: str | Path) -> Path:
    """The path with its `~` or `~user` replaced. That of an unknown user stays, as in a shell."""
    with suppress(RuntimeError):
        return Path(path).expanduser()
    return Path(path)


def allowed_place(word: str, allow: Sequence[str]) -> Path:
    """The real path of a file or folder, given in full, if a person allowed it.

    Whether it exists is only said of what is allowed.

    Raises:
        UsageError: the path is not absolute.
        ForbiddenError: it is below none of the folders `allow`.
        OutsideVaultError: it is, but a link leads out of them.
        NotFoundError: nothing is there.

    """
    given = expand_user(word)
    if not given.is_absolute() or "\0" in word:
        raise UsageError("Give the whole path of a file or folder, from the root of the disk.")
    folders = [Path(os.path.realpath(expand_user(folder))) for folder in allow]
    named, real = Path(os.path.normpath(given)), Path(os.path.realpath(given))
    if not any(real.is_relative_to(folder) for folder in folders):
        if any(named.is_relative_to(folder) for folder in folders):
            raise OutsideVaultError(
                f"{word} leads through a link out of the folders that may be read. {_NOT_ALLOWED}",
                code="not_allowed",
            )
        raise ForbiddenError(f"{word} may not be read. {_NOT_ALLOWED}", code="not_allowed")
    if not real.exists():
        raise NotFoundError(f"There is no file or folder {word}.")
    return real


class StateFile(ABC, Generic[S]):
    """A file whose state is replaced as a whole. Any thread and any process may use it.

    Whoever keeps a state of type `S` says how it is stored, and what is said where it cannot be.
    """

    def __init__(self, file: Path, *, busy_seconds: float) -> None:
        """The folder of `file` is created with the first change; its lock lies beside it.

        Another process that changes the state is waited for during `busy_seconds`.
        """
        import filelock  # noqa: PLC0415 - takes long to load, and every command loads this module

        self.file = file
        self._changing = threading.RLock()
        self._lock = filelock.FileLock(_lock_of(file), timeout=busy_seconds, mode=FILE_MODE)

    @abstractmethod
    def empty(self) -> S:
        """The state where there is no file."""

    @abstractmethod
    def decode(self, raw: bytes) -> S:
        """The state of a file; raises ServerError or ValueError if it is damaged."""

    @abstractmethod
    def encode(self, state: S) -> bytes: ...

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
            replace(self.file, self.encode(state), durable=True)
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
        import filelock  # noqa: PLC0415 - as above

        with self._changing:
            try:
                make_folder(self.file.parent)
                self._lock.acquire()
            except (OSError, filelock.Timeout) as error:
                raise self.unusable(error) from error
            try:
                yield
            finally:
                self._lock.release()


def delete_state(file: Path) -> None:
    """Delete a file of state and its lock, those that exist."""
    for path in (file, _lock_of(file)):
        path.unlink(missing_ok=True)


def delete_database(file: Path) -> None:
    """Delete a database of SQLite with the files beside it, those that exist."""
    for suffix in ("", "-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)


def _lock_of(file: Path) -> Path:
    return file.with_suffix(".lock")


def missing_folder(vault: str, folder: Path) -> str | None:
    """Say that the folder of a vault is not there, and how that is mended; None if it is."""
    if folder.is_dir():
        return None
    return (
        f"The folder of {vault}, {folder}, is not there: what is found may be gone. Mount its"
        f' drive, or say where it is now: notewell vaults move "{vault}" FOLDER'
    )
