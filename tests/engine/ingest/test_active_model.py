"""Which of two models searches use, and a model that fails while embedding, with fakes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from notewell.base.errors import ModelError, ModelUnavailableError
from notewell.base.types import (
    ChunkSizes,
    Embedder,
    FloatArray,
    ModelKey,
    ModelRules,
    VaultRecord,
)
from notewell.engine.ingest import embed
from notewell.engine.ingest.active_model import Models
from notewell.engine.ingest.indexer import Indexer
from notewell.engine.ingest.pace import Schedule
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.writer import Writer
from notewell.index.embedded import EmbeddedIndex
from notewell.vault.sources import source_of
from tests.vaults import settings_in
from tests.waiting import HANG_S

NOTES = 6


class Fake:
    """An embedder that fails from a number of texts on, if it is told to."""

    sizes = ChunkSizes()

    def __init__(self, name: str, dimensions: int) -> None:
        self.key = ModelKey(name, "w" * 64, "fp32")
        self.dimensions = dimensions
        self.embedded: list[str] = []
        self.most: int | None = None
        self.refuses = ""
        self.closed = False

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        if self.most is not None and len(self.embedded) + len(texts) > self.most:
            raise ModelError("the runtime gave up")
        self.embedded += texts
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        rows[:, 0] = [np.nan if self.refuses and self.refuses in text else 1 for text in texts]
        return rows

    def embed_query(self, text: str) -> FloatArray:
        if self.closed:
            raise ModelError("closed")
        return np.eye(1, self.dimensions, dtype=np.float32)[0]

    def close(self) -> None:
        self.closed = True


class Desk:
    """A vault, its index, and the two models it may have."""

    def __init__(self, root: Path) -> None:
        self.vault = root / "vault"
        self.vault.mkdir()
        for n in range(NOTES):
            (self.vault / f"{n}.md").write_text(f"Note number {n}.\n", encoding="utf-8")
        self.settings = settings_in(root)
        self.index = EmbeddedIndex.open(root / "index", writable=True)
        self.fakes = {"old": Fake("old", 4), "new": Fake("new", 8)}
        self.away: set[str] = set()
        self.loaded: list[ModelRules] = []
        self.models: Models | None = None

    def use(self, name: str) -> Models:
        if self.models is not None:
            self.models.close()
        self.models = Models(self.index, ModelRules(name=name), self.load)
        self.models.load(fetch=False)
        return self.models

    def load(self, rules: ModelRules, fetch: bool) -> Embedder:
        if rules.name in self.away:
            raise ModelUnavailableError(f"{rules.name} is not here")
        self.loaded.append(rules)
        self.fakes[rules.name].closed = False
        return self.fakes[rules.name]

    def writer(self, models: Models, **more: float) -> Writer:
        indexer = Indexer(
            source_of(VaultRecord("v1", "vault", self.vault), self.settings.vault),
            self.index,
            self.settings,
        )
        return Writer("desk", self.index, indexer, models, fetch_missing=False, **more)  # type: ignore[arg-type]

    def answers(self) -> str:
        model = self.index.vectors.model
        return model.name if model is not None else "none"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(embed, "COMMIT", 2)
    desk = Desk(tmp_path)
    yield desk
    if desk.models is not None:
        desk.models.close()
    desk.index.close()


def test_after_a_failure_midway_the_earlier_model_answers_and_vectors_stay(
    desk: Desk,
) -> None:
    desk.writer(desk.use("old")).run(Work())
    models = desk.use("new")
    desk.fakes["new"].most = 4
    writer = desk.writer(models)

    totals = writer.run(Work())

    assert (totals.embedded, totals.problem) == (4, "the runtime gave up")
    assert writer.activity.problem == "the runtime gave up"
    assert (desk.answers(), models.state.switching) == ("old", desk.fakes["new"].key)

    desk.fakes["new"].most = None
    assert writer.run(Work()).embedded == NOTES - 4
    assert writer.activity.problem is None
    assert desk.answers() == "new"
    assert desk.fakes["old"].closed


@pytest.mark.parametrize("scheme", ["int8", "int8+late", "fp32", "fp32+late"])
def test_the_earlier_model_is_loaded_as_its_vectors_were_made(desk: Desk, scheme: str) -> None:
    desk.fakes["old"].key = ModelKey("old", "w" * 64, scheme)
    desk.writer(desk.use("old")).run(Work())

    desk.use("new")

    earlier = desk.loaded[-1]
    assert (earlier.name, earlier.quantisation) == ("old", scheme[:4])
    assert earlier.late_chunking == scheme.endswith("late")
    assert desk.answers() == "old"


def test_a_failing_model_is_tried_again_later(desk: Desk) -> None:
    fake = desk.fakes["new"]
    fake.most = 2
    models = Models(desk.index, ModelRules(name="new"), desk.load)
    runs = threading.Semaphore(0)
    patient = desk.writer(models)
    patient.events.subscribe(lambda event: runs.release() if event.data.get("problem") else None)
    patient.start()
    assert runs.acquire(timeout=HANG_S)
    assert not runs.acquire(timeout=0.5)
    patient.close()

    again = desk.writer(models, schedule=Schedule(model_again_s=0.05))
    again.events.subscribe(lambda event: runs.release() if event.data.get("problem") else None)
    again.start()
    assert runs.acquire(timeout=HANG_S)
    fake.most = None
    assert wait_for(lambda: len(fake.embedded) == NOTES)
    again.close()
    models.close()
    assert len(fake.embedded) == len(set(fake.embedded))


def test_a_missing_model_is_loaded_again_later(desk: Desk) -> None:
    desk.away = {"new"}
    models = Models(desk.index, ModelRules(name="new"), desk.load)
    writer = desk.writer(models, schedule=Schedule(model_again_s=0.05))
    writer.start()
    assert wait_for(lambda: desk.index.counts().notes == NOTES)
    assert models.reason is not None
    desk.away = set()
    assert wait_for(lambda: desk.index.counts().vectors == NOTES)
    writer.close()
    models.close()


def test_a_text_that_cannot_be_embedded_does_not_delay_the_change_of_models(desk: Desk) -> None:
    desk.writer(desk.use("old")).run(Work())
    desk.fakes["new"].refuses = "number 3"

    desk.writer(desk.use("new")).run(Work())

    assert desk.answers() == "new"
    assert [entry.path for entry in desk.index.ledger(state="failed")] == ["3.md"]


def test_an_earlier_model_that_covers_little_is_replaced_early(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "WINDOW", 2)
    desk.fakes["old"].most = 2
    desk.writer(desk.use("old")).run(Work())
    models = desk.use("new")
    assert desk.answers() == "old"
    desk.fakes["new"].most = 4

    desk.writer(models).run(Work())

    assert desk.answers() == "new"
    assert desk.index.vectors.count == 4


def test_a_search_during_the_change_is_repeated_with_the_new_model(desk: Desk) -> None:
    desk.writer(desk.use("old")).run(Work())
    models = desk.use("new")
    new = desk.fakes["new"]
    asked: list[str] = []

    def ask(embedder: Embedder | None) -> int:
        assert embedder is not None
        asked.append(embedder.key.name)
        query = embedder.embed_query("number")
        if len(asked) == 1:
            desk.index.use_model(new.key, new.dimensions)
        return len(desk.index.vectors.search(query, limit=9).chunk_ids)

    assert models.with_one_model(ask) == 0
    assert asked == ["old", "new"]


def test_an_error_of_the_model_is_not_retried(desk: Desk) -> None:
    models = desk.use("old")

    def ask(embedder: Embedder | None) -> None:
        raise ModelError("broken")

    with pytest.raises(ModelError, match="broken"):
        models.with_one_model(ask)


def test_a_model_with_changed_weights_is_not_used_for_old_vectors(desk: Desk) -> None:
    desk.writer(desk.use("old")).run(Work())
    desk.fakes["old"].key = ModelKey("old", "other weights", "fp32")

    desk.use("new")

    assert desk.answers() == "new"
    assert desk.fakes["old"].closed


def wait_for(condition: Callable[[], bool], seconds: float = HANG_S) -> bool:
    """Whether a condition came true; the bound is for a hang."""
    waiting = threading.Event()
    for _ in range(int(seconds / 0.02)):
        if condition():
            return True
        waiting.wait(0.02)
    return False
