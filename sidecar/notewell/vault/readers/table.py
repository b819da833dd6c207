"""Tables (`.csv`, `.tsv`): groups of rows are passages, each with the header above its rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace

from notewell.base.errors import UnreadableNoteError
from notewell.base.types import Span
from notewell.base.types.frozen import frozen
from notewell.vault.parse import one_line_end
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote, decode_text
from notewell.vault.readers.text import line_starts, text_note

_DELIMITERS = ",;\t|"
_BETWEEN = " | "  # two cells
_SAMPLE_LINES = 20
_MAX_ROWS = 50_000
_GROUP_CHARACTERS = 600  # of the rows of a passage, before the header is added
_HEADER_CHARACTERS = 2_000  # of the header that is repeated above later groups


@frozen
class _TableRow:
    """A row as it is shown, on one line, and its first and last line in the file, from 1."""

    text: str
    first: int
    last: int


def _read(raw: bytes, file: FileFacts) -> ReadNote:
    decoded = decode_text(raw, file.path)
    text = one_line_end(decoded.text)
    rows, warnings = _rows(text, file.path)
    return text_note(file, decoded, _spans(rows, text), warnings)


def _rows(text: str, path: str) -> tuple[list[_TableRow], tuple[str, ...]]:
    delimiter = "\t" if path.lower().endswith(".tsv") else _delimiter(text)
    # `newline=""` so that line numbers are those of the file, also in a quoted cell.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows: list[_TableRow] = []
    before = 0
    try:
        for cells in reader:
            shown = [" ".join(cell.split()) for cell in cells]
            if any(shown):
                rows.append(_TableRow(_BETWEEN.join(shown), before + 1, reader.line_num))
            before = reader.line_num
            if len(rows) > _MAX_ROWS:
                return rows[:-1], (f"Only the first {_MAX_ROWS:,} rows are searched.",)
    except csv.Error as error:
        raise UnreadableNoteError(
            f"{path} is no valid table: {error} (line {reader.line_num}).", code="unreadable"
        ) from error
    return rows, ()


def _delimiter(text: str) -> str:
    """The delimiter that splits the first lines most evenly: the commonest one of the first."""
    lines = [line for line in text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES] if line.strip()]
    if not lines:
        return ","
    return max(
        _DELIMITERS, key=lambda one: (min(line.count(one) for line in lines), lines[0].count(one))
    )


def _spans(rows: Sequence[_TableRow], text: str) -> Iterator[Span]:
    if not rows:
        return
    starts = line_starts(text)
    header, body = rows[0], rows[1:]
    group: list[_TableRow] = []
    size = 0
    first = True
    for row in (*body, None):
        if group and (row is None or size + len(row.text) > _GROUP_CHARACTERS):
            yield _span(header, group, starts, len(text), with_header=first)
            header = header if not first else replace(header, text=_shorten(header.text))
            group, size, first = [], 0, False
        if row is not None:
            group.append(row)
            size += len(row.text)
    if not body:
        yield _span(header, [], starts, len(text), with_header=True)


def _shorten(header: str) -> str:
    """The header without the columns that are too many to be repeated."""
    if len(header) <= _HEADER_CHARACTERS:
        return header
    return header[:_HEADER_CHARACTERS].rpartition(_BETWEEN)[0] or header[:_HEADER_CHARACTERS]


def _span(
    header: _TableRow,
    group: Sequence[_TableRow],
    starts: Sequence[int],
    length: int,
    *,
    with_header: bool,
) -> Span:
    """The header and a group of rows; only in the first is the header on its own line."""
    begin = header.first if with_header or not group else group[0].first
    last = group[-1].last if group else header.last
    shown = (header, *group)
    return Span(
        "table",
        starts[begin - 1],
        min(starts[last] - 1, length),
        "\n".join(row.text for row in shown),
        (begin, *(row.first for row in group)),
    )


TABLES = tuple(Reader(suffix, "tables", _read, "table") for suffix in (".csv", ".tsv"))
