"""An embedder that fails continues in a simpler setup, reports it, and recovers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from notewell.base.errors import ModelError
from notewell.base.types import ChunkSizes, Embedder, FloatArray, ModelKey, ModelRules
from notewell.models.resilient import PROBE, ResilientEmbedder, Step, rules_for

RETRY_S = 300.0
Breaks = Callable[[Step, str], Exception | None]


class Plain:
    """An embedder of one step whose runtime breaks when the stage tells it to."""

    dimensions = 3
    sizes = ChunkSizes()

    def __init__(self, stage: Stage, step: Step) -> None:
        self._stage = stage
        self._step = step
        self.closed = False
        self.key = ModelKey(
            "m", stage.weights, "fp32" if step == "single_fp32" else stage.quantisation
        )

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        self._stage.calls.append((self._step, len(texts)))
        return np.array([self._vector(text) for text in texts], np.float32)

    def embed_query(self, text: str) -> FloatArray:
        return self._vector(text)

    def close(self) -> None:
        self.closed = True

    def _vector(self, text: str) -> FloatArray:
        if self.closed:
            raise ModelError("closed", code="model_closed")
        error = self._stage.breaks(self._step, text)
        if error is not None:
            raise error
        return np.array([len(text), 1, 0], np.float32)


@dataclass
class Stage:
    """Where embedders are started, and what time it is."""

    breaks: Breaks = lambda step, text: None
    before_start: Callable[[], object] = lambda: None
    quantisation: str = "int8"
    weights: str = "w"
    now: float = 0.0
    started: list[Step] = field(default_factory=list)
    alive: list[Plain] = field(default_factory=list)
    calls: list[tuple[Step, int]] = field(default_factory=list)

    def start(self, step: Step) -> Embedder:
        self.before_start()
        self.started.append(step)
        self.alive.append(Plain(self, step))
        return self.alive[-1]

    def open(self) -> ResilientEmbedder:
        first = Plain(self, "full")
        self.alive.append(first)
        return ResilientEmbedder(first, self.start, clock=lambda: self.now, retry_s=RETRY_S)


def failing_at(*steps: Step, error: Exception | None = None) -> Breaks:
    def breaks(step: Step, text: str) -> Exception | None:
        return (error or RuntimeError("the kernel gave up")) if step in steps else None

    return breaks


def step_of(embedder: ResilientEmbedder) -> Step:
    return embedder.degraded.step if embedder.degraded is not None else "full"


def test_without_failures_it_passes_calls_to_the_embedder() -> None:
    stage = Stage()
    embedder = stage.open()

    assert embedder.embed_passages(["a", "bc"])[:, 0].tolist() == [1, 2]
    assert embedder.embed_query("abc")[0] == 3
    assert (embedder.dimensions, embedder.count_tokens("a b")) == (3, 2)
    assert embedder.key == ModelKey("m", "w", "int8")
    assert (embedder.degraded, stage.started) == (None, [])


@pytest.mark.parametrize("error", [RuntimeError("the kernel gave up"), MemoryError(), OSError()])
def test_a_crash_during_passages_restarts_with_fewer_threads(error: Exception) -> None:
    stage = Stage(breaks=failing_at("full", error=error))
    embedder = stage.open()

    vectors = embedder.embed_passages(["a", "bc"])

    assert vectors[:, 0].tolist() == [1, 2]
    assert step_of(embedder) == "fewer_threads"
    assert stage.alive[0].closed
    assert embedder.degraded is not None
    assert embedder.degraded.reason


def test_without_int8_queries_are_embedded_and_passages_wait() -> None:
    stage = Stage(breaks=failing_at("full", "fewer_threads"))
    embedder = stage.open()

    with pytest.raises(ModelError, match="cannot be embedded now"):
        embedder.embed_passages(["a"])

    assert step_of(embedder) == "single_fp32"
    assert embedder.embed_query("abc")[0] == 3
    assert embedder.key.quantisation == "int8"
    assert ("single_fp32", 1) not in stage.calls


def test_a_model_set_to_fp32_embeds_passages_at_the_fp32_step() -> None:
    stage = Stage(breaks=failing_at("full", "fewer_threads"), quantisation="fp32")
    embedder = stage.open()

    assert embedder.embed_passages(["abc"])[0, 0] == 3
    assert step_of(embedder) == "single_fp32"


def test_without_a_working_step_embedding_fails_and_token_counting_works() -> None:
    stage = Stage(breaks=failing_at("full", "fewer_threads", "single_fp32"))
    embedder = stage.open()

    with pytest.raises(ModelError, match="the kernel gave up"):
        embedder.embed_query("a")
    with pytest.raises(ModelError, match="the kernel gave up"):
        embedder.embed_passages(["a"])

    assert step_of(embedder) == "keyword_only"
    assert embedder.count_tokens("a b c") == 3
    assert stage.started == ["fewer_threads", "single_fp32"]
    assert all(each.closed for each in stage.alive)


def test_a_step_that_cannot_start_is_skipped() -> None:
    stage = Stage(breaks=failing_at("full"))
    embedder = stage.open()
    start = stage.start

    def refuse(step: Step) -> Embedder:
        if step == "fewer_threads":
            raise MemoryError
        return start(step)

    embedder = ResilientEmbedder(stage.alive[0], refuse, clock=lambda: stage.now)
    assert embedder.embed_query("abc")[0] == 3
    assert step_of(embedder) == "single_fp32"


def test_the_configured_setup_is_tried_again_after_the_retry_time_only() -> None:
    stage = Stage(breaks=failing_at("full", "fewer_threads", "single_fp32"))
    embedder = stage.open()
    with pytest.raises(ModelError):
        embedder.embed_query("a")
    stage.breaks = failing_at()
    stage.started.clear()

    stage.now = RETRY_S - 1
    with pytest.raises(ModelError):
        embedder.embed_query("a")
    assert stage.started == []

    stage.now = RETRY_S
    assert embedder.embed_query("a")[0] == 1
    assert stage.started == ["full"]
    assert embedder.degraded is None


def test_a_failed_retry_keeps_the_current_step() -> None:
    stage = Stage(breaks=failing_at("full"))
    embedder = stage.open()
    embedder.embed_passages(["a"])
    since = embedder.degraded
    stage.now = RETRY_S

    assert embedder.embed_query("abc")[0] == 3

    assert stage.started == ["fewer_threads", "full", "fewer_threads"]
    assert embedder.degraded == since
    assert [each.closed for each in stage.alive] == [True, True, True, False]
    embedder.embed_query("abc")
    assert len(stage.started) == 3


def test_every_change_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "notewell")
    stage = Stage(breaks=failing_at("full"))
    embedder = stage.open()
    for _ in range(3):
        embedder.embed_passages(["a"])
        stage.now += RETRY_S
    assert len(caplog.records) == 1
    stage.breaks = failing_at()
    embedder.embed_passages(["a"])
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]


def test_a_text_that_cannot_be_embedded_is_skipped() -> None:
    stage = Stage(breaks=lambda step, text: RuntimeError("no") if text == "poison" else None)
    embedder = stage.open()

    vectors = embedder.embed_passages(["a", "poison", "bc"])

    assert np.isnan(vectors).all(axis=1).tolist() == [False, True, False]
    assert step_of(embedder) == "fewer_threads"
    assert embedder.embed_passages(["abc"])[0, 0] == 3


def test_a_lack_of_memory_is_never_attributed_to_a_text() -> None:
    def breaks(step: Step, text: str) -> Exception | None:
        return RuntimeError("std::bad_alloc") if text != PROBE else None

    stage = Stage(breaks=breaks, quantisation="fp32")
    embedder = stage.open()

    with pytest.raises(ModelError, match="memory"):
        embedder.embed_passages(["a", "b"])
    assert step_of(embedder) == "keyword_only"


def test_a_query_that_cannot_be_embedded_does_not_change_the_step() -> None:
    stage = Stage(breaks=lambda step, text: ValueError("no") if text == "poison" else None)
    embedder = stage.open()

    with pytest.raises(ModelError):
        embedder.embed_query("poison")

    assert embedder.degraded is None
    assert stage.started == []


def test_a_query_during_a_restart_does_not_wait() -> None:
    stage = Stage(breaks=failing_at("full"))
    embedder = stage.open()
    told: list[str] = []

    def ask() -> None:
        with pytest.raises(ModelError) as caught:
            embedder.embed_query("meanwhile")
        told.append(caught.value.message)

    stage.before_start = ask
    embedder.embed_passages(["a"])
    assert "restarted" in told[0]


def test_replaced_model_files_are_not_used_as_the_same_model() -> None:
    stage = Stage(breaks=failing_at("full"))
    embedder = stage.open()

    stage.weights = "other weights"
    with pytest.raises(ModelError, match="replaced"):
        embedder.embed_passages(["a"])
    assert step_of(embedder) == "keyword_only"


def test_a_closed_embedder_raises_and_starts_nothing() -> None:
    stage = Stage()
    embedder = stage.open()
    embedder.close()
    embedder.close()

    for ask in (lambda: embedder.embed_query("a"), lambda: embedder.embed_passages(["a"])):
        with pytest.raises(ModelError) as caught:
            ask()
        assert caught.value.code == "model_closed"
    assert stage.started == []


def test_the_rules_of_each_step() -> None:
    rules = ModelRules(threads=6)

    assert rules_for("full", rules, 8) == rules
    assert rules_for("fewer_threads", rules, 8).threads == 3
    assert rules_for("fewer_threads", ModelRules(), 8).threads == 4
    assert rules_for("fewer_threads", ModelRules(threads=1), 8).threads == 1
    simplest = rules_for("single_fp32", rules, 8)
    assert (simplest.threads, simplest.quantisation) == (1, "fp32")


def test_a_real_model_degrades_step_by_step_and_still_matches_stored_vectors(
    load_tiny: Callable[..., ResilientEmbedder],
) -> None:
    embedder = load_tiny(threads=2)
    kept = embedder.embed_passages(["the book of bread"])[0]
    for expected in ("fewer_threads", "single_fp32"):
        failed = embedder._current
        assert failed is not None
        embedder._step_down(failed, RuntimeError("the kernel gave up"), wait=True)
        assert step_of(embedder) == expected

    assert float(embedder.embed_query("the book of bread") @ kept) > 0.95
