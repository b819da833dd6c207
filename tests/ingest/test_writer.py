"""The writer: what fails is said, kept, and done again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.errors import IndexFailure, ModelUnavailableError
from recollect.index.index import Index
from recollect.ingest.answering import Models
from recollect.ingest.indexer import Indexer, RunTotals
from recollect.ingest.queue import Work
from recollect.ingest.schedule import Retry
from recollect.ingest.writer import Writer
from recollect.types import Embedder, ModelRules, Settings


class FullDisk(Indexer):
    """An indexer whose disk is full until somebody makes room."""

    full = True

    def run(self, work: Work, *models: object, **more: object) -> RunTotals:
        if self.full:
            raise IndexFailure("the disk is full; make room")
        return RunTotals()


def no_model(_rules: ModelRules, _fetch: bool) -> Embedder:
    raise ModelUnavailableError("no model here")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[tuple[Writer, FullDisk]]:
    settings = Settings(data_dir=tmp_path, model_dir=tmp_path, state_dir=tmp_path, offline=True)
    index = Index.open(tmp_path / "index", writable=True)
    indexer = FullDisk(tmp_path, index, settings)
    models = Models(index, settings.model, no_model)
    yield Writer("vault", index, indexer, models, fetch_missing=False), indexer
    index.close()


def test_work_that_failed_is_not_forgotten(
    disk: tuple[Writer, FullDisk], caplog: pytest.LogCaptureFixture
) -> None:
    writer, indexer = disk

    writer._attempt(Work(paths=("saved.md",), saved=True))
    writer._attempt(Work())

    assert writer.activity.problem == "the disk is full; make room"
    assert caplog.text.count("the disk is full") == 1

    indexer.full = False
    writer._retry = Retry(0.0, ())
    writer._look_at_the_clock()
    work = writer.queue.take()
    assert work == Work()
    writer._attempt(work)
    assert writer.activity.problem is None


def test_a_run_says_what_it_was(disk: tuple[Writer, FullDisk]) -> None:
    writer, indexer = disk
    indexer.full = False

    totals = writer.run(Work())

    assert totals.finished
    assert [run.outcome for run in writer.activity.history] == ["done"]
