"""Records that are written to the index, stored in it and read from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from urllib.parse import quote

from notewell.base.types.embedding import ModelKey
from notewell.base.types.frozen import frozen
from notewell.base.types.values import (
    FloatArray,
    IdArray,
    LedgerState,
    LinkKind,
    PropertyValue,
    SpanKind,
)


@frozen
class FileRef:
    """A file of a readable type. `disk_path` has the Unicode form that the disk uses.

    `ctime_ns`: when the file or its entry was last changed, which no program sets back; 0: unknown.
    `copies` are its conflict copies, which a walk finds.
    """

    path: str
    disk_path: Path
    size: int
    mtime_ns: int
    ctime_ns: int = field(default=0, compare=False)
    copies: tuple[FileRef, ...] = field(default=(), compare=False)


@frozen
class ExcludedFile:
    """A file that is not indexed, and the rule that excludes it."""

    file: FileRef
    rule: str
    reason: str


@frozen
class WalkWarning:
    """A sentence about a file or folder that a walk leaves out; log files hide its `name`.

    `reason` is the rest of the sentence, with the space before it; empty where all is in `name`.
    """

    name: str
    reason: str


@frozen
class Walk:
    """All files under a vault, sorted by path.

    `files` and `excluded` are of readable types; `others` are the rest: files of other types,
    hidden files, and links that are not followed.
    """

    files: tuple[FileRef, ...]
    excluded: tuple[ExcludedFile, ...]
    warnings: tuple[WalkWarning, ...] = ()
    unread: tuple[
        str, ...
    ] = ()  # folders and files that cannot be read, so their notes may still exist
    others: tuple[ExcludedFile, ...] = field(default=(), compare=False)
    beside: tuple[str, ...] = ()  # further places whose files a look at some paths has listed


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

    def target_in(self, written: str) -> tuple[int, str] | None:
        """The place of the target in the link as `written`, and its spelling there."""
        begin = written.find("](") if self.kind == "markdown" else 0
        spellings = (self.target, quote(self.target, safe="/"), f"<{self.target}>")
        for spelling in spellings if begin >= 0 else ():
            start = written.find(spelling, begin)
            if start >= 0:
                return start, spelling
        return None


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
class InnerHeading:
    """A heading that is a line of a chunk's text: small sections are joined under what they share.

    `row` counts the lines of the text from 0; `depth` headings stand above it.
    """

    depth: int
    row: int


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
    inner: tuple[InnerHeading, ...] = ()  # in order


def embedded_text(header: str, text: str) -> str:
    """The text of a chunk that is embedded, without the passage prefix of the model."""
    return f"{header}\n{text}" if header else text


@frozen
class LedgerEntry:
    """The state of one file and why."""

    path: str
    state: LedgerState
    rule: str | None = None  # for `excluded`: which rule; for `failed`: `too_slow`, or none
    reason: str | None = None  # for `failed` and `excluded`: why, for people
    warnings: tuple[str, ...] = ()
    attempts: int = 0
    size: int = 0
    mtime_ns: int = 0
    updated: float = 0.0


@frozen
class ManifestEntry:
    """The state of a file when it was indexed, by which a change is noticed.

    `kept_title` is a former title that is still embedded with the note's passages; see `NotePut`.
    """

    note_id: int
    path: str
    size: int
    mtime_ns: int
    content_hash: bytes
    title: str = field(default="", compare=False)
    kept_title: str | None = field(default=None, compare=False)


@frozen
class NotePut:
    """A note to store or replace, with its file's identity.

    `kept_title`: the headers of its chunks have this former title, not the note's.
    """

    note: Note
    chunks: tuple[Chunk, ...]
    size: int
    mtime_ns: int
    content_hash: bytes
    warnings: tuple[str, ...] = ()
    kept_title: str | None = None


@frozen
class NoteMove:
    """A note whose file moved and whose content did not change."""

    old_path: str
    new_path: str
    size: int
    mtime_ns: int


@frozen
class Batch:
    """One transaction on the index.

    Applied in the order moves, removes, puts, touches, forgets, ledger.

    A path is removed together with its ledger entry. `puts` and `moves` write their own ledger
    entries; `ledger` is for the files that did not become notes.
    """

    puts: tuple[NotePut, ...] = ()
    moves: tuple[NoteMove, ...] = ()
    removes: tuple[str, ...] = ()
    touches: tuple[ManifestEntry, ...] = ()  # same content, new size or mtime
    forgets: tuple[str, ...] = ()  # ledger entries of files that were never notes
    ledger: tuple[LedgerEntry, ...] = ()
    model: ModelKey | None = None  # determines whether notes are `indexed` or `keyword_only`

    @property
    def note_paths(self) -> tuple[str, ...]:
        """The paths of the notes that it stores, moves (from and to) or removes."""
        moved = (path for move in self.moves for path in (move.old_path, move.new_path))
        return tuple(dict.fromkeys((*moved, *self.removes, *(put.note.path for put in self.puts))))


@frozen
class Applied:
    """The effect of a batch. `reused` counts chunks of `puts` whose vector was stored already."""

    generation: int
    chunks_added: int
    chunks_removed: int
    reused: int


@frozen
class PendingText:
    """A text that has no stored vector of the model yet."""

    text_hash: bytes
    text: str
    path: str  # a note that contains it


@frozen
class PassageText:
    """The text of a passage for a model (header and text), and the vault path of its note."""

    path: str
    text: str


@frozen
class VectorPut:
    """A vector to store for a text; of the model's dimensions and unit length."""

    text_hash: bytes
    vector: FloatArray


