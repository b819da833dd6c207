"""Plain text files (`.txt`): paragraphs between blank lines, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from notewell.types import Note, Span
from notewell.vault.parse import file_title, one_line_end
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote, decode_text

_SUFFIX = ".txt"


def _read(raw: bytes, file: FileFacts) -> ReadNote:
    decoded = decode_text(raw, file.path)
    note = Note(
        path=file.path,
        title=file_title(file.path, _SUFFIX),
        aliases=(),
        tags=(),
        properties={},
        description=None,
        created=file.created,
        modified=file.modified,
        headings=(),
        links=(),
        spans=tuple(_paragraphs(one_line_end(decoded.text))),
        warnings=decoded.warnings,
    )
    return ReadNote(note, decoded.text)


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


PLAIN_TEXT = Reader(_SUFFIX, "text files", _read)
