"""A large first index is found by approximate meaning before the model has read all of it."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from notewell.base.errors import ModelError
from notewell.base.types import Embedder, FloatArray, Progress, Settings, VaultRecord, VectorPut
from notewell.contract.search import SearchRequest
from notewell.engine.feature import fit_passages
from notewell.engine.ingest import indexer as module
from notewell.engine.ingest.active_model import ModelState
from notewell.engine.ingest.approximate import ApproximateVectors, FitPassages
from notewell.engine.ingest.embed import Embedded, model_work
from notewell.engine.ingest.indexer import Indexer, RunTotals
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.reports import Activity, index_progress
from notewell.engine.ingest.signals import Signals
from notewell.features import FEATURES
from notewell.index.embedded import EmbeddedIndex
from notewell.vault.sources import source_of
from tests.vaults import indexed, settings_in, tiny_model, tiny_rules

WORDS = ["bee", "hive", "honey", "garden", "roof", "sun", "bread", "flour", "water", "oven", "snow", "winter", "lake", "boat", "tyre", "oil", "bicycle"]  # fmt: skip
NOTES = 60
NOTHING = Embedded(0, 0, finished=False)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vault of sixty passages counts as large, and twenty are a sample."""
    few = partial(ApproximateVectors, sample=20, many=40)
    monkeypatch.setattr(module, "ApproximateVectors", few)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "vault").mkdir()
    for number in range(NOTES):
        words = " ".join(random.Random(number).choices(WORDS, k=12))
        (tmp_path / "vault" / f"Note {number}.md").write_text(f"{words}.\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def settings(home: Path) -> Settings:
    return settings_in(home, model=tiny_rules(home))


@pytest.fixture
def model(home: Path) -> Iterator[Embedder]:
    with tiny_model(home) as loaded:
        yield loaded


@pytest.fixture
def index(home: Path, model: Embedder) -> Iterator[EmbeddedIndex]:
    opened = EmbeddedIndex.open(home / "index", writable=True)
    opened.use_model(model.key, model.dimensions)
    yield opened
    opened.close()


class Vault:
    """One vault with its indexer, which is asked again and again."""

    def __init__(
        self, home: Path, settings: Settings, index: EmbeddedIndex, fit: FitPassages | None
    ) -> None:
        record = VaultRecord("v1", "vault", home / "vault")
        self.index = index
        self.stages: list[str] = []
        self._indexer = Indexer(source_of(record, settings.vault), index, settings, None, fit)

    def run(
        self,
        model: Embedder,
        *paths: str,
        give_way: Callable[[], bool] = lambda: False,
        stop: Callable[[], bool] = lambda: False,
    ) -> RunTotals:
        signals = Signals(progress=self._note, give_way=give_way, stop=stop)
        return self._indexer.run(Work(paths=paths), model, signals)

    def run_until_embedding(self, model: Embedder) -> RunTotals:
        """Stop when the passages are to be embedded, one after the other."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "embed_pending", lambda *_, **__: NOTHING)
            return self.run(model)

    def _note(self, progress: Progress) -> None:
        self.stages.append(progress.stage)


@pytest.fixture
def vault(home: Path, settings: Settings, index: EmbeddedIndex) -> Vault:
    return Vault(home, settings, index, fit_passages(FEATURES))


class FixedVectors:
    """An approximation that says the same of every text, and how often it was asked."""

    def __init__(self, dimensions: int) -> None:
        self.asked: list[str] = []
        self._dimensions = dimensions

    def vectors(self, texts: Sequence[str]) -> FloatArray:
        self.asked += texts
        found: FloatArray = np.eye(1, self._dimensions, dtype=np.float32).repeat(len(texts), axis=0)
        return found


def test_every_passage_has_a_vector_when_embedding_begins(vault: Vault, model: Embedder) -> None:
    totals = vault.run_until_embedding(model)

    counts = vault.index.counts()
    assert not totals.finished
    assert counts.approximate + counts.vectors == counts.chunks == NOTES
    assert counts.vectors >= 20  # the sample is read by the model
    assert vault.index.vectors.count == NOTES


def test_they_point_where_the_model_points(vault: Vault, model: Embedder) -> None:
    vault.run_until_embedding(model)
    index = vault.index
    stored = index.stored_vectors(model.key, [t.text_hash for t in index.texts_by_hash(b"", 99)])
    chunks = [chunk for note in index.all_notes() for chunk in index.chunks_of(note.id)]
    waiting = [chunk for chunk in chunks if chunk.text_hash not in stored]
    ids, vectors = index.vectors.of_chunks(np.array([chunk.id for chunk in waiting]))
    assert len(ids) == len(waiting) > 20

    texts = {chunk.id: chunk.text for chunk in waiting}
    real = model.embed_passages([texts[chunk_id] for chunk_id in ids.tolist()])
    own = (vectors * real).sum(axis=1)
    others = (vectors * np.roll(real, 1, axis=0)).sum(axis=1)
    assert own.mean() > others.mean() + 0.1


def test_at_the_end_none_is_left(vault: Vault, model: Embedder) -> None:
    vault.run_until_embedding(model)
    vault.stages.clear()
    totals = vault.run(model)

    assert totals.finished
    assert not vault.index.has_approximate()
    assert vault.index.counts().vectors == NOTES
    assert "sample" not in vault.stages  # nothing is fitted twice


def test_all_of_it_again_gives_the_vectors_of_the_model(
    vault: Vault, model: Embedder, tmp_path: Path, home: Path, settings: Settings
) -> None:
    vault.run(model)
    plain = EmbeddedIndex.open(tmp_path / "plain", writable=True)
    plain.use_model(model.key, model.dimensions)
    Vault(home, settings, plain, None).run(model)

    query = model.embed_query("honey of the bee")
    hits, expected = (each.vectors.search(query, limit=99) for each in (vault.index, plain))
    assert hits.chunk_ids.tolist() == expected.chunk_ids.tolist()
    assert hits.scores == pytest.approx(expected.scores, abs=1e-3)
    plain.close()


def test_few_passages_are_embedded_at_once(home: Path, vault: Vault, model: Embedder) -> None:
    for number in range(30):
        (home / "vault" / f"Note {number}.md").unlink()
    assert vault.run(model).finished
    assert "sample" not in vault.stages


def test_without_the_feature_there_are_none(
    home: Path, settings: Settings, index: EmbeddedIndex, model: Embedder
) -> None:
    vault = Vault(home, settings, index, fit_passages(()))
    vault.run_until_embedding(model)
    assert index.counts().approximate == 0


def test_notes_that_are_saved_meanwhile_come_first_and_the_fit_goes_on(
    home: Path, settings: Settings, index: EmbeddedIndex, model: Embedder
) -> None:
    fixed = FixedVectors(model.dimensions)
    may_end, begun = threading.Event(), []

    def fit(*_: object) -> FixedVectors:
        begun.append(True)
        may_end.wait()
        return fixed

    vault = Vault(home, settings, index, fit)
    assert not vault.run(model, give_way=lambda: bool(begun)).finished
    (home / "vault" / "Saved.md").write_text("A new note.", encoding="utf-8")
    assert not vault.run(model, "Saved.md", give_way=lambda: True).finished
    assert index.note_at("Saved.md") is not None
    may_end.set()
    vault.run_until_embedding(model)

    assert len(begun) == 1
    assert index.counts().approximate > 0


def test_a_run_that_is_paused_ends_the_fit_and_another_begins_it_again(
    home: Path, settings: Settings, index: EmbeddedIndex, model: Embedder
) -> None:
    begun, ended = [], threading.Event()

    def fit(_: object, __: object, ___: object, check: Callable[[], None]) -> FixedVectors:
        begun.append(True)
        try:
            while len(begun) == 1:
                check()
        finally:
            ended.set()
        return FixedVectors(model.dimensions)

    vault = Vault(home, settings, index, fit)
    assert not vault.run(model, stop=lambda: bool(begun)).finished
    assert ended.wait(10)
    vault.run_until_embedding(model)

    assert len(begun) == 2
    assert index.counts().approximate > 0


@pytest.mark.parametrize("fails", [False, True])
def test_where_nothing_can_be_fitted_the_model_reads_on(
    home: Path, settings: Settings, index: EmbeddedIndex, model: Embedder, fails: bool
) -> None:
    begun = []

    def fit(*_: object) -> None:
        begun.append(True)
        if fails:
            raise ModelError("the model has gone")

    vault = Vault(home, settings, index, fit)
    assert not vault.run_until_embedding(model).finished
    totals = vault.run(model)

    assert len(begun) == 1  # it is not tried again at every note that is saved
    assert totals.finished
    assert totals.problem is None
    assert index.counts().vectors == NOTES


def test_a_service_reads_no_sample(
    vault: Vault, model: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(model), "tokenizer_document", lambda _: None)
    assert vault.run(model).finished
    assert "sample" not in vault.stages


def test_a_model_that_fails_at_the_sample_is_the_problem_of_the_run(
    vault: Vault, model: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> FloatArray:
        raise ModelError("the model has gone")

    monkeypatch.setattr(type(model), "embed_passages", fail)
    totals = vault.run(model)

    assert totals.problem == "the model has gone"
    assert vault.index.counts().notes == NOTES


def test_what_was_stored_is_not_stored_again_after_an_interruption(
    home: Path,
    settings: Settings,
    index: EmbeddedIndex,
    model: Embedder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("notewell.engine.ingest.approximate.WINDOW", 8)
    fixed = FixedVectors(model.dimensions)
    vault = Vault(home, settings, index, lambda *_: fixed)
    while len(fixed.asked) < NOTES - 20:
        before = len(fixed.asked)
        vault.run(model, give_way=lambda before=before: len(fixed.asked) > before)  # type: ignore[misc]
        assert len(fixed.asked) > before
    assert len(fixed.asked) == len(set(fixed.asked))


def test_searches_and_the_status_say_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(module, "embed_pending", lambda *_, **__: NOTHING)
        with indexed(home, model=tiny_rules(home)) as engine:
            reply = engine.search(SearchRequest("honey of the bee"))
            status = engine.status()
            assert any("approximate meaning" in warning for warning in reply.warnings)
            assert status.semantic == "partial"
            assert "approximate meaning" in (status.semantic_reason or "")
            assert status.progress.passages_approximate == NOTES - status.vectors
    with indexed(home, model=tiny_rules(home)) as engine:
        assert engine.search(SearchRequest("honey of the bee")).warnings == ()
        assert engine.status().progress.passages_approximate == 0
        assert engine.status().semantic == "ready"


def test_an_index_that_lost_them_gets_them_again(vault: Vault, model: Embedder) -> None:
    vault.run_until_embedding(model)
    vault.index.drop_approximate()  # as in a copy without vectors
    vault.run_until_embedding(model)

    counts = vault.index.counts()
    assert counts.approximate + counts.vectors == NOTES
    assert counts.approximate > 0


def test_the_time_that_is_left_is_that_until_the_model_has_read_all(
    vault: Vault, model: Embedder
) -> None:
    vault.run_until_embedding(model)
    work = model_work(vault.index)
    sampling = Activity(
        running=True, progress=Progress("sample", 10, 20), stage_began=time.monotonic() - 1.0
    )
    state = ModelState("tiny", answering=model.key, wanted=model.key)
    now = index_progress(vault.index, sampling, state)

    waiting = now.passages - now.passages_embedded
    assert now.phase == "embedding"
    assert now.passages_approximate == waiting
    assert now.eta_s is not None
    assert now.eta_s >= round(waiting * work.seconds / work.embedded, 1)


def test_a_vector_of_the_model_that_comes_later_counts(vault: Vault, model: Embedder) -> None:
    vault.run_until_embedding(model)
    text = vault.index.pending_texts(model.key, 1)[0]
    vault.index.store_vectors(
        model.key, [VectorPut(text.text_hash, model.embed_passages([text.text])[0])]
    )
    counts = vault.index.counts()
    assert counts.approximate + counts.vectors == NOTES
