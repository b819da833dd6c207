"""What the vault is made of: files as they are found, notes as they are read, chunks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from notewell.types.values import LinkKind, PropertyValue, SpanKind


@dataclass(frozen=True, slots=True)
class FileRef:
    """A file of a readable type that the walk found. `disk_path` is how the disk spells it."""

    path: str
    disk_path: Path
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class ExcludedFile:
    """A file of a readable type that is not indexed, and the rule that decided."""

    file: FileRef
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Walk:
    """All files of readable types under a vault, sorted by path."""

    files: tuple[FileRef, ...]
    excluded: tuple[ExcludedFile, ...]
    warnings: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()  # folders and files that could not be looked at: gone or not?


@dataclass(frozen=True, slots=True)
class SourceText:
    """A note as read from disk: decoded, line ends as they stand, BOM removed."""

    text: str
    encoding: str
    content_hash: bytes  # BLAKE2b-128 of the raw bytes
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; `start` is the offset of its first `#`."""

    level: int
    text: str
    line: int
    start: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written. `target` is the note part alone ("" = this note), unresolved."""

    target: str
    display: str | None
    heading: str | None
    block: str | None
    embed: bool
    kind: LinkKind
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a note's source that reads as one unit (a paragraph, a list, a table, …).

    `text` is what a reader sees of it: comments, HTML tags and link syntax removed. Its n-th line
    stands on source line `lines[n]`. Spans are in source order and do not overlap.
    """

    kind: SpanKind
    start: int
    end: int
    text: str
    lines: tuple[int, ...]
    section: int = -1  # index into the note's headings; -1 = before the first
    block: str | None = None  # the `^block-id` that names it


@dataclass(frozen=True, slots=True)
class Note:
    """A parsed note. Tags are without `#`, in order of appearance, each once."""

    path: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    properties: Mapping[str, PropertyValue]
    description: str | None
    created: float | None
    modified: float | None
    headings: tuple[Heading, ...]
    links: tuple[Link, ...]
    spans: tuple[Span, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockMark:
    """A block id and the source lines, both ends included, of what it names."""

    block: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a note, the unit that is indexed, embedded and found.

    Its address within one generation is `path#ordinal`; across edits it is the note and
    `text_hash`. `lines[n]` is the source line of the n-th line of `text`.
    """

    ordinal: int
    headings: tuple[str, ...]  # heading path, outermost first
    block: str | None
    parent: str | None  # text of the list item this passage hangs under
    start: int
    end: int
    text: str
    lines: tuple[int, ...]
    header: str  # context put in front of `text` when it is embedded
    text_hash: bytes  # BLAKE2b-128 of its `embedded_text`
    marks: tuple[BlockMark, ...] = ()  # the blocks in it that have an id; `block`: the only one's


def embedded_text(header: str, text: str) -> str:
    """Exactly what the model is given of a chunk (before its own passage prefix)."""
    return f"{header}\n{text}" if header else text
