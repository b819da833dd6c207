"""A child process like that of `notewell.vault.readers.child`, with readers that misbehave."""

from __future__ import annotations

import os
import sys
import time
from pathlib import PurePosixPath
from typing import NoReturn

from notewell.base.errors import UnreadableNoteError
from notewell.vault.readers.child import ChildLimits, serve
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote
from notewell.vault.readers.text import PLAIN_TEXT

MEMORY = 512 * 1024 * 1024


def hang(raw: bytes, file: FileFacts) -> NoReturn:
    while True:
        time.sleep(1)


def crash(raw: bytes, file: FileFacts) -> NoReturn:
    os.abort()


def grow(raw: bytes, file: FileFacts) -> NoReturn:
    parts = [bytearray(16 * 1024 * 1024)]
    while True:
        parts.append(bytearray(16 * 1024 * 1024))


def refuse(raw: bytes, file: FileFacts) -> NoReturn:
    raise UnreadableNoteError(f"{file.path} needs a password.", code="encrypted")


def babble(raw: bytes, file: FileFacts) -> NoReturn:
    os.write(int(sys.argv[1]), b"\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00[]")
    time.sleep(60)
    raise AssertionError


def who(raw: bytes, file: FileFacts) -> ReadNote:
    return PLAIN_TEXT.read(str(os.getpid()).encode(), file)


READERS = {
    reader.suffix: reader
    for reader in (
        PLAIN_TEXT,
        Reader(".hang", "", hang, ""),
        Reader(".crash", "", crash, ""),
        Reader(".grow", "", grow, ""),
        Reader(".refuse", "", refuse, ""),
        Reader(".babble", "", babble, ""),
        Reader(".who", "", who, ""),
    )
}

if __name__ == "__main__":
    replies = os.fdopen(int(sys.argv[1]), "wb")
    idle = float(sys.argv[2])
    serve(
        lambda path: READERS.get(PurePosixPath(path).suffix),
        sys.stdin.buffer,
        replies,
        ChildLimits(MEMORY, idle),
    )
