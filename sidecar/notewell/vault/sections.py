"""Groups the spans of a note by section and merges small sections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from notewell.base.types import (
    BlockMark,
    Chunk,
    CountTokens,
    Heading,
    InnerHeading,
    Note,
    Span,
    StoredChunk,
)
from notewell.base.types.frozen import frozen

Trail = tuple[Heading, ...]
Part = tuple[int, int]  # a range [start, end) of a section's text


@dataclass(slots=True)
class ChunkDraft:
    """A chunk before its header and hash are added.

    `whole` drafts are sections, or several of them; the others are pieces of one that was split.
    The last `fresh` headings of `trail` begin here; the others stand above an earlier section.
    `titled`: the text is the last heading itself.
    """

    trail: Trail
    text: str
    lines: tuple[int, ...]
    start: int
    end: int
    tokens: int
    blocks: tuple[BlockMark, ...] = ()
    parent: str | None = None
    context: str | None = None
    whole: bool = True
    fresh: int = 0
    titled: bool = False
    inner: tuple[InnerHeading, ...] = ()

    @property
    def headings(self) -> tuple[str, ...]:
        """The texts of the heading path."""
        return tuple([heading.text for heading in self.trail])


@frozen
class NoteSection:
    """The text under one heading, up to the next. See Draft for `fresh` and `titled`."""

    trail: Trail
    spans: tuple[Span, ...]
    fresh: int = 0
    titled: bool = False

    @property
    def text(self) -> str:
        """The texts of its spans, each on lines of its own."""
        return "\n".join([span.text for span in self.spans])

    @property
    def whole(self) -> Part:
        return 0, sum(len(span.text) + 1 for span in self.spans) - 1


def sections_of(note: Note) -> Iterator[NoteSection]:
    """Yield the sections in order. A heading without text is one only if no heading is below it."""
    groups: list[tuple[int, list[Span]]] = []
    for span in note.spans:
        if not groups or groups[-1][0] != span.section:
            groups.append((span.section, []))
        groups[-1][1].append(span)
    trails = _trails(note.headings)
    before: Trail = ()
    for n, (section, spans) in enumerate(groups):
        trail = trails[section] if section >= 0 else ()
        body = tuple([span for span in spans if span.kind != "heading"])
        following = groups[n + 1][0] if n + 1 < len(groups) else -1
        fresh = len(trail) - _shared(trail, before)
        if body:
            yield NoteSection(trail, body, fresh)
        elif following < 0 or _shared(trails[following], trail) < len(trail):
            yield NoteSection(trail, tuple(spans), fresh, titled=True)
        else:
            continue
        before = trail


def _shared(one: Trail, other: Trail) -> int:
    """Return how many headings two paths have in common."""
    count = 0
    for first, second in zip(one, other, strict=False):
        if first is not second:
            break
        count += 1
    return count


def _trails(headings: tuple[Heading, ...]) -> list[Trail]:
    """Return each heading's path from the outermost heading above it."""
    trails: list[Trail] = []
    open_headings: list[Heading] = []
    for heading in headings:
        while open_headings and open_headings[-1].level >= heading.level:
            open_headings.pop()
        open_headings.append(heading)
        trails.append(tuple(open_headings))
    return trails


def merge_small(
    drafts: list[ChunkDraft],
    minimum: int,
    room: Callable[[tuple[str, ...]], int],
    count: CountTokens,
) -> list[ChunkDraft]:
    """Merge sections of fewer than `minimum` tokens with a neighbour.

    A small section is merged with the next one if that is under the same heading or below its own,
    else with the previous one. `room` returns the token limit under a heading path. The merged
    section has the heading path that both share; their other headings become part of the text.
    """
    merged: list[ChunkDraft] = []

    def add_last_to_the_one_before() -> None:
        joined = _join(merged[-2], merged[-1], room, count) if len(merged) > 1 else None
        if joined is not None:
            merged[-2:] = [joined]

    for draft in drafts:
        small = bool(merged) and merged[-1].tokens < minimum
        joined = _join(merged[-1], draft, room, count) if small else None
        if joined is not None:
            merged[-1] = joined
            continue
        if small:
            add_last_to_the_one_before()
        merged.append(draft)
    if merged and merged[-1].tokens < minimum:
        add_last_to_the_one_before()
    return merged


