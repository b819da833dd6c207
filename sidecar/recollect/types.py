"""What the rooms hand to each other: frozen records, and the protocols of replaceable parts.

Everybody may import this module; it imports nobody of the package. Offsets are code points into
the decoded source of a note, end exclusive; lines are 1-based; times are POSIX seconds (UTC)
unless a field says otherwise; paths are vault-relative, `/`-separated and NFC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

PropertyValue: TypeAlias = (
    "str | int | float | bool | tuple[PropertyValue, ...] | Mapping[str, PropertyValue] | None"
)
# A file as a client lists it: path, size in bytes, mtime in milliseconds since 1970.
FileStamp: TypeAlias = tuple[str, int, int]
FloatArray: TypeAlias = npt.NDArray[np.float32]
IdArray: TypeAlias = npt.NDArray[np.int64]
CountTokens: TypeAlias = Callable[[str], int]

LedgerState = Literal["indexed", "pending", "failed", "excluded", "keyword_only"]
SearchMode = Literal["hybrid", "keyword", "semantic"]
FusionMethod = Literal["auto", "rrf", "weighted", "blend", "convex"]
ChangeKind = Literal["create", "modify", "delete", "rename"]
LinkKind = Literal["wikilink", "markdown"]
SpanKind = Literal[
    "heading", "paragraph", "list", "table", "code", "math", "callout", "quote", "footnote"
]
WatchMode = Literal["auto", "events", "poll", "off"]
Quantisation = Literal["int8", "fp32"]
LogFormat = Literal["text", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]
# What a person says of a note as the answer to a query.
Verdict = Literal["this_was_it", "never_for_this"]


# --- settings -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VaultRules:
    """Which files of a vault are notes to index."""

    include: tuple[str, ...] = ()  # globs; empty means everything readable
    exclude: tuple[str, ...] = ()  # globs, gitignore style; they win over `include`
    max_note_bytes: int = 10 * 1024 * 1024
    watch: WatchMode = "auto"  # how a server learns of changes; auto polls network mounts
    reconcile_at: str = "03:30"  # local time of the daily look at everything; "" is never


@dataclass(frozen=True, slots=True)
class ChunkRules:
    """Sizes of chunks, in tokens of the model. None: what the model's catalogue entry says."""

    max_tokens: int | None = None
    min_tokens: int | None = None
    overlap_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ModelRules:
    """Which embedding model a vault uses and how hard it may work."""

    name: str = "all-MiniLM-L6-v2"
    quantisation: Quantisation = "int8"
    threads: int = 0  # callers of one thread each; 0 means one per processor
    folder: str | None = None  # a folder that already holds the weights


@dataclass(frozen=True, slots=True)
class SearchRules:
    """Defaults of a search, for requests that do not say."""

    fusion: FusionMethod = "auto"
    passages: int = 3  # further passages shown beneath a note's best one
    snippet_chars: int = 240


@dataclass(frozen=True, slots=True)
class ServerRules:
    """Where the HTTP door listens and whom it answers."""

    host: str = "127.0.0.1"
    port: int = 8765
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    open_vaults: int = 3  # vaults kept open at once, at least 1; others open when asked for


@dataclass(frozen=True, slots=True)
class LogRules:
    """How events are logged: `format` everywhere, `level` in a server's files.

    `queries`: whether searches and what was opened of them are kept, on this computer alone.
    """

    format: LogFormat = "text"
    level: LogLevel = "info"
    queries: bool = True


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything configurable, after all layers are merged (see config.py)."""

    data_dir: Path
    model_dir: Path
    state_dir: Path
    index_dir: Path | None = None  # where this vault's index lives; None: under data_dir
    offline: bool = False
    vault: VaultRules = field(default_factory=VaultRules)
    chunking: ChunkRules = field(default_factory=ChunkRules)
    model: ModelRules = field(default_factory=ModelRules)
    search: SearchRules = field(default_factory=SearchRules)
    server: ServerRules = field(default_factory=ServerRules)
    log: LogRules = field(default_factory=LogRules)


# --- the vault: files, notes, chunks ------------------------------------------------------------


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
    text_hash: bytes  # BLAKE2b-128 of `embedded_text`

    @property
    def embedded_text(self) -> str:
        """Exactly what the model is given (before its own passage prefix)."""
        return f"{self.header}\n{self.text}" if self.header else self.text


# --- models -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelKey:
    """What makes two vectors comparable. Vectors are kept under it for good."""

    name: str
    weights_hash: str
    quantisation: str

    def __str__(self) -> str:
        return f"{self.name}/{self.weights_hash[:12]}/{self.quantisation}"


@dataclass(frozen=True, slots=True)
class ChunkSizes:
    """Chunk sizes in tokens of one model, header and special tokens included."""

    max_tokens: int = 256
    min_tokens: int = 48
    overlap_tokens: int = 24


class Embedder(Protocol):
    """Turns text into unit vectors, float32. Safe to call from several threads.

    A query never waits for more than one small batch of passages.
    """

    @property
    def key(self) -> ModelKey:
        """Under which its vectors are kept."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def sizes(self) -> ChunkSizes:
        """Chunk sizes that suit the model."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` alone, special tokens not counted."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """Vectors of shape (len(texts), dimensions), in the order given."""
        ...

    def embed_query(self, text: str) -> FloatArray:
        """Vector of shape (dimensions,)."""
        ...

    def close(self) -> None:
        """Give the model's memory back. May be called twice."""
        ...