@frozen
class IndexedModel:
    """A model that has vectors in an index. `vectors` counts those for texts of current chunks."""

    key: ModelKey
    dimensions: int
    vectors: int


@frozen
class StoredNote:
    """A note in the index."""

    id: int
    path: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    properties: Mapping[str, PropertyValue]
    description: str | None
    created: float | None
    modified: float | None
    size: int
    warnings: tuple[str, ...]
    mtime_ns: int = 0  # of its file; `modified` may be stated by a property


@frozen
class StoredChunk:
    """A chunk in the index. Its `id` is never used again after it is removed."""

    id: int
    note_id: int
    ordinal: int
    headings: tuple[str, ...]
    block: str | None
    parent: str | None
    start: int
    end: int
    text: str
    lines: tuple[int, ...]
    text_hash: bytes
    marks: tuple[BlockMark, ...] = ()  # see Chunk
    inner: tuple[InnerHeading, ...] = ()  # see Chunk
    shown: bytes | None = field(default=None, compare=False, repr=False)  # index/stored_text.py


@frozen
class IndexCounts:
    """Totals of the index for one model."""

    notes: int
    chunks: int
    vectors: int  # chunks whose text has a vector of the model
    generation: int
    ledger: Mapping[LedgerState, int]  # the number of files in each state, every state named
    approximate: int = 0  # chunks with nothing but an approximate vector


@frozen
class ChunkHits:
    """Chunks found by lexical or by dense search, best first. Both arrays have the same length."""

    chunk_ids: IdArray
    scores: FloatArray


@frozen
class VectorHits(ChunkHits):
    """Chunks found by dense search, and how the query's cosines spread over all searched chunks.

    `searched` is the number of chunks that could be found; `mean` and `deviation` (standard
    deviation) of their cosines may be estimated from a sample of them.
    """

    mean: float = 0.0
    deviation: float = 0.0
    searched: int = 0


@frozen
class StoredVectors:
    """A model that has vectors in an index. `vectors` counts all, also those of removed texts."""

    key: ModelKey
    dimensions: int
    vectors: int
    answering: bool


@frozen
class IndexFigures:
    """The models of an index, oldest first, and the size of all its files in bytes."""

    models: tuple[StoredVectors, ...]
    bytes_on_disk: int
