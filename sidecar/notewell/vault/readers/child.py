"""The child process that reads files of types that may crash, hang or exhaust their parser.

It reads one file after another from its standard input until that is closed. `process.py` starts
it, ends it, and reads images for it. On Linux it is confined before it is given a file: it has no
files, no network and no other processes, so all that a reader needs is loaded before that.
"""

from __future__ import annotations

import contextlib
import faulthandler
import heapq  # noqa: F401 - loaded by Counter.most_common, which then may open no file
import importlib
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from encodings.aliases import aliases
from pathlib import Path
from typing import BinaryIO

from notewell.base.errors import UnreadableNoteError
from notewell.base.support.confine import COMPUTING, Allowed, UnconfinedError, confine
from notewell.base.types.frozen import frozen
from notewell.contract.codec import to_json
from notewell.vault.readers import READERS, reader_of
from notewell.vault.readers.process import (
    ImageText,
    ReadFileRequest,
    ReadReply,
    receive,
    send,
)
from notewell.vault.readers.reader import FileFacts, Reader

if sys.platform != "win32":
    import resource

_GRACE_S = 5.0  # how much later than its parent it ends itself: only if its parent is gone
_STDIN = 0


@frozen
class ChildLimits:
    """The most that a child may use: bytes of address space."""

    memory: int = 1536 * 1024 * 1024


def main() -> None:
    """Serve requests on standard input; what readers print is discarded."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    serve(reader_of, sys.stdin.buffer, replies, ChildLimits())


def serve(
    find: Callable[[str], Reader | None], requests: BinaryIO, replies: BinaryIO, limits: ChildLimits
) -> None:
    """Answer requests until they end. `find` gives the reader for a path."""
    why = _confine_process(replies, limits)
    send(replies, ReadReply("ready", message=why), b"")
    while (message := receive(requests, ReadFileRequest)) is not None:
        request, raw = message
        _end_after(request.seconds + _GRACE_S)
        reply, body = _answer(find, request, raw, _Remote(request.ocr, requests, replies), limits)
        _end_after(None)
        send(replies, reply, body)


def _confine_process(replies: BinaryIO, limits: ChildLimits) -> str:
    """Confine this process where that is possible; returns why it is not, or ""."""
    _limit_memory(limits.memory)
    if not sys.platform.startswith("linux"):
        return f"{sys.platform} confines no process"
    _load_all()
    _enter_empty_folder()
    calls = (*COMPUTING, "setitimer")
    allowed = Allowed(calls, read=(_STDIN,), write=(replies.fileno(),), wakes=True)
    try:
        confine(allowed, memory=limits.memory)
    except UnconfinedError as error:
        return str(error)
    return ""


def _enter_empty_folder() -> None:
    """Make a folder that is gone the present one: nothing is in it, and nothing can be made."""
    with contextlib.suppress(OSError):  # a full disk; the filter lets no file be opened anyway
        empty = Path(tempfile.mkdtemp(prefix="notewell-reader-"))
        os.chdir(empty)
        empty.rmdir()


def _load_all() -> None:
    """Load what is imported when it is first used: afterwards no file can be opened."""
    for name in sorted({*aliases.values(), "idna", "punycode", "unicode_escape"}):
        with contextlib.suppress(ImportError):  # of another system
            importlib.import_module(f"encodings.{name}")
    time.strptime("2026", "%Y")
    time.localtime()
    for reader in READERS.values():
        facts = FileFacts(f"A{reader.suffix}", modified=0.0)
        # An empty file is not always one; and where a library is broken, other types are read.
        with contextlib.suppress(UnreadableNoteError, ImportError, OSError):
            to_json(reader.read(b"", facts))


def _end_after(seconds: float | None) -> None:
    """End this process after so many seconds, whatever its parser does then; None: never."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, seconds or 0)
    elif seconds is None:
        faulthandler.cancel_dump_traceback_later()
    else:
        faulthandler.dump_traceback_later(seconds, exit=True)


class _Remote:
    """Reads images with the parent's program: see `Ocr`."""

    def __init__(self, ocr: str, requests: BinaryIO, replies: BinaryIO) -> None:
        self.is_asked_for = ocr != "off"
        self.is_installed = ocr == "installed"
        self.stopped = False
        self._requests, self._replies = requests, replies

    def read(self, image: bytes) -> str:
        if not self.is_installed:
            return ""
        send(self._replies, ReadReply("image"), image)
        answer = receive(self._requests, ImageText)
        if answer is None:
            return ""
        self.stopped = answer[0].stopped
        return answer[1].decode("utf-8", "replace")


def _answer(
    find: Callable[[str], Reader | None],
    request: ReadFileRequest,
    raw: bytes,
    ocr: _Remote,
    limits: ChildLimits,
) -> tuple[ReadReply, bytes]:
    reader = find(request.path)
    if reader is None:
        return ReadReply("unread", "unreadable", f"Nothing reads {request.path}."), b""
    facts = FileFacts(
        request.path,
        request.modified,
        request.created,
        request.types,
        ocr if ocr.is_asked_for else None,
    )
    try:
        if request.page and reader.picture is not None:
            return ReadReply("read"), reader.picture(raw, request.path, request.page)
        return ReadReply("read"), to_json(reader.read(raw, facts))
    except UnreadableNoteError as error:
        return ReadReply("unread", error.code, error.message), b""
    except MemoryError:
        most = f"{limits.memory / 1e9:.1f} GB"
        message = f"{request.path} takes more than {most} of memory to read."
        return ReadReply("unread", "too_large", message), b""


def _limit_memory(most: int) -> None:
    """Bound the address space where the system can; macOS accepts the limit and ignores it."""
    if sys.platform == "win32":
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
