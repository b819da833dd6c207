"""The log of runs: one of a kind at a time, results, cancelling, what a dead process leaves."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import notewell
from notewell.base.errors import AlreadyRunningError, CancelledError, NotFoundError, UsageError
from notewell.contract.status import RunEnd, RunError
from notewell.engine.runs import MOST, MOST_OF_SAVED, NAME, RunLog, RunProgress, Runs
from tests.waiting import PROCESS_S, until

DONE = RunEnd("done", {"read": 1})


@pytest.fixture
def log(tmp_path: Path) -> RunLog:
    return RunLog(tmp_path)


def test_a_run_is_known_from_its_start_to_its_end(log: RunLog) -> None:
    assert log.runs() == ()

    started = log.start("extract", "manual")
    assert [(run.id, run.result, run.ended) for run in log.runs()] == [
        (str(started.id), "running", None)
    ]
    log.end(started, RunEnd("failed", {"found": 2}, (RunError("A.md", "no link"),)))

    run = log.run(started.id)
    assert (run.kind, run.trigger, run.result, run.counts) == (
        "extract",
        "manual",
        "failed",
        {"found": 2},
    )
    assert run.errors == (RunError("A.md", "no link"),)
    assert run.ended is not None
    assert run.ended >= run.started
    with pytest.raises(NotFoundError, match="runs list"):
        log.run(started.id + 1)


def test_a_second_run_of_a_kind_is_refused_with_the_id_of_the_first(
    log: RunLog, tmp_path: Path
) -> None:
    first = log.start("extract", "schedule")

    with pytest.raises(AlreadyRunningError, match=f"run {first.id} "):
        RunLog(tmp_path).start("extract", "manual")
    other = log.start("maintain", "manual")  # of another kind
    log.end(first, DONE)
    log.end(log.start("extract", "manual"), DONE)
    log.end(other, DONE)


def test_a_run_whose_process_was_killed_is_shown_as_failed(log: RunLog, tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from notewell.engine.runs import RunLog;"
        " run = RunLog(Path(sys.argv[1])).start('plan', 'manual'); print('up', flush=True);"
        " time.sleep(600)"
    )
    root = Path(notewell.__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert process.stdout is not None
    process.stdout.readline()
    assert [run.result for run in log.runs()] == ["running"]
    process.kill()
    process.communicate(timeout=PROCESS_S)

    (run,) = log.runs()
    assert run.result == "failed"
    assert run.errors[0].why.startswith("its process ended")
    log.end(log.start("plan", "manual"), DONE)


def test_the_newest_runs_stay_and_saved_notes_do_not_push_out_the_others(log: RunLog) -> None:
    kept = log.start("extract", "manual")
    log.end(kept, DONE)
    for _ in range(MOST + 10):
        log.add("index", "watch", 1.0, DONE)

    assert len(log.runs(1000)) == MOST_OF_SAVED + 1
    assert log.run(kept.id).kind == "extract"
    assert log.latest("extract") is not None


def test_a_damaged_file_is_set_aside(log: RunLog, tmp_path: Path) -> None:
    log.end(log.start("extract", "manual"), DONE)
    (tmp_path / NAME).write_bytes(b"no database at all, but long enough to be looked at" * 100)

    assert log.runs() == ()
    log.end(log.start("extract", "manual"), DONE)
    assert len(log.runs()) == 1
    assert (tmp_path / f"{NAME}.damaged").exists()


def test_work_in_a_thread_is_cancelled_between_two_items(log: RunLog, tmp_path: Path) -> None:
    runs, reached = Runs(log, "Home"), threading.Event()

    def work(progress: RunProgress) -> None:
        while True:
            progress.counts["checked"] += 1
            reached.set()
            progress.wait(0.01)

    number = runs.begin("maintain", "manual", work)
    assert reached.wait(PROCESS_S)
    assert runs.busy
    RunLog(tmp_path).cancel(number)  # as another process does it

    until(lambda: not runs.busy)
    run = until(lambda: log.run(number).ended and log.run(number))
    assert run.result == "cancelled"
    assert run.counts["checked"] > 0
    runs.close()


def test_work_that_fails_or_is_closed_does_not_stay_running(log: RunLog) -> None:
    runs = Runs(log, "Home")

    def refused(progress: RunProgress) -> None:
        progress.problem("A.md", "no link")
        raise UsageError("no heading is named")

    with pytest.raises(UsageError):
        runs.now("extract", "manual", refused)
    with pytest.raises(ZeroDivisionError):
        runs.now("extract", "manual", lambda _: 1 // 0)
    waiting = runs.begin("maintain", "schedule", lambda progress: progress.wait(600))
    runs.close()

    assert [run.result for run in log.runs()] == ["cancelled", "failed", "failed"]
    assert [error.why for error in log.run(waiting - 2).errors] == [
        "no link",
        "no heading is named",
    ]
    with pytest.raises(CancelledError):  # nothing is worked on after the end
        runs.now("extract", "manual", lambda progress: progress.check())