# --- the index ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """The state of one file and why."""

    path: str
    state: LedgerState
    rule: str | None = None  # for `excluded`: which rule
    reason: str | None = None  # for `failed` and `excluded`: what a person should know
    warnings: tuple[str, ...] = ()
    attempts: int = 0
    size: int = 0
    mtime_ns: int = 0
    updated: float = 0.0


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """What the index knows of an indexed file, to tell whether it changed."""

    note_id: int
    path: str
    size: int
    mtime_ns: int
    content_hash: bytes


@dataclass(frozen=True, slots=True)
class NotePut:
    """A note to store or replace, with its file's identity. `note_id` None: a new note."""

    note: Note
    chunks: tuple[Chunk, ...]
    size: int
    mtime_ns: int
    content_hash: bytes
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteMove:
    """A note whose file moved and whose content did not change."""

    old_path: str
    new_path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Batch:
    """One transaction on the index. Applied in the order moves, removes, puts, touches, ledger.

    A path is removed together with its ledger entry. `puts` and `moves` write their own ledger
    entries; `ledger` is for the files that did not become notes.
    """

    puts: tuple[NotePut, ...] = ()
    moves: tuple[NoteMove, ...] = ()
    removes: tuple[str, ...] = ()
    touches: tuple[ManifestEntry, ...] = ()  # same content, new size or mtime
    ledger: tuple[LedgerEntry, ...] = ()
    model: ModelKey | None = None  # decides `indexed` against `keyword_only`


@dataclass(frozen=True, slots=True)
class Applied:
    """What a batch did. `reused` counts chunks of `puts` whose vector was already kept."""

    generation: int
    chunks_added: int
    chunks_removed: int
    reused: int


@dataclass(frozen=True, slots=True)
class PendingText:
    """A text that no kept vector of the model covers yet."""

    text_hash: bytes
    text: str
    path: str  # a note that holds it


@dataclass(frozen=True, slots=True)
class VectorPut:
    """A vector to keep for a text. `vector` has the model's dimensions, unit length."""

    text_hash: bytes
    vector: FloatArray


@dataclass(frozen=True, slots=True)
class KeptModel:
    """A model that has vectors in an index. `vectors`: those for texts that chunks hold now."""

    key: ModelKey
    dimensions: int
    vectors: int


@dataclass(frozen=True, slots=True)
class StoredNote:
    """A note as the index keeps it."""

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


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as the index keeps it. Its `id` is never used again after it is gone."""

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


@dataclass(frozen=True, slots=True)
class IndexCounts:
    """Totals of the index for one model."""

    notes: int
    chunks: int
    vectors: int  # chunks whose own text has its vector
    generation: int
    ledger: Mapping[LedgerState, int]


@dataclass(frozen=True, slots=True)
class ChunkHits:
    """Chunks found by one side, best first. Both arrays have the same length."""

    chunk_ids: IdArray
    scores: FloatArray


# --- searching ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search as every door asks it.

    `door` names the one it came through; a search without one is nobody's and is not logged.
    `hidden` are paths of notes that are not to be found.
    """

    query: str
    limit: int = 10
    mode: SearchMode = "hybrid"
    plain: bool = False
    fusion: FusionMethod = "auto"
    alpha: float | None = None
    min_score: float = 0.0
    explain: bool = False
    door: str | None = None
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SimilarRequest:
    """Notes like a note (`path`) or like a text."""

    path: str | None = None
    text: str | None = None
    limit: int = 10
    unlinked: bool = False
    explain: bool = False


# --- changes ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Change:
    """Something happened to a file or a folder.

    `mtime` is in milliseconds since 1970. `content` is what a mirror's client says the note holds.
    """

    kind: ChangeKind
    path: str
    old_path: str | None = None
    mtime: int | None = None
    content: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an index run is."""

    stage: Literal["scan", "read", "embed", "done"]
    done: int
    total: int
    current: str | None = None


@dataclass(frozen=True, slots=True)
class VaultRecord:
    """A known vault. `path` is the real path of its folder."""

    id: str
    name: str
    path: Path
    source: Literal["folder", "mirror"] = "folder"
    default: bool = False

    @property
    def obsidian_name(self) -> str:
        """What Obsidian calls the vault: its folder; a mirror has the name of the client's."""
        return self.name if self.source == "mirror" else self.path.name
