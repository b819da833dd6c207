"""What assembling a context answers; one field per JSON field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Detail = Literal["full", "passages", "headings"]


@dataclass(frozen=True, slots=True)
class ContextSource:
    """A note in the context: its number there, and how much of it was taken.

    `line` is where the best match stands; `tokens` are those of the note's block.
    """

    n: int
    path: str
    title: str
    heading: str | None
    line: int
    score: float
    detail: Detail
    tokens: int
    uri: str


@dataclass(frozen=True, slots=True)
class ContextReply:
    """Text for a language model, and the numbered notes it was made of.

    `tokens` are those of `text`, never more than `budget_tokens`; `tokenizer` names what counted
    them, `estimate` where no model is on this computer. `left_out` notes were found, and were too
    far below the best one or did not fit. `confidence` (0..1): whether anything here answers.
    """

    query: str
    vault: str
    generation: int
    budget_tokens: int
    tokens: int
    tokenizer: str
    text: str
    sources: tuple[ContextSource, ...]
    left_out: int
    confidence: float | None
    warnings: tuple[str, ...]
