"""Finds the list items and paragraphs that have words of the query."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TypedDict

from notewell.base.types import StoredChunk
from notewell.base.types.frozen import frozen
from notewell.contract.search import Passage
from notewell.index.lexical import FIRST_PLACEHOLDER
from notewell.search.show.snippets import Snippets
from notewell.vault.list_items import (
    TextBlock,
    indent_of,
    item_text,
    items_beyond,
    may_have_items,
    text_blocks,
)
from notewell.vault.sections import headings_at

MIN_SHARE = 0.5  # minimum weight of a block's words, relative to the best block
MAX_BLOCKS = 10  # of one note
MAX_ITEMS = 5  # further items of one passage
BETWEEN = " > "  # the names of a path


@frozen
class MatchingBlock:
    """A block of a chunk; `weight` is the summed weight of the query's words in it."""

    chunk: StoredChunk
    block: TextBlock
    weight: float

    @property
    def items(self) -> tuple[int, ...]:
        """Offsets of the lines of the items around the block, innermost first, with its own."""
        own = (self.block.line,) if self.block.is_item else ()
        return (*own, *self.block.parents)

    def parents(self) -> list[str]:
        """The texts of the items in the chunk that the block hangs under, outermost first."""
        texts = [item_text(self.chunk.text, line) for line in reversed(self.block.parents)]
        return [name for name in texts if name]

    @property
    def indent(self) -> int:
        """The indentation of the outermost item around the block.

        Not 0 where the chunk was cut out of a list, inside an item that is not part of it.
        """
        outermost = self.block.parents[-1] if self.block.parents else self.block.line
        return indent_of(self.chunk.text, outermost)

    def breadcrumb(self, chunks: Callable[[], Sequence[StoredChunk]]) -> list[str]:
        """The texts of all items that the block hangs under, outermost first.

        `chunks` gives all of its note; those before its own may have some of the items.
        """
        if not (self.indent or self._may_go_on()):
            return self.parents()
        above = [
            chunk
            for chunk in reversed(chunks())
            if chunk.ordinal < self.chunk.ordinal and chunk.headings == self.chunk.headings
        ]
        indent = self.indent or _begun_indent(above, self.chunk.lines[0])
        return [*items_beyond(_whole_lines(above), indent), *self.parents()]

    def _may_go_on(self) -> bool:
        """Tell whether the block may be the rest of an item that the chunk before was cut in."""
        begins = not self.block.line and not self.block.is_item
        return begins and self.chunk.parent is not None and bool(self.chunk.lines)

    def nearest_parent(self) -> list[str]:
        """The text of the item that the block hangs under, if there is one."""
        beyond = [self.chunk.parent] if self.chunk.parent and self.indent else []
        return [*beyond, *self.parents()][-1:]

    def passage(
        self, snippets: Snippets, score: float, path: str, parents: Sequence[str]
    ) -> Passage:
        """The block as a passage of the note at `path`; `parents` are those to show."""
        snippet = snippets.make(self.chunk.text[self.block.start : self.block.end])
        at = self.block.start + snippet.at
        line = line_at(self.chunk, at)
        return Passage(
            heading=BETWEEN.join(headings_at(self.chunk, at)) or None,
            block=block_id(self.chunk, self.items, line),
            parent=BETWEEN.join(parents) or None,
            line=line,
            snippet=snippet.text,
            highlights=snippet.highlights,
            score=score,
            children=self.block.children or None,
            **address_of(self.chunk, path),
        )


class PassageAddress(TypedDict):
    """Fields of a passage that identify it."""

    id: str | None
    hash: str | None
    lines: tuple[int, int] | None


def address_of(chunk: StoredChunk, path: str) -> PassageAddress:
    """The address of a chunk in the note at `path`; of a note without text, none."""
    if not chunk.text_hash or chunk.id >= FIRST_PLACEHOLDER:
        return {"id": None, "hash": None, "lines": None}
    lines = (min(chunk.lines), max(chunk.lines)) if chunk.lines else None
    return {"id": f"{path}#{chunk.ordinal}", "hash": chunk.text_hash.hex(), "lines": lines}


