"""What the index takes in, keeps and hands back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from notewell.types.embedding import ModelKey
from notewell.types.notes import BlockMark, Chunk, Note
from notewell.types.values import FloatArray, IdArray, LedgerState, PropertyValue


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
class PassageText:
    """A passage as a model reads it (header and text), and the vault path of its note."""

    path: str
    text: str


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
    marks: tuple[BlockMark, ...] = ()  # see Chunk


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


@dataclass(frozen=True, slots=True)
class KeptVectors:
    """A model that has vectors in an index. `vectors`: all of them, needed now or not."""

    key: ModelKey
    dimensions: int
    vectors: int
    answering: bool


@dataclass(frozen=True, slots=True)
class IndexFigures:
    """What an index holds: models in the order they came, database and derived files in bytes."""

    models: tuple[KeptVectors, ...]
    bytes_on_disk: int
