"""A note's spans by section, and which small sections read better together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from recollect.types import CountTokens, Heading, Note, Span

Trail = tuple[Heading, ...]


@dataclass(slots=True)
class Draft:
    """A chunk in the making. `titled`: the text already has the headings below `trail`.

    `whole` drafts are sections, or several of them; the others are pieces of one that was split.
    """

    trail: Trail
    text: str
    lines: tuple[int, ...]
    start: int
    end: int
    tokens: int
    blocks: tuple[str, ...] = ()
    parent: str | None = None
    context: str | None = None
    whole: bool = True
    titled: bool = False

    @property
    def headings(self) -> tuple[str, ...]:
        """The texts of the heading path."""
        return tuple(heading.text for heading in self.trail)


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading, up to the next. A section may have no spans."""

    trail: Trail
    spans: tuple[Span, ...]


def sections_of(note: Note) -> Iterator[Section]:
    """Yield the sections in order, those whose heading only leads to deeper ones left out."""
    groups: list[tuple[int, list[Span]]] = []
    for span in note.spans:
        if not groups or groups[-1][0] != span.section:
            groups.append((span.section, []))
        if span.kind != "heading":
            groups[-1][1].append(span)
    trails = _trails(note.headings)
    for n, (section, spans) in enumerate(groups):
        trail = trails[section] if section >= 0 else ()
        following = groups[n + 1][0] if n + 1 < len(groups) else -1
        below = following >= 0 and trails[following][: len(trail)] == trail
        if spans or not below:
            yield Section(trail, tuple(spans))


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
    drafts: list[Draft], minimum: int, room: Callable[[tuple[str, ...]], int], count: CountTokens
) -> list[Draft]:
    """Merge sections of fewer than `minimum` tokens with a neighbour.

    A small one takes in what follows it, if that is beneath the same heading or its own; a small
    one that is left is added to the one before. `room` tells how many tokens a text may have under
    a heading path. The merged heading path is what is true of both; other headings go in the text.
    """
    merged: list[Draft] = []
    for draft in drafts:
        last = merged[-1] if merged else None
        if last is not None and last.tokens < minimum:
            joined = _join(last, draft, room, count)
            if joined is None and len(merged) > 1:
                joined = _join(merged[-2], last, room, count)
                if joined is not None:
                    merged[-2:] = [joined, draft]
                    continue
            if joined is not None:
                merged[-1] = joined
                continue
        merged.append(draft)
    if len(merged) > 1 and merged[-1].tokens < minimum:
        joined = _join(merged[-2], merged[-1], room, count)
        if joined is not None:
            merged[-2:] = [joined]
    return merged


def _join(
    first: Draft, second: Draft, room: Callable[[tuple[str, ...]], int], count: CountTokens
) -> Draft | None:
    """Put two sections together, or return None where they do not belong or fit together."""
    if not (first.whole and second.whole):
        return None
    shared = 0
    for one, other in zip(first.trail, second.trail, strict=False):
        if one is not other:
            break
        shared += 1
    if shared < len(first.trail) - 1:
        return None
    trail = first.trail[:shared]
    before = () if first.titled else first.trail[shared:]
    between = second.trail[shared : -1 if second.titled else None]
    extra = sum(count(heading.text) + 1 for heading in (*before, *between))
    tokens = first.tokens + second.tokens + extra + 1
    if tokens > room(tuple(heading.text for heading in trail)):
        return None
    texts = (*(h.text for h in before), first.text, *(h.text for h in between), second.text)
    return Draft(
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
    )
