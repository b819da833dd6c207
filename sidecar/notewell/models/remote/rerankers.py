"""Rerankers behind an API: Voyage, Cohere, Jina, Text Embeddings Inference and llama.cpp.

Only the order that they give is used: their scores have different scales, and llama.cpp's are
logits. A reply that comes too late is an error, after which the search shows its own order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from urllib.parse import urlsplit

import numpy as np

from notewell.base.config import ENV_RERANK_KEY, secret
from notewell.base.errors import ConfigError, ModelError, ModelUnavailableError
from notewell.base.support.http import HttpRequest, Json, Retry, is_loopback
from notewell.base.types import FloatArray, SearchRules
from notewell.base.types.frozen import frozen
from notewell.models.keys import find_kept_key
from notewell.models.providers import RerankerOptions
from notewell.models.remote.client import ServiceClient
from notewell.models.remote.model import check_address
from notewell.models.remote.services import EmbeddingEndpoint, service_named

_TIMEOUT_S = 15.0  # after which a request that nobody waits for ends
_LONGEST_PASSAGE = 8_000  # characters, about 2,000 tokens; the services read 4,000 at least


@frozen
class _RerankForm:
    """A service's usual address, the names in its requests, and where its results are."""

    base_url: str = ""
    documents: str = "documents"
    extra: Mapping[str, Json] | None = None
    results: str | None = "results"
    score: str = "relevance_score"


_FORMS: Mapping[str, _RerankForm] = {
    "voyage": _RerankForm(
        "https://api.voyageai.com/v1", extra={"truncation": True}, results="data"
    ),
    "cohere": _RerankForm("https://api.cohere.com/v2"),
    "jina": _RerankForm("https://api.jina.ai/v1"),
    "llamacpp": _RerankForm("http://127.0.0.1:8080/v1"),
    "tei": _RerankForm(
        "http://127.0.0.1:8080",
        documents="texts",
        extra={"raw_scores": False, "truncate": True},
        results=None,
        score="score",
    ),
}


class RemoteReranker:
    """Sends a query and passages to a server. Satisfies `types.Reranker`; thread-safe."""

    def __init__(self, provider: str, endpoint: EmbeddingEndpoint) -> None:
        self._form = _FORMS[provider]
        self._endpoint = endpoint
        self._service = ServiceClient(endpoint, does="reranking")
        self._senders = ThreadPoolExecutor(2, "rerank-remote")

    @property
    def name(self) -> str:
        return f"{self._endpoint.model}@{self._endpoint.host}"

    def judge(self, query: str, passages: Sequence[str], *, budget_s: float) -> FloatArray:
        """Scores in 0..1 by the order of the server alone; see `types.Reranker`.

        Raises ModelError if the server fails, or does not answer within `budget_s`.
        """
        self._service.check_open()
        if not passages or budget_s <= 0:
            return np.full(len(passages), np.nan, np.float32)
        request = self._request(query, passages)
        waiting = self._senders.submit(self._service.send, request, urgent=True)
        try:
            body = waiting.result(timeout=budget_s)
        except FutureTimeoutError as error:
            raise ModelError(
                f"The reranking server at {self._endpoint.host} did not answer within"
                f" {budget_s * 1000:.0f} ms. Raise search.rerank_ms, or choose a nearer one.",
                code="rerank_late",
            ) from error
        scores = self._scores(body, len(passages))
        if scores is None:
            raise self._service.invalid("did not send one score for each passage")
        order = np.argsort(-scores, kind="stable")
        by_order = np.empty(len(scores), np.float32)
        by_order[order] = 1.0 - (np.arange(len(scores)) + 0.5) / len(scores)
        return by_order

    def close(self) -> None:
        """End requests that are under way. May be called twice."""
        self._service.close()
        self._senders.shutdown(wait=False, cancel_futures=True)

    def _request(self, query: str, passages: Sequence[str]) -> HttpRequest:
        texts = [_readable(passage)[:_LONGEST_PASSAGE] for passage in passages]
        body: dict[str, Json] = {
            "query": _readable(query),
            self._form.documents: texts,
            **(self._form.extra or {}),
        }
        if self._form.results is not None:  # TEI serves one model and knows no such field
            body["model"] = self._endpoint.model
        return self._endpoint.post("/rerank", body)

    def _scores(self, body: Json, count: int) -> FloatArray | None:
        """The score of each passage; None unless each has exactly one finite score."""
        name = self._form.results
        results = body if name is None else body.get(name) if isinstance(body, Mapping) else None
        by_place: dict[int, float] = {}
        for result in results if isinstance(results, list) else ():
            index = result.get("index") if isinstance(result, Mapping) else None
            score = result.get(self._form.score) if isinstance(result, Mapping) else None
            if (
                not isinstance(index, int)
                or not isinstance(score, int | float)
                or index in by_place
            ):
                return None
            by_place[index] = float(score)
        if by_place.keys() != set(range(count)):
            return None
        scores = np.array([by_place[place] for place in range(count)], np.float32)
        return scores if np.isfinite(scores).all() else None


def load(options: RerankerOptions) -> RemoteReranker:
    """The reranker that `options.rules` name. Raises ConfigError, or ModelUnavailableError.

    The latter without consent: passages are sent to another computer only after it was allowed.
    """
    rules = options.rules
    if rules is None:
        raise ConfigError("A reranking server needs its settings, search.rerank_provider.")
    form = _FORMS[rules.rerank_provider]
    base_url = rules.rerank_url or form.base_url
    endpoint = EmbeddingEndpoint(
        base_url,
        rules.reranker,
        key=_key(rules, base_url),
        timeout_s=_TIMEOUT_S,
        retry=Retry(tries=1),
    )
    check_address(endpoint)
    if not is_loopback(endpoint.host) and endpoint.host not in options.consent:
        raise ModelUnavailableError(
            f"Reranking sends each search and its first passages to {endpoint.host}. Nothing is"
            f" sent until you allow it: notewell models allow {endpoint.host}"
        )
    return RemoteReranker(rules.rerank_provider, endpoint)


def _key(rules: SearchRules, base_url: str) -> str:
    """The key to send; a service's usual variable only counts for its own address."""
    service = service_named(rules.rerank_provider)
    own = service is not None and urlsplit(base_url).netloc == urlsplit(service.base_url).netloc
    variables = service.variables if own and service is not None else ()
    name = f"embeddings {rules.rerank_provider} {base_url.rstrip('/')}"
    return secret(ENV_RERANK_KEY, *variables) or find_kept_key(name)


def _readable(text: str) -> str:
    """Replace lone surrogates and empty texts, which servers refuse."""
    return text.encode("utf-8", "replace").decode() or " "
