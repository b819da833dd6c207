"""Puts neighbouring passages of a note into windows that a model reads at once.

A window has the note's title, and each passage below its headings. It has as many passages as fit
the model; a passage that fits with no neighbour is read alone, as without windows. Which passages
are read together is counted from the note's beginning, so it depends on the note alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from notewell.base.types import (
    CountTokens,
    EmbeddedPiece,
    EmbedsWindows,
    PendingText,
    StoredChunk,
    Window,
)
from notewell.index.port import Index

_MARGIN = 4  # tokens; a joined text may have more than its parts


@dataclass(slots=True)
class _Open:
    """A window that is being filled: its text, its passages and their chunks."""

    title: str
    text: str
    tokens: int
    headings: tuple[str, ...] = ()
    heading: tuple[int, int] = (0, 0)
    passages: list[tuple[tuple[int, int], ...]] = field(default_factory=list)
    chunks: list[StoredChunk] = field(default_factory=list)

    def add(self, chunk: StoredChunk, line: str, tokens: int) -> None:
        """Add a passage; `line` has its headings, "" if they are those of the one before."""
        title = (0, len(self.title))
        if line:
            self.heading = (len(self.text) + 1, len(self.text) + 1 + len(line))
            self.text = f"{self.text}\n{line}"
        start = len(self.text) + 1
        self.text = f"{self.text}\n{chunk.text}"
        self.passages.append((title, self.heading, (start, len(self.text))))
        self.headings = chunk.headings
        self.chunks.append(chunk)
        self.tokens += tokens


def windows_of(
    title: str, chunks: Sequence[StoredChunk], *, count: CountTokens, limit: int
) -> Iterator[tuple[tuple[StoredChunk, ...], Window]]:
    """The windows of a note of at most `limit` tokens, each with its chunks, two at least."""
    title = " ".join(title.split())
    begun = count(title) + _MARGIN
    current = _Open(title, title, begun)
    for chunk in chunks:
        line = _line(chunk, title) if chunk.headings != current.headings else ""
        tokens = count(line) + count(chunk.text) + 2
        if current.chunks and current.tokens + tokens > limit:
            yield from _closed(current)
            current = _Open(title, title, begun)
            line = _line(chunk, title)
            tokens = count(line) + count(chunk.text) + 2
        current.add(chunk, line, tokens)
    yield from _closed(current)


def embed_in_windows(
    index: Index, embedder: EmbedsWindows, texts: Sequence[PendingText]
) -> Iterator[EmbeddedPiece]:
    """The vectors of `texts`, each read together with its neighbours in its note."""
    rows = {text.text_hash: row for row, text in enumerate(texts)}
    windows: list[Window] = []
    owners: list[list[int | None]] = []
    for path in dict.fromkeys(text.path for text in texts):
        note = index.note_at(path)
        if note is None:
            continue
        found = windows_of(
            note.title,
            index.chunks_of(note.id),
            count=embedder.count_tokens,
            limit=embedder.window_tokens,
        )
        for chunks, window in found:
            wanted = [rows.pop(chunk.text_hash, None) for chunk in chunks]
            if any(row is not None for row in wanted):
                windows.append(window)
                owners.append(wanted)
    for row in rows.values():
        text = texts[row].text
        windows.append(Window(text, (((0, len(text)),),)))
        owners.append([row])
    for wanted, vectors in zip(owners, embedder.embed_windows(windows), strict=True):
        places = [place for place, row in enumerate(wanted) if row is not None]
        yield EmbeddedPiece(tuple(row for row in wanted if row is not None), vectors[places])


def _closed(window: _Open) -> Iterator[tuple[tuple[StoredChunk, ...], Window]]:
    if len(window.chunks) > 1:
        yield tuple(window.chunks), Window(window.text, tuple(window.passages))


def _line(chunk: StoredChunk, title: str) -> str:
    headings = [" ".join(text.split()) for text in chunk.headings]
    return " > ".join(text for text in headings if text and text != title)
