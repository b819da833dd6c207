"""Records that are written to the index, stored in it and read from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from notewell.base.types.embedding import ModelKey
from notewell.base.types.frozen import frozen
from notewell.base.types.notes import BlockMark, Chunk, Note
from notewell.base.types.values import FloatArray, IdArray, LedgerState, PropertyValue


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
class KeptModel:
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


@frozen
class IndexCounts:
    """Totals of the index for one model."""

    notes: int
    chunks: int
    vectors: int  # chunks whose text has a vector
    generation: int
    ledger: Mapping[LedgerState, int]


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
class KeptVectors:
    """A model that has vectors in an index. `vectors` counts all, also those of removed texts."""

    key: ModelKey
    dimensions: int
    vectors: int
    answering: bool


@frozen
class IndexFigures:
    """The models of an index, oldest first, and the size of all its files in bytes."""

    models: tuple[KeptVectors, ...]
    bytes_on_disk: int
