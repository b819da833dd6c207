"""The numbered sources of one answer: what the model read, under the numbers it cites."""

from __future__ import annotations

import re
from collections.abc import Collection

from recollect.context.blocks import TAG, Block
from recollect.replies.ask import AskSource
from recollect.replies.context import ContextReply

_NUMBER = re.compile(rf'(?<=<{TAG} n=")\d+(?=")')
_LIST = "\nSources:\n"


class Catalogue:
    """Numbers sources from 1, each path or address once."""

    def __init__(self) -> None:
        """Begin empty."""
        self._sources: dict[str, tuple[str, str]] = {}  # path -> title, address to open

    def number(self, path: str, title: str, uri: str) -> int:
        """The number of a source, a new one where it has none."""
        self._sources.setdefault(path, (title, uri))
        return list(self._sources).index(path) + 1

    def block(self, path: str, title: str, uri: str, text: str, score: float = 1.0) -> str:
        """A source as a block that its text cannot break out of."""
        number = self.number(path, title, uri)
        return Block(path, title, None, score, text).render(number)

    def context(self, reply: ContextReply) -> str:
        """The blocks of a context, under this catalogue's numbers.

        No text of a note can look like a block's beginning: the context made that impossible.
        """
        numbers = {
            str(one.n): str(self.number(one.path, one.title, one.uri)) for one in reply.sources
        }
        blocks = reply.text.rpartition(_LIST)[0] or reply.text
        return _NUMBER.sub(lambda match: numbers[match[0]], blocks)

    @property
    def numbers(self) -> range:
        """All numbers that may be cited."""
        return range(1, len(self._sources) + 1)

    def sources(self, cited: Collection[int]) -> tuple[AskSource, ...]:
        """The sources in the words of the contract."""
        return tuple(
            AskSource(n, path, title, uri, cited=n in cited)
            for n, (path, (title, uri)) in enumerate(self._sources.items(), 1)
        )
