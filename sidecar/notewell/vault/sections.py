"""Groups the spans of a note by section and merges small sections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

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
        fresh = len(trail) - _count_shared(trail, before)
        if body:
            yield NoteSection(trail, body, fresh)
        elif following < 0 or _count_shared(trails[following], trail) < len(trail):
            yield NoteSection(trail, tuple(spans), fresh, titled=True)
        else:
            continue
        before = trail


def _count_shared(one: Trail, other: Trail) -> int:
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
    shared = _count_shared(first.trail, second.trail)
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
