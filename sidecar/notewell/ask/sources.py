"""The numbered sources of one answer: what the model read, under the numbers it cites."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from notewell.context.blocks import TAG, Block
from notewell.contract.ask import AskSource
from notewell.contract.context import ContextReply, ContextSource

_NUMBER = re.compile(rf'(?<=<{TAG} n=")\d+(?=")')
_LIST = "\nSources:\n"


@dataclass(frozen=True, slots=True)
class Source:
    """What a model is given: a note or a page, and the line of its passage, None for all of it."""

    path: str
    title: str
    uri: str
    line: int | None = None


class NumberedSources:
    """Numbers sources from 1, each path or address once."""

    def __init__(self) -> None:
        """Begin empty."""
        self._sources: dict[str, Source] = {}  # by path

    def number(self, found: Source) -> int:
        """The number of a source, a new one where it has none; the first passage's line stays."""
        known = self._sources.get(found.path)
        if known is None or known.line is None:
            self._sources[found.path] = found
        return list(self._sources).index(found.path) + 1

    def block(self, found: Source, text: str, score: float = 1.0) -> str:
        """A source as a block that its text cannot break out of."""
        return Block(found.path, found.title, None, score, text).render(self.number(found))

    def context(self, reply: ContextReply) -> str:
        """The blocks of a context, under this catalogue's numbers.

        No text of a note can look like a block's beginning: the context made that impossible.
        """
        numbers = {str(one.n): str(self.number(_found(one))) for one in reply.sources}
        blocks = reply.text.rpartition(_LIST)[0] or reply.text
        return _NUMBER.sub(lambda match: numbers[match[0]], blocks)

    @property
    def numbers(self) -> range:
        """All numbers that may be cited."""
        return range(1, len(self._sources) + 1)

    def sources(self, cited: Collection[int]) -> tuple[AskSource, ...]:
        """The sources in the words of the contract."""
        return tuple(
            AskSource(n, one.path, one.title, one.uri, cited=n in cited, line=one.line)
            for n, one in enumerate(self._sources.values(), 1)
        )


def _found(source: ContextSource) -> Source:
    """A note of a context; a whole one has no passage."""
    line = None if source.detail == "full" else source.line
    return Source(source.path, source.title, source.uri, line)


_GROUP = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?!\()")
_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]*`)", re.DOTALL)
_BEFORE_STOP = re.compile(r"[ \t]+(?=[.,;:!?])")


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer with its valid citations alone, which they are, and which were taken out."""

    text: str
    cited: tuple[int, ...]
    invalid: tuple[int, ...]


def check(text: str, numbers: Collection[int]) -> Checked:
    """Take out citations of sources that are not among `numbers`; code is left as it is."""
    cited: dict[int, None] = {}
    invalid: dict[int, None] = {}

    def valid(match: re.Match[str]) -> str:
        named = [int(part) for part in re.findall(r"\d+", match[1])]
        kept = [number for number in named if number in numbers]
        cited.update(dict.fromkeys(kept))
        invalid.update(dict.fromkeys(number for number in named if number not in numbers))
        return "".join(f"[{number}]" for number in kept)

    parts = _CODE.split(text)
    for at in range(0, len(parts), 2):
        before = parts[at]
        after = _GROUP.sub(valid, before)
        parts[at] = _BEFORE_STOP.sub("", after) if len(after) < len(before) else after
    return Checked("".join(parts), tuple(cited), tuple(invalid))
