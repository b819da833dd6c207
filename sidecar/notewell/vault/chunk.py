"""Splits a note into chunks, the passages that are indexed, embedded and found.

A section under a heading becomes one chunk if it fits. Small neighbouring sections are merged and
long ones split. A header with the title, headings and tags is embedded with each chunk. Sizes are
in tokens of the model.

Text that is too long for the model is split into pieces of about equal length. Cuts are made, in
order of preference, between blocks; between outer items and then at line ends in lists, tables and
code; after sentences; between words; between characters. After a cut inside a block the next piece
overlaps the end of the previous one.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain
from typing import TypeAlias

from notewell.base.types import (
    BlockMark,
    Chunk,
    ChunkSizes,
    CountTokens,
    Note,
    PropertyValue,
    Span,
    embedded_text,
)
from notewell.base.types.frozen import frozen
from notewell.vault.list_items import parent_item
from notewell.vault.properties import fold, link_label, properties_text, words_of
from notewell.vault.readers import kinds_of
from notewell.vault.sections import ChunkDraft, NoteSection, Part, merge_small, sections_of

# From sections and the least tokens of a part to the parts of each section.
CutSections: TypeAlias = Callable[
    [Sequence[NoteSection], int, CountTokens], Sequence[Sequence[Part]]
]

# Tokens that the model adds to every text, and a margin because a joined text may have more tokens
# than its parts.
_SPECIAL_TOKENS = 2
_MARGIN = 4
_HEADER_SHARE = 4  # a header has at most this fraction of a chunk
_LEAST_BUDGET = 8
# A token counts for this many characters at most: some models take a word without end for one, and
# none reads more of a text than that.
_TOKEN_CHARACTERS = 64
_OF_ROWS = frozenset({"list", "table", "code"})
_MAX_CONTEXT_TOKENS = 24
_MAX_TAGS = 6
_MAX_NAMES = 4
_NAMED = (("Topics", "topics"), ("Topic", "topic"), ("Author", "author"), ("Authors", "authors"))
# Where a text is split, the best places first.
_LINE = re.compile(r"\n")
_OUTER_LINE = re.compile(r"\n(?=\S)")
_SENTENCE = re.compile(
    r"[.!?…][\"'”’)\]]{0,3}\s+|[。！？｡．؟۔।][”’」』）】]{0,3}\s*|;\s+|；"  # noqa: RUF001 - the full stops of other scripts
)
_WORD = re.compile(r"\s+|[，、：,]|(?<=[-/_])(?=\w)")  # noqa: RUF001 - the commas of other scripts
_LEVELS_OF_ROWS = (_OUTER_LINE, _LINE, _SENTENCE, _WORD)
_LEVELS_OF_PROSE = (_SENTENCE, _LINE, _WORD)
# A piece may be this much shorter than it could be for a cut between blocks, and for any other.
_LEAST_AT_BLOCK = 0.25
_LEAST = 0.5
_RETRIES = 8


def embed_hash(text: str) -> bytes:
    """Return the identity of an embedded text: BLAKE2b-128 of its UTF-8."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def chunk(
    note: Note,
    *,
    count_tokens: CountTokens,
    sizes: ChunkSizes,
    title: str | None = None,
    cut_sections: CutSections | None = None,
) -> tuple[Chunk, ...]:
    """Cut a note into chunks of at most `sizes.max_tokens`, header and special tokens included.

    `title` is put into the headers instead of the note's own.

    `cut_sections` may cut sections further, as topic_cuts.py does; without it they stay whole.

    A note without text gives a chunk of its description, or else of its properties, or none.
    """
    titled = note if title is None else replace(note, title=title)
    chunker = _Chunker(titled, count_tokens, sizes, cut_sections)
    drafts = chunker.drafts()
    return tuple(chunker.finish(ordinal, draft) for ordinal, draft in enumerate(drafts))


