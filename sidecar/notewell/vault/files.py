"""Reads the files of a vault as text, never outside of its folder."""

from __future__ import annotations

import errno
import hashlib
import os
import unicodedata
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from stat import S_ISREG

from notewell.base.errors import OutsideVaultError, UnreadableNoteError
from notewell.base.support.relative_paths import is_inside
from notewell.base.types import (
    FileRef,
    SourceText,
)
from notewell.vault.evicted import is_elsewhere
from notewell.vault.readers.reader import decode_text

# Windows has neither flag: there a link is caught by the comparison of real paths alone.
_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)


def read(file: FileRef, *, max_bytes: int) -> SourceText:
    """Read and decode a text file, at most `max_bytes` of it.

    Raises UnreadableNoteError with code "vanished", "unreadable", "too_large" (checked before
    anything is read) or "binary". A symbolic link that replaced the file since is refused.
    """
    raw = read_bytes(file, max_bytes)
    decoded = decode_text(raw, file.path)
    return SourceText(
        text=decoded.text,
        encoding=decoded.encoding,
        content_hash=hash_of(raw),
        warnings=decoded.warnings,
    )


def stat(root: Path, path: str) -> FileRef:
    """Look one note up by its path, as the walk would list it.

    Raises OutsideVaultError, or UnreadableNoteError with code "vanished" or "unreadable".
    """
    place = contain_path(root, path)
    try:
        status = place.stat()
    except OSError as error:
        # No file system stores a name that is too long, so there is no such file.
        if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG}:
            raise UnreadableNoteError(f"{path} is not in the vault.", code="vanished") from error
        raise UnreadableNoteError(
            f"{path} cannot be examined: {error.strerror}. Check its permissions.",
            code="unreadable",
        ) from error
    key = unicodedata.normalize("NFC", path)
    return file_ref(key, place, status)


def file_ref(path: str, disk_path: Path, status: os.stat_result) -> FileRef:
    """The stamp of a file from what the system says of it."""
    # A file that is given up changes its entry: to compare it would fetch it again.
    ctime_ns = 0 if is_elsewhere(status) else status.st_ctime_ns
    return FileRef(path, disk_path, status.st_size, status.st_mtime_ns, ctime_ns)


def read_bytes(
    file: FileRef, max_bytes: int, *, limit: str = "setting vault.max_note_bytes"
) -> bytes:
    """Read a file as it is on disk; raises what `read` raises.

    `limit` says whose limit `max_bytes` is, for the message that it is exceeded.
    """
    try:
        descriptor = os.open(file.disk_path, _OPEN_FLAGS)
        with os.fdopen(descriptor, "rb") as handle:
            _check_opened(file, os.fstat(descriptor), max_bytes, limit)
            # One more than it has, in case it grows meanwhile. Not one more than the limit: that
            # many bytes are reserved before anything is read.
            raw = handle.read(os.fstat(descriptor).st_size + 1)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UnreadableNoteError(
            f"{file.path} is gone; it was moved or deleted since the vault was listed.",
            code="vanished",
        ) from error
    except OSError as error:
        raise UnreadableNoteError(
            f"{file.path} cannot be read: {error.strerror}. Check its permissions.",
            code="unreadable",
        ) from error
    if len(raw) > max_bytes:
        raise _too_large(file, len(raw), max_bytes, limit)
    return raw


def _check_opened(file: FileRef, status: os.stat_result, max_bytes: int, limit: str) -> None:
    """Raise UnreadableNoteError if this is not the plain file that the walk found."""
    # Path.absolute() would keep `..`, which the real path never has.
    place = os.fspath(file.disk_path)
    named = os.path.abspath(place)  # noqa: PTH100 - see above
    moved = os.path.normcase(os.path.realpath(place)) != os.path.normcase(named)
    if moved or not S_ISREG(status.st_mode):
        raise UnreadableNoteError(
            f"{file.path} is no longer a plain file in the vault; a link to it is not followed.",
            code="unreadable",
        )
    if status.st_size > max_bytes:
        raise _too_large(file, status.st_size, max_bytes, limit)


def _too_large(file: FileRef, size: int, max_bytes: int, limit: str) -> UnreadableNoteError:
    return UnreadableNoteError(
        f"{file.path} has {size / 1e6:.1f} MB, more than the limit of {max_bytes / 1e6:.1f} MB "
        f"({limit}).",
        code="too_large",
    )


def contain_path(root: Path, path: str) -> Path:
    """Return the real path on disk of a vault-relative path, with links resolved.

    The file need not exist. A name that the disk spells in another Unicode form is found. Raises
    OutsideVaultError for absolute paths, `..`, NUL and links that leave the vault.
    """
    check_relative(path)
    real_root = Path(os.path.realpath(root))
    place = real_root
    for part in PurePosixPath(path).parts:
        place = _find_spelling(place, part)
    real = Path(os.path.realpath(place))
    if real != real_root and real_root not in real.parents:
        raise OutsideVaultError(f"{path} leads out of the vault through a link; it is not read.")
    return real


def check_contained(root: Path, paths: Iterable[str]) -> None:
    """Raise OutsideVaultError where `contained` does for one of many vault-relative paths.

    Links are resolved once for each folder, which for many files takes a tenth of the time.
    """
    folders: set[str] = set()
    for path in paths:
        folder, _, name = path.rpartition("/")
        place = os.path.join(root, path)  # noqa: PTH118 - Path objects triple the time
        if folder not in folders and folder:
            contain_path(root, folder)
            folders.add(folder)
        if not name.isascii() or os.path.islink(place):  # noqa: PTH114 - as above
            contain_path(root, path)
        else:
            check_relative(path)


def check_relative(path: str) -> None:
    """Raise OutsideVaultError for a path that leads out of a vault by its spelling alone."""
    if not is_inside(path):
        raise OutsideVaultError(
            f"{path!r} is not a path inside the vault. "
            "Give it relative to the vault folder, without `..`."
        )


def _find_spelling(folder: Path, name: str) -> Path:
    """Return `folder/name` in the Unicode form used on disk (NFD if a Mac wrote it)."""
    direct = folder / name
    if name.isascii() or os.path.exists(direct):  # noqa: PTH110 - Path's raises for long names
        return direct
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if unicodedata.normalize("NFC", entry.name) == name:
                    return Path(entry.path)
    except OSError:
        return direct
    return direct


def hash_of(raw: bytes) -> bytes:
    """BLAKE2b-128 of the bytes of a file."""
    return hashlib.blake2b(raw, digest_size=16).digest()
