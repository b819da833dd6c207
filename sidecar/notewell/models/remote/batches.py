"""Splits texts into requests within a service's limits, and learns how long its tokens are."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from notewell.models.remote.table import Limits

_MARGIN = 1.1  # over the ratio that was seen
_LEAST, _MOST = 0.25, 3.0


def estimated_tokens(text: str) -> int:
    """Tokens of `text`, rather too many; only the server has the tokenizer.

    Three ASCII characters count as one token, any other character as one and a half.
    """
    plain = len(text) if text.isascii() else sum(map(str.isascii, text))
    return math.ceil(plain / 3 + (len(text) - plain) * 1.5)


@dataclass(slots=True)
class TokenMeter:
    """Estimates the tokens of texts, corrected by what the server counted.

    The correction serves batches only: the sizes of chunks must not change with it. It follows the
    largest ratio seen at once, and a smaller one slowly.
    """

    ratio: float = 1.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def cost(self, text: str) -> int:
        """Tokens of a text."""
        return max(math.ceil(estimated_tokens(text) * self.ratio), 1)

    def learn(self, texts: Sequence[str], used: int | None) -> None:
        """Take over what the server counted for `texts`; None: it did not say."""
        guessed = sum(map(estimated_tokens, texts))
        if not used or not guessed:
            return
        seen = min(max(used / guessed * _MARGIN, _LEAST), _MOST)
        with self._lock:
            self.ratio = seen if seen > self.ratio else self.ratio * 0.9 + seen * 0.1


def batches(texts: Sequence[str], limits: Limits, meter: TokenMeter) -> list[list[int]]:
    """The rows of each request, in order; a text above the limit is a request of its own."""
    found: list[list[int]] = []
    tokens = 0
    for row, text in enumerate(texts):
        cost = meter.cost(text)
        if not found or len(found[-1]) >= limits.texts or tokens + cost > limits.tokens:
            found.append([])
            tokens = 0
        found[-1].append(row)
        tokens += cost
    return found


def segments(costs: Sequence[int], limit: int) -> list[list[int]]:
    """The places of a document's passages in pieces of at most `limit` tokens each."""
    found: list[list[int]] = []
    tokens = 0
    for place, cost in enumerate(costs):
        if not found or tokens + cost > limit:
            found.append([])
            tokens = 0
        found[-1].append(place)
        tokens += cost
    return found


def rounds(
    documents: Sequence[Sequence[int]], costs: Sequence[int], limits: Limits
) -> list[list[list[int]]]:
    """The requests of contextual embeddings: each is a list of documents, a list of rows each.

    `documents` are the rows of each document, `costs` the tokens of each row. A long document is
    split into segments; round r has the segment r of every document, packed into requests within
    the limits, so that no request has two segments of one document.
    """
    pieces = [
        [
            [rows[place] for place in piece]
            for piece in segments([costs[row] for row in rows], limits.document_tokens)
        ]
        for rows in documents
    ]
    found: list[list[list[int]]] = []
    for number in range(max(map(len, pieces), default=0)):
        tokens = texts = 0
        fresh = True
        for split in pieces:
            if number >= len(split):
                continue
            piece = split[number]
            cost = sum(costs[row] for row in piece)
            full = texts + len(piece) > limits.texts or tokens + cost > limits.tokens
            if fresh or full or len(found[-1]) >= limits.documents:
                found.append([])
                tokens, texts, fresh = 0, 0, False
            found[-1].append(piece)
            tokens += cost
            texts += len(piece)
    return found
