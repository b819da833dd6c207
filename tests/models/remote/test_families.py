"""Every form of requests: limits, order, kinds of text, faults, and a large run that completes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from notewell.base.errors import ModelError
from notewell.base.support.http import Retry
from notewell.base.types import ModelRules
from notewell.models.remote.client import Breaker, estimated_tokens
from notewell.models.remote.embedder import RemoteEmbedder
from notewell.models.remote.model import RemoteModel, remote_model
from notewell.models.remote.services import SERVICES, Limits
from tests.models.remote.bulk import embed_all
from tests.models.remote.fakes import (
    DIMENSIONS,
    FORMS,
    KEY,
    MODELS,
    PASSING,
    SPOILT,
    FakeService,
    running,
    vector,
)

TEXTS = [f"note {n} about bread" for n in range(30)]
RETRY = Retry(tries=4, first_pause_s=0.0, jitter=lambda: 0.0)


@pytest.fixture(scope="module", params=sorted(FORMS))
def shared(request: pytest.FixtureRequest) -> Iterator[FakeService]:
    with running(FakeService(request.param)) as made:
        yield made


@pytest.fixture
def service(shared: FakeService) -> FakeService:
    shared.forget()
    return shared


def model_at(service: FakeService, **changes: Any) -> RemoteModel:
    """The model as the settings make it, with the limits of the fake."""
    rules = ModelRules(name=MODELS[service.family], provider=service.family, base_url=service.url)  # type: ignore[arg-type]
    given = remote_model(replace(rules, **changes), {"NOTEWELL_MODEL_KEY": KEY})
    endpoint = replace(given.endpoint, retry=RETRY, timeout_s=changes.pop("timeout_s", 5.0))
    limits = Limits(service.texts, service.tokens, parallel=2)
    return replace(given, endpoint=endpoint, limits=limits, dimensions=None)


def open_at(service: FakeService, **changes: Any) -> RemoteEmbedder:
    return RemoteEmbedder(model_at(service, **changes), DIMENSIONS)


def unit(text: str) -> np.ndarray:
    values = np.array(vector(text))
    return values / np.linalg.norm(values)


def test_the_table_has_a_form_and_a_fake_for_every_service() -> None:
    assert {row.name for row in SERVICES} == set(FORMS) == set(MODELS)


def test_vectors_come_in_order_within_the_limits(service: FakeService) -> None:
    embedder = open_at(service)
    vectors = embedder.embed_passages(TEXTS)
    prefix = model_at(service).passage_prefix

    assert vectors == pytest.approx(np.array([unit(prefix + text) for text in TEXTS]), abs=1e-6)
    assert service.requests >= 4
    assert set(service.answered.values()) == {1}
    embedder.close()


def test_a_query_is_told_from_a_passage(service: FakeService) -> None:
    embedder = open_at(service)
    embedder.embed_query("bread")
    embedder.embed_passages(["bread"])
    embedder.close()
    query, passage = map(str, service.bodies)

    differs = {"openai": False, "mistral": False}.get(service.family, True)
    assert (query != passage) is differs


@pytest.mark.parametrize("fault", PASSING)
def test_what_may_pass_is_tried_again(service: FakeService, fault: str) -> None:
    embedder = open_at(service)
    service.faults = [fault]

    assert np.isfinite(embedder.embed_passages(TEXTS[:3])).all()
    embedder.close()


@pytest.mark.parametrize("status", ["400", "401", "403", "404", "422"])
def test_what_never_passes_is_sent_once(service: FakeService, status: str) -> None:
    embedder = open_at(service)
    service.faults = [status]

    with pytest.raises(ModelError):
        embedder.embed_passages(["bread"])
    assert service.requests == 1
    embedder.close()


@pytest.mark.parametrize("fault", SPOILT)
def test_a_spoilt_reply_is_never_used(service: FakeService, fault: str) -> None:
    embedder = open_at(service)
    service.faults = [fault]

    with pytest.raises(ModelError) as raised:
        embedder.embed_passages(["bread", "water"])
    assert KEY not in raised.value.message
    assert service.elsewhere == 0
    assert np.isfinite(embedder.embed_passages(["bread", "water"])).all()
    embedder.close()


def test_a_slow_reply_is_given_up(service: FakeService) -> None:
    model = model_at(service)
    once = replace(model.endpoint, timeout_s=0.2, retry=replace(RETRY, tries=1))
    embedder = RemoteEmbedder(replace(model, endpoint=once), DIMENSIONS)
    service.faults = ["slow"]

    with pytest.raises(ModelError, match="does not answer"):
        embedder.embed_passages(["bread"])
    embedder.close()


@pytest.mark.parametrize("family", ["openai", "voyage"])
def test_the_order_is_by_index_not_by_place(family: str) -> None:
    with running(FakeService(family)) as service:
        embedder = open_at(service)
        service.faults = ["shuffled"]

        assert embedder.embed_passages(TEXTS[:5])[4] == pytest.approx(unit(TEXTS[4]), abs=1e-6)
        embedder.close()


@pytest.mark.parametrize(("family", "keep"), [("openai", 4), ("ollama", 4)])
def test_vectors_are_cut_and_have_unit_length_again(family: str, keep: int) -> None:
    with running(FakeService(family)) as service:
        embedder = RemoteEmbedder(model_at(service, dimensions=keep), keep)
        whole = np.array(vector(model_at(service).query_prefix + "bread"))[:keep]

        assert embedder.embed_query("bread") == pytest.approx(
            whole / np.linalg.norm(whole), abs=1e-6
        )
        assert embedder.key != open_at(service).key
        embedder.close()


def test_batches_learn_how_the_service_counts() -> None:
    with running(FakeService("openai", texts=1000, tokens=300)) as service:
        embedder = open_at(service)
        texts = [f"a b c d e f g h {n}" for n in range(200)]
        guessed = estimated_tokens(texts[0])
        embedder.embed_passages(texts)
        first = service.requests
        embedder.embed_passages([f"{text}!" for text in texts])

        assert guessed * 2 < 14  # the fake counts more, so the first batches are too long
        assert service.requests - first < first
        assert set(service.answered.values()) == {1}
        embedder.close()


def test_ten_thousand_passages_arrive_whatever_fails() -> None:
    chance = random.Random(7)

    def fault() -> str | None:
        return chance.choice((*PASSING, *SPOILT)) if chance.random() < 0.1 else None

    with running(FakeService("openai", texts=64, tokens=1000, next_fault=fault)) as service:
        texts = [f"passage {n} of a long vault" for n in range(10_000)]

        def open_with(breaker: Breaker) -> RemoteEmbedder:
            return RemoteEmbedder(model_at(service), DIMENSIONS, breaker=breaker)

        stored = embed_all(open_with, texts)

    assert len(stored) == len(texts)
    assert stored[777] == pytest.approx(unit(texts[777]), abs=1e-6)
    assert set(service.answered.values()) == {1}