def best_blocks(chunks: Iterable[StoredChunk], snippets: Snippets) -> Sequence[MatchingBlock]:
    """The blocks of a note's chunks with at least MIN_SHARE of the best one's weight, best first.

    A block that two chunks share is one.
    """
    by_chunk: dict[int, MatchingBlock] = {}
    for chunk in chunks:
        for block in _matching(chunk, snippets):
            by_chunk.setdefault(line_at(chunk, block.block.start), block)
    return _best(by_chunk.values())[:MAX_BLOCKS]


def further_items(
    chunk: StoredChunk, snippets: Snippets, shown_line: int
) -> Iterator[tuple[MatchingBlock, float]]:
    """The matching list items of a chunk besides the one on `shown_line`, best first.

    Each with its share of the best one's weight.
    """
    if "\n" not in chunk.text or not may_have_items(chunk.text):
        return
    if _on_one_line(chunk, snippets, shown_line):
        return
    best = _best(block for block in _matching(chunk, snippets) if block.block.is_item)
    others = [block for block in best if not _holds(block, shown_line)]
    for other in others[:MAX_ITEMS]:
        yield other, other.weight / best[0].weight


def line_at(chunk: StoredChunk, at: int) -> int:
    """Line number in the source of an offset in the chunk."""
    if not chunk.lines:
        return 1
    within = chunk.text.count("\n", 0, at)
    return chunk.lines[min(within, len(chunk.lines) - 1)]


def block_id(chunk: StoredChunk, items: tuple[int, ...], line: int) -> str | None:
    """Block id at the best match: of its block, else of the nearest list item around it."""
    if not chunk.marks:
        return chunk.block
    for item_line in (line, *(line_at(chunk, item) for item in items)):
        for mark in chunk.marks:
            if mark.first <= item_line <= mark.last:
                return mark.block
    return None


def _whole_lines(above: Sequence[StoredChunk]) -> Iterator[str]:
    """The texts of chunks, nearest first, without first lines that began in the chunk before."""
    for item, before in zip_longest(above, above[1:]):
        goes_on = before is not None and item.lines[:1] == before.lines[-1:]
        yield item.text.partition("\n")[2] if goes_on else item.text


def _begun_indent(above: Sequence[StoredChunk], line: int) -> int:
    """The indentation of a line of the source in the chunk where it begins; `above` as nearest."""
    for chunk in above:
        for text, number in zip(chunk.text.split("\n"), chunk.lines, strict=False):
            if number == line and may_have_items(text):
                return indent_of(text, 0)
    return 0


def _on_one_line(chunk: StoredChunk, snippets: Snippets, line: int) -> bool:
    """Tell whether all words of the query in a chunk are on this line, or there is none."""
    places = [at for at, _ in snippets.matches(chunk.text)]
    if not places:
        return True
    first, last = min(places), max(places)
    return chunk.text.find("\n", first, last) < 0 and line_at(chunk, first) == line


def _matching(chunk: StoredChunk, snippets: Snippets) -> Iterator[MatchingBlock]:
    """The blocks of a chunk with words of the query, in order."""
    matches = snippets.matches(chunk.text)
    if not matches:
        return
    blocks = text_blocks(chunk.text)
    starts = [block.line for block in blocks]
    tokens: dict[int, set[str]] = {}
    for at, token in matches:
        tokens.setdefault(bisect_right(starts, at) - 1, set()).add(token)
    for place in sorted(tokens):
        weight = snippets.weight(tokens[place]) if place >= 0 else 0.0
        if weight > 0:
            yield MatchingBlock(chunk, blocks[place], weight)


def _best(blocks: Iterable[MatchingBlock]) -> Sequence[MatchingBlock]:
    ordered = sorted(blocks, key=lambda block: -block.weight)
    return [block for block in ordered if block.weight >= MIN_SHARE * ordered[0].weight]


def _holds(one: MatchingBlock, line: int) -> bool:
    first, last = (line_at(one.chunk, at) for at in (one.block.start, one.block.end))
    return first <= line <= last
