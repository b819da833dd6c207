"""Services with embedding models: addresses, limits of a request, and what their models accept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

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
