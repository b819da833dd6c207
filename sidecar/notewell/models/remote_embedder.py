"""Embedders behind an API: batches within the server's limits, and vectors of unit length."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import numpy as np

from notewell.errors import ConfigError, ModelError
from notewell.models.embeddings_api import EmbeddingsApi, RemoteModel, TooLongError
from notewell.models.providers import EmbedderOptions
from notewell.support.http import is_loopback
from notewell.types import ChunkSizes, FloatArray, ModelKey

_PROBE = "A note about bread, water and light."


class RemoteEmbedder:
    """Sends texts to a server. Satisfies `types.Embedder`; safe to call from several threads."""

    def __init__(self, model: RemoteModel, api: EmbeddingsApi, dimensions: int) -> None:
        """`dimensions` is the length of the server's vectors."""
        self._model = model
        self._api = api
        self._dimensions = dimensions

    @property
    def key(self) -> ModelKey:
        """The key of its vectors, a hash of provider, server, model, length and prefixes.

        The weights of a server are unknown. So vectors of two servers are never compared, even if
        their models have the same name.
        """
        endpoint = self._model.endpoint
        address = urlsplit(endpoint.base_url)
        identity = (
            "openai",
            address.netloc.casefold(),
            address.path.rstrip("/"),
            endpoint.model,
            self._dimensions,
            self._model.query_prefix,
            self._model.passage_prefix,
        )
        digest = hashlib.sha256(json.dumps(identity).encode()).hexdigest()
        return ModelKey(f"{endpoint.model}@{endpoint.host}", digest, "fp32")

    @property
    def dimensions(self) -> int:
        """Length of its vectors."""
        return self._dimensions

    @property
    def sizes(self) -> ChunkSizes:
        """Chunk sizes that suit the model."""
        return self._model.sizes

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens of `text`, rather too high; only the server has the tokenizer.

        Three ASCII characters count as one token, any other character as one and a half.
        """
        plain = sum(map(str.isascii, text))
        return math.ceil(plain / 3 + (len(text) - plain) * 1.5)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors of shape (len(texts), dimensions), float32; NaN for a text too long.

        Raises ModelError: the server refuses or does not answer, or the embedder is closed.
        """
        vectors = np.zeros((len(texts), self._dimensions), np.float32)
        sent = [_readable(self._model.passage_prefix + text) for text in texts]
        for rows in self._batches(sent):
            vectors[rows] = self._embed(sent[rows])
        return vectors

    def embed_query(self, text: str) -> FloatArray:
        """Unit vector of shape (dimensions,), float32. Raises ModelError."""
        found = self._api.embed([_readable(self._model.query_prefix + text)])
        vector: FloatArray = self._checked(found)[0]
        return vector

    def close(self) -> None:
        """End requests that are under way. Harmless when called again."""
        self._api.close()

    def _batches(self, texts: Sequence[str]) -> Iterator[slice]:
        """Split the rows into requests within the limits of texts and tokens."""
        start, tokens = 0, 0
        for row, text in enumerate(texts):
            cost = self.count_tokens(text)
            full = row - start >= self._model.batch_texts
            if row > start and (full or tokens + cost > self._model.batch_tokens):
                yield slice(start, row)
                start, tokens = row, 0
            tokens += cost
        if start < len(texts):
            yield slice(start, len(texts))

    def _embed(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors. A batch that the server finds too long is halved, down to a single text."""
        try:
            return self._checked(self._api.embed(texts))
        except TooLongError:
            if len(texts) == 1:
                return np.full((1, self._dimensions), np.nan, np.float32)
        middle = len(texts) // 2
        return np.concatenate([self._embed(texts[:middle]), self._embed(texts[middle:])])

    def _checked(self, vectors: FloatArray) -> FloatArray:
        if vectors.shape[1] != self._dimensions:
            raise ModelError(
                f"The embedding server at {self._model.endpoint.host} sent vectors of length"
                f" {vectors.shape[1]} instead of {self._dimensions}.",
                code="wrong_dimensions",
            )
        return vectors


def load(options: EmbedderOptions) -> RemoteEmbedder:
    """The embedder that `options.remote` describes.

    Without a given length of vectors, a sample is embedded to find it. Raises ConfigError for an
    address that must not be used, ModelError as embedding does.
    """
    model = options.remote
    if model is None:
        raise ConfigError(f"The model {options.rules.name} needs the address of its server.")
    endpoint = model.endpoint
    scheme = urlsplit(endpoint.base_url).scheme
    if scheme not in {"http", "https"} or not endpoint.host:
        raise ConfigError(
            f"The address of the embedding server is not a web address: {endpoint.base_url!r}."
        )
    if endpoint.key and scheme == "http" and not is_loopback(endpoint.host):
        raise ConfigError(f"The key would be sent unencrypted to {endpoint.host}: use https.")
    api = EmbeddingsApi(endpoint)
    dimensions = endpoint.dimensions or api.embed([_PROBE]).shape[1]
    return RemoteEmbedder(model, api, dimensions)


def _readable(text: str) -> str:
    """Replace lone surrogates and empty texts, which servers refuse."""
    return text.encode("utf-8", "replace").decode() or " "
