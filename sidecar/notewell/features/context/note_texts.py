"""Texts of a note for a context: all of it, passages that matched, their neighbours, headings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from notewell.base.errors import NotewellError
from notewell.base.types import Note, StoredChunk, StoredNote
from notewell.contract.search import Passage, Result
from notewell.index.port import IndexReader
from notewell.vault.sources import Source

MAX_HEADINGS = 12  # of one note


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage. `before` is its text above the line of the match, `ordinal` its chunk's."""

    heading: str | None
    line: int
    score: float
    before: str
    text: str
    ordinal: int


class NoteTexts:
    """Reads texts of one vault's notes."""

    def __init__(self, index: IndexReader, source: Source) -> None:
        """Passages and headings come from the index, whole notes from the source."""
        self._index = index
        self._source = source

    def full(self, note: StoredNote) -> str | None:
        """The readable text of the whole note; None if it can no longer be read."""
        try:
            found = self._source.read(self._source.stamp(note.path))
        except NotewellError:
            return None  # deleted since it was indexed; its passages are still in the index
        return "\n".join(_lines(found.note)).strip()

    def passages(self, note: StoredNote, result: Result) -> tuple[ShownPassage, ...]:
        """The distinct passages of a result, best first; its description if it has none."""
        chunks = self._index.chunks_of(note.id)
        best = Passage(
            result.heading,
            result.block,
            result.parent,
            result.line,
            result.snippet,
            result.highlights,
            result.score,
        )
        found: dict[int, ShownPassage] = {}
        for passage in (best, *result.passages):
            chunk = _chunk_of(chunks, passage)
            if chunk is not None and chunk.text:
                found.setdefault(chunk.ordinal, _text_of(chunk, passage))
        if not found and result.snippet:
            return (ShownPassage(result.heading, result.line, result.score, "", result.snippet, 0),)
        return tuple(found.values())

    def around(self, note: StoredNote, shown: Sequence[ShownPassage]) -> tuple[ShownPassage, ...]:
        """The passages next to those shown, following before preceding, in the order of `shown`."""
        chunks = {chunk.ordinal: chunk for chunk in self._index.chunks_of(note.id)}
        included = {passage.ordinal for passage in shown}
        adjacent = dict.fromkeys(
            passage.ordinal + step
            for passage in shown
            for step in (1, -1)
            if passage.ordinal + step not in included
        )
        return tuple(
            _whole_chunk(chunks[at]) for at in adjacent if at in chunks and chunks[at].text
        )

    def headings(self, note: StoredNote) -> str:
        """The note's headings, indented by level; its description if it has none."""
        paths = dict.fromkeys(
            chunk.headings[:depth]
            for chunk in self._index.chunks_of(note.id)
            for depth in range(1, len(chunk.headings) + 1)
        )
        lines = ["  " * (len(path) - 1) + f"- {path[-1]}" for path in paths]
        if len(lines) > MAX_HEADINGS:
            lines = [*lines[:MAX_HEADINGS], f"- … {len(lines) - MAX_HEADINGS} more"]
        return "\n".join(lines) or note.description or ""


def _lines(note: Note) -> Iterator[str]:
    """The readable text of a note, without a heading that only repeats the title."""
    for span in note.spans:
        if span.kind != "heading":
            yield span.text
            continue
        heading = note.headings[span.section]
        if heading.level > 1 or heading.text != note.title:
            yield f"{'#' * heading.level} {heading.text}"


def _chunk_of(chunks: Sequence[StoredChunk], passage: Passage) -> StoredChunk | None:
    """The chunk that a passage was taken from: with its heading, line and text."""
    with_line = [chunk for chunk in chunks if passage.line in chunk.lines]
    with_heading = [
        chunk for chunk in with_line if " > ".join(chunk.headings) == (passage.heading or "")
    ]
    candidates = with_heading or with_line
    shown = passage.snippet.strip("… ")[:40]
    with_text = [chunk for chunk in candidates if shown and shown in " ".join(chunk.text.split())]
    return next(iter(with_text or candidates), None)


def _text_of(chunk: StoredChunk, passage: Passage) -> ShownPassage:
    rows = chunk.text.split("\n")
    row = min(chunk.lines.index(passage.line), len(rows) - 1)
    before = "\n".join(rows[:row])
    return ShownPassage(
        " > ".join(chunk.headings) or None,
        passage.line,
        passage.score,
        f"{before}\n" if before else "",
        "\n".join(rows[row:]),
        chunk.ordinal,
    )


def _whole_chunk(chunk: StoredChunk) -> ShownPassage:
    line = chunk.lines[0] if chunk.lines else 1
    heading = " > ".join(chunk.headings) or None
    return ShownPassage(heading, line, 0.0, "", chunk.text, chunk.ordinal)
