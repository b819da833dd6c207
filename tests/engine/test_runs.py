"""Runs of an engine: what is recorded of indexing, the schedule, what was missed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from notewell.base.types import ScheduleRules, VaultRecord
from notewell.contract.status import CancelRun, RunEnd, RunKind, RunRequest, RunsRequest
from notewell.engine.engine import Engine
from notewell.engine.runs import RunLog
from notewell.engine.scheduler import Scheduler
from notewell.features import FEATURES
from tests.vaults import QUIET, settings_in
from tests.waiting import until

Open: TypeAlias = Callable[..., Engine]
HOUR = 3600.0


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "A.md").write_text("bees", encoding="utf-8")
    engines: list[Engine] = []

    def open_engine(**schedule: str) -> Engine:
        settings = settings_in(
            tmp_path,
            vault=QUIET,
            schedule=ScheduleRules(**schedule),
        )
        record = VaultRecord("v1", "Notes", tmp_path / "vault")
        engines.append(
            Engine.open(record, tmp_path / "index", settings, writable=True, features=FEATURES)
        )
        return engines[-1]

    yield open_engine
    for engine in engines:
        engine.close()


def test_index_runs_are_recorded_with_what_failed(opened: Open, tmp_path: Path) -> None:
    engine = opened()
    (tmp_path / "vault" / "B.md").write_bytes(b"\x00\x01" * 50)
    (tmp_path / "vault" / "C.md").symlink_to(tmp_path / "nowhere")
    engine.index_now()

    (run,) = engine.answer(RunsRequest(10)).runs
    assert (run.kind, run.trigger, run.result) == ("index", "manual", "done")
    assert run.counts["read"] >= 1
    assert engine.answer(RunsRequest(10)).next == ()


def test_a_server_checks_the_vault_first_and_then_indexes_what_is_saved(
    opened: Open, tmp_path: Path
) -> None:
    engine = opened(reconcile="03:30")
    engine.start()
    until(lambda: engine.status().state == "ready")
    (tmp_path / "vault" / "A.md").write_text("bees and water", encoding="utf-8")
    engine.work.look_at("A.md")

    found = until(
        lambda: [run for run in engine.answer(RunsRequest(10)).runs if run.trigger == "client"]
    )
    assert (found[0].kind, found[0].counts["read"]) == ("index", 1)
    first = engine.answer(RunsRequest(10)).runs[-1]
    assert (first.kind, first.trigger) == ("reconcile", "schedule")
    upcoming = engine.status().next_run
    assert upcoming is not None
    assert upcoming.what == "reconcile"


def test_a_run_is_cancelled_by_its_id(opened: Open, tmp_path: Path) -> None:
    engine = opened()
    engine.start()
    until(lambda: engine.status().state == "ready")
    begun = engine.vault.runs.begin("maintain", "manual", lambda run: run.wait(600))

    assert engine.busy
    engine.answer(CancelRun(str(begun)))
    until(lambda: engine.answer(RunRequest(str(begun))).result == "cancelled")
    assert engine.answer(CancelRun(str(begun))).result == "cancelled"  # again: nothing happens


def test_what_was_missed_is_started_once(tmp_path: Path) -> None:
    log, started = RunLog(tmp_path), []
    log.end(log.start("extract", "schedule"), RunEnd("done", {}))
    rules = ScheduleRules(extract="on", maintain="sun 02:00")
    scheduler = Scheduler(rules, "", log, {"extract": "23:00"})
    starts: dict[RunKind, Callable[[], object]] = {
        "extract": lambda: started.append("extract"),
        "maintain": lambda: started.append("links"),
    }
    now = time.time() + 3 * 24 * HOUR  # the computer was off for three days

    assert scheduler.upcoming(now) == ()  # nothing is planned without a server
    scheduler.begin(now, starts)
    scheduler.start_due(now)
    scheduler.start_due(now + 1)

    assert started == ["extract"]
    kinds = [due.kind for due in scheduler.upcoming(now + 2)]
    assert sorted(kinds) == ["extract", "maintain"]
    assert all(due.at > now for due in scheduler.upcoming(now + 2))


def test_a_clock_that_was_set_back_puts_off_nothing(tmp_path: Path) -> None:
    starts: dict[RunKind, Callable[[], object]] = {"reconcile": lambda: None}
    scheduler = Scheduler(ScheduleRules(reconcile="03:30"), "", RunLog(tmp_path), {})
    now = time.time()
    scheduler.begin(now, starts)

    (due,) = scheduler.upcoming(now - 30 * 365 * 24 * HOUR)

    assert due.at < now - 29 * 365 * 24 * HOUR
