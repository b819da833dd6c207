"""A service that is away: requests stop, status says since when, and queries go first."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from notewell.base.errors import ModelError
from notewell.models.remote.client import FAILURES, Breaker, RequestSlots
from notewell.models.remote.embedder import RemoteEmbedder
from notewell.models.resilient import Degrading
from tests.models.remote.fakes import DIMENSIONS, FakeService, running
from tests.models.remote.test_families import model_at
from tests.waiting import HANG_S


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_requests_stop_after_several_failures_and_one_is_tried_later() -> None:
    clock = Clock()
    with running(FakeService("openai")) as service:
        breaker = Breaker(clock=clock, now=lambda: 1_700_000_000.0)
        embedder = RemoteEmbedder(model_at(service), DIMENSIONS, breaker=breaker)
        service.faults = ["418"] * (FAILURES + 1)
        for _ in range(FAILURES):
            with pytest.raises(ModelError):
                embedder.embed_query("bread")
        sent = service.requests
        with pytest.raises(ModelError, match=r"is away: .*status 418") as raised:
            embedder.embed_query("bread")
        assert (service.requests, raised.value.code) == (sent, "provider_away")
        assert isinstance(embedder, Degrading)
        degraded = embedder.degraded
        assert degraded is not None
        assert (degraded.step, degraded.since) == ("keyword_only", 1_700_000_000.0)

        clock.seconds += 31
        with pytest.raises(ModelError, match="status 418"):
            embedder.embed_query("bread")
        clock.seconds += 31
        with pytest.raises(ModelError, match="is away"):  # the second rest is longer
            embedder.embed_query("bread")
        clock.seconds += 31
        assert np.isfinite(embedder.embed_query("bread")).all()
        assert embedder.degraded is None
        embedder.close()


def test_a_refused_key_is_not_sent_again_and_again() -> None:
    with running(FakeService("openai")) as service:
        embedder = RemoteEmbedder(model_at(service), DIMENSIONS)
        service.faults = ["401"]
        for _ in range(5):
            with pytest.raises(ModelError):
                embedder.embed_query("bread")
        assert service.requests == 1
        embedder.close()


def test_a_text_that_is_too_long_is_no_failure_of_the_service() -> None:
    with running(FakeService("openai", text_tokens=5)) as service:
        embedder = RemoteEmbedder(model_at(service), DIMENSIONS)
        for _ in range(5):
            assert np.isnan(embedder.embed_passages(["word " * 50])).all()
        assert embedder.degraded is None
        embedder.close()


def test_a_query_overtakes_the_passages_that_wait() -> None:
    slots = RequestSlots(parallel=1)
    done: list[str] = []
    started, release = threading.Event(), threading.Event()

    def passages(name: str) -> None:
        with slots.taken(urgent=False):
            started.set()
            assert release.wait(HANG_S)
            done.append(name)

    threads = [threading.Thread(target=passages, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    assert started.wait(HANG_S)
    with slots.taken(urgent=True):
        done.append("query")
    release.set()
    for thread in threads:
        thread.join(HANG_S)

    assert done[0] == "query"
    assert sorted(done[1:]) == ["a", "b"]
