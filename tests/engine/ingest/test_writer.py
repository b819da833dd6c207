"""The writer: failures are reported, stored, and retried."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from notewell.base.errors import IndexFailure, ModelUnavailableError
from notewell.base.types import Embedder, ModelRules, Settings, VaultRecord
from notewell.engine.ingest.active_model import Models
from notewell.engine.ingest.indexer import Indexer, RunTotals
from notewell.engine.ingest.pace import PlannedRetry, Schedule
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.signals import Signals
from notewell.engine.ingest.writer import Writer
from notewell.index.embedded import EmbeddedIndex
from notewell.models.loading import load_embedder
from notewell.vault.sources import source_of
from tests.tiny_model import write_tiny_model


class FullDisk(Indexer):
    """An indexer whose disk is full until somebody makes room."""

    full = True
    totals = RunTotals()

    def run(self, work: Work, *models: object, **more: object) -> RunTotals:
        if self.full:
            raise IndexFailure("the disk is full; make room")
        return self.totals


def no_model(_rules: ModelRules, _fetch: bool) -> Embedder:
    raise ModelUnavailableError("no model here")


@pytest.fixture
def schedule() -> Schedule:
    return Schedule()


@pytest.fixture
def disk(tmp_path: Path, schedule: Schedule) -> Iterator[tuple[Writer, FullDisk]]:
    settings = Settings(data_dir=tmp_path, model_dir=tmp_path, state_dir=tmp_path, offline=True)
    index = EmbeddedIndex.open(tmp_path / "index", writable=True)
    indexer = FullDisk(tmp_path, index, settings)
    models = Models(index, settings.model, no_model)
    yield Writer("vault", index, indexer, models, fetch_missing=False, schedule=schedule), indexer
    index.close()


def test_failed_work_is_retried(
    disk: tuple[Writer, FullDisk], schedule: Schedule, caplog: pytest.LogCaptureFixture
) -> None:
    writer, indexer = disk

    writer.attempt(Work(paths=("saved.md",), saved=True))
    writer.attempt(Work())

    assert writer.activity.problem == "the disk is full; make room"
    assert caplog.text.count("the disk is full") == 1

    indexer.full = False
    schedule.plan_retry(PlannedRetry(0.0, ()))
    writer.do_what_is_due()
    work = writer.queue.take()
    assert work == Work()
    writer.attempt(work)
    assert writer.activity.problem is None


def test_an_index_that_fails_after_a_run_ends_nothing(
    disk: tuple[Writer, FullDisk], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, indexer = disk
    indexer.full = False

    def gone(*_: object, **__: object) -> object:
        raise IndexFailure("the database does not answer")

    with monkeypatch.context() as lost:
        lost.setattr(EmbeddedIndex, "ledger", gone)
        writer.attempt(Work())
        lost.setattr(Models, "load", gone)
        writer.load_model(fetch=False)
    assert writer.activity.problem == "the database does not answer"

    writer.attempt(Work())
    assert writer.activity.problem is None


def test_a_run_that_ended_is_counted(disk: tuple[Writer, FullDisk]) -> None:
    writer, indexer = disk
    indexer.full = False

    totals = writer.run(Work())

    assert totals.finished
    assert writer.activity.tally.runs == 1
    assert not writer.activity.running
    assert writer.activity.problem is None


@pytest.mark.parametrize("years", [-30, 30])
def test_a_clock_change_repeats_a_retry_at_most_once(
    disk: tuple[Writer, FullDisk],
    schedule: Schedule,
    monkeypatch: pytest.MonkeyPatch,
    years: int,
) -> None:
    writer, _ = disk
    now = time.time() + years * 365 * 86400
    schedule.plan_retry(PlannedRetry(time.time() + 20, ("a.md",)))
    monkeypatch.setattr(time, "time", lambda: now)

    assert writer.wait_s() == 0
    writer.do_what_is_due()
    assert writer.queue.take() == Work(paths=("a.md",))
    assert writer.wait_s() > 0
    writer.do_what_is_due()
    assert writer.queue.waiting == 1  # what was taken, and nothing new


def test_indexing_one_saved_note_does_not_count_the_whole_vault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def counted(*_: object) -> int:
        raise AssertionError

    monkeypatch.setattr(EmbeddedIndex, "pending_count", counted)
    monkeypatch.setattr(EmbeddedIndex, "counts", counted)
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("water and light", encoding="utf-8")
    rules = ModelRules(
        name="tiny", folder=str(write_tiny_model(tmp_path / "tiny")), quantisation="fp32"
    )
    settings = Settings(data_dir=tmp_path, model_dir=tmp_path, state_dir=tmp_path, offline=True)
    with (
        closing(EmbeddedIndex.open(tmp_path / "index", writable=True)) as index,
        closing(
            load_embedder(
                rules, model_dir=tmp_path, offline=True, fetch_missing=False, say=lambda _: None
            )
        ) as embedder,
    ):
        indexer = Indexer(
            source_of(VaultRecord("v1", "vault", tmp_path / "vault"), settings.vault),
            index,
            settings,
        )
        index.use_model(embedder.key, embedder.dimensions)
        indexer.run(Work(), embedder, Signals())
        (tmp_path / "vault" / "a.md").write_text("moon and star", encoding="utf-8")
        totals = indexer.run(Work(paths=("a.md",)), embedder, Signals())

    assert (totals.embedded, totals.finished) == (1, True)


def test_a_guard_is_checked_again_after_every_change(disk: tuple[Writer, FullDisk]) -> None:
    writer, indexer = disk
    indexer.full = False
    indexer.totals = RunTotals(guarded=60)
    writer.run(Work())
    indexer.totals = RunTotals()
    assert writer.activity.guard is not None

    writer.attempt(Work(paths=("back.md",), saved=True))
    assert writer.activity.guard is not None

    work = writer.queue.take()
    assert work == Work()
    writer.attempt(work)
    assert writer.activity.guard is None
    assert writer.queue.waiting == 1  # the look that was just taken, and no further one
