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
from notewell.engine.ingest.indexer import Indexer, RunTotals, Signals
from notewell.engine.ingest.pacing import PlannedRetry
from notewell.engine.ingest.plan import Guarded
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.writer import Writer
from notewell.index.embedded.index import EmbeddedIndex
from notewell.models.loading import load_embedder
from notewell.vault.sources import source_of
from tests.tiny_model import write_tiny_model


class FullDisk(Indexer):
    """An indexer whose disk is full until somebody makes room."""

    full = True

    def run(self, work: Work, *models: object, **more: object) -> RunTotals:
        if self.full:
            raise IndexFailure("the disk is full; make room")
        return RunTotals()


def no_model(_rules: ModelRules, _fetch: bool) -> Embedder:
    raise ModelUnavailableError("no model here")


# Steps of the writer's thread, which is not started here.
def attempt(writer: Writer, work: Work) -> None:
    writer._attempt(work)


def do_what_is_due(writer: Writer) -> None:
    writer._do_what_is_due()


def wait_s(writer: Writer) -> float | None:
    return writer._wait_s()


def plan_retry(writer: Writer, retry: PlannedRetry) -> None:
    writer._schedule.plan_retry(retry)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[tuple[Writer, FullDisk]]:
    settings = Settings(data_dir=tmp_path, model_dir=tmp_path, state_dir=tmp_path, offline=True)
    index = EmbeddedIndex.open(tmp_path / "index", writable=True)
    indexer = FullDisk(tmp_path, index, settings)
    models = Models(index, settings.model, no_model)
    yield Writer("vault", index, indexer, models, fetch_missing=False), indexer
    index.close()


def test_failed_work_is_retried(
    disk: tuple[Writer, FullDisk], caplog: pytest.LogCaptureFixture
) -> None:
    writer, indexer = disk

    attempt(writer, Work(paths=("saved.md",), saved=True))
    attempt(writer, Work())

    assert writer.activity.problem == "the disk is full; make room"
    assert caplog.text.count("the disk is full") == 1

    indexer.full = False
    plan_retry(writer, PlannedRetry(0.0, ()))
    do_what_is_due(writer)
    work = writer.queue.take()
    assert work == Work()
    attempt(writer, work)
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
        attempt(writer, Work())
        lost.setattr(Models, "load", gone)
        writer._load_model(fetch=False)
    assert writer.activity.problem == "the database does not answer"

    attempt(writer, Work())
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
    disk: tuple[Writer, FullDisk], monkeypatch: pytest.MonkeyPatch, years: int
) -> None:
    writer, _ = disk
    now = time.time() + years * 365 * 86400
    plan_retry(writer, PlannedRetry(time.time() + 20, ("a.md",)))
    monkeypatch.setattr(time, "time", lambda: now)

    assert wait_s(writer) == 0
    do_what_is_due(writer)
    assert writer.queue.take() == Work(paths=("a.md",))
    assert wait_s(writer) > 0
    do_what_is_due(writer)
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
    writer._change(guard=Guarded(gone=60, total=100, since=0.0))

    attempt(writer, Work(paths=("back.md",), saved=True))
    assert writer.activity.guard is not None

    work = writer.queue.take()
    assert work == Work()
    attempt(writer, work)
    assert writer.activity.guard is None
    assert writer.queue.waiting == 1  # the look that was just taken, and no further one
