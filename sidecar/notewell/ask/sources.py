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
class Found:
    """What a model is given: a note or a page, and the line of its passage, None for all of it."""

    path: str
    title: str
    uri: str
    line: int | None = None


class Catalogue:
    """Numbers sources from 1, each path or address once."""

    def __init__(self) -> None:
        """Begin empty."""
        self._sources: dict[str, Found] = {}  # by path

    def number(self, found: Found) -> int:
        """The number of a source, a new one where it has none; the first passage's line stays."""
        known = self._sources.get(found.path)
        if known is None or known.line is None:
            self._sources[found.path] = found
        return list(self._sources).index(found.path) + 1

    def block(self, found: Found, text: str, score: float = 1.0) -> str:
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


def _found(source: ContextSource) -> Found:
    """A note of a context; a whole one has no passage."""
    line = None if source.detail == "full" else source.line
    return Found(source.path, source.title, source.uri, line)
