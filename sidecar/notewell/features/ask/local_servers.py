"""Programs on this computer that serve language models: where they listen, what they have."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus

from notewell.api.errors import ProviderError
from notewell.api.types import frozen
from notewell.base.support.http import HttpClient, HttpError, HttpRequest
from notewell.features.ask.requests import (
    LocalModels,
    LocalServer,
)
from notewell.models.chat import ModelInfo
from notewell.models.chat.providers import rank
from notewell.models.chat.wire import listed_models

_FIND_S = 1.5  # a program that listens answers at once; loading a model is not waited for


@frozen
class Known:
    """A program's name for people, and the port that it listens on."""

    title: str
    port: int


# Their own documentation: docs.ollama.com/api, lmstudio.ai/docs/api, llama.cpp tools/server/README.
SERVERS: Mapping[LocalServer, Known] = {
    "ollama": Known("Ollama", 11434),
    "lm-studio": Known("LM Studio", 1234),
    "llama.cpp": Known("llama.cpp", 8080),
}


def address_of(server: LocalServer) -> str:
    """The address at which a program serves its models, on this computer."""
    return _address(SERVERS[server])


def _address(known: Known) -> str:
    return f"http://127.0.0.1:{known.port}/v1"


def rules_of(server: LocalServer, model: str | None) -> Mapping[str, str]:
    """The settings of [ask] that use a program; without `model`, the best that it lists."""
    return {"provider": "openai", "base_url": address_of(server), "model": model or ""}


def find_servers(servers: Mapping[LocalServer, Known] = SERVERS) -> tuple[LocalModels, ...]:
    """The programs that answer now and have a model that can answer questions."""
    with ThreadPoolExecutor(len(servers)) as threads:
        tries = threads.map(_find, servers, servers.values())
        return tuple(server for server in tries if server is not None)


def _find(server: LocalServer, known: Known) -> LocalModels | None:
    address = _address(known)
    client = HttpClient(timeout_s=_FIND_S, connect_s=_FIND_S, deadline_s=2 * _FIND_S)
    try:
        reply = client.send(HttpRequest("GET", f"{address}/models"))
        listed = listed_models(reply.json()) if reply.status == HTTPStatus.OK else ()
    except (HttpError, ProviderError):
        return None  # nothing listens there, or another program does
    names = tuple(model.name for model in rank(ModelInfo(str(model["id"])) for model in listed))
    return LocalModels(server, known.title, address, names) if names else None
