"""A child process like that of `notewell.vault.readers.child`, with readers that misbehave."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import NoReturn

from notewell.base.errors import UnreadableNoteError
from notewell.vault.readers.child import ChildLimits, serve
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote
from notewell.vault.readers.text import PLAIN_TEXT

MEMORY = 512 * 1024 * 1024
WHO = f"{os.getpid()} {time.time_ns()}"  # which process this is


def hang(raw: bytes, file: FileFacts) -> NoReturn:
    while True:
        pass  # to sleep is refused


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
    hang(raw, file)


def who(raw: bytes, file: FileFacts) -> ReadNote:
    return PLAIN_TEXT.read(WHO.encode(), file)


def escape(raw: bytes, file: FileFacts) -> ReadNote:
    """Try what no reader does, with the path in `raw`; the note says what could be done."""
    place = Path(raw.decode())
    attacks: Mapping[str, Callable[[], object]] = {
        "open": place.read_text,
        "write": lambda: place.with_name("made").write_text("x"),
        "here": lambda: Path("made").write_text("x"),
        "list": lambda: list(Path("/").iterdir()),
        "remove": place.unlink,
        "stat": place.stat,
        "standard error": lambda: os.write(2, b"x"),
        "socket": socket.socket,
        "connect": lambda: socket.create_connection(("127.0.0.1", 9), timeout=1),
        "resolve": lambda: socket.getaddrinfo("localhost", 9),
        "pair": socket.socketpair,
        "run": lambda: subprocess.run(["/bin/true"], check=True),
        "fork": lambda: os.fork() or os._exit(0),
        "shell": lambda: {0: None}[os.system("true")],
        "thread": lambda: threading.Thread(target=len).start(),
        "kill": lambda: os.kill(os.getppid(), 0),
        "import": lambda: __import__("turtle"),
        "descriptor": lambda: os.dup(0),
    }
    could = []
    for name, attack in attacks.items():
        try:
            attack()
        except (OSError, ImportError, LookupError, RuntimeError):
            continue
        could.append(name)
    return PLAIN_TEXT.read(f"could: {' '.join(could)}".encode(), file)


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
        Reader(".escape", "", escape, ""),
    )
}

if __name__ == "__main__":
    replies = os.fdopen(int(sys.argv[1]), "wb")
    serve(
        lambda path: READERS.get(PurePosixPath(path).suffix),
        sys.stdin.buffer,
        replies,
        ChildLimits(MEMORY),
    )
