"""Set up the service or program that answers: its model, its key, and the consent to its host."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from notewell.api.errors import ConfigError, UsageError
from notewell.api.types import frozen
from notewell.base.config import provider_key
from notewell.base.support.http import is_loopback
from notewell.base.types import AskRules, ProviderKind
from notewell.features.ask.requests import (
    AskSetupReply,
    ChatService,
    ChatServiceView,
    KeyPlace,
)
from notewell.models.chat.providers import keep_key, stored_key
from notewell.models.keys import has_keyring
from notewell.models.providers import CHAT_MODELS, find_provider


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
            ChatServiceView(name, service.title, _host(service.provider, service.base_url))
            for name, service in _SERVICES.items()
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
    for name, service in _SERVICES.items():
        if (service.provider, service.base_url) == (rules.provider, rules.base_url.rstrip("/")):
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
