"""Program code: classes and functions are headings, their text is found at its line.

Python is parsed by the standard library, some languages by tree-sitter where the extra
`notewell[code]` is installed; of all others the blocks are what blank lines and indents show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from notewell.base.types import Heading, Note, Span
from notewell.vault.parse import one_line_end
from notewell.vault.readers.code_parts import Part, Parts, python_parts, tree_parts
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote, decode_text

_MAX_BYTES = 2 * 1024 * 1024  # larger files are generated
_DEEPEST = 6  # level of a heading
_NO_PART = -1

# The endings of each language; those of `""` have no parser.
_SUFFIXES: Mapping[str, str] = {
    "python": ".py .pyi",
    "javascript": ".js .mjs .cjs .jsx",
    "typescript": ".ts .mts .cts",
    "tsx": ".tsx",
    "rust": ".rs",
    "go": ".go",
    "java": ".java",
    "c": ".c .h",
    "cpp": ".cpp .cc .cxx .hpp .hh",
    "": ".sh .bash .ps1 .rb .php .swift .kt .scala .lua .r .jl .hs .ex .exs .clj .cs .sql .css"
    " .scss .toml .yaml .yml .ini",
}


def _reader(suffix: str, language: str) -> Reader:
    def parts_of(text: str) -> Parts:
        if language == "python":
            return python_parts(text)
        return tree_parts(text, language) if language else Parts()

    def read(raw: bytes, file: FileFacts) -> ReadNote:
        return _read(raw, file, parts_of)

    return Reader(suffix, "code", read, "code", max_bytes=_MAX_BYTES, in_child=True)


def _read(raw: bytes, file: FileFacts, parts_of: Callable[[str], Parts]) -> ReadNote:
    decoded = decode_text(raw, file.path)
    text = one_line_end(decoded.text)
    lines = text.split("\n")
    parts = parts_of(text)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    note = Note(
        path=file.path,
        title=file.path.rpartition("/")[2],  # main.c and main.h are two
        aliases=(),
        tags=(),
        properties={},
        description=parts.description,
        created=file.created,
        modified=file.modified,
        headings=tuple(
            Heading(min(part.level, _DEEPEST), part.name, part.first, starts[part.first - 1])
            for part in parts.parts
        ),
        links=(),
        spans=tuple(_spans(lines, starts, parts.parts)),
        warnings=(*decoded.warnings, *parts.warnings),
    )
    return ReadNote(note, decoded.text)


def _spans(lines: Sequence[str], starts: Sequence[int], parts: Sequence[Part]) -> Iterator[Span]:
    """The blocks of code: rows of the same part up to a blank row before one without indent."""
    owners = _owners(len(lines), parts)
    rows: list[int] = []  # numbers of the rows of a block, from 0
    after_blank = False
    for number, line in enumerate(lines):
        if not line.strip():
            after_blank = True
            continue
        outer = after_blank and not line[0].isspace()
        if rows and (outer or owners[number] != owners[rows[-1]]):
            yield _span(lines, starts, rows, owners[rows[-1]])
            rows = []
        rows.append(number)
        after_blank = False
    if rows:
        yield _span(lines, starts, rows, owners[rows[-1]])


def _span(lines: Sequence[str], starts: Sequence[int], rows: Sequence[int], owner: int) -> Span:
    end = starts[rows[-1]] + len(lines[rows[-1]])
    shown = "\n".join(lines[row].rstrip() for row in rows)
    return Span("code", starts[rows[0]], end, shown, tuple(row + 1 for row in rows), owner)


def _owners(count: int, parts: Sequence[Part]) -> list[int]:
    """The innermost part of each line; inner parts come after the ones around them."""
    owners = [_NO_PART] * count
    for number, part in enumerate(parts):
        last = min(part.last, count)
        owners[part.first - 1 : last] = [number] * (last - part.first + 1)
    return owners


CODE = tuple(
    _reader(suffix, language)
    for language, suffixes in _SUFFIXES.items()
    for suffix in suffixes.split()
)
