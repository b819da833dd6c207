"""Runs the program git for one answer, bounded in time and memory, and ended with who asked.

Git runs with an environment of our own and reads no settings of the user, of the system or of a
repository.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from notewell.api.errors import NotewellError, SourceError
from notewell.base.support import interrupt

SECONDS = 300.0  # that one run may take
MEMORY = 768 * 1024**2  # bytes of address space, where the system can limit that
_LOOK_S = 0.05  # between two looks whether the caller still waits
_GONE = "Nobody waits for this answer any more, so it was given up."
# Each stands for what some git has run, read or fetched because a repository said so.
SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.sshCommand": "false",
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "core.alternateRefsCommand": "",
    "core.commitGraph": "false",
    "core.multiPackIndex": "false",
    "core.quotePath": "false",
    "core.packedGitWindowSize": "32m",
    "core.packedGitLimit": "256m",
    "core.deltaBaseCacheLimit": "64m",
    "core.bigFileThreshold": "16m",
    "credential.helper": "",
    "diff.external": "",
    "diff.noprefix": "false",
    "diff.mnemonicPrefix": "false",
    "diff.renameLimit": "1000",
    "log.showSignature": "false",
    "log.mailmap": "false",
    "protocol.allow": "never",
    "gc.auto": "0",
}
ENVIRONMENT = {
    "PATH": os.defpath,
    "LC_ALL": "C.UTF-8",
    "GIT_ALLOW_PROTOCOL": "",  # fetches nothing; also a git that knows no GIT_NO_LAZY_FETCH
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "",
    "GIT_SSH_COMMAND": "false",
    "GIT_TERMINAL_PROMPT": "0",
}


def find_git(vault: Path) -> str | None:
    """The program git, from the folders of PATH; never from the current folder or from a vault."""
    names = ("git.exe",) if os.name == "nt" else ("git",)
    inside = Path(os.path.realpath(vault))
    for folder in os.get_exec_path():
        for name in names:
            place = Path(folder, name)
            if not Path(folder).is_absolute() or not place.is_file():
                continue
            if os.access(place, os.X_OK) and not Path(os.path.realpath(folder)).is_relative_to(
                inside
            ):
                return str(place)
    return None


@contextmanager
def running_git(
    program: str,
    arguments: Sequence[str],
    environment: dict[str, str],
    *,
    is_ended: Callable[[], bool] = lambda: False,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run git while the block lasts; it is ended with the block.

    Raises:
        InterruptedWorkError: the caller was cancelled, or `is_ended` said so.
        SourceError: it took too long (code "history_too_large").

    """
    settings = [part for key, value in SETTINGS.items() for part in ("-c", f"{key}={value}")]
    with subprocess.Popen(  # noqa: S603 - the program git, and arguments of our own
        [program, *settings, "--no-pager", "--literal-pathspecs", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**ENVIRONMENT, **environment},
        cwd=Path.cwd().anchor,
    ) as child:
        _limit_memory(child.pid)
        watch = _Watch(child, interrupt.stopping(), is_ended)
        try:
            yield child
        except (OSError, NotewellError):
            watch.end()
            watch.check()  # an error of a pipe only tells that the program has ended
            raise
        finally:
            watch.end()
            child.kill()
            with suppress(OSError):  # what was written to a program that has ended
                child.communicate()
        watch.check()


class _Watch:
    """Ends a program when nobody waits for it any more, or when it takes too long."""

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        is_cancelled: Callable[[], bool],
        is_ended: Callable[[], bool],
    ) -> None:
        self._child = child
        self._is_cancelled, self._is_ended = is_cancelled, is_ended
        self._over = threading.Event()
        self._problem: NotewellError | None = None
        self._thread = threading.Thread(target=self._run, name="git-watch", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Watch no longer."""
        self._over.set()
        self._thread.join()

    def check(self) -> None:
        """Raise the reason for which the program was ended early."""
        if self._problem is not None:
            raise self._problem

    def _run(self) -> None:
        waited = 0.0
        while not self._over.wait(_LOOK_S):
            waited += _LOOK_S
            if self._is_cancelled() or self._is_ended():
                self._problem = interrupt.InterruptedWorkError(_GONE)
            elif waited > SECONDS:
                self._problem = SourceError(
                    f"git took longer than {SECONDS:.0f} seconds to read the history of this vault,"
                    " so that was given up. Ask about one note, or a shorter past.",
                    code="history_too_large",
                )
            if self._problem is not None:
                self._child.kill()
                return


def _limit_memory(pid: int) -> None:
    if sys.platform == "linux":
        import resource  # noqa: PLC0415 - other systems have none

        with suppress(OSError, ValueError):  # it has ended already
            resource.prlimit(pid, resource.RLIMIT_AS, (MEMORY, MEMORY))
