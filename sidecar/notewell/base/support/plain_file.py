"""Opens files by name, where somebody else may have put a pipe, a device or a folder instead.

A vault, a pack or a backup may come from a stranger. Opening a pipe that nobody writes to waits for
ever, and opening a device may do anything, so each such file is looked at before and after it is
opened. Symbolic links are followed: people link their settings to another place.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO

# Windows has no O_NONBLOCK; other systems do not wait for the writer of a pipe with it.
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


class NotPlainFileError(OSError):
    """A name that is no regular file, or one that is larger than what may be read."""


def open_plain(file: Path) -> BinaryIO:
    """Open a regular file for reading.

    Raises:
        NotPlainFileError: it is a folder, a pipe, a socket or a device.
        OSError: it cannot be opened, or does not exist.

    """
    _check(file, os.stat(file).st_mode)  # noqa: PTH116 - a path that is no text is an OSError too
    descriptor = os.open(file, _FLAGS)
    try:
        _check(file, os.fstat(descriptor).st_mode)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_plain(file: Path, *, most: int) -> bytes:
    """The content of a regular file of at most `most` bytes.

    Raises:
        NotPlainFileError: it is no regular file, or larger.
        OSError: it cannot be read, or does not exist.

    """
    with open_plain(file) as stream:
        size = os.fstat(stream.fileno()).st_size
        # Read by its size and not by the limit, which may be larger than the memory.
        content = stream.read(size + 1) if size <= most else b""
        if size > most or len(content) > most:
            raise NotPlainFileError(errno.EFBIG, f"larger than {most:,} bytes", str(file))
        return content


def _check(file: Path, mode: int) -> None:
    if S_ISDIR(mode):
        raise NotPlainFileError(errno.EISDIR, "a folder, not a file", str(file))
    if not S_ISREG(mode):
        raise NotPlainFileError(
            errno.EINVAL, "not a plain file, but a pipe, a socket or a device", str(file)
        )
