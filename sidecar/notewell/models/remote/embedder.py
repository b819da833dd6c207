"""Embedders behind an API: batches within the server's limits, and vectors of unit length."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from notewell.base.errors import ConfigError, ModelError
from notewell.base.support import disk
from notewell.base.support.http import Json
from notewell.base.types import (
    ChunkSizes,
    CosineScale,
    EmbeddedPiece,
    FloatArray,
    ModelKey,
)
from notewell.models.providers import EmbedderOptions
from notewell.models.remote.client import (
    Breaker,
    ServiceClient,
    TokenMeter,
    TooLongError,
    batches,
    estimated_tokens,
    rounds,
)
from notewell.models.remote.model import RemoteModel, check_address
from notewell.models.remote.services import (
    FORMS,
    Kind,
    contextual_reply,
    contextual_request,
)
from notewell.models.resilient import Degraded

PROBE = "A note about bread, water and light."


class RemoteEmbedder:
    """Sends texts to a server. Satisfies `types.Embedder`; safe to call from several threads."""

    cosines: CosineScale | None = None

    def __init__(
        self,
        model: RemoteModel,
        dimensions: int = 0,
        *,
        breaker: Breaker | None = None,
        wrong_length: Callable[[], None] = lambda: None,
    ) -> None:
        """`dimensions` is the length of the vectors; 0: a sample is sent to find it.

        `wrong_length` is called when the server's vectors have another.
        """
        self._wrong_length = wrong_length
        self._model = model
        self._wire = FORMS[model.endpoint.family]
        self._meter = TokenMeter()
        self._service = ServiceClient(
            model.endpoint, parallel=model.limits.parallel, breaker=breaker
        )
        self._senders = ThreadPoolExecutor(model.limits.parallel, "embed-remote")
        self._dimensions = dimensions
        if not dimensions:
            self._dimensions = self._send([PROBE], "query").shape[1]

    @property
    def key(self) -> ModelKey:
        """The key of its vectors, a hash of provider, server, model, length and scheme.

        The weights of a server are unknown. So vectors of two servers are never compared, even if
        their models have the same name.
        """
        model, endpoint = self._model, self._model.endpoint
        address = urlsplit(endpoint.base_url)
        identity = (
            endpoint.family,
            address.netloc.casefold(),
            address.path.rstrip("/"),
            endpoint.model,
            self._dimensions,
            model.query_prefix,
            model.passage_prefix,
            endpoint.types,
            endpoint.contextual,
        )
        digest = hashlib.sha256(json.dumps(identity).encode()).hexdigest()
        return ModelKey(f"{endpoint.model}@{endpoint.host}", digest, "fp32")

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def sizes(self) -> ChunkSizes:
        return self._model.sizes

    @property
    def degraded(self) -> Degraded | None:
        """Why the server is not asked at the moment; see `resilient.Degrading`."""
        return self._service.degraded

    @property
    def at_once(self) -> int:
        """Texts for a few requests, see `types.EmbedsInPieces`."""
        limits = self._model.limits
        return min(max(limits.texts * limits.parallel, 64), 512)

    def count_tokens(self, text: str) -> int:
        """An estimate that never changes, because chunks are measured by it."""
        return estimated_tokens(text)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors of shape (len(texts), dimensions), float32; NaN for a text too long.

        Raises ModelError: the server refuses or does not answer, or the embedder is closed.
        """
        vectors = np.full((len(texts), self._dimensions), np.nan, np.float32)
        for piece in self.embed_pieces(texts, [""] * len(texts)):
            vectors[list(piece.rows)] = piece.vectors
        return vectors

    def embed_pieces(
        self, texts: Sequence[str], documents: Sequence[str]
    ) -> Iterator[EmbeddedPiece]:
        """Answers that arrived are given before a failure is raised."""
        self._service.check_open()
        sent = [_readable(self._model.passage_prefix + text) for text in texts]
        works = [partial(self._piece, sent, rows) for rows in self._requests(sent, documents)]
        try:
            futures: list[Future[list[EmbeddedPiece]]] = [
                self._senders.submit(work) for work in works
            ]
        except RuntimeError:  # the pool was shut down a moment ago
            self._service.check_open()
            raise
        failure: ModelError | None = None
        for future in as_completed(futures):
            try:
                if not future.cancelled():
                    yield from future.result()
            except _PieceError as error:
                failure = failure or error.cause
                yield from error.pieces
                for other in futures:
                    other.cancel()
        if failure is not None:
            raise failure
        self._service.check_open()

    def embed_query(self, text: str) -> FloatArray:
        """Unit vector of shape (dimensions,), float32. Raises ModelError."""
        vector: FloatArray = self._send([_readable(self._model.query_prefix + text)], "query")[0]
        return vector

    def close(self) -> None:
        """End requests that are under way. Harmless when called again."""
        self._service.close()
        self._senders.shutdown(wait=False, cancel_futures=True)

    # --- requests ------------------------------------------------------------------------------

    def _requests(self, texts: Sequence[str], documents: Sequence[str]) -> list[list[list[int]]]:
        """The requests: the rows of each of their documents; plain ones have one document."""
        limits = self._model.limits
        if not self._model.endpoint.contextual:
            return [[rows] for rows in batches(texts, limits, self._meter)]
        grouped: dict[object, list[int]] = {}
        for row, document in enumerate(documents):
            grouped.setdefault(document or row, []).append(row)
        return rounds(list(grouped.values()), [self._meter.cost(text) for text in texts], limits)

    def _piece(
        self, texts: Sequence[str], documents: Sequence[Sequence[int]]
    ) -> list[EmbeddedPiece]:
        """The vectors of one request, or of its halves if the server finds it too long.

        Raises _PieceError with the pieces that were answered.
        """
        try:
            return self._send_piece(texts, documents)
        except TooLongError:
            halves = _halves(documents)
        except ModelError as error:
            raise _PieceError(error) from error
        if halves is None:
            row = documents[0][0]
            return [EmbeddedPiece((row,), np.full((1, self._dimensions), np.nan, np.float32))]
        done: list[EmbeddedPiece] = []
        for half in halves:
            try:
                done += self._piece(texts, half)
            except _PieceError as error:
                raise _PieceError(error.cause, (*done, *error.pieces)) from error
        return done

    def _send_piece(
        self, texts: Sequence[str], documents: Sequence[Sequence[int]]
    ) -> list[EmbeddedPiece]:
        if self._model.endpoint.contextual:
            return self._contextual(texts, documents)
        rows = tuple(documents[0])
        vectors = self._send([texts[row] for row in rows], "passage")
        return [EmbeddedPiece(rows, vectors)]

    def _send(self, texts: Sequence[str], kind: Kind) -> FloatArray:
        """Unit vectors from one request."""
        endpoint = self._model.endpoint
        if endpoint.contextual:
            return self._context_vectors([list(texts)], kind)[0]
        request = self._wire.request(endpoint, texts, kind)
        body = self._service.send(request, urgent=kind == "query")
        reply = self._wire.reply(body, len(texts))
        if reply.rows is None:
            raise self._service.invalid(f"did not send one vector for each of {len(texts)} texts")
        self._meter.learn(texts, reply.tokens)
        return self._vectors(reply.rows)

    def _contextual(
        self, texts: Sequence[str], documents: Sequence[Sequence[int]]
    ) -> list[EmbeddedPiece]:
        given = [[texts[row] for row in rows] for rows in documents]
        vectors = self._context_vectors(given, "passage")
        return [
            EmbeddedPiece(tuple(rows), of_document)
            for rows, of_document in zip(documents, vectors, strict=True)
        ]

    def _context_vectors(self, documents: list[list[str]], kind: Kind) -> list[FloatArray]:
        """The vectors of each document; NaN for one that came with another number of vectors."""
        request = contextual_request(self._model.endpoint, documents, kind)
        body = self._service.send(request, urgent=kind == "query")
        embedded, tokens = contextual_reply(body, [len(document) for document in documents])
        if embedded is None:
            raise self._service.invalid(f"did not send one list for each of {len(documents)} notes")
        self._meter.learn([text for document in documents for text in document], tokens)
        return [
            self._vectors(rows)
            if rows is not None
            else np.full((len(document), self._dimensions), np.nan, np.float32)
            for document, rows in zip(documents, embedded, strict=True)
        ]

    def _vectors(self, rows: Sequence[Sequence[Json]]) -> FloatArray:
        """The rows at unit length. Raises ModelError unless they are vectors of one length."""
        if len({len(row) for row in rows}) != 1:
            raise self._service.invalid("sent vectors of different lengths")
        try:
            vectors = np.array(rows, np.float64)
        except (TypeError, ValueError) as error:
            raise self._service.invalid("sent vectors that are not numbers") from error
        if self._model.keep is not None and vectors.ndim == 2:
            vectors = vectors[:, : self._model.keep]
        if vectors.ndim != 2 or not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
            raise self._service.invalid("sent vectors that are not finite, or all zero")
        if self._dimensions and vectors.shape[1] != self._dimensions:
            self._wrong_length()
            raise self._service.invalid(
                f"sent vectors of length {vectors.shape[1]} instead of {self._dimensions}"
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / lengths, np.float32)


