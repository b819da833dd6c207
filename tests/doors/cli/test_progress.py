"""Progress: a bar on a terminal, a few lines elsewhere, nothing with --quiet."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from notewell.base.types import Progress
from notewell.contract.status import IndexProgress, QueueStatus, StatusReply
from notewell.doors.cli import progress as progress_module
from notewell.doors.cli.progress import Reporter, duration, progress_line
from notewell.doors.cli.served_progress import VaultLines
from notewell.doors.cli.status import status_facts


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


def test_a_terminal_is_told_when_a_served_vault_is_found_by_words_and_when_by_meaning() -> None:
    lines = VaultLines("Notes", began=0.0, said=0.0)
    reading = _status(IndexProgress("reading", 20, 133, 0, 40, None), vectors=0)
    embedding = _status(IndexProgress("embedding", 133, 133, 64, 209, 9.0), vectors=64)
    done = _status(IndexProgress("idle", 133, 133, 209, 209, None), vectors=209)

    told = [lines.line(status, now) for now, status in enumerate((reading, embedding, embedding))]
    told.append(lines.line(embedding, 20))
    told += [lines.line(done, 21), lines.line(done, 22)]

    assert told == [
        None,
        "Notes: 133 notes are found by their words; their meaning follows (209 passages).",
        None,
        "Notes: Embedding 133 of 133 notes · by words 100% · by meaning 31% · about 9 s",
        None,  # a server is idle for a moment before its first check
        "Notes: 133 notes are found by words and by meaning (22 s)",
    ]
    assert lines.complete


def test_a_terminal_is_told_of_a_missing_model_and_of_files_that_failed() -> None:
    idle = IndexProgress("idle", 1, 1, 0, 2, None)
    status = replace(
        _status(idle, vectors=0),
        notes=1,
        semantic="unavailable",
        semantic_reason="there is no model",
        ledger={"indexed": 1, "failed": 2},
    )
    lines = VaultLines("Notes", began=0.0)
    waiting = replace(status, semantic_reason=None)  # the model is being loaded

    assert [lines.line(waiting, 1), lines.line(waiting, 2), lines.line(status, 3)] == [None] * 3
    assert lines.line(status, 4) == (
        "Notes: 1 note is found by words, not all by meaning: there is no model;"
        " 2 could not be read: `notewell ledger --state failed` says why"
    )


def _status(progress: IndexProgress, *, vectors: int) -> StatusReply:
    return StatusReply(
        vault="v",
        notes=133,
        chunks=209,
        vectors=vectors,
        model="m",
        generation=1,
        state="ready" if progress.phase == "idle" else "indexing",
        semantic="ready" if vectors == 209 else "partial",
        semantic_reason=None,
        queue=QueueStatus(pending=0, current=None, done=0, failed=0, paused=False, eta_s=None),
        ledger={"indexed": 133},
        progress=progress,
    )


def test_a_run_that_was_ended_says_how_it_goes_on() -> None:
    ended = _status(IndexProgress("stuck", 133, 133, 64, 209, None), vectors=64)

    assert dict(status_facts(ended))["progress"].endswith("· `notewell index` goes on")
    told = dict(status_facts(replace(ended, problem="the disk is full")))
    assert told["problem"] == "the disk is full"
    assert "goes on" not in told["progress"]
