"""Measures of a query's text that tell how much its words and its meaning can be trusted."""

from __future__ import annotations

import re

from notewell.base.types import CountTokens
from notewell.index.analyze import SPACELESS, words

_SPACELESS = re.compile(f"[{SPACELESS}]")
# Tokens per word (or per character of a script without spaces) from which a model starts to split
# words into pieces, and at which it splits all of them. Below _UNKNOWN_CHARACTERS the characters
# are unknown to the model: a run of them counts as one token.
_SPLIT_WORDS = (1.9, 4.0)
_SPLIT_CHARACTERS = (0.7, 0.95)
_UNKNOWN_CHARACTERS = 0.15


def digit_share(text: str) -> float:
    """The share of the words of a query that have digits, 0..1; models hardly read numbers."""
    parts = text.split()
    return sum(any(map(str.isdigit, part)) for part in parts) / len(parts) if parts else 0.0


def unreadable_share(text: str, count_tokens: CountTokens) -> float:
    """How much of a query the model splits into pieces of words, 0..1, by its tokens per word."""
    spaced, spaceless = _word_counts(text)
    unreadable = 0.0
    if spaced:
        rate = count_tokens(_SPACELESS.sub(" ", text)) / spaced
        unreadable += spaced * _between(rate, *_SPLIT_WORDS)
    if spaceless:
        rate = count_tokens("".join(_SPACELESS.findall(text))) / spaceless
        unknown = rate < _UNKNOWN_CHARACTERS
        unreadable += spaceless / 2 * (1.0 if unknown else _between(rate, *_SPLIT_CHARACTERS))
    return unreadable / (spaced + spaceless / 2) if spaced or spaceless else 0.0


def _word_counts(text: str) -> tuple[int, int]:
    """The number of words in scripts with spaces, and of characters in scripts without.

    Two characters of a script without spaces count as a word.
    """
    spaced = sum(not _SPACELESS.match(word) for word in words(text))
    return spaced, len(_SPACELESS.findall(text))


def _between(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))
