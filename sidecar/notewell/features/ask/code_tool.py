"""Runs small programs of a language model in a process that the system confines.

Offered only where a child proves that it can neither open files nor sockets, nor start processes:
on Linux, with bubblewrap around it where that is installed and works.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import accumulate
from shutil import which
from typing import IO, cast

from notewell.api.types import PropertyValue
from notewell.base.support.http import Json
from notewell.base.support.program import code_command, own_folders

_START_S = 20.0  # to start, on a busy computer, besides the seconds for the program
_MOST_REPLY = 1 << 20  # bytes
_LONGEST_CODE = 20_000  # characters
_MOST_TEXT = 2_000_000  # characters of all notes that a program gets
# What bubblewrap shows of the system: its libraries, and where they are.
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/localtime")
_EMPTY = "/empty"


@dataclass(frozen=True, slots=True)
class CodeLimits:
    """Limits of one program: seconds, bytes of memory, printed characters."""

    seconds: float = 5.0
    memory: int = 256 * 1024 * 1024
    output: int = 10_000


@dataclass(frozen=True, slots=True)
class CodeNote:
    """A note as programs see it, in their variable `notes`. `n` is the number that is cited."""

    n: int
    path: str
    title: str
    tags: tuple[str, ...]
    properties: Mapping[str, PropertyValue]
    created: str | None
    modified: str | None
    text: str


@dataclass(frozen=True, slots=True)
class CodeResult:
    """The output of a program, and why it failed ("": it did not)."""

    output: str
    error: str = ""


class CodeRunner:
    """Runs programs, each in a process of its own. Any thread may use it."""

    def __init__(
        self, limits: CodeLimits | None = None, commands: Sequence[Sequence[str]] | None = None
    ) -> None:
        """`commands` start the child, the first that is confined is used. Nothing is started."""
        self._limits = limits or CodeLimits()
        self._commands = _commands() if commands is None else commands
        self._confined: Sequence[str] | None = None

    def unavailable(self) -> str | None:
        """The reason why no program can be run here; None if a child proved to be confined."""
        if not sys.platform.startswith("linux"):
            return "only Linux can confine programs as far as it needs"
        why = "no process can be started"
        for command in self._commands:
            reply = self._exchange(command, "1 + 1", ())
            if isinstance(reply, CodeResult) and reply.output.strip() == "2":
                self._confined = command
                return None
            why = reply if isinstance(reply, str) else reply.error
        return why

    def run(self, code: str, notes: Sequence[CodeNote]) -> CodeResult:
        """Run a program on these notes. It is not run where it would not be confined."""
        if len(code) > _LONGEST_CODE:
            return CodeResult("", f"The code is longer than {_LONGEST_CODE:,} characters.")
        if self._confined is None and (why := self.unavailable()):
            return CodeResult("", f"No code can be run here: {why}.")
        reply = self._exchange(self._confined or (), code, _within(notes))
        return reply if isinstance(reply, CodeResult) else CodeResult("", f"Not run: {reply}.")

    def _exchange(
        self, command: Sequence[str], code: str, notes: Sequence[CodeNote]
    ) -> CodeResult | str:
        """The result of a program, or the reason why it was not run."""
        request = {**asdict(self._limits), "code": code, "notes": [asdict(note) for note in notes]}
        sent = json.dumps(request, default=str).encode("utf-8", "replace")
        with tempfile.TemporaryDirectory(prefix="notewell-code-") as empty:
            try:
                raw, ended = self._talk(command, sent, empty)
            except OSError as error:
                return f"no process can be started ({error.strerror})"
        reply = _decode(raw)
        if reply is None:
            return CodeResult("", self._how_it_ended(ended))
        if reply.get("confined") is not True:
            return f"the system does not confine it ({reply.get('error')})"
        return CodeResult(str(reply.get("output", "")), str(reply.get("error", "")))

    def _talk(self, command: Sequence[str], sent: bytes, folder: str) -> tuple[bytes, int]:
        """The reply of a child in an empty folder, and its exit code. Raises OSError."""
        child = subprocess.Popen(  # noqa: S603 - a fixed command of our own
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={},
            start_new_session=True,
        )
        timer = threading.Timer(_START_S + self._limits.seconds, child.kill)
        timer.daemon = True
        timer.start()
        try:
            with child:
                requests, replies = cast("IO[bytes]", child.stdin), cast("IO[bytes]", child.stdout)
                with suppress(BrokenPipeError):  # it ended at once; its exit code says why
                    requests.write(sent)
                    requests.close()
                raw = replies.read(_MOST_REPLY + 1)
                if len(raw) > _MOST_REPLY:
                    child.kill()
        finally:
            timer.cancel()
        return raw, child.returncode

    def _how_it_ended(self, code: int) -> str:
        """The reason of no reply. bubblewrap ends with 128 and the signal, Python with minus it."""
        number = -code if code < 0 else code - 128
        if number in {signal.SIGALRM, signal.SIGXCPU, signal.SIGKILL}:
            return f"It took longer than {self._limits.seconds:g} seconds."
        return f"It ended without a result (exit code {code})."


def _decode(raw: bytes) -> Mapping[str, Json] | None:
    """Parse the reply of a child; None if it is malformed."""
    try:
        reply: Json = json.loads(raw) if len(raw) <= _MOST_REPLY else None
    except ValueError:
        return None
    return reply if isinstance(reply, Mapping) else None


def _within(notes: Sequence[CodeNote]) -> tuple[CodeNote, ...]:
    """The notes, as far as their texts fit."""
    sizes = accumulate(len(note.text) for note in notes)
    return tuple(note for note, size in zip(notes, sizes, strict=True) if size <= _MOST_TEXT)


def _commands() -> tuple[tuple[str, ...], ...]:
    """Commands that start the child, best first."""
    plain = code_command()
    bubblewrap = which("bwrap")
    return (plain,) if bubblewrap is None else (wrap_command(bubblewrap, plain), plain)


def wrap_command(bubblewrap: str, command: Sequence[str]) -> tuple[str, ...]:
    """A command inside bubblewrap: it sees Python and this program, to read, and nothing else.

    See https://github.com/containers/bubblewrap, bwrap.xml.
    """
    seen = [*_SYSTEM, *map(str, own_folders())]
    binds = [part for folder in dict.fromkeys(seen) for part in ("--ro-bind-try", folder, folder)]
    return (
        bubblewrap,
        *("--unshare-all", "--new-session", "--die-with-parent", "--cap-drop", "ALL"),
        *binds,
        *("--dir", _EMPTY, "--chdir", _EMPTY, "--"),
        *command,
    )
