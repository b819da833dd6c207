"""What language models cost, for orientation before many notes are sent.

Prices are list prices in dollars a million tokens, of the date `PRICES_OF`, as
https://openai.com/api/pricing, https://platform.claude.com/docs/en/about-claude/pricing and
https://ai.google.dev/gemini-api/docs/pricing have them. A model that is not listed exactly has no
known price: names of a family say little of the price of its next member.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

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


def price(host: str, model: str, *, read: int, written: int, local: bool) -> float | None:
    """Dollars for so many tokens; 0 on this computer, None where no price is known."""
    if local:
        return 0.0
    found = _PRICES.get(host, {}).get(_DATE.sub("", model))
    return None if found is None else (found[0] * read + found[1] * written) / 1e6
