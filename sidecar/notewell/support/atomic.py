"""Files that are there whole or not at all, whoever reads them and whatever stops the writing."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PRIVATE = 0o600  # readable by its owner alone
SHARED = 0o666  # as the user's umask allows


@contextmanager
def replacing(file: Path, *, mode: int = PRIVATE, durable: bool = False) -> Iterator[BinaryIO]:
    """What is written to the stream takes the place of `file` when the block ends.

    Until then it lies beside `file` under another name, with `mode` from its first byte; where the
    block fails, nothing has changed. `durable`: the content is on disk before it takes the place.
    """
    unfinished = file.with_name(f".{file.name}-{secrets.token_hex(4)}")

    def opener(path: str, flags: int) -> int:
        return os.open(path, flags, mode)

    try:
        with open(unfinished, "xb", opener=opener) as stream:
            yield stream
            if durable:
                stream.flush()
                os.fsync(stream.fileno())
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def replace(file: Path, content: bytes, *, mode: int = PRIVATE, durable: bool = False) -> None:
    """Put `content` in the place of `file` in one step; its folder is made where it is missing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing(file, mode=mode, durable=durable) as stream:
        stream.write(content)
