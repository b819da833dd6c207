"""Python imports this at each start where its folder is in PYTHONPATH: it tells what Python does.

Each line of the file NOTEWELL_TEST_TOLD is a list: "sent", a host and a port, "changed" and a path,
or "ran" and a program. Native code is not seen; for that there are strace and a network of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TOLD = os.environ.get("NOTEWELL_TEST_TOLD")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
SENDING = ("socket.connect", "socket.sendto", "socket.sendmsg")
LOOKING_UP = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
CHANGING = ("os.mkdir", "os.remove", "os.rmdir", "os.truncate")
STARTING = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system")
MOVING = ("os.rename", "os.link", "os.symlink")


def told(event: str, arguments: tuple[Any, ...]) -> Iterator[tuple[object, ...]]:
    """What an event says of sending and changing; see Python's table of audit events."""
    if event in SENDING and arguments[0].family in {socket.AF_INET, socket.AF_INET6}:
        if arguments[1]:
            yield "sent", *arguments[1][:2]
    elif event in LOOKING_UP:
        yield "sent", arguments[0] or "", arguments[1] if event == LOOKING_UP[0] else 0
    elif event in (*CHANGING, *MOVING) or (event == "open" and arguments[2] & WRITING):
        for path in arguments[: 2 if event in MOVING else 1]:
            if not isinstance(path, int):
                yield "changed", str(Path(os.fsdecode(path)).absolute())
    elif event in STARTING and arguments[0] is not None:
        yield "ran", shutil.which(os.fsdecode(arguments[0])) or os.fsdecode(arguments[0])


if TOLD:
    file = os.open(TOLD, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        for line in told(event, arguments):
            os.write(file, json.dumps(line, default=os.fsdecode).encode() + b"\n")

    sys.addaudithook(hook)
