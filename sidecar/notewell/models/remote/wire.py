"""The forms of embedding requests and replies, one class a family. They send nothing themselves.

Sources: the references of OpenAI, Ollama, Gemini, Voyage, Cohere, Jina and Mistral that
docs/models.md names. Only documented fields are sent, because unknown ones are refused by some.
`batches` splits texts into requests within a service's limits, by the length of its tokens that
`TokenMeter` learns.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol
from urllib.parse import quote, urlsplit

from notewell.base.support.http import HttpRequest, Json, Retry
from notewell.base.types.frozen import frozen
from notewell.models.remote import Family, Limits

Kind = Literal["query", "passage"]
Document = Sequence[str]
_MOST_TOKENS = 1e12  # also no infinity
_COHERE: Mapping[Kind, str] = {"query": "query", "passage": "document"}
_MARGIN = 1.1  # over the ratio that was seen
_LEAST, _MOST = 0.25, 3.0


@frozen
class EmbeddingEndpoint:
    """A model of a server. `base_url` usually ends in /v1; `key` is "" if none is sent.

    `dimensions` requests vectors of that length, which few models support; with None the model
    decides. `types` are the values of the field that tells queries from passages.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    dimensions: int | None = None
    timeout_s: float = 60.0
    retry: Retry = field(default_factory=Retry)
    family: Family = "openai"
    types: tuple[str, str] | None = None
    contextual: bool = False

    @property
    def host(self) -> str:
        """The host name, to show where notes are sent."""
        return urlsplit(self.base_url).hostname or ""

    def type_of(self, kind: Kind) -> str | None:
        """The value of the field for this kind of text."""
        return None if self.types is None else self.types[kind == "passage"]

    def post(self, path: str, body: Mapping[str, Json], key_header: str = "") -> HttpRequest:
        """A request with the key in its usual header, or in `key_header`."""
        headers: dict[str, str] = {}
        if self.key:
            bearer = {"Authorization": f"Bearer {self.key}"}
            headers = {key_header: self.key} if key_header else bearer
        return HttpRequest.post_json(f"{self.base_url.rstrip('/')}{path}", body, headers)


@frozen
class Reply:
    """The vectors in the order of the texts, None unless each has exactly one, and the tokens."""

    rows: list[Sequence[Json]] | None
    tokens: int | None = None


class EmbeddingWire(Protocol):
    """A family: makes a request of texts, and reads its reply."""

    def request(self, endpoint: EmbeddingEndpoint, texts: Sequence[str], kind: Kind) -> HttpRequest:
        """The request."""
        ...

    def reply(self, body: Json, count: int) -> Reply:
        """The vectors of a reply to `count` texts."""
        ...


class _OpenAi:
    """OpenAI's form, which most servers have; the names of two fields differ between services."""

    def __init__(self, dimensions: str = "dimensions", types: str = "input_type") -> None:
        self._dimensions = dimensions
        self._types = types

    def request(self, endpoint: EmbeddingEndpoint, texts: Sequence[str], kind: Kind) -> HttpRequest:
        body: dict[str, Json] = {"model": endpoint.model, "input": list(texts)}
        if endpoint.dimensions is not None:
            body[self._dimensions] = endpoint.dimensions
        if (value := endpoint.type_of(kind)) is not None:
            body[self._types] = value
        return endpoint.post("/embeddings", body)

    def reply(self, body: Json, count: int) -> Reply:
        return Reply(_by_index(_part(body, "data"), count), _number(body, "usage", "total_tokens"))


class _Voyage(_OpenAi):
    """Voyage's form. Its own truncation is off: what is cut without a word is never found."""

    def __init__(self) -> None:
        super().__init__("output_dimension")

    def request(self, endpoint: EmbeddingEndpoint, texts: Sequence[str], kind: Kind) -> HttpRequest:
        body: dict[str, Json] = {"model": endpoint.model, "input": list(texts), "truncation": False}
        if endpoint.dimensions is not None:
            body["output_dimension"] = endpoint.dimensions
        if (value := endpoint.type_of(kind)) is not None:
            body["input_type"] = value
        return endpoint.post("/embeddings", body)


