"""Progress: a bar on a terminal, a few lines elsewhere, nothing with --quiet."""

from __future__ import annotations

import io

import pytest

from notewell.cli import progress as progress_module
from notewell.cli.progress import Reporter, duration, progress_line
from notewell.types import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_shows_progress_rate_and_time_left() -> None:
    line = progress_line(Progress("embed", 1500, 4500), seconds=10)

    assert line == "Embedding passages: 1,500 of 4,500, 150/s, 20 s left"
    assert progress_line(Progress("read", 0, 12), seconds=3) == "Reading notes: 0 of 12"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (185, "3 min 05 s"), (4800, "1 h 20 min")],
)
def test_durations_are_formatted_for_people(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_short_run_prints_no_progress(capsys: pytest.CaptureFixture[str]) -> None:
    with Reporter(quiet=False) as reporter:
        for done in range(200):
            reporter.update(Progress("read", done, 200))
        reporter.update(Progress("done", 200, 200))

    assert capsys.readouterr().err == ""


def test_a_long_run_prints_progress_periodically(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: float(next(clock)))
    with Reporter(quiet=False) as reporter:
        for done in range(10):
            reporter.update(Progress("read", done, 10))

    assert len(capsys.readouterr().err.splitlines()) == 3


def test_a_terminal_gets_a_bar_and_messages_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with Reporter(quiet=False) as reporter:
        reporter.update(Progress("scan", 0, 0))
        reporter.update(Progress("read", 3, 12))
        reporter.say("getting the model \x1b[2J")

    assert "Reading notes" in terminal.getvalue()
    assert "getting the model \\x1b[2J" in terminal.getvalue()


def test_quiet_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with Reporter(quiet=True) as reporter:
        reporter.say("hello")
        reporter.update(Progress("read", 1, 2))

    assert capsys.readouterr().err == ""
