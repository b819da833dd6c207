"""Rerank services: their forms, only their order, a time limit, and consent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aiohttp import web

from notewell.base.errors import ConfigError, ModelError, ModelUnavailableError
from notewell.base.types import Reranker, SearchRules
from notewell.models.loading import load_remote_reranker
from tests.models.remote.fakes import serving

PASSAGES = ("a cat", "a cat and a dog", "nothing of it", "a dog")
FIELDS = {
    "voyage": {"query", "documents", "model", "truncation"},
    "cohere": {"query", "documents", "model"},
    "jina": {"query", "documents", "model"},
    "llamacpp": {"query", "documents", "model"},
    "tei": {"query", "texts", "raw_scores", "truncate"},
}


@dataclass
class RerankServer:
    """Scores passages by the words they share with the query; refuses fields of other forms."""

    form: str
    reply: Any = None  # sent in place of the results
    wait_s: float = 0.0
    heard: list[Any] = field(default_factory=list)
    url: str = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.heard.append((request.path, body, request.headers.get("Authorization")))
        if set(body) != FIELDS[self.form]:
            return web.json_response({"error": "unknown fields"}, status=422)
        await asyncio.sleep(self.wait_s)
        if self.reply is not None:
            return web.json_response(self.reply)
        wanted = set(body["query"].split())
        texts = body.get("documents") or body["texts"]
        score = "score" if self.form == "tei" else "relevance_score"
        found = [  # logits, as llama.cpp has them
            {"index": n, score: 5.0 * len(wanted & set(text.split())) - 7}
            for n, text in enumerate(texts)
        ]
        found.sort(key=lambda one: -one[score])
        name = {"voyage": "data", "tei": None}.get(self.form, "results")
        return web.json_response(found if name is None else {name: found})


@pytest.fixture(params=sorted(FIELDS))
def server(request: pytest.FixtureRequest) -> Iterator[RerankServer]:
    made = RerankServer(request.param)
    with serving(made.handle) as address:
        made.url = address
        yield made


@contextmanager
def opened(server: RerankServer, **changes: Any) -> Iterator[Reranker]:
    rules = SearchRules(reranker="judge", rerank_provider=server.form, rerank_url=server.url)  # type: ignore[arg-type]
    reranker = load_remote_reranker(replace(rules, **changes), model_dir=Path("unused"), consent=())
    yield reranker
    reranker.close()


def test_passages_get_scores_by_the_order_of_the_service(server: RerankServer) -> None:
    with opened(server) as reranker:
        scores = reranker.judge("cat dog", PASSAGES, budget_s=30)
        assert reranker.name == "judge@127.0.0.1"

    assert np.argsort(-scores, kind="stable").tolist() == [1, 0, 3, 2]
    assert ((scores > 0) & (scores < 1)).all()


@pytest.mark.parametrize(
    "reply",
    [
        {"results": [], "data": []},
        [{"index": 0, "score": 1.0}],
        [{"index": 9, "score": 1.0}] * 4,
        {"results": [{"index": n, "relevance_score": None} for n in range(4)]},
        {"data": "x", "results": {}},
    ],
)
def test_a_reply_without_a_score_for_each_passage_is_an_error(
    server: RerankServer, reply: Any
) -> None:
    server.reply = reply
    with opened(server) as reranker, pytest.raises(ModelError):
        reranker.judge("cat", PASSAGES, budget_s=30)


def test_a_late_reply_is_an_error_and_no_time_gives_no_scores() -> None:
    server = RerankServer("jina", wait_s=1.0)
    with serving(server.handle) as server.url, opened(server) as reranker:
        with pytest.raises(ModelError, match="within 50 ms") as raised:
            reranker.judge("cat", PASSAGES, budget_s=0.05)
        assert raised.value.code == "rerank_late"
        assert np.isnan(reranker.judge("cat", PASSAGES, budget_s=0)).all()


def test_nothing_is_sent_without_consent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTEWELL_MODEL_KEY", "of another service")
    rules = SearchRules(reranker="rerank-2.5", rerank_provider="voyage")
    with pytest.raises(ModelUnavailableError, match=r"notewell models allow api\.voyageai\.com"):
        load_remote_reranker(rules, model_dir=Path("unused"), consent=())
    allowed = load_remote_reranker(rules, model_dir=Path("unused"), consent=("api.voyageai.com",))
    assert "another" not in repr(vars(allowed))
    allowed.close()
    unsafe = replace(rules, rerank_url="ftp://example.com")
    with pytest.raises(ConfigError):
        load_remote_reranker(unsafe, model_dir=Path("unused"), consent=())