class _Ollama:
    """Ollama's own form. Without `truncate` it says so when a text is longer than the context."""

    def request(self, endpoint: EmbeddingEndpoint, texts: Sequence[str], kind: Kind) -> HttpRequest:
        del kind  # prefixes tell it
        body: dict[str, Json] = {
            "model": endpoint.model,
            "input": list(texts),
            "truncate": False,
        }
        return endpoint.post("/api/embed", body)

    def reply(self, body: Json, count: int) -> Reply:
        rows = _lists(_part(body, "embeddings"), count)
        return Reply(rows, _number(body, "prompt_eval_count"))


class _Gemini:
    """Google's form. -001 knows its options at the top level only, later models as a record."""

    def request(self, endpoint: EmbeddingEndpoint, texts: Sequence[str], kind: Kind) -> HttpRequest:
        model = endpoint.model.removeprefix("models/")
        options: dict[str, Json] = {}
        if (value := endpoint.type_of(kind)) is not None:
            options["taskType"] = value
        if endpoint.dimensions is not None:
            options["outputDimensionality"] = endpoint.dimensions
        if not model.endswith("-001") and options:
            options = {"embedContentConfig": options}
        requests: list[Json] = [
            {"model": f"models/{model}", "content": {"parts": [{"text": text}]}, **options}
            for text in texts
        ]
        path = f"/models/{quote(model, safe='')}:batchEmbedContents"
        return endpoint.post(path, {"requests": requests}, "x-goog-api-key")

    def reply(self, body: Json, count: int) -> Reply:
        given = _part(body, "embeddings")
        values = [_part(one, "values") for one in given] if isinstance(given, list) else None
        return Reply(_lists(values, count), _number(body, "usageMetadata", "promptTokenCount"))


class _Cohere:
    """Cohere's second version."""

    def request(self, endpoint: EmbeddingEndpoint, texts: Sequence[str], kind: Kind) -> HttpRequest:
        body: dict[str, Json] = {
            "model": endpoint.model,
            "input_type": endpoint.type_of(kind) or f"search_{_COHERE[kind]}",
            "texts": list(texts),
            "embedding_types": ["float"],
            "truncate": "NONE",
        }
        if endpoint.dimensions is not None:
            body["output_dimension"] = endpoint.dimensions
        return endpoint.post("/embed", body)

    def reply(self, body: Json, count: int) -> Reply:
        rows = _lists(_part(_part(body, "embeddings"), "float"), count)
        return Reply(rows, _number(_part(body, "meta"), "billed_units", "input_tokens"))


WIRES: Mapping[Family, EmbeddingWire] = {
    "openai": _OpenAi(),
    "jina": _OpenAi(types="task"),
    "mistral": _OpenAi("output_dimension"),
    "ollama": _Ollama(),
    "gemini": _Gemini(),
    "voyage": _Voyage(),
    "cohere": _Cohere(),
}


def contextual_request(
    endpoint: EmbeddingEndpoint, documents: Sequence[Document], kind: Kind
) -> HttpRequest:
    """Voyage's request of documents as lists of their passages, which must not overlap."""
    body: dict[str, Json] = {
        "model": endpoint.model,
        "inputs": [list(document) for document in documents],
    }
    if (value := endpoint.type_of(kind)) is not None:
        body["input_type"] = value
    if endpoint.dimensions is not None:
        body["output_dimension"] = endpoint.dimensions
    return endpoint.post("/contextualizedembeddings", body)


def contextual_reply(
    body: Json, counts: Sequence[int]
) -> tuple[list[list[Sequence[Json]] | None] | None, int | None]:
    """The vectors of each document, None for one whose count is another, and the tokens used.

    None in place of the list: not one entry for each document.
    """
    documents = _ordered(_part(body, "data"), len(counts))
    tokens = _number(body, "usage", "total_tokens")
    if documents is None:
        return None, tokens
    found = [
        _by_index(_part(document, "data"), count)
        for document, count in zip(documents, counts, strict=True)
    ]
    return found, tokens


def _part(body: Json, name: str) -> Json:
    return body.get(name) if isinstance(body, Mapping) else None


def _number(body: Json, *names: str) -> int | None:
    for name in names:
        body = _part(body, name)
    if not isinstance(body, int | float) or isinstance(body, bool) or not 0 < body < _MOST_TOKENS:
        return None
    return int(body)


