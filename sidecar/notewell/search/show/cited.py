"""Renders notes as blocks for a language model, protected against injected markup, with sources.

Notes may contain text from anywhere, so text that looks like our markup or like a citation is
defused: the `<` of a `<retrieved_document>` tag is escaped and `[3]` becomes `(3)`. Attributes
are escaped as in XML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass

TAG = "retrieved_document"
# Invisible characters, which would hide a tag or a citation from the patterns.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_OUR_TAG = re.compile(
    r"[<\uff1c\ufe64](?=[\s/\\\uff0f]*retrieved[\s_\uff3f-]*document)", re.IGNORECASE
)
_CITATION = re.compile(r"[\[\uff3b]([\s^]*\d[\d\s,;.:^\u2013-]*)[\]\uff3d]")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class CitedBlock:
    """One note in a context. `text` is the note's own; `render` defuses it."""

    path: str
    title: str
    heading: str | None
    score: float
    text: str

    def render(self, n: int) -> str:
        heading = f' heading="{attribute(self.heading)}"' if self.heading else ""
        opening = (
            f'<{TAG} n="{n}" title="{attribute(self.title)}" path="{attribute(self.path)}"'
            f'{heading} score="{self.score:.2f}"'
        )
        text = neutral(self.text)
        return f"{opening}>\n{text}\n</{TAG}>" if text else f"{opening}/>"

    def source(self, n: int) -> str:
        return f"[{n}] {attribute(self.title)} ({attribute(self.path)})"


def render(blocks: Iterable[CitedBlock]) -> str:
    """All blocks, numbered from 1, then the list of sources; empty without blocks."""
    numbered = list(enumerate(blocks, 1))
    if not numbered:
        return ""
    shown = [block.render(n) for n, block in numbered]
    return "\n".join([*shown, "Sources:", *(block.source(n) for n, block in numbered)])


def neutral(text: str) -> str:
    """`text` without anything that opens or closes a block or looks like a citation."""
    visible = _INVISIBLE.sub("", text)
    return _CITATION.sub(r"(\1)", _OUR_TAG.sub("&lt;", visible)).strip()


def attribute(text: str) -> str:
    """`text` on one line, escaped with XML entities, so that unescaping gives exact paths."""
    line = _SPACES.sub(" ", _INVISIBLE.sub("", text)).strip()
    return _CITATION.sub(r"&#91;\1&#93;", html.escape(line, quote=True))