def _join(
    first: ChunkDraft,
    second: ChunkDraft,
    room: Callable[[tuple[str, ...]], int],
    count: CountTokens,
) -> ChunkDraft | None:
    """Merge two sections; None if they are unrelated or too long together."""
    if not (first.whole and second.whole):
        return None
    shared = _shared(first.trail, second.trail)
    dropped = len(first.trail) - shared
    if dropped > min(1, first.fresh):
        return None
    trail = first.trail[:shared]
    available = room(tuple([heading.text for heading in trail]))
    if first.tokens + second.tokens >= available:
        return None
    before = () if first.titled else first.trail[shared:]
    # A heading that stands within the first is in its text already.
    inner = second.trail[shared : -1 if second.titled else None]
    between = tuple(heading for heading in inner if heading.start >= first.end)
    extra = sum(count(heading.text) + 1 for heading in (*before, *between))
    tokens = first.tokens + second.tokens + extra + 1
    if tokens > available:
        return None
    texts = (*(h.text for h in before), first.text, *(h.text for h in between), second.text)
    return ChunkDraft(
        trail=trail,
        text="\n".join(texts),
        lines=(
            *(heading.line for heading in before),
            *first.lines,
            *(heading.line for heading in between),
            *second.lines,
        ),
        start=before[0].start if before else first.start,
        end=second.end,
        tokens=tokens,
        blocks=first.blocks + second.blocks,
        fresh=first.fresh - dropped,
        inner=tuple(_inner(first, second, shared, (len(before), len(between)))),
    )


def _inner(
    first: ChunkDraft, second: ChunkDraft, shared: int, added: tuple[int, int]
) -> Iterator[InnerHeading]:
    """Yield the headings within two sections that are merged under their `shared` headings.

    `added` are the numbers of heading lines that come before the first and before the second.
    """
    before, between = added
    for depth in range(shared, len(first.trail)):
        yield InnerHeading(depth, depth - shared)
    for heading in first.inner:
        yield InnerHeading(heading.depth, before + heading.row)
    start = before + len(first.lines)
    own = [n for n in range(shared, len(second.trail)) if second.trail[n].start >= first.end]
    for row, depth in enumerate(own, start):
        yield InnerHeading(depth, row)
    for heading in second.inner:
        yield InnerHeading(heading.depth, start + between + heading.row)


def heading_paths(chunk: Chunk | StoredChunk) -> list[tuple[str, ...]]:
    """The heading paths in a chunk: that of its beginning, and that below each inner heading."""
    paths, rows = [chunk.headings], chunk.text.split("\n")
    for heading in chunk.inner:
        paths.append((*paths[-1][: heading.depth], rows[heading.row]))
    return paths


def headings_at(chunk: Chunk | StoredChunk, at: int) -> tuple[str, ...]:
    """The heading path at an offset in a chunk's text, outermost first."""
    if not chunk.inner:
        return chunk.headings
    row = chunk.text.count("\n", 0, at)
    return heading_paths(chunk)[sum(heading.row <= row for heading in chunk.inner)]


# Reads nested lists from list marks and indentation: items, what they hang under, paragraphs.

_INDENT = re.compile(r"[ \t]*")
_ITEM_MARK = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_ITEM = re.compile(rf"^{_ITEM_MARK.pattern}", re.MULTILINE)
_FENCES = ("```", "~~~")
_BLANKS, _MARKS = frozenset(" \t"), frozenset("-*+")
# A list whose items all hang under one far above names no parent.
_MAX_LOOK_BACK = 500  # lines
_MAX_CHARACTERS_BACK = 50_000
_LONGEST_NAME = 1_000  # characters of an item that others are said to hang under


def parent_item(text: str, begin: int, at: int) -> str | None:
    """The text of the item above the line at `at` that is indented less; not before `begin`."""
    if at - begin > _MAX_CHARACTERS_BACK:
        begin = text.find("\n", at - _MAX_CHARACTERS_BACK, at) + 1
        if not begin:
            return None
    line = _line_of(text, begin, at)
    own = indent_of(text, line)
    if not own:
        return None
    for above in _above(text, begin, line):
        if _ITEM_MARK.match(text, above) and indent_of(text, above) < own:
            return item_text(text, above)
    return None


