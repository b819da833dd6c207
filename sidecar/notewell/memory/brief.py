"""What an assistant should know before it begins, as one text within a budget of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from notewell.memory.note import Memory
from notewell.types import CountTokens

_RULES = "## Golden rules"
_MORE = "## Memories"


@dataclass(frozen=True, slots=True)
class Composed:
    """The text, its tokens, and which memories are in it or had no room."""

    text: str
    tokens: int
    taken: tuple[str, ...]
    left_out: tuple[str, ...]


def compose(
    golden: Sequence[Memory],
    others: Sequence[Memory],
    *,
    budget_tokens: int,
    count_tokens: CountTokens,
) -> Composed:
    """Take memories in order, golden rules first, each whole, for as long as they fit.

    One that does not fit is left out, and the next is tried. The text is counted as a whole each
    time, so that it never has one token more than the budget.
    """
    text, taken, left_out = "", [], []
    for heading, memories in ((_RULES, golden), (_MORE, others)):
        begun = False
        for memory in memories:
            head = "" if begun else f"{heading}\n" if not text else f"\n{heading}\n"
            longer = f"{text}{head}{_line(memory)}\n"
            if count_tokens(longer) > budget_tokens:
                left_out.append(memory.id)
                continue
            text, begun = longer, True
            taken.append(memory.id)
    return Composed(text, count_tokens(text) if text else 0, tuple(taken), tuple(left_out))


def _line(memory: Memory) -> str:
    about = f"{memory.type}, confidence {memory.confidence:g}, {memory.id}"
    # Indented, so that no line of a memory reads as a heading or an entry of this list.
    content = memory.content.replace("\n", "\n  ")
    return f"- {content} ({about})"
