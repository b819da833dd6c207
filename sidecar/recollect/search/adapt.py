"""Decides how much meaning counts against words for one query, from what the query shows.

Pure: signals in, a share out. The weights were fitted on development sets; docs/search.md tells
how. Each signal moves the share by a stated amount, and the reply carries them all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from recollect.index import scripts
from recollect.index.analyze import words
from recollect.types import CountTokens

_SPACELESS = re.compile(f"[{scripts.SPACELESS}]")
_CHARS_A_WORD = 2.0  # of a script without spaces


@dataclass(frozen=True, slots=True)
class Signals:
    """What a query shows. Every signal is cheap and says one thing."""

    pieces: float  # tokens of the model a word: how well the model reads the query's language
    words: int  # how long the query is

    def as_params(self) -> Mapping[str, float]:
        """For the reply."""
        return {"pieces_per_word": round(self.pieces, 3), "words": float(self.words)}


def signals(text: str, count_tokens: CountTokens) -> Signals:
    """Look at the scored text of a query."""
    spaceless = len(_SPACELESS.findall(text))
    spaced = len([word for word in words(text) if not _SPACELESS.match(word)])
    count = spaced + spaceless / _CHARS_A_WORD
    return Signals(
        pieces=count_tokens(text) / count if count else 1.0,
        words=round(count),
    )


def semantic_share(signals: Signals) -> float:
    """The semantic side's share of the score, in 0..1."""
    unread = min(1.0, max(0.0, (signals.pieces - 1.4) / 1.2))
    return 0.6 - 0.55 * unread
