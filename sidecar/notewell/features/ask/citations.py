"""The numbered sources of an answer: notes and pages that were sent to the model."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from notewell.api.search import ContextReply, ContextSource
from notewell.features.ask.requests import AskSource
from notewell.search.show.cited import TAG, CitedBlock

_NUMBER = re.compile(rf'(?<=<{TAG} n=")\d+(?=")')
_LIST = "\nSources:\n"


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A note or web page that is sent to the model; `line` is that of a passage, None for all."""

    path: str
    title: str
    uri: str
    line: int | None = None


class NumberedSources:
    """Numbers sources from 1, each path or address once."""

    def __init__(self) -> None:
        self._sources: dict[str, CitedSource] = {}  # by path

    def number(self, source: CitedSource) -> int:
        """Number a source, unless its path has a number already.

        The first line that is known of a path is recorded.
        """
        existing = self._sources.get(source.path)
        if existing is None or existing.line is None:
            self._sources[source.path] = source
        return list(self._sources).index(source.path) + 1

    def block(self, source: CitedSource, text: str, score: float = 1.0) -> str:
        """Render a source as a block. Its text cannot end the block early."""
        return CitedBlock(source.path, source.title, None, score, text).render(self.number(source))

    def context(self, reply: ContextReply) -> str:
        """The blocks of a context, renumbered with the numbers of this answer.

        The context has escaped any text of a note that looks like the beginning of a block.
        """
        numbers = {
            str(source.n): str(self.number(_from_context(source))) for source in reply.sources
        }
        blocks = reply.text.rpartition(_LIST)[0] or reply.text
        return _NUMBER.sub(lambda match: numbers[match[0]], blocks)

    @property
    def numbers(self) -> range:
        """All numbers that may be cited."""
        return range(1, len(self._sources) + 1)

    def sources(self, cited: Collection[int]) -> tuple[AskSource, ...]:
        """The sources as the reply lists them; `cited` are the numbers that the answer cites."""
        return tuple(
            AskSource(n, source.path, source.title, source.uri, cited=n in cited, line=source.line)
            for n, source in enumerate(self._sources.values(), 1)
        )


def _from_context(source: ContextSource) -> CitedSource:
    """A source of a context; a note that is included whole has no line."""
    line = None if source.detail == "full" else source.line
    return CitedSource(source.path, source.title, source.uri, line)


_GROUP = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?!\()")
_CODE_BLOCK = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]*`)", re.DOTALL)
_BEFORE_STOP = re.compile(r"[ \t]+(?=[.,;:!?])")


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer without invalid citations, and the numbers of its valid and invalid ones."""

    text: str
    cited: tuple[int, ...]
    invalid: tuple[int, ...]


def check_citations(text: str, numbers: Collection[int]) -> CheckedAnswer:
    """Remove citations of sources that are not among `numbers`; code is left unchanged."""
    cited: dict[int, None] = {}
    invalid: dict[int, None] = {}

    def valid(match: re.Match[str]) -> str:
        cited_here = [int(part) for part in re.findall(r"\d+", match[1])]
        known = [number for number in cited_here if number in numbers]
        cited.update(dict.fromkeys(known))
        invalid.update(dict.fromkeys(number for number in cited_here if number not in numbers))
        return "".join(f"[{number}]" for number in known)

    parts = _CODE_BLOCK.split(text)
    for at in range(0, len(parts), 2):
        before = parts[at]
        after = _GROUP.sub(valid, before)
        parts[at] = _BEFORE_STOP.sub("", after) if len(after) < len(before) else after
    return CheckedAnswer("".join(parts), tuple(cited), tuple(invalid))
