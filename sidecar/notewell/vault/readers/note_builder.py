"""Builds notes of files that are not text: writes the text, and records what stands where.

The text is Markdown-like: headings with `#`, paragraphs with blank lines between them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field

from notewell.base.types import Heading, Link, LinkKind, Note, PropertyValue, Span, SpanKind
from notewell.base.types.frozen import frozen
from notewell.vault.inline import split_address
from notewell.vault.parse import LONGEST_HEADING
from notewell.vault.readers.reader import FileFacts, ReadNote

_DEEPEST = 6  # level of a heading
# Control characters, which no text needs, and lone surrogates, which UTF-8 cannot hold.
_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
MAX_CHARACTERS = 10_000_000  # of a note; a thick book has about three million
MAX_LINKS = 10_000


@frozen
class FileDescription:
    """The metadata of a file."""

    title: str
    properties: Mapping[str, PropertyValue] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    description: str | None = None
    created: float | None = None
    warnings: tuple[str, ...] = ()


class NoteBuilder:
    """The text of one note, written from its beginning to its end."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._line = 1
        self._headings: list[Heading] = []
        self._spans: list[Span] = []
        self._links: list[Link] = []
        self.full = False  # whether text was left out, because there was too much

    def heading(self, level: int, text: str, block: str | None = None) -> None:
        """Write a heading; all that follows is below it. Nothing if it has no text."""
        shown = " ".join(_drop_unwanted(text).split())
        if len(shown) > LONGEST_HEADING:
            self.paragraph(shown, block=block)
            return
        if not shown or self._is_full(shown):
            return
        level = max(1, min(level, _DEEPEST))
        self._headings.append(Heading(level, shown, self._line, self._length))
        self._span("heading", f"{'#' * level} {shown}", shown, block)

    def paragraph(self, text: str, kind: SpanKind = "paragraph", block: str | None = None) -> None:
        r"""Write a paragraph, list, table or piece of code, its rows separated by `\n`.

        Blank rows are left out. Nothing if it has no text.
        """
        rows = [row.rstrip() for row in _drop_unwanted(text).split("\n")]
        shown = "\n".join(row for row in rows if row)
        if shown.strip() and not self._is_full(shown):
            self._span(kind, shown, shown, block)

    def link(
        self,
        target: str,
        display: str = "",
        *,
        embed: bool = False,
        kind: LinkKind = "wikilink",
    ) -> None:
        """Write a link to another file of the vault on a line of its own. It is no visible text."""
        path, heading, block = split_address(_drop_unwanted(target))
        if not (path or heading or block) or "\n" in target or len(self._links) >= MAX_LINKS:
            return
        source = f"[[{target}]]"
        end = self._length + len(source)
        self._links.append(
            Link(
                path,
                display or None,
                heading,
                block,
                embed,
                kind,
                self._line,
                self._length,
                end,
            )
        )
        self._write(source)

    def note(self, file: FileFacts, described: FileDescription) -> ReadNote:
        too_much = (f"Only the first {MAX_CHARACTERS:,} characters are searched.",)
        note = Note(
            path=file.path,
            title=described.title,
            aliases=(),
            tags=described.tags,
            properties=described.properties,
            description=described.description,
            created=file.created if described.created is None else described.created,
            modified=file.modified,
            headings=tuple(self._headings),
            links=tuple(self._links),
            spans=tuple(self._spans),
            warnings=(*described.warnings, *(too_much if self.full else ())),
        )
        return ReadNote(note, "".join(self._parts))

    def _is_full(self, text: str) -> bool:
        self.full = self.full or self._length + len(text) > MAX_CHARACTERS
        return self.full

    def _span(self, kind: SpanKind, source: str, seen: str, block: str | None) -> None:
        end = self._length + len(source)
        lines = tuple(range(self._line, self._line + seen.count("\n") + 1))
        section = len(self._headings) - 1
        self._spans.append(Span(kind, self._length, end, seen, lines, section, block))
        self._write(source)

    def _write(self, source: str) -> None:
        part = f"{source}\n\n"
        self._parts.append(part)
        self._length += len(part)
        self._line += part.count("\n")


def _drop_unwanted(text: str) -> str:
    return _UNWANTED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
