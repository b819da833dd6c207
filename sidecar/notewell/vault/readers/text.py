"""Markdown files (`.md`, `.markdown`), as Obsidian writes them, and plain text files (`.txt`)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from notewell.base.types import Note, SourceText, Span
from notewell.vault.parse import file_title, one_line_end, parse
from notewell.vault.readers.reader import Decoded, FileFacts, Reader, ReadNote, decode_text

_PLAIN_SUFFIX = ".txt"


def _read_markdown(raw: bytes, file: FileFacts) -> ReadNote:
    decoded = decode_text(raw, file.path)
    source = SourceText(
        decoded.text,
        decoded.encoding,
        hashlib.blake2b(raw, digest_size=16).digest(),
        decoded.warnings,
    )
    note = parse(file.path, source, modified=file.modified, created=file.created, types=file.types)
    return ReadNote(note, decoded.text)


MARKDOWN = Reader(".md", "Markdown files", _read_markdown, "markdown", linked_by_stem=True)
# Obsidian shows these and opens links to them, but wants the ending in a link.
LONG_MARKDOWN = Reader(".markdown", "Markdown files", _read_markdown, "markdown")


def _read_plain(raw: bytes, file: FileFacts) -> ReadNote:
    decoded = decode_text(raw, file.path)
    return text_note(file, decoded, _paragraphs(one_line_end(decoded.text)))


def text_note(
    file: FileFacts, decoded: Decoded, spans: Iterable[Span], warnings: Sequence[str] = ()
) -> ReadNote:
    """The note of a text file that has nothing but text: neither headings nor properties."""
    note = Note(
        path=file.path,
        title=file_title(file.path, PurePosixPath(file.path).suffix.lower()),
        aliases=(),
        tags=(),
        properties={},
        description=None,
        created=file.created,
        modified=file.modified,
        headings=(),
        links=(),
        spans=tuple(spans),
        warnings=(*decoded.warnings, *warnings),
    )
    return ReadNote(note, decoded.text)


def line_starts(text: str) -> list[int]:
    r"""Where each line of `text` begins, whose lines end with `\n`, and where one more would."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _paragraphs(text: str) -> Iterator[Span]:
    r"""Cut `text`, whose lines end with `\n`, at its blank lines."""
    rows: list[str] = []
    start = offset = 0
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        row = line.rstrip()
        if row:
            start = start if rows else offset
            rows.append(row)
        elif rows:
            lines = tuple(range(number - len(rows), number))
            end = min(offset, len(text) + 1) - 1
            yield Span("paragraph", start, end, "\n".join(rows), lines)
            rows = []
        offset += len(line) + 1


PLAIN_TEXT = Reader(_PLAIN_SUFFIX, "text files", _read_plain, "text")
