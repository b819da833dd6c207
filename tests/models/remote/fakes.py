"""Fake model services on loopback, one form of requests each, with the documented limits.

They refuse unknown fields, wrong keys, too many texts and too many tokens as the real ones do, and
note every text that they answered for. `faults` are used up first, one a request.
"""

from __future__ import annotations

import asyncio
import random
import threading
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.waiting import HANG_S

DIMENSIONS = 8
KEY = "sk-right"
# Faults: a status that may pass, one that never does, and replies that must not be used.
PASSING = ("429", "503", "409")
SPOILT = ("short", "long", "nan", "zero", "dimensions", "words", "html", "redirect")


class RefusedError(Exception):
    """An error reply: a status and a message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class FakeService:
    """One service. `tokens` is the limit of a request, `text_tokens` of a text."""

    family: str
    texts: int = 8
    tokens: int = 400
    text_tokens: int = 100
    document_tokens: int = 200
    faults: list[str] = field(default_factory=list)
    next_fault: Callable[[], str | None] = lambda: None
    answered: Counter[str] = field(default_factory=Counter)
    bodies: list[Mapping[str, Any]] = field(default_factory=list)
    requests: int = 0
    elsewhere: int = 0  # requests to the place of a redirect
    wrong_counts: set[str] = field(default_factory=set)  # first passages of notes
    url: str = ""

    def forget(self) -> None:
        """Begin anew, for the next test."""
        self.faults, self.bodies = [], []
        self.answered, self.wrong_counts = Counter(), set()
        self.requests = self.elsewhere = 0

    async def handle(self, request: web.Request) -> web.StreamResponse:
        if request.path == "/elsewhere":
            self.elsewhere += 1
            return web.json_response({})
        self.requests += 1
        try:
            self._check_key(request)
            body = await request.json()
            answer = FORMS[self.family](self, request.path, body)
        except RefusedError as error:
            return _error(error.status, str(error))
        self.bodies.append(body)
        fault = self.faults.pop(0) if self.faults else self.next_fault()
        if fault is not None and fault.isdigit():
            return _error(int(fault), "try later", {"Retry-After": "0"})
        if fault == "redirect":
            return web.Response(status=308, headers={"Location": "/elsewhere"})
        if fault == "html":
            return web.Response(text="<html>", content_type="text/html")
        if fault == "slow":
            await asyncio.sleep(0.6)
        document, texts = answer
        if fault is None or fault == "shuffled":
            self.answered.update(texts)
        return web.json_response(_spoilt(document, fault))

    def _check_key(self, request: web.Request) -> None:
        if self.family == "ollama":
            return
        header = "x-goog-api-key" if self.family == "gemini" else "Authorization"
        expected = KEY if self.family == "gemini" else f"Bearer {KEY}"
        if request.headers.get(header) != expected:
            raise RefusedError(401, f"the key {request.headers.get(header)} is wrong")

    def check_texts(self, texts: Any, *, most: int | None = None) -> list[str]:
        if not isinstance(texts, list) or not texts or not all(map(_is_text, texts)):
            raise RefusedError(400, "input must be a list of strings, none of them empty")
        if len(texts) > (most or self.texts):
            raise RefusedError(400, f"too many inputs: at most {most or self.texts}")
        if any(count(text) > self.text_tokens for text in texts):
            raise RefusedError(400, "the input length exceeds the context length")
        if sum(map(count, texts)) > self.tokens:
            raise RefusedError(413, "request too large")
        return texts


def count(text: str) -> int:
    """The tokens of a text as this service counts them: a word is one and a half."""
    words = len(text.split()) + sum(not letter.isascii() for letter in text)
    return words + words // 2 + 1


def vector(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """The vector of a text, not of unit length."""
    seed = random.Random(zlib.crc32(text.encode("utf-8", "replace")))
    return [seed.uniform(-3, 3) for _ in range(dimensions)]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _fields(body: Any, required: set[str], optional: AbstractSet[str] = frozenset()) -> Any:
    if not isinstance(body, dict) or not required <= body.keys() <= required | optional:
        raise RefusedError(400, f"unknown or missing fields: {sorted(body)}")
    return body


def _path(given: str, expected: str) -> None:
    if given != expected:
        raise RefusedError(404, f"no route {given}")


Answer = tuple[Any, Sequence[str]]


def _openai(service: FakeService, path: str, body: Any) -> Answer:
    _path(path, "/v1/embeddings")
    _fields(body, {"model", "input"}, {"dimensions"})
    texts = service.check_texts(body["input"])
    return _indexed(texts, body.get("dimensions")), texts


def _jina(service: FakeService, path: str, body: Any) -> Answer:
    _path(path, "/v1/embeddings")
    _fields(body, {"model", "input"}, {"dimensions", "task"})
    _one_of(body.get("task"), {None, "retrieval.query", "retrieval.passage"})
    texts = service.check_texts(body["input"])
    return _indexed(texts, body.get("dimensions")), texts


def _mistral(service: FakeService, path: str, body: Any) -> Answer:
    _path(path, "/v1/embeddings")
    _fields(body, {"model", "input"}, {"output_dimension"})
    texts = service.check_texts(body["input"])
    return _indexed(texts, body.get("output_dimension")), texts


def _ollama(service: FakeService, path: str, body: Any) -> Answer:
    _path(path, "/api/embed")
    _fields(body, {"model", "input"}, {"truncate", "dimensions", "keep_alive", "options"})
    texts = service.check_texts(body["input"])
    rows = [vector(text) for text in texts]
    return {"embeddings": rows, "prompt_eval_count": sum(map(count, texts))}, texts


def _gemini(service: FakeService, path: str, body: Any) -> Answer:
    model = path.removeprefix("/v1beta/models/").removesuffix(":batchEmbedContents")
    _path(path, f"/v1beta/models/{model}:batchEmbedContents")
    texts = []
    for request in _fields(body, {"requests"})["requests"]:
        old = {"taskType", "outputDimensionality"} if model.endswith("-001") else set()
        _fields(request, {"model", "content"}, old or {"embedContentConfig"})
        options = request if old else request.get("embedContentConfig", {})
        _one_of(options.get("taskType"), {None, "RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"})
        _one_of(request["model"], {f"models/{model}"})
        texts.append(request["content"]["parts"][0]["text"])
    service.check_texts(texts)
    size = options.get("outputDimensionality", DIMENSIONS)
    return {"embeddings": [{"values": vector(text, size)} for text in texts]}, texts


def _voyage(service: FakeService, path: str, body: Any) -> Answer:
    options = {"input_type", "output_dimension"}
    _one_of(body.get("input_type"), {None, "query", "document"})
    if path == "/v1/embeddings":
        _fields(body, {"model", "input"}, {*options, "truncation"})
        texts = service.check_texts(body["input"])
        return _indexed(texts, body.get("output_dimension")), texts
    _path(path, "/v1/contextualizedembeddings")
    _fields(body, {"model", "inputs"}, options)
    documents = body["inputs"]
    if len(documents) > 1000:
        raise RefusedError(400, "too many inputs: at most 1000")
    if any(sum(map(count, document)) > service.document_tokens for document in documents):
        raise RefusedError(400, "a document exceeds the maximum context length in tokens")
    texts = service.check_texts([text for document in documents for text in document], most=16_000)
    if body.get("input_type") == "query" and any(len(document) != 1 for document in documents):
        raise RefusedError(400, "queries are lists of one")
    data = [
        {"index": n, "data": _indexed(_but_one(service, document))["data"]}
        for n, document in enumerate(documents)
    ]
    given = [text for document in documents for text in _but_one(service, document)]
    return {"data": data, "usage": {"total_tokens": sum(map(count, texts))}}, given


def _but_one(service: FakeService, document: Sequence[str]) -> Sequence[str]:
    return document[1:] if document[0] in service.wrong_counts else document


def _cohere(service: FakeService, path: str, body: Any) -> Answer:
    _path(path, "/v2/embed")
    required = {"model", "input_type", "texts", "embedding_types"}
    _fields(body, required, {"truncate", "output_dimension"})
    _one_of(body["input_type"], {"search_query", "search_document"})
    texts = service.check_texts(body["texts"])
    rows = [vector(text, body.get("output_dimension") or DIMENSIONS) for text in texts]
    billed = {"billed_units": {"input_tokens": sum(map(count, texts))}}
    return {"embeddings": {"float": rows}, "meta": billed}, texts


FORMS: Mapping[str, Callable[[FakeService, str, Any], Answer]] = {
    "openai": _openai,
    "jina": _jina,
    "mistral": _mistral,
    "ollama": _ollama,
    "gemini": _gemini,
    "voyage": _voyage,
    "cohere": _cohere,
}
# A model of each service for which the kinds of texts are told apart.
MODELS = {
    "openai": "text-embedding-3-small",
    "jina": "jina-embeddings-v3",
    "mistral": "mistral-embed",
    "ollama": "nomic-embed-text",
    "gemini": "gemini-embedding-001",
    "voyage": "voyage-4",
    "cohere": "embed-v4.0",
}
# The path of each service's address.
BASES = {"ollama": "", "gemini": "/v1beta", "cohere": "/v2"}


def _indexed(texts: Sequence[str], dimensions: int | None = None) -> dict[str, Any]:
    data = [
        {"object": "embedding", "index": n, "embedding": vector(text, dimensions or DIMENSIONS)}
        for n, text in enumerate(texts)
    ]
    return {"object": "list", "data": data, "usage": {"total_tokens": sum(map(count, texts))}}


def _one_of(value: Any, known: set[Any]) -> None:
    if value not in known:
        raise RefusedError(400, f"{value!r} is none of {known}")


def _spoilt(document: Any, fault: str | None) -> Any:
    """The document with its innermost lists of vectors changed."""
    if isinstance(document, dict):
        return {name: _spoilt(value, fault) for name, value in document.items()}
    if fault is None or not isinstance(document, list):
        return document
    if document and all(isinstance(each, float) for each in document):
        return _spoilt_vector(document, fault)
    return _spoilt_list([_spoilt(each, fault) for each in document], fault)


def _spoilt_list(changed: list[Any], fault: str) -> list[Any]:
    if fault == "shuffled" and changed and isinstance(changed[0], dict):
        return changed[::-1]
    if fault == "short":
        return changed[1:]
    return [*changed, changed[0]] if fault == "long" else changed


def _spoilt_vector(vector: list[float], fault: str) -> list[Any]:
    match fault:
        case "nan":
            return [float("nan"), *vector[1:]]
        case "zero":
            return [0.0] * len(vector)
        case "dimensions":
            return vector[1:]
        case "words":
            return ["x"] * len(vector)
    return vector


def _error(
    status: int, message: str, headers: Mapping[str, str] | None = None
) -> web.StreamResponse:
    return web.json_response({"error": {"message": message}}, status=status, headers=headers)


@contextmanager
def running(service: FakeService) -> Iterator[FakeService]:
    """Serve it on loopback while the block runs."""
    with serving(service.handle) as address:
        service.url = f"{address}{BASES.get(service.family, '/v1')}"
        yield service


@contextmanager
def serving(handle: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> Iterator[str]:
    """The address of a server on loopback whose requests `handle` answers."""
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    stop = asyncio.Event()
    ports: list[int] = []

    async def serve() -> None:
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/{path:.*}", handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        ports.append(runner.addresses[0][1])
        ready.set()
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    assert ready.wait(HANG_S)
    try:
        yield f"http://127.0.0.1:{ports[0]}"
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(HANG_S)
        loop.close()
