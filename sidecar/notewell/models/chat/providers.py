"""The language model provider of the settings: its key and its list of models."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from urllib.parse import urlsplit

from notewell.base.config.load import ENV_KEY, provider_key
from notewell.base.errors import ConfigError, ProviderError
from notewell.base.support import disk
from notewell.base.support.http import Cancel, is_loopback
from notewell.base.types import AskRules
from notewell.base.types.frozen import frozen
from notewell.contract.context import AskModelsReply, ModelView
from notewell.models.chat.messages import ChatModel, ModelInfo
from notewell.models.chat.model_ranking import UNKNOWN_LIMIT, rank
from notewell.models.chat.wire import FIRST_PAUSE_S
from notewell.models.keys import keep, kept_key
from notewell.models.providers import CHAT_MODELS, ChatOptions, find_provider

CACHE_SECONDS = 24 * 3600.0
LEAST_BUDGET, MOST_BUDGET = 512, 100_000  # tokens


@frozen
class Providers:
    """Opens the configured provider. `folder` holds the cached lists of models."""

    rules: AskRules
    folder: Path
    environ: Mapping[str, str] | None = None  # None: the process's own
    first_pause_s: float = FIRST_PAUSE_S

    @property
    def base_url(self) -> str:
        """Where the provider listens."""
        if self.rules.base_url or self.rules.provider == "none":
            return self.rules.base_url.rstrip("/")
        return find_provider(CHAT_MODELS, self.rules.provider).base_url

    @property
    def host(self) -> str:
        """Its host name."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def local(self) -> bool:
        """Whether what is sent there stays on this computer."""
        return is_loopback(self.host)

    def using(self, model: str | None) -> Providers:
        """The same provider with this model in place of the configured one."""
        return self if model is None else replace(self, rules=replace(self.rules, model=model))

    def open(self, cancel: Cancel) -> ChatModel:
        """The provider, for one caller. Raises ConfigError if it is not configured correctly."""
        address = urlsplit(self.base_url)
        if self.rules.provider == "none":
            raise ConfigError(
                "No language model is configured, so nothing was sent. Set `provider` under [ask]"
                " in the configuration (docs/ask.md shows how, also with Ollama on this"
                " computer).",
                code="ask_off",
            )
        if address.scheme not in {"http", "https"} or not address.hostname:
            raise ConfigError(f"`ask.base_url` is not a web address: {self.base_url!r}.")
        key = find_key(self.rules, self.environ)
        if key and address.scheme == "http" and not self.local:
            raise ConfigError(
                f"The key would be sent unencrypted to {self.host}. Use https in `ask.base_url`,"
                " or remove the key."
            )
        options = ChatOptions(self.base_url, key, cancel, self.first_pause_s)
        return find_provider(CHAT_MODELS, self.rules.provider).load(options)

    def models(self, provider: ChatModel, *, refresh: bool = False) -> AskModelsReply:
        """The provider's models, best first; fetched once a day, or with `refresh`.

        An outdated list is used if the provider does not answer.
        """
        fetched, models = self._cached()
        if refresh or time.time() - fetched > CACHE_SECONDS:
            try:
                models = provider.models()
            except ProviderError:
                if refresh or not models:
                    raise
            else:
                fetched = time.time()
                self._cache(fetched, models)
        ranked = self._ranked(models)
        chosen = self._configured_or_best(ranked)
        return AskModelsReply(
            provider=self.rules.provider,
            host=self.host,
            chosen=chosen.name if chosen is not None else None,
            budget_tokens=self.budget(chosen) if chosen is not None else None,
            age_s=round(max(time.time() - fetched, 0.0), 1),
            models=ranked,
        )

    def choose(self, provider: ChatModel) -> ModelView:
        """The configured model, else the best one of the list."""
        if self.rules.model:
            fetched, models = self._cached()
            if not fetched:
                with suppress(
                    ProviderError
                ):  # the model's limit then comes from the built-in table
                    models = provider.models()
                    self._cache(time.time(), models)
            named = [model for model in models if model.name == self.rules.model]
            return next(iter(self._ranked(named)), None) or self._unlisted_model()
        chosen = self._configured_or_best(self.models(provider).models)
        if chosen is None:
            raise ProviderError(
                f"{self.host} lists no model that can answer questions. Load one there, or set"
                " `ask.model`.",
                code="no_model",
            )
        return chosen

    def budget(self, model: ModelView) -> int:
        """Tokens of notes to send: a share of the model's input limit."""
        share = int(model.input_limit * min(max(self.rules.budget_share, 0.01), 0.9))
        return min(max(share, LEAST_BUDGET), MOST_BUDGET)

    def _configured_or_best(self, models: Sequence[ModelView]) -> ModelView | None:
        named = [model for model in models if model.name == self.rules.model]
        if self.rules.model:
            return named[0] if named else self._unlisted_model()
        return models[0] if models else None

    def _ranked(self, models: Sequence[ModelInfo]) -> tuple[ModelView, ...]:
        """Best first. Local servers often load models with less context than the models support."""
        assumed = self.rules.context_tokens or (UNKNOWN_LIMIT if self.local else None)
        return rank(models, assumed, self.rules.prefer)

    def _unlisted_model(self) -> ModelView:
        """The configured model if the list does not have it; it is used whatever its name is."""
        name = self.rules.model
        assumed = self.rules.context_tokens or UNKNOWN_LIMIT
        ranked = self._ranked((ModelInfo(name),))
        return ranked[0] if ranked else ModelView(name, 1, assumed, None, known=False)

    # --- the list, cached on disk ----------------------------------------------------------

    @property
    def _file(self) -> Path:
        name = "".join(letter if letter.isalnum() else "-" for letter in self.base_url)
        return self.folder / f"models-{name}.json"

    def _cached(self) -> tuple[float, tuple[ModelInfo, ...]]:
        """The cached list, and when it was fetched (POSIX seconds, 0 for never)."""
        try:
            cached = json.loads(self._file.read_text(encoding="utf-8"))
            return float(cached["fetched"]), tuple(ModelInfo(**model) for model in cached["models"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0.0, ()

    def _cache(self, fetched: float, models: Sequence[ModelInfo]) -> None:
        text = json.dumps({"fetched": fetched, "models": [asdict(model) for model in models]})
        with suppress(OSError):  # then it is fetched again
            disk.replace(self._file, text.encode())


def find_key(rules: AskRules, environ: Mapping[str, str] | None) -> str:
    """The key to send; "" if there is none, as for most local servers."""
    found = provider_key(rules, environ)
    return stored_key(rules) if found is None else found


def stored_key(rules: AskRules) -> str:
    """The key in the keyring for these rules; "" if there is none."""
    return kept_key(_name(rules))


def keep_key(rules: AskRules, key: str) -> None:
    """Store a key in the keyring; "" removes it. Raises as `keys.keep` does."""
    keep(_name(rules), key, ENV_KEY)


def _name(rules: AskRules) -> str:
    """The name under which a key is stored; each address has its own, so no key goes elsewhere."""
    return f"{rules.provider} {rules.base_url}".strip()
