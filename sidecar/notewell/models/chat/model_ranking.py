"""Which of a provider's models to use, and how much each can read: one table of families.

Models are ordered by tier, then by capability within the tier, then by stability: a preview comes
after a stable model that is as good. The tier is the generation, so that tiers of different
vendors can be compared: 5 is the first generation of each that uses tools reliably.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from notewell.base.types import ModelPreference
from notewell.base.types.frozen import frozen
from notewell.contract.context import ModelView
from notewell.models.chat.messages import ModelInfo

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


_GEMINI = ((0, 1), (1.5, 2), (2, 3), (2.5, 4), (3, 5))
_CLAUDE = ((0, 2), (3, 3), (3.5, 4), (4, 5))
_GPT = ((0, 1), (4, 3), (4.1, 4), (5, 5))
_OPEN = ((0, 2),)  # models with open weights, which mostly run on this computer
_MILLION = 1_000_000

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
    """What models are sorted by, ascending; unknown ones come last."""
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
    found = _VERSION.search(name)
    if found is not None:
        return float(found[1].replace("-", "."))
    return math.inf if _NEWEST.search(name) else 0.0


def _tier(family: _Family, version: float) -> int:
    least, tier = next(one for one in reversed(family.tiers) if version >= one[0])
    newer = family.tiers[-1] == (least, tier) and len(family.tiers) > 1 and version != math.inf
    return tier + (int(version) - int(least) if newer else 0)