class _Chunker:
    """Makes the chunks of one note within the token limits."""

    def __init__(
        self,
        note: Note,
        count_tokens: CountTokens,
        sizes: ChunkSizes,
        cut_sections: CutSections | None,
    ) -> None:
        self._note = note
        self._cut_sections = cut_sections or (
            lambda sections, _minimum, _count: [[section.whole] for section in sections]
        )
        self._count = partial(_tokens, count_tokens)
        self._sizes = sizes
        self._headers = Headers(note, self._count, sizes.max_tokens // _HEADER_SHARE)

    def _room(self, headings: tuple[str, ...]) -> int:
        """Return how many tokens a text may have under this heading path."""
        taken = self._headers.make(headings)[1] + 1 + _SPECIAL_TOKENS + _MARGIN
        return max(_LEAST_BUDGET, self._sizes.max_tokens - taken)

    def drafts(self) -> list[ChunkDraft]:
        sections = tuple(sections_of(self._note))
        parts = self._cut_sections(sections, self._sizes.min_tokens, self._count)
        drafts = [
            draft
            for section, own in zip(sections, parts, strict=True)
            for draft in self._section(section, own)
        ]
        if "code" not in kinds_of(self._note.path):  # else a result could not name its function
            drafts = merge_small(drafts, self._sizes.min_tokens, self._room, self._count)
        return drafts or list(self._draft_of_properties())

    def _section(self, section: NoteSection, parts: Sequence[Part]) -> Iterator[ChunkDraft]:
        spans = section.spans
        room = self._room(tuple([heading.text for heading in section.trail]))
        text = section.text
        tokens = self._count(text)
        if tokens > room or len(parts) > 1:
            yield from self._pieces(section, text, parts, room)
            return
        yield ChunkDraft(
            trail=section.trail,
            text=text,
            lines=_lines_of(spans),
            start=spans[0].start,
            end=spans[-1].end,
            tokens=tokens,
            blocks=_marks(spans),
            fresh=section.fresh,
            titled=section.titled,
        )

    def _pieces(
        self, section: NoteSection, text: str, parts: Sequence[Part], room: int
    ) -> Iterator[ChunkDraft]:
        """Make drafts of a section's parts; one that is too long for a chunk is split."""
        spans = section.spans
        offsets = list(accumulate((len(span.text) + 1 for span in spans[:-1]), initial=0))
        lines = _lines_of(spans)
        starts = [0, *(match.end() for match in re.finditer("\n", text))]
        for piece in self._split(text, parts, list(zip(offsets, spans, strict=True)), room):
            trimmed = _trim(text, piece)
            if trimmed is None:
                continue
            start, end = trimmed
            first = bisect_right(offsets, start) - 1
            last = bisect_right(offsets, end - 1) - 1
            row = bisect_right(starts, start) - 1
            parent, context = self._context(text, spans[first], (offsets[first], start), room // 8)
            yield ChunkDraft(
                trail=section.trail,
                text=text[start:end],
                lines=lines[row : bisect_right(starts, end - 1)],
                start=_source_offset(spans[first], start - offsets[first], after=False),
                end=_source_offset(spans[last], end - offsets[last], after=True),
                tokens=0,
                blocks=_marks(spans[first : last + 1]),
                parent=parent,
                context=context,
                whole=False,
            )

    def _split(
        self,
        text: str,
        parts: Sequence[Part],
        spans: Sequence[tuple[int, Span]],
        room: int,
    ) -> Iterator[TextPiece]:
        """Yield the pieces of a section's parts; `spans` are with their offsets in its text."""
        hangs = any(span.kind in ("list", "table") for _, span in spans)
        budget = room - min(_MAX_CONTEXT_TOKENS, room // 8) if hangs else room
        for start, end in parts:
            if len(parts) > 1 and self._count(text[start:end]) <= budget:
                yield TextPiece(start, end)
                continue
            blocks = []
            for offset, span in spans:
                begin, stop = max(offset, start), min(offset + len(span.text), end)
                if begin < stop:
                    tokens = self._count(text[begin:stop])
                    blocks.append(SizedBlock(begin - start, tokens, span.kind in _OF_ROWS))
            splitter = Splitter(text[start:end], blocks, self._count)
            for piece in splitter.split(budget, self._sizes.overlap_tokens):
                yield TextPiece(start + piece.start, start + piece.end)

    def _context(
        self, text: str, span: Span, place: tuple[int, int], limit: int
    ) -> tuple[str | None, str | None]:
        """Return the list item that a piece hangs under, and the line to show above the piece."""
        offset, start = place
        if start == offset or span.kind not in ("list", "table"):
            return None, None
        parent = None
        above: str | None
        if span.kind == "table":
            end = span.text.find("\n", 0, limit * _TOKEN_CHARACTERS)
            above = span.text[: end if end >= 0 else limit * _TOKEN_CHARACTERS]
        else:
            above = parent = parent_item(text, offset, start)
        if not above:
            return None, None
        shown, _ = fit_words(above, self._count, min(_MAX_CONTEXT_TOKENS, limit) - 1)
        return parent, shown or None

    def _draft_of_properties(self) -> Iterator[ChunkDraft]:
        """Make the draft of a note without text: what its properties say."""
        stated = self._note.description or properties_text(self._note.properties)
        text, tokens = fit_words(stated, self._count, self._room(()))
        if text:
            lines = (1,) * (text.count("\n") + 1)  # a value may have several, all at the top
            yield ChunkDraft((), text, lines, 0, 0, tokens)

    def finish(self, ordinal: int, draft: ChunkDraft) -> Chunk:
        """Give a draft its header and its hash."""
        header = self._headers.make(draft.headings)[0]
        if draft.context:
            header = f"{header}\n{draft.context}" if header else draft.context
        return Chunk(
            ordinal=ordinal,
            headings=draft.headings,
            block=draft.blocks[0].block if len(draft.blocks) == 1 else None,
            parent=draft.parent,
            start=draft.start,
            end=draft.end,
            text=draft.text,
            lines=draft.lines,
            header=header,
            text_hash=embed_hash(embedded_text(header, draft.text)),
            marks=draft.blocks,
            inner=draft.inner,
        )


def _tokens(count_tokens: CountTokens, text: str) -> int:
    return max(count_tokens(text), len(text) // _TOKEN_CHARACTERS)


def _marks(spans: tuple[Span, ...]) -> tuple[BlockMark, ...]:
    return tuple(
        [BlockMark(span.block, span.lines[0], span.lines[-1]) for span in spans if span.block]
    )


def _lines_of(spans: tuple[Span, ...]) -> tuple[int, ...]:
    return tuple(chain.from_iterable(span.lines for span in spans))


def _trim(text: str, piece: TextPiece) -> tuple[int, int] | None:
    """Strip white space from a piece, except the indentation of its first line."""
    end = piece.start + len(text[piece.start : piece.end].rstrip())
    shown = text[piece.start : end].lstrip()
    if not shown:
        return None
    start = end - len(shown)
    line = text.rfind("\n", piece.start, start) + 1
    return (max(line, piece.start) if line else piece.start), end


def _source_offset(span: Span, position: int, *, after: bool) -> int:
    """Convert an offset in a span's text to an offset in the source.

    Exact if the text equals its source; otherwise the start or end of the span.
    """
    if span.end - span.start == len(span.text):
        return span.start + min(position, len(span.text))
    return span.end if after else span.start


class Headers:
    """Builds the headers of one note, each at most `limit` tokens long.

    A header is the title and the heading path on one line, then tags, topics and author. Folder
    names are left out, so that moving a note changes no embedded text.
    """

    def __init__(self, note: Note, count_tokens: CountTokens, limit: int) -> None:
        """Headers are made on first use and cached."""
        self._title = note.title.strip()
        self._extras = tuple(_extras(note))
        self._count = count_tokens
        self._limit = limit
        self._made: dict[tuple[str, ...], tuple[str, int]] = {}

    def make(self, headings: tuple[str, ...]) -> tuple[str, int]:
        """Return the header under this heading path, and its tokens."""
        fitted = self._made.get(headings)
        if fitted is None:
            fitted = self._made[headings] = self._fit(headings)
        return fitted

    def _fit(self, headings: tuple[str, ...]) -> tuple[str, int]:
        """Shorten the header until it fits: without extras, without outer headings, then cut."""
        title = self._title
        path = [text for n, text in enumerate(headings) if text and (n or text != title)]
        for extras in (self._extras, ()):
            for kept in (path, path[-1:]):
                header = "\n".join((" > ".join(filter(None, (title, *kept))), *extras))
                tokens = self._count(header)
                if tokens <= self._limit:
                    return header, tokens
        return fit_words(" > ".join(filter(None, (title, *path[-1:]))), self._count, self._limit)


def fit_words(text: str, count_tokens: CountTokens, limit: int) -> tuple[str, int]:
    """Cut `text` at a word so that it has at most `limit` tokens; return it and its tokens."""
    text = text.lstrip()[: limit * _TOKEN_CHARACTERS].rstrip()
    tokens = count_tokens(text)
    while text and tokens > limit:
        size = min(len(text) - 1, int(len(text) * limit / tokens))
        shorter = text[:size]
        # Cut at a space if there is one; some scripts are written without spaces.
        text = (shorter.rsplit(None, 1)[0] if " " in shorter.strip() else shorter).rstrip()
        tokens = count_tokens(text)
    return text, tokens if text else 0


def _extras(note: Note) -> Iterator[str]:
    if note.tags:
        yield "Tags: " + ", ".join(note.tags[:_MAX_TAGS])
    folded = fold(note.properties)
    for label, name in _NAMED:
        words = list(_names(folded.get(name)))
        if words:
            yield f"{label}: " + ", ".join(words[:_MAX_NAMES])


def _names(value: PropertyValue) -> Iterator[str]:
    """Yield a property's strings; of a link to a note, what it shows."""
    for word in words_of(value, separators=","):
        yield link_label(word).strip()


@frozen
class TextPiece:
    """A range of the text: [start, end). It may begin with what the piece before ends with."""

    start: int
    end: int


@frozen
class SizedBlock:
    """A block of the text: where it begins, its tokens, and whether it consists of rows."""

    start: int
    tokens: int
    rows: bool


class Splitter:
    """Splits one text, which `blocks` cover in order, the first from 0.

    The tokens of the blocks are used to estimate positions; every piece is checked with
    `count_tokens`.
    """

    def __init__(self, text: str, blocks: Sequence[SizedBlock], count_tokens: CountTokens) -> None:
        """Prepare; `split` does the work."""
        self._text = text
        self._count = count_tokens
        self._rows = [block.rows for block in blocks]
        self._places = [*(block.start for block in blocks), len(text)]
        self._sums = [0.0]
        for block in blocks:
            self._sums.append(self._sums[-1] + max(1, block.tokens))

    def split(self, budget: int, overlap: int) -> Iterator[TextPiece]:
        """Yield pieces of at most `budget` tokens; together they cover the text."""
        overlap = min(overlap, budget // 3)
        start, before = 0, 0
        while start < len(self._text):
            end = self._cut(start, before, budget)
            yield TextPiece(start, end)
            if end >= len(self._text):
                return
            before = end
            start = self._overlap_start(start, end, overlap)

    def _tokens_at(self, position: int) -> float:
        n = bisect_right(self._places, position) - 1
        if n >= len(self._sums) - 1:
            return self._sums[-1]
        first, last = self._places[n], self._places[n + 1]
        return self._sums[n] + (self._sums[n + 1] - self._sums[n]) * (position - first) / (
            last - first
        )

    def _position_of(self, tokens: float) -> int:
        n = min(bisect_right(self._sums, tokens), len(self._sums) - 1) - 1
        first, last = self._places[n], self._places[n + 1]
        share = (tokens - self._sums[n]) / (self._sums[n + 1] - self._sums[n])
        return min(last, first + int((last - first) * share))

    def _cut(self, start: int, before: int, budget: int) -> int:
        """Return where the piece that begins at `start` ends, behind `before`."""
        begun = self._tokens_at(start)
        room, end = float(budget), len(self._text)
        for _ in range(_RETRIES):
            left = self._sums[-1] - begun
            pieces = max(1, -(-left // room))
            if pieces == 1:
                end = len(self._text)
            else:
                wanted = left / pieces
                high = max(before + 1, self._position_of(begun + room))
                end = self._best(start, before, high, (begun, wanted))
            tokens = self._count(self._text[start:end])
            if tokens <= budget:
                return end
            room *= min(0.9, budget / tokens * 0.95)
        return self._shrink(start, before, end, budget)

    def _shrink(self, start: int, before: int, end: int, budget: int) -> int:
        """Halve the piece up to `end`: for text whose tokens are spread too unevenly to guess."""
        while end > before + 1 and self._count(self._text[start:end]) > budget:
            end = max(before + 1, start + (end - start) // 2)
        return end

    def _best(self, start: int, before: int, high: int, aim: tuple[float, float]) -> int:
        """Choose the best place in reach: the strongest kind, then the nearest to equal sizes."""
        begun, wanted = aim
        high = min(high, len(self._text))
        target = min(self._position_of(begun + wanted), high)
        low = max(before, self._position_of(begun + wanted * _LEAST_AT_BLOCK)) + 1
        first, last = bisect_left(self._places, low), bisect_right(self._places, high)
        if first < last:
            return min(self._places[first:last], key=lambda place: abs(place - target))
        low = min(max(before + 1, self._position_of(begun + wanted * _LEAST)), high)
        rows = self._rows[bisect_left(self._places, high) - 1]
        for level in _LEVELS_OF_ROWS if rows else _LEVELS_OF_PROSE:
            matches = level.finditer(self._text, low, high)
            place = min((m.end() for m in matches), key=lambda p: abs(p - target), default=None)
            if place is not None and place > before:
                return place
        return max(before + 1, self._between_characters(target, start))

    def _between_characters(self, position: int, floor: int) -> int:
        """Move back from inside a character that is written with several code points."""
        lowest = max(floor + 1, position - 16)
        text = self._text
        while position > lowest and (
            unicodedata.category(text[position])[0] == "M"
            or text[position] == "\u200d"
            or text[position - 1] == "\u200d"
        ):
            position -= 1
        return position

    def _overlap_start(self, start: int, end: int, overlap: int) -> int:
        """Return where the piece after a cut at `end` begins. Rows are repeated whole or not."""
        n = bisect_left(self._places, end)
        if not overlap or self._places[n] == end:
            return end
        low = max(self._places[n - 1], self._position_of(self._tokens_at(end) - overlap), start + 1)
        if low >= end:
            return end
        rows = self._rows[n - 1]
        for level in (_OUTER_LINE,) if rows else _LEVELS_OF_PROSE:
            match = level.search(self._text, low, end)
            if match and match.end() < end:
                return match.end()
        return end if rows else self._between_characters(low, start)
