"""The remote embedder, with a server that has real limits and faults."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from notewell.base.errors import ConfigError, ModelError
from notewell.base.support.http import Retry
from notewell.base.types import ChunkSizes, Embedder, ModelRules
from notewell.models.providers import EMBEDDERS, EmbedderOptions, find_provider
from notewell.models.remote.model import RemoteModel
from notewell.models.remote.services import EmbeddingEndpoint, Limits
from tests.models.embedding_server import EmbeddingServer, data, hold, serving
from tests.models.loopback import nobody
from tests.waiting import HANG_S

TEXTS = [f"word{n} and bread" for n in range(20)]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving(EmbeddingServer()) as running:
        yield running


class Pauses(list[float]):
    """Records the pauses instead of making them."""

    def policy(self) -> Retry:
        return Retry(tries=3, sleep=self.append, jitter=lambda: 0.0)


def remote(server: EmbeddingServer, **changes: Any) -> RemoteModel:
    given = {"key": server.key, "retry": Pauses().policy(), **changes}
    names = {"query_prefix", "passage_prefix", "limits", "sizes"}
    own = {name: given.pop(name) for name in names & given.keys()}
    endpoint = EmbeddingEndpoint(**{"base_url": server.url, "model": "words", **given})
    return RemoteModel(endpoint, **{"limits": Limits(8, 200, parallel=1), **own})


def load(model: RemoteModel | None) -> Embedder:
    options = EmbedderOptions(
        rules=ModelRules(name="words"),
        spec=None,
        folder=None,
        model_dir=Path(os.devnull, "unused"),  # nothing can be written there
        offline=False,
        say=print,
        remote=model,
    )
    return find_provider(EMBEDDERS, "remote").load(options)


def test_the_dimensions_are_configured_or_measured(server: EmbeddingServer) -> None:
    learned = load(remote(server))
    assert (learned.dimensions, len(server.requests)) == (32, 1)
    assert "dimensions" not in server.bodies[0]
    short = load(remote(server, dimensions=8))
    assert (short.dimensions, len(server.requests)) == (8, 1)
    assert short.embed_query("bread").shape == (8,)
    assert server.bodies[-1]["dimensions"] == 8


def test_batches_stay_within_both_limits(server: EmbeddingServer) -> None:
    server.requests.clear()
    by_count = load(remote(server, dimensions=32))
    by_count.embed_passages(TEXTS)
    assert [len(batch) for batch in server.requests] == [8, 8, 4]
    server.requests.clear()
    cost = by_count.count_tokens(TEXTS[0])
    load(remote(server, dimensions=32, limits=Limits(8, 3 * cost, parallel=1))).embed_passages(
        TEXTS[:7]
    )
    assert [len(batch) for batch in server.requests] == [3, 3, 1]
    server.requests.clear()
    load(remote(server, dimensions=32, limits=Limits(8, 1, parallel=1))).embed_passages(TEXTS[:3])
    assert [len(batch) for batch in server.requests] == [1, 1, 1]


def test_a_batch_that_is_too_long_is_halved_until_it_fits(server: EmbeddingServer) -> None:
    server.max_texts, server.max_tokens = 5, 9
    embedder = load(remote(server, dimensions=32, limits=Limits(16, 10_000, parallel=1)))
    vectors = embedder.embed_passages(TEXTS)
    one_by_one = np.vstack([embedder.embed_passages([text]) for text in TEXTS])

    assert vectors == pytest.approx(one_by_one, abs=1e-6)


def test_a_text_that_is_too_long_gets_no_vector_and_the_others_do(
    server: EmbeddingServer,
) -> None:
    embedder = load(remote(server, dimensions=32))
    vectors = embedder.embed_passages(["bread", "word " * 65, "water"])

    assert np.isnan(vectors[1]).all()
    assert np.isfinite(vectors[[0, 2]]).all()
    with pytest.raises(ModelError, match="maximum context length") as raised:
        embedder.embed_query("word " * 65)
    assert raised.value.code == "text_too_long"


def test_prefixes_are_sent_with_queries_and_passages(server: EmbeddingServer) -> None:
    embedder = load(
        remote(server, dimensions=32, query_prefix="query: ", passage_prefix="passage: ")
    )
    embedder.embed_query("bread")
    embedder.embed_passages(["water"])

    assert server.requests == [["query: bread"], ["passage: water"]]


@pytest.mark.parametrize("fault", [(429, {"Retry-After": "2"}), (503, {})])
def test_a_busy_server_is_retried(server: EmbeddingServer, fault: Any) -> None:
    pauses = Pauses()
    embedder = load(remote(server, dimensions=32, retry=pauses.policy()))
    server.faults = [fault]

    assert np.isfinite(embedder.embed_query("bread")).all()
    assert pauses == [2.0 if fault[1] else 1.0]


@pytest.mark.parametrize(
    ("faults", "code", "words"),
    [
        ([(429, {})] * 3, "provider_busy", "limit of requests"),
        ([(500, {})] * 3, "provider_failed", "status 500"),
        ([(418, {})], "provider_failed", "status 418"),
        ([(403, {})], "provider_key", "key is missing or wrong"),
    ],
)
def test_a_refused_request_has_a_clear_error(
    server: EmbeddingServer, faults: list[Any], code: str, words: str
) -> None:
    embedder = load(remote(server, dimensions=32))
    server.faults = list(faults)

    with pytest.raises(ModelError, match=words) as raised:
        embedder.embed_passages(["bread"])
    assert raised.value.code == code


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"key": "sk-wrong"}, "provider_key"),
        ({"key": ""}, "provider_key"),
        ({"model": "other"}, "provider_not_found"),
        ({"base_url": nobody()}, "provider_failed"),
    ],
)
def test_a_wrong_key_name_or_address_is_an_error_at_loading(
    server: EmbeddingServer, changes: dict[str, Any], code: str
) -> None:
    with pytest.raises(ModelError) as raised:
        load(remote(server, **changes))

    assert raised.value.code == code
    assert "sk-wrong" not in raised.value.message


@pytest.mark.parametrize(
    "fault",
    [
        data(lambda rows: rows[1:]),
        data(lambda rows: [*rows, rows[0]]),
        data(lambda rows: [{**row, "index": 0} for row in rows]),
        data(lambda rows: [{**row, "index": "0"} for row in rows]),
        data(lambda rows: [{**row, "embedding": None} for row in rows]),
        data(lambda rows: [{**row, "embedding": ["x"] * 32} for row in rows]),
        data(lambda rows: [{**row, "embedding": [[1.0]] * 32} for row in rows]),
        data(lambda rows: [{**row, "embedding": [float("nan")] * 32} for row in rows]),
        data(lambda rows: [{**row, "embedding": [0.0] * 32} for row in rows]),
        data(lambda rows: [{**row, "embedding": [1.0] * 31} for row in rows]),
        data(lambda rows: [{**row, "embedding": [1.0] * (32 + n)} for n, row in enumerate(rows)]),
        lambda _: {"error": {"message": "overloaded"}},
        lambda _: [],
        lambda _: b"<html>",
        lambda _: b'{"data": [',
    ],
)
def test_an_invalid_reply_is_never_used_as_vectors(server: EmbeddingServer, fault: Any) -> None:
    embedder = load(remote(server, dimensions=32))
    server.faults = [fault]

    with pytest.raises(ModelError):
        embedder.embed_passages(["bread", "water"])


def test_vectors_of_different_servers_have_different_keys(server: EmbeddingServer) -> None:
    model = remote(server, dimensions=32)
    endpoints = [
        model.endpoint,
        replace(model.endpoint, base_url="https://example.com/v1"),
        replace(model.endpoint, base_url="https://example.com/v2"),
        replace(model.endpoint, base_url="https://example.com:8443/v1"),
        replace(model.endpoint, model="other"),
        replace(model.endpoint, dimensions=16),
    ]
    models = [replace(model, endpoint=endpoint) for endpoint in endpoints]
    models += [replace(model, query_prefix="q: "), replace(model, passage_prefix="p: ")]
    keys = [load(model).key for model in models]

    assert len(set(keys)) == len(set(map(str, keys))) == len(models)
    same = replace(model.endpoint, key="sk-other", base_url=f"{server.url}/", timeout_s=1.0)
    assert load(replace(model, endpoint=same)).key == keys[0]
    assert "sk-" not in repr(model)


def test_closing_ends_a_request_that_is_under_way(server: EmbeddingServer) -> None:
    embedder = load(remote(server, dimensions=32))
    server.faults = [hold]
    failures: list[ModelError] = []

    def embed() -> None:
        with pytest.raises(ModelError) as raised:
            embedder.embed_passages(["bread"])
        failures.append(raised.value)

    waiting = threading.Thread(target=embed)
    waiting.start()
    assert server.arrived.wait(HANG_S)
    embedder.close()
    waiting.join(HANG_S)

    assert [failure.code for failure in failures] == ["model_closed"]


@pytest.mark.parametrize(
    "base_url", ["", "example.com/v1", "ftp://example.com", "http://example.com/v1"]
)
def test_an_unsafe_address_is_a_config_error(server: EmbeddingServer, base_url: str) -> None:
    with pytest.raises(ConfigError):
        load(remote(server, base_url=base_url))


def test_a_remote_model_needs_an_address() -> None:
    with pytest.raises(ConfigError, match="address of its server"):
        load(None)


def test_the_chunk_sizes_are_those_of_the_model(server: EmbeddingServer) -> None:
    sizes = ChunkSizes(512, 64, 32)
    assert load(remote(server, dimensions=32, sizes=sizes)).sizes == sizes
