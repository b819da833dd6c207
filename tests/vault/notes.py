"""Helpers to parse a note and its chunks, and properties that must hold for all of them."""

from __future__ import annotations

import hashlib
from collections import Counter

from notewell.base.types import Chunk, ChunkSizes, CountTokens, Note, SourceText, embedded_text
from notewell.vault.chunk import chunk, embed_hash
from notewell.vault.parse import parse


def source(text: str) -> SourceText:
    raw = text.encode("utf-8", "replace")
    return SourceText(text, "utf-8", hashlib.blake2b(raw, digest_size=16).digest())


def note_of(text: str, path: str = "Folder/A note.md") -> Note:
    return parse(path, source(text), modified=1.0, created=0.5)


def words(text: str) -> int:
    """Count tokens of a model that knows every word."""
    return len(text.split())


def letters(text: str) -> int:
    """Count tokens of a model that knows only letters: nothing is ever cheaper than it seems."""
    return len(text)


def chunks_of(
    text: str, *, count: CountTokens = words, sizes: ChunkSizes | None = None
) -> tuple[Chunk, ...]:
    return chunk(note_of(text), count_tokens=count, sizes=sizes or ChunkSizes(64, 12, 6))


def line_count(text: str) -> int:
    return text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1


def check_note(note: Note, text: str) -> None:
    """Everything a note promises about its places."""
    last = line_count(text)
    before = 0
    for span in note.spans:
        assert before <= span.start <= span.end <= len(text)
        before = span.end
        assert span.text.strip()
        check_lines(span.lines, span.text, last)
        assert -1 <= span.section < len(note.headings)
    for heading in note.headings:
        assert 0 <= heading.start <= len(text)
        assert 1 <= heading.line <= last
    for link in note.links:
        assert 0 <= link.start < link.end <= len(text)
        assert 1 <= link.line <= last


def check_chunks(
    note: Note, chunks: tuple[Chunk, ...], text: str, sizes: ChunkSizes, count: CountTokens
) -> None:
    """Everything chunks promise: size, places, identity, and that nothing is lost."""
    last = line_count(text)
    for ordinal, piece in enumerate(chunks):
        assert piece.ordinal == ordinal
        embedded = embedded_text(piece.header, piece.text)
        assert count(embedded) + 2 <= sizes.max_tokens
        assert 0 <= piece.start <= piece.end <= len(text)
        assert piece.text.strip()
        check_lines(piece.lines, piece.text, last)
        assert piece.text_hash == embed_hash(embedded)
    together = Counter("".join("".join(piece.text.split()) for piece in chunks))
    headings = {heading for piece in chunks for heading in piece.headings}
    for span in note.spans:
        if span.kind == "heading" and span.text in headings:
            continue
        missing = Counter("".join(span.text.split())) - together
        assert not missing, f"{missing} of {span} is in no chunk"


def check_lines(lines: tuple[int, ...], text: str, last: int) -> None:
    assert len(lines) == text.count("\n") + 1
    assert list(lines) == sorted(lines)
    assert lines[0] >= 1
    assert lines[-1] <= last
