"""A vault embedded by a service that fails now and then: complete, and nothing is sent twice."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.base.types import Settings, VaultRecord
from notewell.engine.ingest.indexer import Indexer, RunTotals
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.signals import Signals
from notewell.index.embedded import EmbeddedIndex
from notewell.models.remote.client import Breaker
from notewell.models.remote.embedder import RemoteEmbedder
from notewell.vault.sources import source_of
from tests.models.remote.fakes import DIMENSIONS, PASSING, SPOILT, FakeService, running
from tests.models.remote.test_families import model_at

NOTES = 150


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    for number in range(NOTES):
        text = f"# Note {number}\n\nIt is about bread, number {number}.\n"
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def service() -> Iterator[FakeService]:
    with running(FakeService("openai", texts=8, tokens=400)) as made:
        yield made


def run(vault: Path, folder: Path, service: FakeService) -> RunTotals:
    """One run of a process of its own: the index and the embedder are opened and closed."""
    settings = Settings(data_dir=vault, model_dir=vault, state_dir=vault)
    index = EmbeddedIndex.open(folder, writable=True)
    embedder = RemoteEmbedder(model_at(service), DIMENSIONS, breaker=Breaker())
    try:
        index.use_model(embedder.key, DIMENSIONS)
        source = source_of(VaultRecord("v1", "vault", vault), settings.vault)
        done = Indexer(source, index, settings).run(Work(), embedder, Signals(stop=lambda: False))
        assert index.covered_chunks(embedder.key) + index.pending_count(embedder.key) == NOTES
        return done
    finally:
        embedder.close()
        index.close()


def test_runs_that_fail_are_continued_and_nothing_is_sent_twice(
    vault: Path, tmp_path: Path, service: FakeService
) -> None:
    chance = random.Random(3)
    service.next_fault = lambda: (
        chance.choice((*PASSING, *SPOILT)) if chance.random() < 0.2 else None
    )
    problems = 0
    for _ in range(60):
        done = run(vault, tmp_path / "index", service)
        problems += done.problem is not None
        if done.problem is None:
            break

    assert problems > 0
    assert done.problem is None
    assert len(service.answered) == NOTES
    assert set(service.answered.values()) == {1}
    sent = service.requests
    assert run(vault, tmp_path / "index", service).embedded == 0
    assert service.requests == sent
