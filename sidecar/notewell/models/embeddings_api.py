"""A client of OpenAI's /embeddings API, which many servers have.

On the own computer these are LM Studio, llama.cpp, vLLM, Ollama and Text Embeddings Inference;
elsewhere OpenAI, Jina, Mistral and others. Only fields that all of them accept are sent. Source:
https://platform.openai.com/docs/api-reference/embeddings
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import numpy as np

from notewell.errors import CancelledError, ModelError
from notewell.support.http import (
    Cancel,
    HttpClient,
    HttpError,
    HttpReply,
    HttpRequest,
    Json,
    Retry,
    error_words,
)
from notewell.types import ChunkSizes, FloatArray

MAX_REPLY_BYTES = 64 * 1024 * 1024
# In a reply with status 400 or 422, how servers say that a text or a batch is too long.
_TOO_LONG = re.compile(
    r"context.?length|too (?:long|large|many)|max\w* .*(?:tokens|length)|tokens.* exceed",
    re.IGNORECASE,
)


class TooLongError(ModelError):
    """Texts, or a batch of them, that the server finds too long."""

    code = "text_too_long"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model of a server. `base_url` usually ends in /v1; `key` is "" if none is sent.

    `dimensions` requests vectors of that length, which few models support; with None the model
    decides.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    dimensions: int | None = None
    timeout_s: float = 60.0
    retry: Retry = field(default_factory=Retry)

    @property
    def host(self) -> str:
        """The host name, to show where notes are sent."""
        return urlsplit(self.base_url).hostname or ""


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """A model behind an API, and what it accepts.

    The prefixes are put before each query and each passage, as the model was trained.
    `batch_texts` and `batch_tokens` limit one request; OpenAI accepts 2,048 and 300,000, servers on
    the own computer fewer, and small batches finish sooner.
    """

    endpoint: Endpoint
    query_prefix: str = ""
    passage_prefix: str = ""
    batch_texts: int = 64
    batch_tokens: int = 32_000
    sizes: ChunkSizes = field(default_factory=ChunkSizes)


class EmbeddingsApi:
    """Requests to one endpoint, from any number of threads."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Nothing is opened yet."""
        self._endpoint = endpoint
        self._client = HttpClient(
            timeout_s=endpoint.timeout_s, max_bytes=MAX_REPLY_BYTES, retry=endpoint.retry
        )
        self._lock = threading.Lock()
        self._running: set[Cancel] = set()
        self._closed = False

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors from one request, float32 of shape (len(texts), dimensions).

        Raises TooLongError if fewer or shorter texts may be accepted, else ModelError.
        """
        reply = self._send(texts)
        if reply.status == 200:
            return self._vectors(reply, len(texts))
        raise self._refusal(reply)

    def close(self) -> None:
        """End the requests that are under way, and refuse further ones. May be called twice."""
        with self._lock:
            self._closed = True
            running = tuple(self._running)
        for cancel in running:
            cancel.cancel()

    def _send(self, texts: Sequence[str]) -> HttpReply:
        endpoint = self._endpoint
        body: dict[str, Json] = {"model": endpoint.model, "input": list(texts)}
        if endpoint.dimensions is not None:
            body["dimensions"] = endpoint.dimensions
        headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
        request = HttpRequest.post_json(
            f"{endpoint.base_url.rstrip('/')}/embeddings", body, headers
        )
        try:
            with self._cancellable() as cancel:
                return self._client.send(request, cancel)
        except HttpError as error:
            raise self._error(f"does not answer ({error})") from error
        except CancelledError as error:
            raise self._closed_error() from error

    @contextmanager
    def _cancellable(self) -> Iterator[Cancel]:
        """Register a Cancel for the request in the block, so that `close` can cancel it."""
        cancel = Cancel()
        with self._lock:
            if self._closed:
                raise self._closed_error()
            self._running.add(cancel)
        try:
            yield cancel
        finally:
            with self._lock:
                self._running.discard(cancel)

    def _vectors(self, reply: HttpReply, count: int) -> FloatArray:
        rows = _rows(reply, count)
        if rows is None:
            raise self._error(f"did not send one vector for each of {count} texts")
        if len({len(row) for row in rows}) != 1:
            raise self._error("sent vectors of different lengths")
        try:
            vectors = np.array(rows, np.float64)
        except (TypeError, ValueError) as error:
            raise self._error("sent vectors that are not numbers") from error
        if vectors.ndim != 2 or not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
            raise self._error("sent vectors that are not finite, or all zero")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / lengths, np.float32)

    def _refusal(self, reply: HttpReply) -> ModelError:
        """The error of a status, with the message of the server."""
        words = self._without_key(error_words(reply.body))
        match reply.status:
            case 401 | 403:
                return self._error(
                    f"refused the request: the key is missing or wrong ({words})", "provider_key"
                )
            case 404:
                return self._error(
                    f"has no model {self._endpoint.model!r}, or no /embeddings at this address"
                    f" ({words})",
                    "provider_not_found",
                )
            case 429:
                return self._error(
                    f"has reached a limit of requests, or of what is paid for ({words})",
                    "provider_busy",
                )
            case status if status == 413 or (status in {400, 422} and _TOO_LONG.search(words)):
                return TooLongError(
                    f"The embedding server at {self._endpoint.host} finds a text or a batch of"
                    f" texts too long ({words})."
                )
            case status:
                return self._error(f"answered with status {status} ({words})")

    def _closed_error(self) -> ModelError:
        name = f"{self._endpoint.model}@{self._endpoint.host}"
        return ModelError(f"The embedder {name} is closed.", code="model_closed")

    def _error(self, what: str, code: str = "provider_failed") -> ModelError:
        sentence = f"The embedding server at {self._endpoint.host} {what}."
        return ModelError(self._without_key(sentence), code=code)

    def _without_key(self, words: str) -> str:
        return words.replace(self._endpoint.key, "…") if self._endpoint.key else words


def _rows(reply: HttpReply, count: int) -> list[Sequence[Json]] | None:
    """The vectors in the order of their `index`; None unless each text has exactly one."""
    try:
        body = reply.json()
    except HttpError:
        return None
    data = body.get("data") if isinstance(body, Mapping) else None
    rows: dict[int, Sequence[Json]] = {}
    for one in data if isinstance(data, list) else ():
        index = one.get("index") if isinstance(one, Mapping) else None
        vector = one.get("embedding") if isinstance(one, Mapping) else None
        if not isinstance(index, int) or not isinstance(vector, list) or index in rows:
            return None
        rows[index] = vector
    return [rows[n] for n in range(count)] if rows.keys() == set(range(count)) else None
