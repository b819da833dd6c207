"""Edits one part of a note: under a heading, a block, or the whole text below the properties.

The rest of the note stays byte for byte, its line ends too. A heading stays with what is under it
replaced, and a block keeps its id.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from notewell.base.errors import UsageError
from notewell.base.types import SourceText
from notewell.base.types.frozen import frozen
from notewell.vault.named_section import NamedHeading, section_lines
from notewell.vault.parse import one_line_end, parse
from notewell.vault.properties import read_frontmatter

How: TypeAlias = Literal["replace", "append", "insert"]
_UNDERLINE = re.compile(r"^\s{0,3}(=+|-+)\s*$")
_MARK = re.compile(r"^[\s>]*#{1,6}(\s|$)")
_BLOCK_ID = re.compile(r"\s*\^[A-Za-z0-9-]+\s*$")
# Rows of one kind stand together; others are separated by a blank row.
_KINDS = (
    re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)"),
    re.compile(r"^\s*\|"),
    re.compile(r"^\s*>"),
)


@frozen
class NamedSpan:
    """A block with an id, and its lines."""

    id: str
    lines: tuple[int, int]


@frozen
class TextParts:
    """The parts of a text that can be named."""

    content: str
    headings: Sequence[NamedHeading]
    blocks: Sequence[NamedSpan]

    @classmethod
    def of(cls, path: str, text: str) -> TextParts:
        """Find the parts of a note's text."""
        note = parse(path, SourceText(text, "utf-8", b""), modified=0.0)
        blocks = tuple(
            NamedSpan(span.block, (span.lines[0], span.lines[-1]))
            for span in note.spans
            if span.block is not None
        )
        return cls(text, note.headings, blocks)


def section_text(path: str, text: str, section: str) -> str:
    """The text of a part; the whole note's without a section. Raises as `edit_section`."""
    if not section.strip():
        return text
    first, last = section_lines(TextParts.of(path, text), section)
    return "".join(_rows(text)[first - 1 : last])


def edit_section(path: str, text: str, section: str, how: How, new: str) -> str:
    """The text of a note with one part edited; `section` is a heading, a `^block`, or "".

    `replace` gives the part the text `new`, `append` adds it at the part's end, `insert` right
    below its heading, or below the block. Without a section, `append` is the end of the note and
    `insert` its begin, below properties and title.

    Raises:
        SectionNotFoundError: the note has no such heading or block; the nearest are named.
        UsageError: the whole note would be replaced, or there is no text to add.

    """
    rows = _rows(text)
    line_end = "\r\n" if any(row.endswith("\r\n") for row in rows) else "\n"
    plain = new.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    added = [f"{row}{line_end}" for row in plain.split("\n")]
    if how != "replace" and not new.strip():
        raise UsageError("Give the `text` to add.")
    edit = _Edit(rows, how, added, line_end)
    parts = TextParts.of(path, text)
    if not section.strip():
        if how == "replace":
            raise UsageError("Name the `section` to replace; a whole note is not replaced.")
        return edit.whole(text, parts)
    first, last = section_lines(parts, section)
    is_block = any(block.lines == (first, last) for block in parts.blocks) and "^" in section
    return edit.block(first - 1, last) if is_block else edit.heading(first - 1, last)


def _rows(text: str) -> list[str]:
    """The lines with their ends, as the parser counts them."""
    flat = one_line_end(text)
    rows, at = [], 0
    while at < len(text):
        end = flat.find("\n", at)
        end = len(text) if end < 0 else end + 1
        rows.append(text[at:end])
        at = end
    return rows


@dataclass(frozen=True, slots=True)
class _Edit:
    """An edit of the lines of a note; places count from 0, and the last one is after the part."""

    rows: list[str]
    how: How
    added: list[str]
    line_end: str

    def whole(self, text: str, parts: TextParts) -> str:
        if self.how == "append":
            return self.put(self.rows, _end_of_text(self.rows, 0, len(self.rows)))
        at = len(_rows(text[: read_frontmatter(one_line_end(text)).body]))
        begin = next((n for n in range(at, len(self.rows)) if self.rows[n].strip()), at)
        first = next(iter(parts.headings), None)
        if first is not None and (first.level, first.line) == (1, begin + 1):
            at = _below_heading(self.rows, begin)
        return self.put(self.rows, at)

    def heading(self, first: int, last: int) -> str:
        below = _below_heading(self.rows, first)
        end = max(below, _end_of_text(self.rows, below, last))
        if self.how == "append":
            return self.put(self.rows, end)
        if self.how == "insert":
            return self.put(self.rows, below)
        kept = [*self.rows[:below], *self.rows[end:]]
        return self.put(kept, below) if "".join(self.added).strip() else "".join(kept)

    def block(self, first: int, last: int) -> str:
        if self.how == "insert":
            return self.put(self.rows, self.below_id(last))
        written = self.rows[last - 1]
        body = written.rstrip("\r\n")
        match = _BLOCK_ID.search(body)
        mark = match[0] if match else ""
        text = body.removesuffix(mark)
        former = [] if self.how == "replace" else self.rows[first : last - 1]
        before, after = self.rows[:first], self.rows[last:]
        if not text.strip():  # the id has a row of its own, as below a table
            return "".join([*before, *former, *self.added, written, *after])
        if self.how == "append":
            former = [*former, text + self.line_end]
        ending = self.added[-1].rstrip("\r\n")
        if not ending.endswith(mark.strip()):
            ending += mark if mark[:1].isspace() else f" {mark}"
        ending += written[len(body) :]
        return "".join([*before, *former, *self.added[:-1], ending, *after])

    def below_id(self, last: int) -> int:
        """The place below a block, and below its id where that has a row of its own."""
        at = next((n for n in range(last, len(self.rows)) if self.rows[n].strip()), len(self.rows))
        is_id = at < len(self.rows) and _BLOCK_ID.fullmatch(self.rows[at])
        return at + 1 if is_id else last

    def put(self, rows: Sequence[str], at: int) -> str:
        """The text with the added lines, separated by a blank one from lines of another kind."""
        before, after, added = list(rows[:at]), list(rows[at:]), self.added
        if before and not before[-1].endswith(("\n", "\r")):
            before[-1] += self.line_end
        if before and _are_apart(before[-1], added[0]):
            before.append(self.line_end)
        if after and _are_apart(added[-1], after[0]):
            added = [*added, self.line_end]
        return "".join([*before, *added, *after])


def _below_heading(rows: Sequence[str], first: int) -> int:
    """The place below a heading, its underline and the blank row that follows it."""
    at = first + 1
    is_underlined = not _MARK.match(rows[first]) and at < len(rows) and _UNDERLINE.match(rows[at])
    at += 1 if is_underlined else 0
    return at + 1 if at < len(rows) and not rows[at].strip() else at


def _end_of_text(rows: Sequence[str], first: int, last: int) -> int:
    """The place after the last row that is not blank."""
    while last > first and not rows[last - 1].strip():
        last -= 1
    return last


def _are_apart(one: str, other: str) -> bool:
    if not one.strip() or not other.strip() or _UNDERLINE.match(one):
        return False
    return not any(kind.match(one) and kind.match(other) for kind in _KINDS)
