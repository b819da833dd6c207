"""A note's text as a block that it cannot break out of, and the list of sources.

Notes hold whatever was pasted into them, so text that looks like our markup or like a citation is
taken apart: a `<retrieved_document>` tag loses its bracket, `[3]` becomes `(3)`. What a block says
in its attributes is escaped as in XML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass

TAG = "retrieved_document"

# Characters that a reader does not see and that would hide a tag or a marker from the patterns.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_OUR_TAG = re.compile(
    r"[<\uff1c\ufe64](?=[\s/\\\uff0f]*retrieved[\s_\uff3f-]*document)", re.IGNORECASE
)
_MARKER = re.compile(r"[\[\uff3b]([\s^]*\d[\d\s,;.:^\u2013-]*)[\]\uff3d]")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Block:
    """One note in a context. `text` is as the note has it; `render` makes it harmless."""

    path: str
    title: str
    heading: str | None
    score: float
    text: str

    def render(self, n: int) -> str:
        """The block as number `n`."""
        heading = f' heading="{attribute(self.heading)}"' if self.heading else ""
        opening = (
            f'<{TAG} n="{n}" title="{attribute(self.title)}" path="{attribute(self.path)}"'
            f'{heading} score="{self.score:.2f}"'
        )
        text = neutral(self.text)
        return f"{opening}>\n{text}\n</{TAG}>" if text else f"{opening}/>"

    def source(self, n: int) -> str:
        """Its line in the list of sources."""
        return f"[{n}] {attribute(self.title)} ({attribute(self.path)})"


def render(blocks: Iterable[Block]) -> str:
    """All blocks, numbered from 1, and the list of sources behind them; empty without any."""
    numbered = list(enumerate(blocks, 1))
    if not numbered:
        return ""
    shown = [block.render(n) for n, block in numbered]
    return "\n".join([*shown, "Sources:", *(block.source(n) for n, block in numbered)])


def neutral(text: str) -> str:
    """`text` without anything that could end a block, open one, or pass for a citation."""
    seen = _UNSEEN.sub("", text)
    return _MARKER.sub(r"(\1)", _OUR_TAG.sub("&lt;", seen)).strip()


def attribute(text: str) -> str:
    """`text` on one line, escaped; undone by any reader of XML entities, so paths stay exact."""
    line = _SPACES.sub(" ", _UNSEEN.sub("", text)).strip()
    return _MARKER.sub(r"&#91;\1&#93;", html.escape(line, quote=True))
