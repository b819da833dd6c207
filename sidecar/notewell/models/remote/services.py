"""Services with embedding models: addresses, limits, models, and the forms of requests and replies.

A service is a row of `SERVICES`. Those that differ from OpenAI in their requests have a class of
their own in `FORMS`; the classes send nothing themselves. Sources: the references of OpenAI,
Ollama, Gemini, Voyage, Cohere, Jina and Mistral that docs/models.md names. Only documented fields
are sent, because unknown ones are refused by some.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal, Protocol
from urllib.parse import quote, urlsplit

from notewell.base.support.http import HttpRequest, Json, Retry
from notewell.base.types.frozen import frozen

PRICES_OF = "2026-08"
Family = Literal["openai", "jina", "mistral", "ollama", "gemini", "voyage", "cohere"]


@frozen
class Limits:
    """Limits of one request, and how many are sent at the same time.

    `document_tokens` is the limit of one list of a contextual request; `text_tokens` of one text.
    """

    texts: int
    tokens: int
    text_tokens: int = 8_000
    documents: int = 0
    document_tokens: int = 0
    parallel: int = 2


@frozen
class ModelRow:
    """A model, by the beginning of its name.

    `dimensions` is the length of its vectors, 0 if it is not known. `cut`: the first numbers of a
    vector are a vector, too (Matryoshka). `field`: the value that says to the service whether a
    text is a query or a passage. `contextual`: passages of a note are sent together.
    """

    name: str
    dimensions: int = 0
    cut: bool = False
    query_prefix: str = ""
    passage_prefix: str = ""
    field: tuple[str, str] | None = None
    price: float | None = None  # dollars a million tokens
    contextual: bool = False


@frozen
class Service:
    """A provider of the setting `model.provider`.

    `variables` are the usual names of its key in the environment. `by_server`: its requests have a
    field for shorter vectors; otherwise they are cut here.
    """

    name: str
    family: Family
    base_url: str
    limits: Limits
    models: tuple[ModelRow, ...]
    variables: tuple[str, ...] = ()
    by_server: bool = True
    contextual: Limits | None = None


_INPUT_TYPES = ("query", "document")
_COHERE_TYPES = ("search_query", "search_document")
_GEMINI_TYPES = ("RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT")
_JINA_TASKS = ("retrieval.query", "retrieval.passage")

# Models that are usually run on an own server, whoever serves them.
OPEN_MODELS: tuple[ModelRow, ...] = (
    ModelRow("nomic-embed-text", 768, True, "search_query: ", "search_document: "),
    ModelRow("multilingual-e5-small", 384, False, "query: ", "passage: "),
    ModelRow("multilingual-e5-base", 768, False, "query: ", "passage: "),
    ModelRow("multilingual-e5-large", 1024, False, "query: ", "passage: "),
    ModelRow("e5-", 0, False, "query: ", "passage: "),
    ModelRow(
        "mxbai-embed-large",
        1024,
        True,
        "Represent this sentence for searching relevant passages: ",
    ),
    ModelRow(
        "snowflake-arctic-embed2",
        1024,
        True,
        "query: ",
    ),
    ModelRow("embeddinggemma", 768, True, "task: search result | query: ", "title: none | text: "),
    ModelRow(
        "qwen3-embedding",
        0,
        True,
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\n"
        "Query:",
    ),
    ModelRow("bge-m3", 1024),
    ModelRow("all-minilm", 384),
)

SERVICES: tuple[Service, ...] = (
    Service(
        "openai",
        "openai",
        "https://api.openai.com/v1",
        Limits(texts=2048, tokens=270_000, parallel=3),
        (
            ModelRow("text-embedding-3-small", 1536, True, price=0.02),
            ModelRow("text-embedding-3-large", 3072, True, price=0.13),
            ModelRow("text-embedding-ada-002", 1536, price=0.10),
        ),
        ("OPENAI_API_KEY",),
    ),
    Service(
        "ollama",
        "ollama",
        "http://127.0.0.1:11434",
        Limits(texts=16, tokens=16_000, text_tokens=2_000, parallel=1),
        (),
        by_server=False,
    ),
    Service(
        "gemini",
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        Limits(texts=100, tokens=20_000, text_tokens=2_000, parallel=2),
        (
            ModelRow("gemini-embedding-001", 3072, True, field=_GEMINI_TYPES, price=0.15),
            ModelRow("gemini-embedding-2", 3072, True, field=_GEMINI_TYPES, price=0.20),
        ),
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
    Service(
        "voyage",
        "voyage",
        "https://api.voyageai.com/v1",
        Limits(texts=128, tokens=110_400, parallel=2),
        (
            ModelRow("voyage-context-4", 1024, True, field=_INPUT_TYPES, contextual=True),
            ModelRow(
                "voyage-context-3", 1024, True, field=_INPUT_TYPES, price=0.18, contextual=True
            ),
            ModelRow("voyage-4-large", 1024, True, field=_INPUT_TYPES, price=0.12),
            ModelRow("voyage-4-lite", 1024, True, field=_INPUT_TYPES, price=0.02),
            ModelRow("voyage-4", 1024, True, field=_INPUT_TYPES, price=0.06),
            ModelRow("voyage-3.5-lite", 1024, True, field=_INPUT_TYPES, price=0.02),
            ModelRow("voyage-3.5", 1024, True, field=_INPUT_TYPES, price=0.06),
            ModelRow("voyage-3-large", 1024, True, field=_INPUT_TYPES, price=0.18),
            ModelRow("voyage-", 1024, False, field=_INPUT_TYPES),
        ),
        ("VOYAGE_API_KEY",),
        contextual=Limits(
            texts=16_000,
            tokens=110_400,
            text_tokens=16_000,
            documents=1_000,
            document_tokens=31_040,
            parallel=2,
        ),
    ),
    Service(
        "cohere",
        "cohere",
        "https://api.cohere.com/v2",
        Limits(texts=96, tokens=100_000, parallel=2),
        (
            ModelRow("embed-v4.0", 1536, True, field=_COHERE_TYPES, price=0.12),
            ModelRow("embed-multilingual-v3.0", 1024, field=_COHERE_TYPES, price=0.10),
            ModelRow("embed-english-v3.0", 1024, field=_COHERE_TYPES, price=0.10),
            ModelRow("embed-", 0, field=_COHERE_TYPES),
        ),
        ("CO_API_KEY", "COHERE_API_KEY"),
    ),
    Service(
        "jina",
        "jina",
        "https://api.jina.ai/v1",
        Limits(texts=512, tokens=100_000, parallel=2),
        (
            ModelRow("jina-embeddings-v4", 2048, True, field=_JINA_TASKS),
            ModelRow("jina-embeddings-v3", 1024, True, field=_JINA_TASKS),
            ModelRow("jina-embeddings-", 0),
        ),
        ("JINA_API_KEY",),
    ),
    Service(
        "mistral",
        "mistral",
        "https://api.mistral.ai/v1",
        Limits(texts=128, tokens=14_000, parallel=1),
        (
            ModelRow("codestral-embed", 1536, True, price=0.15),
            ModelRow("mistral-embed", 1024, price=0.10),
        ),
        ("MISTRAL_API_KEY",),
    ),
)
# A server of one's own that speaks OpenAI's form: LM Studio, llama.cpp, vLLM, TEI.
OWN_SERVER = Limits(texts=64, tokens=32_000, parallel=1)

_BY_NAME: Mapping[str, Service] = {service.name: service for service in SERVICES}


def service_named(name: str) -> Service | None:
    """The service of that name, or None."""
    return _BY_NAME.get(name)


def row_of(service: Service, model: str) -> ModelRow:
    """The row of a model, or one for unknown models; case and `owner/` do not matter."""
    wanted = model.casefold().rpartition("/")[2]
    for row in (*service.models, *OPEN_MODELS):
        if wanted.startswith(row.name):
            return row
    return ModelRow(model)


@frozen
class Estimate:
    """The requests of a run and their price. `dollars` is None where the price is not known."""

    texts: int
    tokens: int
    dollars: float | None
    prices_of: str = field(default=PRICES_OF)


def estimate(row: ModelRow, service: Service, *, texts: int, tokens: int, local: bool) -> Estimate:
    """The estimate for `tokens`; what stays on this computer costs nothing."""
    price = 0.0 if local or service.family == "ollama" else row.price
    return Estimate(texts, tokens, None if price is None else round(price * tokens / 1e6, 4))


Kind = Literal["query", "passage"]
Document = Sequence[str]
_MOST_TOKENS = 1e12  # also no infinity
_COHERE: Mapping[Kind, str] = {"query": "query", "passage": "document"}


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

    def request(
        self, endpoint: EmbeddingEndpoint, texts: Sequence[str], kind: Kind
    ) -> HttpRequest: ...

    def reply(self, body: Json, count: int) -> Reply:
        """The vectors of a reply to `count` texts."""


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
        values = [_part(item, "values") for item in given] if isinstance(given, list) else None
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


FORMS: Mapping[Family, EmbeddingWire] = {
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
    documents = _order(_part(body, "data"), len(counts))
    tokens = _number(body, "usage", "total_tokens")
    if documents is None:
        return None, tokens
    by_document = [
        _by_index(_part(document, "data"), count)
        for document, count in zip(documents, counts, strict=True)
    ]
    return by_document, tokens


def _part(body: Json, name: str) -> Json:
    return body.get(name) if isinstance(body, Mapping) else None


def _number(body: Json, *names: str) -> int | None:
    for name in names:
        body = _part(body, name)
    if not isinstance(body, int | float) or isinstance(body, bool) or not 0 < body < _MOST_TOKENS:
        return None
    return int(body)


def _order(data: Json, count: int) -> list[Mapping[str, Json]] | None:
    """Entries in the order of their `index`; None unless each place has exactly one."""
    entries: dict[int, Mapping[str, Json]] = {}
    for item in data if isinstance(data, list) else ():
        index = item.get("index") if isinstance(item, Mapping) else None
        if not isinstance(index, int) or index in entries:
            return None
        entries[index] = item
    return [entries[n] for n in range(count)] if entries.keys() == set(range(count)) else None


def _by_index(data: Json, count: int) -> list[Sequence[Json]] | None:
    entries = _order(data, count)
    if entries is None:
        return None
    return _lists([entry.get("embedding") for entry in entries], count)


def _lists(data: Json, count: int) -> list[Sequence[Json]] | None:
    """A list of `count` lists; None if it is anything else."""
    if not isinstance(data, list) or len(data) != count:
        return None
    rows: list[Sequence[Json]] = [row for row in data if isinstance(row, list)]
    return rows if len(rows) == count else None
