"""Services of language models that can be chosen by their names, with their addresses."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from urllib.parse import urlsplit

from notewell.base.config import provider_key
from notewell.base.errors import ConfigError, ProviderError, UsageError
from notewell.base.support.http import HttpClient, HttpError, HttpRequest, is_loopback
from notewell.base.types import AskRules, ProviderKind
from notewell.base.types.frozen import frozen
from notewell.features.ask.requests import (
    AskSetupReply,
    ChatService,
    ChatServiceView,
    KeyPlace,
    LocalModels,
    LocalServer,
)
from notewell.models.chat import ModelInfo
from notewell.models.chat.providers import keep_key, rank, stored_key
from notewell.models.chat.wire import listed_models
from notewell.models.providers import CHAT_MODELS, find_provider, has_keyring

_FIND_S = 1.5  # a program that listens answers at once; loading a model is not waited for


@frozen
class _Service:
    """`base_url` is "" for the protocol's own address."""

    title: str
    provider: ProviderKind
    base_url: str = ""


# Their own documentation: ai.google.dev/gemini-api/docs/openai, docs.mistral.ai/api,
# openrouter.ai/docs/quickstart.
_SERVICES: Mapping[ChatService, _Service] = {
    "openai": _Service("OpenAI", "openai"),
    "anthropic": _Service("Anthropic", "anthropic"),
    "gemini": _Service(
        "Google Gemini", "openai", "https://generativelanguage.googleapis.com/v1beta/openai"
    ),
    "mistral": _Service("Mistral", "openai", "https://api.mistral.ai/v1"),
    "openrouter": _Service("OpenRouter", "openai", "https://openrouter.ai/api/v1"),
}


def rules_of_service(service: ChatService | None, model: str | None) -> Mapping[str, str]:
    """The settings of [ask] that use a service; those of None answer no questions."""
    if service is None:
        return {"provider": "", "base_url": "", "model": ""}
    chosen = _SERVICES[service]
    return {"provider": chosen.provider, "base_url": chosen.base_url, "model": model or ""}


def agree(service: ChatService, host: str | None) -> None:
    """Raise UsageError unless the person agreed to send notes to this service's host."""
    if host != _host(_SERVICES[service].provider, _SERVICES[service].base_url):
        raise UsageError(
            "Choosing a service sends notes to its host, so the request names that host.",
            code="consent_required",
        )


def keep_service_key(service: ChatService, key: str) -> None:
    """Store a service's key in the keyring; "" removes it. Raises as `write_key` does."""
    chosen = _SERVICES[service]
    keep_key(AskRules(provider=chosen.provider, base_url=chosen.base_url), key)


def setup_of(rules: AskRules) -> AskSetupReply:
    """The service that answers questions by these settings, and those that could."""
    host = _host(rules.provider, rules.base_url)
    return AskSetupReply(
        service=_service_of(rules),
        host=host or None,
        local=is_loopback(host),
        model=rules.model or None,
        key=_key_place(rules),
        keyring=has_keyring(),
        services=tuple(
            ChatServiceView(name, one.title, _host(one.provider, one.base_url))
            for name, one in _SERVICES.items()
        ),
    )


def check_in_force(rules: AskRules, service: ChatService | None) -> None:
    """Raise ConfigError where the environment or a flag of the server says otherwise."""
    wanted = rules_of_service(service, None)
    provider = wanted["provider"] or "none"
    if (rules.provider, rules.base_url) != (provider, wanted["base_url"]):
        raise ConfigError(
            "It is written to the settings file, but the environment of the server or the command"
            " that started it sets [ask] to something else, which wins. Change it there."
        )


def _service_of(rules: AskRules) -> ChatService | None:
    for name, one in _SERVICES.items():
        if (one.provider, one.base_url) == (rules.provider, rules.base_url.rstrip("/")):
            return name
    return None


def _host(provider: ProviderKind, base_url: str) -> str:
    if provider == "none":
        return ""
    address = base_url or find_provider(CHAT_MODELS, provider).base_url
    return urlsplit(address).hostname or ""


def _key_place(rules: AskRules) -> KeyPlace:
    if rules.provider == "none":
        return "none"
    if provider_key(rules):
        return "environment"
    return "keyring" if stored_key(rules) else "none"


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
        return tuple(found for found in tries if found is not None)


def _find(server: LocalServer, known: Known) -> LocalModels | None:
    address = _address(known)
    client = HttpClient(timeout_s=_FIND_S, connect_s=_FIND_S, deadline_s=2 * _FIND_S)
    try:
        reply = client.send(HttpRequest("GET", f"{address}/models"))
        listed = listed_models(reply.json()) if reply.status == HTTPStatus.OK else ()
    except (HttpError, ProviderError):
        return None  # nothing listens there, or another program does
    names = tuple(model.name for model in rank(ModelInfo(str(one["id"])) for one in listed))
    return LocalModels(server, known.title, address, names) if names else None