def items_around(text: str, at: int) -> tuple[int, ...]:
    """The offsets of the lines of all list items around `at`, innermost first; () outside a list.

    Outer items that begin before `text` are not included.
    """
    line = _line_of(text, 0, at)
    items: list[int] = []
    for each in chain((line,), _above(text, 0, line)):
        indent = indent_of(text, each)
        if not _ITEM_MARK.match(text, each):
            if not indent:
                break  # neither an item nor what continues one
        elif not items or indent < indent_of(text, items[-1]):
            items.append(each)
            if not indent:
                break
    return tuple(items)


def items_beyond(before: Iterable[str], indent: int) -> list[str]:
    """The texts of the items that a line of this indentation is inside, outermost first.

    They are looked for in `before`: the passages of the same list above it, nearest first.
    """
    found: list[str] = []
    lines = chain.from_iterable(reversed(text.split("\n")) for text in before)
    for line in islice(lines, _MAX_LOOK_BACK):
        if not indent:
            break
        own = indent_of(line, 0)
        if not _ITEM_MARK.match(line):
            if not own:
                break  # neither an item nor what continues one
        elif own < indent:
            indent = own
            name = item_text(line, 0)
            found[:0] = [name] if name else []
    return found


def may_have_items(text: str) -> bool:
    """True if a line of `text` begins like a list item; it may be in a code block."""
    return _ITEM.search(text) is not None


def item_text(text: str, line: int) -> str | None:
    """The text of the item whose first line starts at `line`, without its list mark."""
    marked = _ITEM_MARK.match(text, line)
    start = marked.end() if marked else line
    most = start + _LONGEST_NAME
    end = text.find("\n", start, most)
    return text[start : end if end >= 0 else most].strip() or None


@dataclass(slots=True)
class TextBlock:
    """A list item without the items in it, or a paragraph: text[start:end], without its list mark.

    `line` is the offset of its first line, `parents` are those of the items around it, innermost
    first, `children` is the number of items directly in it.
    """

    line: int
    start: int
    end: int
    is_item: bool
    parents: tuple[int, ...]
    children: int = 0


def text_blocks(text: str) -> tuple[TextBlock, ...]:
    """The list items and paragraphs of `text`, in order; a code block is part of its paragraph."""
    found: list[TextBlock] = []
    open_items: list[tuple[int, TextBlock]] = []  # with their indentation, outermost first
    current: TextBlock | None = None
    fenced, at = False, 0
    has_fences = any(fence in text for fence in _FENCES)
    for line in text.split("\n"):
        begins, bare = line[:1], line.rstrip()  # most lines are neither items nor indented
        indented = begins in _BLANKS
        fence = has_fences and bare.lstrip().startswith(_FENCES)
        may_be_item = indented or begins in _MARKS or begins.isdigit()
        marked = _ITEM_MARK.match(line) if may_be_item and not fenced else None
        indent = indent_of(line, 0) if indented else 0
        if not (bare or fenced):
            current = None
        elif marked or current is None or not (fenced or indent or not current.is_item):
            while open_items and open_items[-1][0] >= indent:
                open_items.pop()
            begin = marked.end() if marked else len(line) - len(line.lstrip())
            current = TextBlock(at, at + begin, at, marked is not None, _lines_of(open_items))
            found.append(current)
            if marked:
                if open_items:
                    open_items[-1][1].children += 1
                open_items.append((indent, current))
        if current is not None:
            current.end = max(current.start, at + len(bare))
        fenced = fenced != fence
        at += len(line) + 1
    return tuple(found)


def _lines_of(open_items: list[tuple[int, TextBlock]]) -> tuple[int, ...]:
    """Where the items begin, innermost first."""
    return tuple([item.line for _, item in reversed(open_items)]) if open_items else ()


def _line_of(text: str, begin: int, at: int) -> int:
    """The offset at which the line containing `at` starts."""
    return text.rfind("\n", begin, at) + 1 or begin


def _above(text: str, begin: int, line: int) -> Iterator[int]:
    """The offsets of the lines before `line`, nearest first."""
    for _ in range(_MAX_LOOK_BACK):
        if line <= begin:
            return
        line = text.rfind("\n", begin, line - 1) + 1 or begin
        yield line


def indent_of(text: str, line: int) -> int:
    """The width of the indentation of the line at `line`; a tab reaches the next multiple of 4."""
    match = _INDENT.match(text, line)
    return len(match[0].expandtabs(4)) if match else 0