class _PieceError(Exception):
    """A request that failed after parts of it were answered."""

    def __init__(self, cause: ModelError, pieces: Sequence[EmbeddedPiece] = ()) -> None:
        super().__init__(cause.message)
        self.cause = cause
        self.pieces = pieces


def load(options: EmbedderOptions) -> RemoteEmbedder:
    """The embedder that `options.remote` describes.

    Without a given length of vectors, a sample is embedded once to find it; it is kept in
    <model_dir>/remote, so that a later start needs no server. Raises ConfigError for an address
    that must not be used, ModelError as embedding does.
    """
    model = options.remote
    if model is None:
        raise ConfigError(f"The model {options.rules.name} needs the address of its server.")
    check_address(model.endpoint)
    known = model.keep or model.endpoint.dimensions or model.dimensions
    if known:
        return RemoteEmbedder(model, known)
    name = hashlib.sha256(f"{model.endpoint.base_url} {model.endpoint.model}".encode()).hexdigest()
    file = options.model_dir / "remote" / f"{name[:16]}.json"
    kept = _read_length(file)
    embedder = RemoteEmbedder(model, kept, wrong_length=lambda: file.unlink(missing_ok=True))
    if not kept:
        with suppress(OSError):  # then it is found again at the next start
            disk.replace(file, json.dumps({"dimensions": embedder.dimensions}).encode())
    return embedder


def _read_length(file: Path) -> int:
    """The length of vectors that was found earlier; 0: none was."""
    try:
        return max(int(json.loads(file.read_bytes())["dimensions"]), 0)
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def _halves(documents: Sequence[Sequence[int]]) -> list[list[list[int]]] | None:
    """Two smaller requests in place of one; None for a single text."""
    if len(documents) > 1:
        middle = len(documents) // 2
        parts = documents[:middle], documents[middle:]
        return [[list(rows) for rows in part] for part in parts]
    rows = list(documents[0])
    if len(rows) == 1:
        return None
    middle = len(rows) // 2
    return [[rows[:middle]], [rows[middle:]]]


def _readable(text: str) -> str:
    """Replace lone surrogates and empty texts, which servers refuse."""
    return text.encode("utf-8", "replace").decode() or " "
