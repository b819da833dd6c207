"""Running the real command line in this process."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

import pytest
from click.testing import CliRunner, Result

from notewell.doors.cli.app import cli
from tests.live_tokens import secrets_in
from tests.waiting import PROCESS_S

NOTES = {
    "Garden/Bees.md": "# Hives\n\nBees find their way home by the light of the sun.\n",
    "Garden/Compost.md": "Compost is warm in spring. Bees do not care.\n",
    "City.md": "---\ntags: [city]\n---\nMusic by the river, and a cat.\n",
}


def write_notes(folder: Path, notes: dict[str, str]) -> Path:
    for path, text in notes.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


class Terminal(io.StringIO):
    """What a terminal would show."""

    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch, *, columns: int) -> Terminal:
    """A terminal in place of stdout."""
    stdout = Terminal()
    monkeypatch.setattr("sys.stdout", stdout)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("LESS", "FRX")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return stdout


class CommandLine:
    """`notewell` with arguments; `fails` is the exit code that is expected."""

    def __call__(self, *args: object, fails: int = 0) -> Result:
        result = CliRunner().invoke(cli, [str(arg) for arg in args], prog_name="notewell")
        assert result.exit_code == fails, (result.stdout, result.stderr, result.exception)
        # `token` prints tokens, which is what it is for; nothing else does.
        printed = result.stderr if "token" in args else result.output
        assert secrets_in(printed) == set(), printed
        return result

    def json(self, *args: object, fails: int = 0) -> Any:
        """What `--json` prints; stdout must hold one document and nothing else."""
        return json.loads(self(*args, "--json", fails=fails).stdout)


class Process:
    """`notewell` as a process of its own, as services and other programs run it.

    The end of a `with` block ends it, if it still runs.
    """

    def __init__(self, *args: object) -> None:
        """Start it. It is not at a terminal."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "notewell", *map(str, args)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        """The next line of its standard output."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        assert line, self._process.communicate(timeout=PROCESS_S)
        return line

    def end(self) -> str:
        """Interrupt it; it ends well. What else it printed."""
        self._process.send_signal(signal.SIGINT)
        printed = "".join(self._process.communicate(timeout=PROCESS_S))
        assert self._process.returncode == 0, printed
        return printed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            self._process.kill()
