"""Replaces files atomically, so that readers never see a file that is half written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from notewell.base.support.private import FILE_MODE, make_folder

PRIVATE = FILE_MODE  # readable by its owner alone
SHARED = 0o666  # as the user's umask allows


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
