"""Files of a vault, notes read from them, and chunks of notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from notewell.base.types.frozen import frozen
from notewell.base.types.values import LinkKind, PropertyValue, SpanKind


@frozen
class FileRef:
    """A file of a readable type. `disk_path` has the Unicode form that the disk uses."""

    path: str
    disk_path: Path
    size: int
    mtime_ns: int


@frozen
class ExcludedFile:
    """A file that is not indexed, and the rule that excludes it."""

    file: FileRef
    rule: str
    reason: str


@frozen
class Walk:
    """All files under a vault, sorted by path.

    `files` and `excluded` are of readable types; `others` are the rest: files of other types,
    hidden files, and links that are not followed.
    """

    files: tuple[FileRef, ...]
    excluded: tuple[ExcludedFile, ...]
    warnings: tuple[str, ...] = ()
    unread: tuple[
        str, ...
    ] = ()  # folders and files that cannot be read, so their notes may still exist
    others: tuple[ExcludedFile, ...] = field(default=(), compare=False)


@frozen
class SourceText:
    """A note as read from disk: decoded, line ends unchanged, BOM removed."""

    text: str
    encoding: str
    content_hash: bytes  # BLAKE2b-128 of the raw bytes
    warnings: tuple[str, ...] = ()


@frozen
class Heading:
    """A heading; `start` is the offset of its first `#`."""

    level: int
    text: str
    line: int
    start: int


@frozen
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


@frozen
class Span:
    """A part of a note's source that is one unit (a paragraph, a list, a table, …).

    `text` is its visible text, without comments, HTML tags and link syntax. Its n-th line is on
    source line `lines[n]`. Spans are in source order and do not overlap.
    """

    kind: SpanKind
    start: int
    end: int
    text: str
    lines: tuple[int, ...]
    section: int = -1  # index into the note's headings; -1 = before the first
    block: str | None = None  # the `^block-id` that names it


@frozen
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


@frozen
class BlockMark:
    """A block id and the source lines, both ends included, of what it names."""

    block: str
    first: int
    last: int


@frozen
class Chunk:
    """A passage of a note, the unit that is indexed, embedded and found.

    Its address within one generation is `path#ordinal`; across edits it is the note and
    `text_hash`. `lines[n]` is the source line of the n-th line of `text`.
    """

    ordinal: int
    headings: tuple[str, ...]  # heading path, outermost first
    block: str | None
    parent: str | None  # text of the list item that contains this passage
    start: int
    end: int
    text: str
    lines: tuple[int, ...]
    header: str  # context put in front of `text` when it is embedded
    text_hash: bytes  # BLAKE2b-128 of its `embedded_text`
    marks: tuple[BlockMark, ...] = ()  # the blocks with an id in it; `block` is set if there is one


def embedded_text(header: str, text: str) -> str:
    """The text of a chunk that is embedded, without the passage prefix of the model."""
    return f"{header}\n{text}" if header else text
