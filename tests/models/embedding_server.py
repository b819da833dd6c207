"""A fake embeddings server on loopback with the limits of real ones."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Refusal = tuple[int, str]
FIELDS = {"model", "input", "dimensions", "encoding_format", "user"}
DIMENSIONS = 32


@dataclass
class EmbeddingServer:
    """Serves POST /v1/embeddings of the model "words".

    Words are hashed into a vector that is not of unit length, so texts that share words are near
    each other; the reply's order is not the request's. `faults` are used up first, one a request:
    a status with headers, or a function that spoils the reply's document.
    """

    key: str = "sk-right"
    max_texts: int = 8
    max_text_tokens: int = 64
    max_tokens: int = 200
    faults: list[Any] = field(default_factory=list)
    requests: list[list[str]] = field(default_factory=list)
    bodies: list[Mapping[str, Any]] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    arrived: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def reply(self, path: str, authorization: str | None, body: Any) -> tuple[int, Any, Any]:
        if self.key and authorization != f"Bearer {self.key}":
            return _refuse(401, f"Incorrect API key provided: {authorization}")
        if path != "/v1/embeddings":
            return _refuse(404, "Not Found")
        refusal = self._invalid(body)
        if refusal is not None:
            return _refuse(*refusal)
        self.requests.append(body["input"])
        self.bodies.append(body)
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, tuple):
            return (*_refuse(fault[0], "fault")[:2], fault[1])
        dimensions = body.get("dimensions", DIMENSIONS)
        data = [
            {"object": "embedding", "index": n, "embedding": embed(text, dimensions)}
            for n, text in enumerate(body["input"])
        ]
        document = {"object": "list", "data": data[::-1], "model": "words", "usage": {}}
        if fault is not None:
            document = fault(document)
        return 200, document, {}

    def _invalid(self, body: Any) -> Refusal | None:
        if not isinstance(body, dict) or not body.keys() <= FIELDS:
            return 400, "Unrecognized request argument"
        if body.get("model") != "words":
            return 404, f"The model `{body.get('model')}` does not exist"
        texts = body.get("input")
        if not isinstance(texts, list) or not texts or not all(map(_is_text, texts)):
            return 400, "'input' must be a list of strings, none of them empty"
        if not isinstance(body.get("dimensions", 1), int):
            return 400, "'dimensions' must be an integer"
        return self._too_much(texts)

    def _too_much(self, texts: Sequence[str]) -> Refusal | None:
        if len(texts) > self.max_texts:
            return 400, f"too many inputs: at most {self.max_texts}"
        if max(map(tokens, texts)) > self.max_text_tokens:
            return 400, f"This model's maximum context length is {self.max_text_tokens} tokens"
        if sum(map(tokens, texts)) > self.max_tokens:
            return 413, "Request entity too large"
        return None


def _is_text(value: Any) -> bool:
    """Whether it is a string of valid Unicode that is not empty."""
    return isinstance(value, str) and bool(
        value.encode("utf-8", "ignore") == value.encode("utf-8", "surrogatepass") and value
    )


def tokens(text: str) -> int:
    """A token for each word, and for each character outside ASCII."""
    return len(text.split()) + sum(not letter.isascii() for letter in text)


def embed(text: str, dimensions: int) -> list[float]:
    vector = [0.0] * dimensions
    for word in text.casefold().split() or [text]:
        place = zlib.crc32(word.encode())
        vector[place % dimensions] += 3.0 if place & 1024 else -3.0
        vector[(place >> 12) % dimensions] += 0.5
    return vector


def _refuse(status: int, message: str) -> tuple[int, Any, Any]:
    error = {"message": message, "type": "invalid_request_error", "code": None, "param": None}
    return status, {"error": error}, {}


@contextmanager
def serving(server: EmbeddingServer) -> Iterator[EmbeddingServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            given = server.reply(self.path, self.headers["Authorization"], json.loads(raw))
            status, document, headers = given
            if document is HOLD:
                server.arrived.set()
                server.closing.wait()
                return
            body = document if isinstance(document, bytes) else json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_port}/v1"
    thread = threading.Thread(target=http.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        http.shutdown()
        thread.join()
        http.server_close()


HOLD: Any = object()


def hold(_: Any) -> Any:
    """A fault: the request is never answered."""
    return HOLD


def data(change: Callable[[list[Any]], Sequence[Any]]) -> Callable[[Any], Any]:
    """A fault: the list of vectors is another."""
    return lambda document: {**document, "data": list(change(document["data"]))}