def _ordered(data: Json, count: int) -> list[Mapping[str, Json]] | None:
    """Entries in the order of their `index`; None unless each place has exactly one."""
    entries: dict[int, Mapping[str, Json]] = {}
    for one in data if isinstance(data, list) else ():
        index = one.get("index") if isinstance(one, Mapping) else None
        if not isinstance(index, int) or index in entries:
            return None
        entries[index] = one
    return [entries[n] for n in range(count)] if entries.keys() == set(range(count)) else None


def _by_index(data: Json, count: int) -> list[Sequence[Json]] | None:
    entries = _ordered(data, count)
    if entries is None:
        return None
    return _lists([one.get("embedding") for one in entries], count)


def _lists(data: Json, count: int) -> list[Sequence[Json]] | None:
    """A list of `count` lists; None if it is anything else."""
    if not isinstance(data, list) or len(data) != count:
        return None
    rows: list[Sequence[Json]] = [row for row in data if isinstance(row, list)]
    return rows if len(rows) == count else None


def estimated_tokens(text: str) -> int:
    """Tokens of `text`, rather too many; only the server has the tokenizer.

    Three ASCII characters count as one token, any other character as one and a half.
    """
    plain = len(text) if text.isascii() else sum(map(str.isascii, text))
    return math.ceil(plain / 3 + (len(text) - plain) * 1.5)


@dataclass(slots=True)
class TokenMeter:
    """Estimates the tokens of texts, corrected by what the server counted.

    The correction serves batches only: the sizes of chunks must not change with it. It follows the
    largest ratio seen at once, and a smaller one slowly.
    """

    ratio: float = 1.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def cost(self, text: str) -> int:
        """Tokens of a text."""
        return max(math.ceil(estimated_tokens(text) * self.ratio), 1)

    def learn(self, texts: Sequence[str], used: int | None) -> None:
        """Take over what the server counted for `texts`; None: it did not say."""
        guessed = sum(map(estimated_tokens, texts))
        if not used or not guessed:
            return
        seen = min(max(used / guessed * _MARGIN, _LEAST), _MOST)
        with self._lock:
            self.ratio = seen if seen > self.ratio else self.ratio * 0.9 + seen * 0.1


def batches(texts: Sequence[str], limits: Limits, meter: TokenMeter) -> list[list[int]]:
    """The rows of each request, in order; a text above the limit is a request of its own."""
    found: list[list[int]] = []
    tokens = 0
    for row, text in enumerate(texts):
        cost = meter.cost(text)
        if not found or len(found[-1]) >= limits.texts or tokens + cost > limits.tokens:
            found.append([])
            tokens = 0
        found[-1].append(row)
        tokens += cost
    return found


def segments(costs: Sequence[int], limit: int) -> list[list[int]]:
    """The places of a document's passages in pieces of at most `limit` tokens each."""
    found: list[list[int]] = []
    tokens = 0
    for place, cost in enumerate(costs):
        if not found or tokens + cost > limit:
            found.append([])
            tokens = 0
        found[-1].append(place)
        tokens += cost
    return found


def rounds(
    documents: Sequence[Sequence[int]], costs: Sequence[int], limits: Limits
) -> list[list[list[int]]]:
    """The requests of contextual embeddings: each is a list of documents, a list of rows each.

    `documents` are the rows of each document, `costs` the tokens of each row. A long document is
    split into segments; round r has the segment r of every document, packed into requests within
    the limits, so that no request has two segments of one document.
    """
    pieces = [
        [
            [rows[place] for place in piece]
            for piece in segments([costs[row] for row in rows], limits.document_tokens)
        ]
        for rows in documents
    ]
    found: list[list[list[int]]] = []
    for number in range(max(map(len, pieces), default=0)):
        tokens = texts = 0
        fresh = True
        for split in pieces:
            if number >= len(split):
                continue
            piece = split[number]
            cost = sum(costs[row] for row in piece)
            full = texts + len(piece) > limits.texts or tokens + cost > limits.tokens
            if fresh or full or len(found[-1]) >= limits.documents:
                found.append([])
                tokens, texts, fresh = 0, 0, False
            found[-1].append(piece)
            tokens += cost
            texts += len(piece)
    return found
