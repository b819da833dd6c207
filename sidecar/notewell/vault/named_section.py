"""Finds the part of a note that a link's heading or block names, as Obsidian finds it.

Obsidian compares headings without punctuation, and leaves it out of the links that it writes:
`Q: what? (A/B)` is `#Q what? (A/B)` there. `Top#Dup` is the heading Dup below Top. Two things more
are understood: `Top > Dup`, as results name headings, and `Dup#2`, the second heading of this name.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from notewell.base.errors import NotFoundError

_PUNCTUATION = re.compile(r"[!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\\s]+")
_MARKS = re.compile(r"^[\s>]*#{1,6}(?=\s|$)")  # of a heading, in a note's source
_BETWEEN = re.compile(r"#|\s>\s")
_ORDINAL = re.compile(r"(?P<name>.*\S)\s*#(?P<number>[1-9]\d{0,3})", re.DOTALL)

Lines = tuple[int, int]  # the first and the last, from 1


class NamedHeading(Protocol):
    """A heading: its level, 1 to 6, its text, and the line that it begins on."""

    @property
    def level(self) -> int: ...

    @property
    def text(self) -> str: ...

    @property
    def line(self) -> int: ...


class NamedBlock(Protocol):
    """A block with an id, and its lines."""

    @property
    def id(self) -> str: ...

    @property
    def lines(self) -> Lines: ...


class NoteParts(Protocol):
    """A note's text, its headings and its blocks."""

    @property
    def content(self) -> str: ...

    @property
    def headings(self) -> Sequence[NamedHeading]: ...

    @property
    def blocks(self) -> Sequence[NamedBlock]: ...


class SectionNotFoundError(NotFoundError):
    """A note that is there has no such heading or block."""


def section_lines(note: NoteParts, wanted: str) -> Lines:
    """The lines of a block, or under a heading up to the next of its level or above.

    Raises SectionNotFoundError, which names the nearest headings.
    """
    name = wanted.strip().removeprefix("[[").removesuffix("]]").strip().lstrip("#").strip()
    block = _block_called(note.blocks, name)
    if block is not None:
        return block.lines
    rows = note.content.splitlines()
    headings = [_Named(heading, rows) for heading in note.headings]
    at = _heading_at(headings, name)
    if at is None:
        raise SectionNotFoundError(_nearest(note, wanted, name))
    heading = note.headings[at]
    following = (other for other in note.headings[at + 1 :] if other.level <= heading.level)
    return heading.line, next((view.line - 1 for view in following), len(rows))


class _Named:
    """A heading with the names that lead to it: as it is shown, and as it is written."""

    def __init__(self, heading: NamedHeading, rows: Sequence[str]) -> None:
        self.level = heading.level
        self.shown = heading.text.strip().casefold()
        written = rows[heading.line - 1] if heading.line <= len(rows) else ""
        self.plain = {_plain(heading.text), _plain(_MARKS.sub("", written))}

    def is_called(self, name: str) -> bool:
        return _plain(name) in self.plain


def _heading_at(headings: Sequence[_Named], name: str) -> int | None:
    """The place of the heading that a name means: as shown before as linked, whole before parts."""
    shown = name.casefold()
    place = next((at for at, heading in enumerate(headings) if heading.shown == shown), None)
    if place is None:
        place = next((at for at, heading in enumerate(headings) if heading.is_called(name)), None)
    if place is None:
        path = [part for part in _BETWEEN.split(name) if part.strip()]
        place = next(_below(headings, path), None)
    if place is None and (numbered := _ORDINAL.fullmatch(name)) is not None:
        same = list(_below(headings, _BETWEEN.split(numbered["name"])))
        number = int(numbered["number"])
        place = same[number - 1] if number <= len(same) else None
    return place


def _below(headings: Sequence[_Named], path: Sequence[str]) -> Iterator[int]:
    """The places of the headings called like the last part, below those called like the others."""
    above: list[_Named] = []
    for at, heading in enumerate(headings):
        above = [named for named in above if named.level < heading.level] + [heading]
        if path and heading.is_called(path[-1]) and _follows(above[:-1], path[:-1]):
            yield at


def _follows(above: Sequence[_Named], path: Sequence[str]) -> bool:
    """True if the headings above have those of a path, in this order; others may be between."""
    steps = iter(above)
    return all(any(step.is_called(part) for step in steps) for part in path)


def _block_called(blocks: Sequence[NamedBlock], name: str) -> NamedBlock | None:
    wanted = name.casefold()
    return next((block for block in blocks if f"^{block.id.casefold()}" == wanted), None)


def _nearest(note: NoteParts, wanted: str, name: str) -> str:
    if name.startswith("^"):
        blocks = ", ".join(f"^{block.id}" for block in note.blocks[:10])
        known = f"its blocks: {blocks}" if blocks else "it has no blocks"
        return f"no block '{wanted}' in the note; {known}"
    names = [heading.text for heading in note.headings]
    near = difflib.get_close_matches(wanted, names, n=3, cutoff=0.3) or names[:10]
    known = f"its headings: {', '.join(near)}" if near else "it has no headings"
    return f"no heading '{wanted}' in the note; {known}"


def _plain(text: str) -> str:
    return _PUNCTUATION.sub(" ", text).strip().casefold()
