"""A change of model: earlier vectors stay, and no search is worse meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from notewell.base.types import Embedder, FloatArray, ModelRules, Progress, VaultRecord
from notewell.contract.search import SearchReply, SearchRequest
from notewell.contract.status import StatusReply
from notewell.engine.engine import Engine
from notewell.engine.ingest import embed
from notewell.features import FEATURES
from notewell.index.embedded import EmbeddedIndex
from notewell.models import loading
from notewell.models.pool import EmbedderPool
from notewell.models.resilient import RETRY_S, ResilientEmbedder, Step
from tests.engine.test_engine import until
from tests.tiny_model import write_tiny_model
from tests.vaults import settings_in

LONG = "\n\n".join(
    f"## Part {n}\n\nThe {word} is in the garden by the water. "
    + " ".join(f"Day {n * 9 + day} is a good day for a story." for day in range(9))
    for n, word in enumerate(("bird", "bread", "moon", "river", "tree", "city"))
)
NOTES = {
    "Long.md": LONG,
    "Bread.md": "# Bread\n\nBread is good with water.\n",
    "City.md": "# City\n\nThe old city has a river.\n",
    "Empty.md": "",
}
# The second and the third cut notes into smaller passages than the first.
MODELS = {"first": None, "same": None, "small": 40, "smaller": 32}


class Crash(BaseException):
    """The end of a process in the middle of its work."""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    for path, text in NOTES.items():
        (folder / path).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("weights")
    return {
        name: write_tiny_model(root / name, seed=seed, max_tokens=most)
        for seed, (name, most) in enumerate(MODELS.items())
    }


@pytest.fixture
def rules(weights: dict[str, Path]) -> Callable[[str], ModelRules]:
    def of(name: str) -> ModelRules:
        folder = weights.get(name, Path("/nowhere"))
        return ModelRules(name=name, folder=str(folder), quantisation="fp32", threads=1)

    return of


@pytest.fixture
def open_engine(
    tmp_path: Path, vault: Path, rules: Callable[[str], ModelRules]
) -> Iterator[Callable[..., Engine]]:
    opened: list[Engine] = []
    plain = settings_in(
        tmp_path,
    )

    def opener(model: str, *, writable: bool = True) -> Engine:
        for engine in opened:
            engine.close()
        opened.clear()
        record = VaultRecord("v1", "vault", vault)
        settings = replace(plain, model=rules(model))
        opened.append(
            Engine.open(record, tmp_path / "index", settings, writable=writable, features=FEATURES)
        )
        return opened[-1]

    yield opener
    for engine in opened:
        engine.close()


def ask(engine: Engine) -> SearchReply:
    return engine.search(SearchRequest("bread and water", mode="semantic", weak=True))


def model_of(status: StatusReply) -> str:
    return (status.model or "none").partition("/")[0]


def index_and_look(engine: Engine) -> list[tuple[Progress, StatusReply, SearchReply]]:
    """Index, and note what is said and found at every step of the way."""
    seen: list[tuple[Progress, StatusReply, SearchReply]] = []

    def look(progress: Progress) -> None:
        seen.append((progress, engine.status(), ask(engine)))

    engine.index_now(progress=look)
    return seen


def crash_while_embedding(engine: Engine, *, after: int) -> int:
    """Index, and end as by a kill once so many texts are embedded; returns how many were."""

    def look(progress: Progress) -> None:
        if progress.stage == "embed" and progress.done >= after:
            raise Crash(progress.done)

    with pytest.raises(Crash) as crash:
        engine.index_now(progress=look)
    return int(crash.value.args[0])


@pytest.mark.parametrize("second", ["same", "small"])
def test_the_earlier_model_is_used_until_the_new_one_covers_every_passage(
    open_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch, second: str
) -> None:
    monkeypatch.setattr(embed, "COMMIT", 2)
    open_engine("first").index_now()
    engine = open_engine(second)

    seen = index_and_look(engine)
    assert list(dict.fromkeys(model_of(status) for _, status, _ in seen)) == [
        "first",
        second,
    ]
    changing = [each for each in seen if model_of(each[1]) == "first"]
    assert {progress.stage for progress, _, _ in changing} == {"scan", "read", "embed"}
    assert len(changing) >= len(seen) - 2
    for progress, status, reply in changing:
        assert status.next_model is not None
        assert status.next_model.startswith(second)
        assert status.semantic == "ready", progress
        assert "switching" in (status.semantic_reason or "")
        assert {result.path for result in reply.results} == {"Long.md", "Bread.md", "City.md"}
        assert not reply.warnings
        if progress.stage == "embed":
            assert status.ledger["indexed"] == 4
    after = engine.status()
    assert (model_of(after), after.next_model, after.semantic) == (second, None, "ready")
    assert after.semantic_reason is None
    assert after.generation > changing[-1][1].generation
    assert after.ledger["indexed"] == 4
    assert ask(engine).results


def test_switching_back_to_a_model_embeds_nothing(open_engine: Callable[..., Engine]) -> None:
    first = open_engine("first").index_now()
    second = open_engine("same").index_now()
    assert (first.embedded, second.embedded) == (first.chunks, first.chunks)

    engine = open_engine("first")
    status = engine.status()

    assert (model_of(status), status.next_model, status.semantic) == ("first", None, "ready")
    assert ask(engine).results
    assert engine.index_now().embedded == 0


def test_switching_back_to_larger_passages_embeds_nothing(
    open_engine: Callable[..., Engine],
) -> None:
    first = open_engine("first").index_now()
    second = open_engine("small").index_now()
    assert second.chunks > first.chunks

    engine = open_engine("first")
    assert ask(engine).results
    report = engine.index_now()

    assert (report.embedded, report.chunks) == (0, first.chunks)
    assert model_of(engine.status()) == "first"
    assert engine.status().semantic == "ready"


def test_changing_the_model_during_indexing_embeds_nothing_twice(
    open_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "COMMIT", 2)
    first = open_engine("first").index_now().embedded
    done = {
        name: crash_while_embedding(open_engine(name), after=4) for name in ("small", "smaller")
    }
    assert model_of(open_engine("small").status()) == "first"

    for name, before in done.items():
        report = open_engine(name).index_now()
        assert report.embedded == report.chunks - before
        assert model_of(open_engine(name).status()) == name

    assert open_engine("first").index_now().chunks == first
    for name in ("small", "smaller", "first"):
        assert open_engine(name).index_now().embedded == 0


def test_a_note_written_during_a_model_change_is_found_by_keyword(
    open_engine: Callable[..., Engine], vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "COMMIT", 2)
    open_engine("first").index_now()
    crash_while_embedding(open_engine("small"), after=2)
    (vault / "New.md").write_text("A lighthouse by the sea.\n", encoding="utf-8")
    (vault / "Bread.md").write_text("# Bread\n\nRye, and nothing else.\n", encoding="utf-8")
    engine = open_engine("small")
    crash_while_embedding(engine, after=0)

    status = engine.status()
    states = {row.path: row.state for row in engine.ledger().entries}
    found = engine.search(SearchRequest("lighthouse"))

    assert model_of(status) == "first"
    assert status.semantic == "partial"
    assert states == {
        "Bread.md": "keyword_only",
        "City.md": "indexed",
        "Empty.md": "indexed",
        "Long.md": "indexed",
        "New.md": "keyword_only",
    }
    assert found.results[0].path == "New.md"


def test_a_reader_uses_the_model_that_has_the_vectors(
    open_engine: Callable[..., Engine],
) -> None:
    open_engine("first").index_now()

    reader = open_engine("small", writable=False)

    assert ask(reader).results
    assert not ask(reader).warnings
    assert model_of(reader.status()) == "first"


def test_without_the_earlier_weights_the_new_model_is_used_at_once(
    open_engine: Callable[..., Engine], weights: dict[str, Path], tmp_path: Path
) -> None:
    weights["gone"] = write_tiny_model(tmp_path / "gone", seed=9)
    open_engine("gone").index_now()
    (tmp_path / "gone" / "model.safetensors").unlink()

    engine = open_engine("same")
    status = engine.status()

    assert (model_of(status), status.next_model, status.semantic) == ("same", None, "partial")
    engine.index_now()
    assert engine.status().semantic == "ready"


def test_while_the_configured_model_is_missing_the_earlier_one_is_used(
    open_engine: Callable[..., Engine], vault: Path
) -> None:
    open_engine("first").index_now()
    (vault / "New.md").write_text("A new story.\n", encoding="utf-8")
    engine = open_engine("absent")

    report = engine.index_now()
    status = engine.status()

    assert report.embedded == 1
    assert (model_of(status), status.next_model, status.semantic) == ("first", None, "ready")
    assert "absent" in (status.semantic_reason or "")
    assert ask(engine).results


def test_a_served_vault_changes_its_model_in_one_step(
    open_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    open_engine("first").index_now()
    engine = open_engine("small")
    models: list[str] = []
    engine.events.subscribe(lambda event: models.append(model_of(engine.status())))

    engine.start()
    until(lambda: model_of(engine.status()) == "small" and engine.status().state == "ready")

    assert [name for name in dict.fromkeys(models) if name != "none"] == ["first", "small"]
    assert engine.status().semantic == "ready"


def test_going_back_after_a_killed_model_change_restores_the_index(
    open_engine: Callable[..., Engine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "COMMIT", 2)
    open_engine("first").index_now()
    before = index_of(tmp_path)
    crash_while_embedding(open_engine("small"), after=6)
    open_engine("first").close()

    assert index_of(tmp_path) == before
    open_engine("first").index_now()
    assert index_of(tmp_path) == before


class Fragile:
    """A real embedder whose runtime gives up when it is told to."""

    def __init__(self, embedder: Embedder, broken: threading.Event) -> None:
        self._embedder = embedder
        self._broken = broken
        self.key, self.dimensions = embedder.key, embedder.dimensions
        self.sizes = embedder.sizes

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        if self._broken.is_set():
            raise MemoryError
        return self._embedder.embed_passages(texts)

    def embed_query(self, text: str) -> FloatArray:
        if self._broken.is_set():
            raise MemoryError
        return self._embedder.embed_query(text)

    def close(self) -> None:
        self._embedder.close()


def test_a_model_short_of_memory_falls_back_to_keywords_and_recovers(
    tmp_path: Path, vault: Path, rules: Callable[[str], ModelRules]
) -> None:
    broken = threading.Event()
    now = [0.0]

    def load(rules: ModelRules, **asked: Any) -> Embedder:
        def start(_: Step) -> Embedder:
            return Fragile(loading.load(rules, **asked), broken)

        return ResilientEmbedder(start("full"), start, clock=lambda: now[0])

    settings = settings_in(
        tmp_path,
        model=rules("first"),
    )
    record = VaultRecord("v1", "vault", vault)
    pool = EmbedderPool(load)
    engine = Engine.open(
        record, tmp_path / "index", settings, writable=True, load_model=pool.load, features=FEATURES
    )
    engine.index_now()
    broken.set()
    (vault / "New.md").write_text("A lighthouse by the river.\n", encoding="utf-8")

    report = engine.index_now()
    found = engine.search(SearchRequest("lighthouse"))
    status = engine.status()

    assert (report.notes, report.embedded) == (5, 0)
    assert [result.path for result in found.results] == ["New.md"]
    assert "memory" in found.warnings[-1]
    assert (status.semantic, status.state) == ("unavailable", "degraded")
    assert status.embedder is not None
    assert status.embedder.step == "keyword_only"
    assert status.ledger["keyword_only"] == 1

    broken.clear()
    now[0] += RETRY_S
    assert engine.index_now().embedded == 1
    status = engine.status()
    assert (status.semantic, status.state, status.embedder) == ("ready", "ready", None)
    engine.close()


def index_of(tmp_path: Path) -> str:
    index = EmbeddedIndex.open(tmp_path / "index", writable=False)
    try:
        kept = index.current_model()
        return kept.key.name if kept is not None else ""
    finally:
        index.close()
