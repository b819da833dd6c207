"""The language model provider of the settings: its key, its models, and what they cost.

Models are ordered by tier, then by capability within the tier, then by stability: a preview comes
after a stable model that is as good. The tier is the generation, so that tiers of different
vendors can be compared: 5 is the first generation of each that uses tools reliably.

Prices are list prices in dollars a million tokens, of the date `PRICES_OF`, as
https://openai.com/api/pricing, https://platform.claude.com/docs/en/about-claude/pricing and
https://ai.google.dev/gemini-api/docs/pricing have them. A model that is not listed exactly has no
known price: names of a family say little of the price of its next member.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from urllib.parse import urlsplit

from notewell.base.config import ENV_KEY, provider_key
from notewell.base.errors import ConfigError, ProviderError
from notewell.base.support import disk
from notewell.base.support.http import Cancel, is_loopback
from notewell.base.types import AskRules, ModelPreference
from notewell.base.types.frozen import frozen
from notewell.contract.context import AskModelsReply, ModelView
from notewell.models.chat import ChatModel, ModelInfo
from notewell.models.chat.wire import FIRST_PAUSE_S
from notewell.models.keys import find_kept_key, write_key
from notewell.models.providers import CHAT_MODELS, ChatOptions, find_provider

UNKNOWN_LIMIT = 4096  # tokens; with which Ollama loads a model by default
_NOT_FOR_CHAT = re.compile(
    r"embed|whisper|tts|dall-e|image|moderation|audio|realtime|transcribe|translate|rerank|sora|veo"
    r"|imagen|lyria|\blive\b|robotics|computer-use|deep-research|guard|\baqa\b",
    re.IGNORECASE,
)
_UNSTABLE = re.compile(r"preview|exp(?:erimental)?\b|beta|alpha|nightly|\brc\d*\b", re.IGNORECASE)
_VERSION = re.compile(r"(?<![\d.])(\d{1,2}(?:[.-]\d{1,2})?)(?![\d.]|b\b|x\d)")
_NEWEST = re.compile(r"-latest$", re.IGNORECASE)  # an alias without a version
_SMALL, _MIDDLE, _LARGE = 1, 2, 3  # how capable a model is within its generation
_GEMINI = ((0, 1), (1.5, 2), (2, 3), (2.5, 4), (3, 5))
_CLAUDE = ((0, 2), (3, 3), (3.5, 4), (4, 5))
_GPT = ((0, 1), (4, 3), (4.1, 4), (5, 5))
_OPEN = ((0, 2),)  # models with open weights, which mostly run on this computer
_MILLION = 1_000_000
PRICES_OF = "2026-03"
_DATE = re.compile(r"-(?:20\d{6}|20\d\d-\d\d-\d\d|latest)$")
# By host, so that another service's price for the same model is not guessed: read, written.
_PRICES: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "api.openai.com": {
        "gpt-5.1": (1.25, 10.0),
        "gpt-5": (1.25, 10.0),
        "gpt-5-mini": (0.25, 2.0),
        "gpt-5-nano": (0.05, 0.4),
        "gpt-4.1": (2.0, 8.0),
        "gpt-4.1-mini": (0.4, 1.6),
        "gpt-4.1-nano": (0.1, 0.4),
        "gpt-4o": (2.5, 10.0),
        "gpt-4o-mini": (0.15, 0.6),
    },
    "api.anthropic.com": {
        "claude-opus-4-5": (5.0, 25.0),
        "claude-opus-4-6": (5.0, 25.0),
        "claude-opus-4-7": (5.0, 25.0),
        "claude-opus-4-1": (15.0, 75.0),
        "claude-sonnet-4-5": (3.0, 15.0),
        "claude-haiku-4-5": (1.0, 5.0),
        "claude-3-5-haiku": (0.8, 4.0),
    },
    "generativelanguage.googleapis.com": {
        "gemini-2.5-pro": (1.25, 10.0),
        "gemini-2.5-flash": (0.3, 2.5),
        "gemini-2.5-flash-lite": (0.1, 0.4),
    },
}
CACHE_SECONDS = 24 * 3600.0
LEAST_BUDGET, MOST_BUDGET = 512, 100_000  # tokens


@frozen
class _Family:
    """Models of one family, by a pattern of their names.

    `tiers` are the tiers of its generations: (version from which it holds, tier). Each whole
    version after the last is one tier more.
    """

    pattern: re.Pattern[str]
    tiers: tuple[tuple[float, int], ...]
    capability: int
    input_limit: int


def _family(
    pattern: str, tiers: tuple[tuple[float, int], ...], capability: int, input_limit: int
) -> _Family:
    return _Family(re.compile(pattern, re.IGNORECASE), tiers, capability, input_limit)


# The first match counts.
_FAMILIES = (
    _family(r"claude.*opus", _CLAUDE, _LARGE, 200_000),
    _family(r"claude.*haiku", _CLAUDE, _SMALL, 200_000),
    _family(r"claude", _CLAUDE, _MIDDLE, 200_000),
    # These think for minutes, cost a hundred times as much, and do not answer over this protocol.
    _family(r"gpt-\d.*-pro\b|\bo\d-pro\b", ((0, 0),), _LARGE, 272_000),
    _family(r"gpt-(?:[5-9]|\d\d)[\w.]*-nano", _GPT, _SMALL, 272_000),
    _family(r"gpt-(?:[5-9]|\d\d)[\w.]*-mini", _GPT, _MIDDLE, 272_000),
    _family(r"gpt-(?:[5-9]|\d\d)", _GPT, _LARGE, 272_000),
    _family(r"gpt-4\.1-nano", _GPT, _SMALL, _MILLION),
    _family(r"gpt-4\.1-mini", _GPT, _MIDDLE, _MILLION),
    _family(r"gpt-4\.1", _GPT, _LARGE, _MILLION),
    _family(r"gpt-4o-mini", _GPT, _MIDDLE, 128_000),
    _family(r"gpt-4o", _GPT, _LARGE, 128_000),
    _family(r"gpt-oss", ((0, 3),), _MIDDLE, 128_000),
    _family(r"\bo[1-9]-mini\b", ((0, 4),), _MIDDLE, 200_000),
    _family(r"\bo[1-9]\b", ((0, 4),), _LARGE, 200_000),
    _family(r"gemini.*lite|gemini.*-8b", _GEMINI, _SMALL, _MILLION),
    _family(r"gemini.*flash", _GEMINI, _MIDDLE, _MILLION),
    _family(r"gemini", _GEMINI, _LARGE, _MILLION),
    _family(r"mistral-large", ((0, 3),), _LARGE, 128_000),
    _family(r"mistral-medium", ((0, 3),), _MIDDLE, 128_000),
    _family(r"deepseek", ((0, 3),), _LARGE, 64_000),
    _family(r"qwen", _OPEN, _LARGE, UNKNOWN_LIMIT),
    _family(r"llama-?[3-9]", _OPEN, _MIDDLE, UNKNOWN_LIMIT),
    _family(r"mistral|ministral", _OPEN, _MIDDLE, UNKNOWN_LIMIT),
    _family(r"gemma|phi|granite", _OPEN, _SMALL, UNKNOWN_LIMIT),
)


def rank(
    models: Iterable[ModelInfo],
    assumed: int | None = None,
    prefer: ModelPreference = "capable",
) -> tuple[ModelView, ...]:
    """Order models that can chat, the one to use first.

    With `prefer` "cheap", the smallest models of any generation come first. `assumed` is the input
    limit in tokens of a model whose provider does not list one; None takes the table's.
    """
    usable = [model for model in models if not _NOT_FOR_CHAT.search(model.name)]
    ordered = sorted(usable, key=lambda model: (*_order(model.name, prefer), model.name))
    return tuple(
        ModelView(
            name=model.name,
            rank=n,
            input_limit=model.input_limit or assumed or _limit_of(model.name),
            output_limit=model.output_limit,
            known=model.input_limit is not None
            or (assumed is None and _family_of(model.name) is not None),
        )
        for n, model in enumerate(ordered, 1)
    )


def _limit_of(name: str) -> int:
    family = _family_of(name)
    return family.input_limit if family is not None else UNKNOWN_LIMIT


def _family_of(name: str) -> _Family | None:
    return next((family for family in _FAMILIES if family.pattern.search(name)), None)


def _order(name: str, prefer: ModelPreference) -> tuple[float, ...]:
    """The sort key of models, ascending; unknown ones come last."""
    family = _family_of(name)
    if family is None:
        return (1, 0, 0, 0, 0, len(name))
    version = _version(name)
    tier = _tier(family, version)
    unstable = bool(_UNSTABLE.search(name))
    known = (-tier, -family.capability)
    if prefer == "cheap":
        known = (family.capability, -tier)
    # A tier of 0 is for models that do not fit here; a price says nothing about them.
    return (int(tier == 0), *known, unstable, -version, len(name))


def _version(name: str) -> float:
    """The version in a name; 0 for none, and the newest for an alias of it."""
    match = _VERSION.search(name)
    if match is not None:
        return float(match[1].replace("-", "."))
    return math.inf if _NEWEST.search(name) else 0.0


def _tier(family: _Family, version: float) -> int:
    least, tier = next(tier for tier in reversed(family.tiers) if version >= tier[0])
    newer = family.tiers[-1] == (least, tier) and len(family.tiers) > 1 and version != math.inf
    return tier + (int(version) - int(least) if newer else 0)


def price(host: str, model: str, *, read: int, written: int, local: bool) -> float | None:
    """Dollars for so many tokens; 0 on this computer, None where no price is known."""
    if local:
        return 0.0
    known_price = _PRICES.get(host, {}).get(_DATE.sub("", model))
    return None if known_price is None else (known_price[0] * read + known_price[1] * written) / 1e6


@frozen
class Providers:
    """Opens the configured provider. `folder` holds the cached lists of models."""

    rules: AskRules
    folder: Path
    environ: Mapping[str, str] | None = None  # None: the process's own
    first_pause_s: float = FIRST_PAUSE_S

    @property
    def base_url(self) -> str:
        if self.rules.base_url or self.rules.provider == "none":
            return self.rules.base_url.rstrip("/")
        return find_provider(CHAT_MODELS, self.rules.provider).base_url

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).hostname or ""

    @property
    def local(self) -> bool:
        """True if what is sent there stays on this computer."""
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
        fetched, models = self._read_cache()
        if refresh or time.time() - fetched > CACHE_SECONDS:
            try:
                models = provider.models()
            except ProviderError:
                if refresh or not models:
                    raise
            else:
                fetched = time.time()
                self._cache(fetched, models)
        ranked = self._rank(models)
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
            fetched, models = self._read_cache()
            if not fetched:
                with suppress(
                    ProviderError
                ):  # the model's limit then comes from the built-in table
                    models = provider.models()
                    self._cache(time.time(), models)
            named = [model for model in models if model.name == self.rules.model]
            return next(iter(self._rank(named)), None) or self._unlisted_model()
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

    def _rank(self, models: Sequence[ModelInfo]) -> tuple[ModelView, ...]:
        """Best first. Local servers often load models with less context than the models support."""
        assumed = self.rules.context_tokens or (UNKNOWN_LIMIT if self.local else None)
        return rank(models, assumed, self.rules.prefer)

    def _unlisted_model(self) -> ModelView:
        """The configured model if the list does not have it; it is used whatever its name is."""
        name = self.rules.model
        assumed = self.rules.context_tokens or UNKNOWN_LIMIT
        ranked = self._rank((ModelInfo(name),))
        return ranked[0] if ranked else ModelView(name, 1, assumed, None, known=False)

    # --- the list, cached on disk ----------------------------------------------------------

    @property
    def _file(self) -> Path:
        name = "".join(letter if letter.isalnum() else "-" for letter in self.base_url)
        return self.folder / f"models-{name}.json"

    def _read_cache(self) -> tuple[float, tuple[ModelInfo, ...]]:
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
    key = provider_key(rules, environ)
    return stored_key(rules) if key is None else key


def stored_key(rules: AskRules) -> str:
    """The key in the keyring for these rules; "" if there is none."""
    return find_kept_key(_name(rules))


def keep_key(rules: AskRules, key: str) -> None:
    """Store a key in the keyring; "" removes it. Raises as `write_key` does."""
    write_key(_name(rules), key, ENV_KEY)


def _name(rules: AskRules) -> str:
    """The name under which a key is stored; each address has its own, so no key goes elsewhere."""
    return f"{rules.provider} {rules.base_url}".strip()
