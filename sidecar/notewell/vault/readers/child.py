"""The child process that reads files of types that may crash, hang or exhaust their parser.

It reads one file after another from its standard input until that is closed, and ends itself when
it has nothing to do. `process.py` starts it.
"""

from __future__ import annotations

import faulthandler
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO

from notewell.base.errors import UnreadableNoteError
from notewell.base.types.frozen import frozen
from notewell.contract.codec import to_json
from notewell.vault.readers import frames, reader_of
from notewell.vault.readers.reader import FileFacts, Reader

if sys.platform != "win32":
    import resource

_GRACE_S = 5.0  # how much later than its parent it ends itself: only if its parent is gone


@frozen
class ChildLimits:
    """What a child may use: bytes of address space, and seconds without anything to do."""

    memory: int = 1536 * 1024 * 1024
    idle_s: float = 30.0


def main() -> None:
    """Serve requests on standard input; what readers print is discarded."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    serve(reader_of, sys.stdin.buffer, replies, ChildLimits())


def serve(
    find: Callable[[str], Reader | None], requests: BinaryIO, replies: BinaryIO, limits: ChildLimits
) -> None:
    """Answer requests until they end. `find` gives the reader for a path."""
    _limit_memory(limits.memory)
    waiting: queue.SimpleQueue[tuple[frames.ReadRequest, bytes] | None] = queue.SimpleQueue()

    def gather() -> None:
        while (message := frames.receive(requests, frames.ReadRequest)) is not None:
            waiting.put(message)
        waiting.put(None)

    threading.Thread(target=gather, daemon=True).start()
    while True:
        try:
            message = waiting.get(timeout=limits.idle_s)
        except queue.Empty:
            # The thread that waits for requests cannot be ended otherwise.
            os._exit(frames.IDLE_EXIT)
        if message is None:
            return
        request, raw = message
        # A thread of C that also ends a process whose parser holds the interpreter.
        faulthandler.dump_traceback_later(request.seconds + _GRACE_S, exit=True)
        reply, body = _answer(find, request, raw, limits)
        faulthandler.cancel_dump_traceback_later()
        frames.send(replies, reply, body)


def _answer(
    find: Callable[[str], Reader | None],
    request: frames.ReadRequest,
    raw: bytes,
    limits: ChildLimits,
) -> tuple[frames.ReadReply, bytes]:
    reader = find(request.path)
    if reader is None:
        return frames.ReadReply(False, "unreadable", f"Nothing reads {request.path}."), b""
    facts = FileFacts(request.path, request.modified, request.created, request.types, request.ocr)
    try:
        return frames.ReadReply(True), to_json(reader.read(raw, facts))
    except UnreadableNoteError as error:
        return frames.ReadReply(False, error.code, error.message), b""
    except MemoryError:
        most = f"{limits.memory / 1e9:.1f} GB"
        message = f"{request.path} takes more than {most} of memory to read."
        return frames.ReadReply(False, "too_large", message), b""


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
