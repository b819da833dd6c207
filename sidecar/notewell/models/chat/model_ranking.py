"""Which of a provider's models to use, and how much each can read: one table of rules."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from notewell.contract.ask import ModelView
from notewell.models.chat.messages import ModelInfo

UNKNOWN_LIMIT = 4096  # tokens; with which Ollama loads a model by default
_PREVIEW = -30
_NOT_FOR_CHAT = re.compile(
    r"embed|whisper|tts|dall-e|image|moderation|audio|realtime|transcribe|rerank|sora|veo|imagen"
    r"|computer-use|guard",
    re.IGNORECASE,
)
_UNSTABLE = re.compile(r"preview|exp(?:erimental)?\b|beta|alpha|nightly|\brc\d*\b", re.IGNORECASE)
_VERSION = re.compile(r"(?<![\d.])(\d{1,2}(?:[.-]\d{1,2})?)(?![\d.]|b\b|x\d)")


@dataclass(frozen=True, slots=True)
class _Family:
    """Models of one family: how well they answer with tools (0 to 100), and their input limit."""

    pattern: re.Pattern[str]
    points: int
    input_limit: int


def _family(pattern: str, points: int, input_limit: int) -> _Family:
    return _Family(re.compile(pattern, re.IGNORECASE), points, input_limit)


# The first match counts. Middle tiers come before the largest: an answer from a few notes
# needs no more, and costs a tenth.
_FAMILIES = (
    _family(r"claude.*sonnet", 90, 200_000),
    _family(r"claude.*haiku", 80, 200_000),
    _family(r"claude.*opus", 75, 200_000),
    _family(r"gpt-(?:[5-9]|\d\d)[\w.]*-mini", 90, 272_000),
    _family(r"gpt-(?:[5-9]|\d\d)[\w.]*-nano", 65, 272_000),
    _family(r"gpt-(?:[5-9]|\d\d).*-pro", 50, 272_000),
    _family(r"gpt-(?:[5-9]|\d\d)", 85, 272_000),
    _family(r"gpt-4\.1-mini", 75, 1_000_000),
    _family(r"gpt-4\.1", 72, 1_000_000),
    _family(r"gpt-4o-mini", 68, 128_000),
    _family(r"gpt-4o", 66, 128_000),
    _family(r"gpt-oss", 62, 128_000),
    _family(r"\bo[1-9]\b", 60, 200_000),
    _family(r"gemini.*flash-lite", 72, 1_000_000),
    _family(r"gemini.*flash", 88, 1_000_000),
    _family(r"gemini.*pro", 80, 1_000_000),
    _family(r"mistral-(?:large|medium)", 70, 128_000),
    _family(r"deepseek", 70, 64_000),
    _family(r"qwen", 60, UNKNOWN_LIMIT),
    _family(r"llama-?[3-9]", 55, UNKNOWN_LIMIT),
    _family(r"mistral|ministral", 50, UNKNOWN_LIMIT),
    _family(r"gemma|phi|granite", 40, UNKNOWN_LIMIT),
)


def rank(models: Iterable[ModelInfo], assumed: int | None = None) -> tuple[ModelView, ...]:
    """Order models that can chat, the one to use first: by tier, stability and how new they are.

    `assumed` is the input limit in tokens of a model whose provider does not list one; None takes
    the table's.
    """
    usable = [model for model in models if not _NOT_FOR_CHAT.search(model.name)]
    ordered = sorted(usable, key=lambda model: (*_order(model.name), model.name))
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


def _order(name: str) -> tuple[float, float, int]:
    family = _family_of(name)
    points = (family.points if family is not None else 0) + (
        _PREVIEW if _UNSTABLE.search(name) else 0
    )
    version = _VERSION.search(name)
    number = float(version[1].replace("-", ".")) if version else 0.0
    return -points, -number, len(name)
