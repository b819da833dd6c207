"""The promises of an embedder to the engine, on the real code with a tiny model."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from notewell.base.errors import ModelError
from notewell.base.types import Embedder, ModelKey, ModelRules
from notewell.models import onnx_embedder
from notewell.models.catalogue import ModelSpec, find
from notewell.models.encoder import read_encoder
from notewell.models.onnx_embedder import OnnxEmbedder, QueryGate
from notewell.models.providers import EmbedderOptions
from notewell.models.tokens import TextTokenizer
from tests.models.reference import hidden
from tests.tiny_model import HIDDEN
from tests.waiting import HANG_S

Load = Callable[..., Embedder]
TEXTS = [f"note {number} about bread " * (1 + number % 7) for number in range(40)]


@pytest.mark.parametrize("quantisation", ["int8", "fp32"])
def test_vectors_are_unit_rows_in_the_order_given(load_tiny: Load, quantisation: str) -> None:
    embedder = load_tiny(quantisation=quantisation)
    vectors = embedder.embed_passages(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    for row in (0, 6, 39):
        assert np.array_equal(vectors[row], embedder.embed_passages([TEXTS[row]])[0])


def test_a_vector_does_not_depend_on_other_texts_or_threads(load_tiny: Load) -> None:
    alone, crowd = load_tiny(threads=1), load_tiny(threads=4)
    assert np.array_equal(alone.embed_passages(TEXTS), crowd.embed_passages(TEXTS[::-1])[::-1])


def test_a_query_is_a_vector(load_tiny: Load) -> None:
    embedder = load_tiny()
    query = embedder.embed_query("bread")
    assert query.shape == (embedder.dimensions,)
    assert query.dtype == np.float32
    assert np.array_equal(query, embedder.embed_passages(["bread"])[0])


def test_a_query_that_comes_again_has_its_vector_which_nobody_can_change(load_tiny: Load) -> None:
    embedder = load_tiny()
    first = embedder.embed_query("bread")
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 0.0
    assert np.array_equal(embedder.embed_query("bread"), first)
    embedder.close()
    with pytest.raises(ModelError):
        embedder.embed_query("bread")


def test_no_texts_make_no_vectors(load_tiny: Load) -> None:
    embedder = load_tiny()
    assert embedder.embed_passages([]).shape == (0, embedder.dimensions)


@pytest.mark.parametrize("text", ["", " ", "\x00\x01", "\ud83d", "中文", "long " * 50_000])
def test_every_text_has_a_finite_vector(load_tiny: Load, text: str) -> None:
    embedder = load_tiny()
    assert np.isfinite(embedder.embed_passages([text, "note"])).all()
    assert np.linalg.norm(embedder.embed_query(text)) == pytest.approx(1.0, abs=1e-5)


def test_the_key_contains_name_weights_and_quantisation(
    load_tiny: Load, tiny_spec: ModelSpec
) -> None:
    key = load_tiny(quantisation="fp32").key
    assert (key.name, key.quantisation) == ("tiny", "fp32")
    assert key.weights_hash == tiny_spec.files[2].sha256
    assert load_tiny().key.quantisation == "int8"


def test_chunk_sizes_and_token_counts_are_those_of_the_model(load_tiny: Load) -> None:
    embedder = load_tiny()
    assert embedder.sizes.max_tokens == 256
    assert embedder.count_tokens("the book of zq") == 5


def test_many_threads_can_use_one_embedder(load_tiny: Load) -> None:
    embedder = load_tiny(threads=2)
    expected = embedder.embed_passages(TEXTS)
    queries = [embedder.embed_query(text) for text in TEXTS]
    with ThreadPoolExecutor(8) as pool:
        passages = [pool.submit(embedder.embed_passages, TEXTS) for _ in range(4)]
        asked = list(pool.map(embedder.embed_query, TEXTS))
    assert all(np.array_equal(done.result(), expected) for done in passages)
    assert np.array_equal(asked, queries)


def test_a_closed_embedder_raises_a_clear_error(load_tiny: Load) -> None:
    embedder = load_tiny()
    embedder.close()
    embedder.close()
    with pytest.raises(ModelError, match="closed"):
        embedder.embed_query("bread")
    with pytest.raises(ModelError, match="closed"):
        embedder.embed_passages(TEXTS)


def test_closing_during_embedding_gives_vectors_or_a_clear_error(load_tiny: Load) -> None:
    embedder = load_tiny(threads=2)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(embedder.embed_passages, TEXTS * 20)
        embedder.close()
    error = running.exception()
    assert error is None or isinstance(error, ModelError)


class FailingSession:
    """A runtime that fails on long texts."""

    def run(self, _: Sequence[str], feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        (ids,) = feed.values()
        if ids.shape[1] > 8:
            raise RuntimeError("no memory")
        return [np.ones((1, 64), np.float32)]


def on(session: Any, folder: Path, spec: ModelSpec, *, threads: int) -> OnnxEmbedder:
    """An embedder of the tiny model on a runtime of its own."""
    tokenizer = TextTokenizer.from_file(folder / "tokenizer.json", spec.max_tokens)
    key = ModelKey(spec.name, "weights", "fp32")
    spec = replace(spec, dimensions=64)
    return OnnxEmbedder(session, tokenizer, spec=spec, key=key, threads=threads)


def test_a_failing_runtime_is_a_model_error(tiny_folder: Path, tiny_spec: ModelSpec) -> None:
    embedder = on(FailingSession(), tiny_folder, tiny_spec, threads=2)
    with pytest.raises(ModelError, match="no memory"):
        embedder.embed_passages(["one", "two " * 20, "three"])
    assert embedder.embed_query("sea").shape == (64,)
    embedder.close()


class RecordingSession:
    """A runtime that writes down what it embeds, and lets a test stop it in the middle."""

    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.started = threading.Event()
        self.go_on = threading.Event()

    def run(self, _: Sequence[str], feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        (ids,) = feed.values()
        self.lengths.append(ids.shape[1])
        if len(self.lengths) == 1:
            self.started.set()
            self.go_on.wait(HANG_S)
        return [np.ones((1, 64), np.float32)]


def test_the_longest_text_is_first_and_queries_go_before_waiting_passages(
    tiny_folder: Path,
    tiny_spec: ModelSpec,
) -> None:
    session = RecordingSession()
    embedder = on(session, tiny_folder, tiny_spec, threads=1)
    texts = ["sea " * count for count in (5, 20, 10)]
    with ThreadPoolExecutor(1) as pool:
        passages = pool.submit(embedder.embed_passages, texts)
        session.started.wait(HANG_S)
        embedder.embed_query("x")  # while the first passage is being embedded
        session.go_on.set()
        passages.result()
    assert session.lengths == [22, 3, 12, 7]
    embedder.close()


def test_closing_stops_after_the_current_text(tiny_folder: Path, tiny_spec: ModelSpec) -> None:
    session = RecordingSession()
    embedder = on(session, tiny_folder, tiny_spec, threads=1)
    with ThreadPoolExecutor(2) as pool:
        passages = pool.submit(embedder.embed_passages, ["sea", "sun", "moon"])
        session.started.wait(HANG_S)
        closing = pool.submit(embedder.close)
        while embedder._session is not None:
            threading.Event().wait(0.001)
        session.go_on.set()
        closing.result()
    assert isinstance(passages.exception(), ModelError)
    assert len(session.lengths) == 1


def test_workers_wait_for_queries_but_not_indefinitely() -> None:
    gate = QueryGate()
    assert gate.give_way()
    with gate.query():
        with gate.query():
            assert not gate.give_way()
        assert not gate.give_way()
    assert gate.give_way()


@pytest.mark.parametrize(
    "name",
    [
        "snowflake-arctic-embed-xs",
        "bge-small-en-v1.5",
        "gte-small",
        "granite-embedding-30m-english",
    ],
)
def test_models_of_the_catalogue_pool_and_prefix_as_they_were_trained(
    name: str, tiny_spec: ModelSpec, tiny_folder: Path, tmp_path: Path
) -> None:
    of_catalogue = find(name)
    spec = replace(
        tiny_spec,
        dimensions=HIDDEN,
        pooling=of_catalogue.pooling,
        query_prefix=of_catalogue.query_prefix,
        passage_prefix=of_catalogue.passage_prefix,
    )
    rules = ModelRules(name="tiny", folder=str(tiny_folder), quantisation="fp32")
    options = EmbedderOptions(rules, spec, tiny_folder, tmp_path, offline=True, say=print)
    embedder = onnx_embedder.load(options)
    encoder = read_encoder(tiny_folder)
    tokenizer = TextTokenizer.from_file(tiny_folder / "tokenizer.json", spec.max_tokens)
    for prefix, vector in (
        (spec.query_prefix, embedder.embed_query("bread and light")),
        (spec.passage_prefix, embedder.embed_passages(["bread and light"])[0]),
    ):
        states = hidden(encoder, tokenizer.ids(f"{prefix}bread and light"))
        pooled = states[0] if of_catalogue.pooling == "cls" else states.mean(axis=0)
        assert vector == pytest.approx(pooled / np.linalg.norm(pooled), abs=1e-5)
    embedder.close()
