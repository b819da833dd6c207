"""The engine port: all that other packages ask of an index, whatever engine is behind it.

`IndexReader` is the side that searching and reporting use, `Index` adds the writer's side;
`KeywordIndex`, `VectorIndex` and `LinkIndex` are the structures that a query searches. Ids of
notes and chunks are the engine's own numbers, ascending in the order they were made and never used
again. Searches take filters (`notes`: ids of the notes that may be found) and give back ids and
scores; no caller sees how an engine stores anything. tests/index/test_engines.py holds every
registered engine to this behaviour.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from notewell.base.types import (
    Applied,
    Batch,
    ChunkHits,
    FloatArray,
    IdArray,
    IndexCounts,
    IndexedModel,
    IndexFigures,
    LedgerEntry,
    LedgerState,
    Link,
    ManifestEntry,
    ModelKey,
    NoteFieldWeights,
    PassageText,
    PendingText,
    PropertyValue,
    StoredChunk,
    StoredNote,
    VectorHits,
    VectorPut,
)
from notewell.index.lexical import QueryTerm
from notewell.index.note_postings import NoteMatches, TermFields

if TYPE_CHECKING:
    from typing import Any

    import numpy.typing as npt


class KeywordIndex(Protocol):
    """Lexical search over chunks: BM25 by `notewell.index.lexical`, exact phrases, terms.

    Tokens are those of `notewell.index.analyze`. A note without chunks is found by its placeholder
    (`notewell.index.lexical`).
    """

    @property
    def document_count(self) -> int:
        """The number of documents: chunks, and notes that have none."""

    def search(
        self, terms: Sequence[QueryTerm], *, limit: int, notes: IdArray | None = None
    ) -> ChunkHits:
        """The best `limit` chunks that hold any of the terms, of `notes` alone where given.

        Scores are BM25, summed over terms and fields; equal scores are ordered by chunk id.
        """

    def expect(self, tokens: Sequence[str]) -> None:
        """Announce tokens whose frequencies are asked for next: an engine may read all at once."""

    @property
    def note_count(self) -> int: ...

    def note_frequency(self, token: str) -> int:
        """The number of notes that hold the stem of a token in any field (`index.note_terms`)."""

    def match_notes(
        self,
        terms: Sequence[QueryTerm],
        *,
        weights: NoteFieldWeights,
        notes: IdArray | None = None,
        unknown_idf: float = 0.0,
    ) -> NoteMatches:
        """All notes that hold any of the terms in any field; of `notes` alone where given.

        Their BM25F is that of the whole note, with the idf among notes and lengths relative to the
        mean of all notes. Terms with the same stem are one. In the coverage, a term that no note
        holds counts with its weight times `unknown_idf`: not at all, with 0.
        """

    def fields_of(self, terms: Sequence[QueryTerm], note_ids: IdArray) -> TermFields:
        """The places of each term's stem in notes: arrays (notes, terms)."""

    def notes_with_phrase(self, tokens: Sequence[str]) -> IdArray:
        """Ids of notes where the tokens follow each other in one field, ascending."""

    def chunks_with(self, tokens: Sequence[str], *, adjacent: bool = False) -> IdArray:
        """Ids of chunks, placeholders included, that have all tokens, ascending.

        A chunk has those of its note's title, aliases, tags and path as well. `adjacent`: as
        `notes_with_phrase`.
        """

    def notes_with_all(self, tokens: Sequence[str]) -> IdArray:
        """Ids of notes of which one chunk, with its note's title, path and tags, has all tokens."""

    def notes_with_each(self, groups: Sequence[Sequence[str]], notes: IdArray) -> IdArray:
        """Those of `notes`, by id, of which one chunk has a token of every group; ascending.

        As in `search`, a token stands for its stem, and a chunk has its note's names and tags.
        """

    def document_frequency(self, token: str) -> int:
        """In how many documents a token or its stem is: in the field that has it most often."""

    @property
    def template_lines(self) -> Collection[int]:
        """The lines that the documents were written without, by hash (`index.template_lines`)."""

    def terms_with_prefix(self, prefix: str, limit: int) -> tuple[tuple[str, int], ...]:
        """Indexed tokens that begin with `prefix`, each with its frequency, commonest first."""


class VectorIndex(Protocol):
    """Dense search over the chunks' vectors of one model; empty where no model is in use."""

    @property
    def model(self) -> ModelKey | None:
        """The model whose query embeddings fit; None: no model is in use."""

    @property
    def count(self) -> int:
        """The number of chunks with a vector, approximate ones included."""

    @property
    def has_approximate(self) -> bool:
        """True if some chunks have an approximate vector; see `HoldsApproximations`."""

    def search(
        self,
        query: FloatArray,
        *,
        limit: int,
        notes: IdArray | None = None,
        also: IdArray | None = None,
    ) -> VectorHits:
        """The `limit` chunks nearest to a unit vector by cosine, of `notes` alone where given.

        Every chunk of the notes `also`, which are found in any case, is scored and added, however
        far it is. Equal scores are ordered by chunk id. An engine may search approximately, with a
        recall of at least 0.99 of the best ten.

        Raises:
            ModelError: the query has another dimension, or is not finite.

        """

    def of_chunks(self, chunk_ids: IdArray) -> tuple[IdArray, FloatArray]:
        """The chunks among these that have a vector, in the order given; and their vectors.

        Shapes (found,) and (found, dimensions).
        """

    def note_means(self) -> tuple[IdArray, FloatArray]:
        """The notes that have vectors, ascending; the unit mean of each: (notes, dimensions)."""


class LinkIndex(Protocol):
    """Links between notes, resolved: written target to note id."""

    @property
    def edge_count(self) -> int:
        """The number of pairs of different notes that are linked, by direction."""

    def links_out(self, note_id: int) -> tuple[tuple[Link, int | None], ...]:
        """A note's links in order, each with the note it leads to; None: to none."""

    def links_in(self, note_id: int) -> tuple[tuple[int, Link], ...]:
        """Links of other notes that lead to a note, as (note, link), by note id."""

    def neighbours(self, note_id: int) -> frozenset[int]:
        """The notes a note links to, itself left out."""

    def backlinks(self, note_id: int) -> frozenset[int]:
        """The notes that link to a note, itself left out."""

    def links_among(self, note_ids: IdArray, first: int) -> tuple[IdArray, IdArray]:
        """Links from the `first` of different notes to any of them: the places of both ends.

        By the first end, then the second; each pair once, none from a note to itself.
        """

    def backlink_counts(self, note_ids: IdArray) -> IdArray:
        """The number of notes that link to each note, itself left out."""

    def unresolved(self) -> tuple[tuple[int, Link], ...]:
        """Links that lead to no note, as (note, link), by note id."""

    def resolve(self, target: str, source_path: str) -> int | None:
        """The note that a link target written in the note at `source_path` leads to."""


NamedArrays: TypeAlias = "Mapping[str, npt.NDArray[Any]]"


@dataclass(frozen=True, slots=True)
class NoteBasics:
    """The facts that decide whether a note is searched by default, and how recent it is.

    `properties` may be empty where the note has neither `type` nor `status` nor a date.
    """

    id: int
    path: str
    properties: Mapping[str, PropertyValue]
    created: float | None
    modified: float | None


class ArrayCache(Protocol):
    """Arrays that other rooms computed from one index, stored until the next start.

    `content` says what the arrays are computed from and how; arrays of another content, or of
    another index, are not loaded. Which generation they fit is the caller's to store with them.
    """

    def load(self, name: str, content: str) -> NamedArrays | None:
        """The arrays last saved under this name for this index; None: there are none."""

    def save(self, name: str, content: str, arrays: NamedArrays) -> None:
        """Save arrays. A reader's index, and a disk that refuses, save nothing; no error."""


class IndexReader(Protocol):
    """One vault's index as any number of threads read it. A batch is seen whole or not at all."""

    @property
    def identity(self) -> str:
        """Made with the index; note ids mean something only together with it."""

    @property
    def generation(self) -> int:
        """Counts the committed changes; what is served belongs to this one."""

    @property
    def text_generation(self) -> int:
        """The generation in which notes changed last."""

    @property
    def keywords(self) -> KeywordIndex:
        """Lexical search. Get it anew for each query: another object may take its place."""

    @property
    def vectors(self) -> VectorIndex:
        """Dense search with the model in use. Get it anew for each query."""

    @property
    def graph(self) -> LinkIndex:
        """The links. Get it anew for each query."""

    @property
    def array_cache(self) -> ArrayCache:
        """Storage for arrays that are computed from this index."""

    @property
    def chunk_count(self) -> int:
        """The number of chunks, placeholders not counted."""

    def note_ids_of(self, chunk_ids: IdArray) -> IdArray:
        """The note of each chunk; -1 for a chunk that is gone."""

    def notes(self, ids: Sequence[int]) -> dict[int, StoredNote]:
        """The notes that exist, by id."""

    def paths(self, ids: Sequence[int]) -> dict[int, str]:
        """The paths of the notes that exist, by id; nothing else of them is read."""

    def note_at(self, path: str) -> StoredNote | None: ...

    def all_notes(self) -> tuple[StoredNote, ...]:
        """All notes in order of id. Cheap to call again while the text does not change."""

    def notes_changed_since(self, since: int) -> tuple[IdArray, tuple[NoteBasics, ...]]:
        """Ids of all notes, ascending; and the basics of those changed after a generation."""

    def chunks(self, ids: Sequence[int]) -> dict[int, StoredChunk]:
        """The chunks that exist, placeholders included, by id."""

    def chunks_of(self, note_id: int) -> tuple[StoredChunk, ...]:
        """A note's chunks in order."""

    def first_chunks(self, note_ids: Sequence[int]) -> dict[int, StoredChunk]:
        """The first chunk of each of the notes that have any, by the id of the note."""

    def chunks_with_hash(self, digits: str) -> tuple[StoredChunk, ...]:
        """The chunks whose `text_hash` begins with these hexadecimal digits, by id; at most 16."""

    def passages(self) -> Iterator[PassageText]:
        """All passages as a model reads them, note by note; the title of a note without any."""

    def manifest(self, within: Sequence[str] = ()) -> dict[str, ManifestEntry]:
        """Indexed files by path: all, or those that `within` names or that are in its folders."""

    def ledger(
        self,
        *,
        state: LedgerState | None = None,
        path: str | None = None,
        rule: str | None = None,
    ) -> tuple[LedgerEntry, ...]:
        """Ledger entries by path, narrowed to a state, a path or a rule."""

    def ledger_within(self, within: Sequence[str]) -> tuple[LedgerEntry, ...]:
        """Ledger entries of the paths that `within` names or that are in its folders."""

    def counts(self) -> IndexCounts:
        """Totals; `vectors` is for the model in use. Cheap to call again without changes."""

    def former_titles(self) -> int:
        """The number of notes with passages embedded with a former title; see `NotePut`."""

    def stats(self) -> IndexFigures:
        """Stored models and the size on disk; takes some milliseconds."""

    def meta(self, key: str) -> str | None:
        """The value that `set_meta` stored."""

    def all_meta(self) -> dict[str, str]:
        """All values that `set_meta` stored, by key."""

    def current_model_key(self) -> ModelKey | None:
        """The model in use, or else the one used last; None: no model was ever used."""

    def current_model(self) -> IndexedModel | None:
        """The same with its dimensions and how many of its vectors current chunks need."""

    def covered_chunks(self, model: ModelKey) -> int:
        """The number of chunks that dense search would reach with this model."""

    def stored_vector_count(self, model: ModelKey) -> int:
        """The number of stored vectors of the model, needed by current chunks or not."""

    def vectors_in_use(
        self, model: ModelKey, batch_size: int
    ) -> Iterator[list[tuple[bytes, bytes]]]:
        """(text hash, float16 bytes) for every text of a current chunk, in batches."""

    def all_vectors(self, model: ModelKey, batch_size: int) -> Iterator[list[tuple[bytes, bytes]]]:
        """(text hash, float16 bytes) for every stored vector, needed now or not, in batches."""

    def stored_vectors(self, model: ModelKey, text_hashes: Collection[bytes]) -> dict[bytes, bytes]:
        """The vectors of the model that are stored for these texts, as float16 bytes by hash."""

    def pending_texts(
        self, model: ModelKey, limit: int, *, skip: Collection[bytes] = frozenset()
    ) -> tuple[PendingText, ...]:
        """Texts without a vector of the model: newest notes first, each once, none of `skip`.

        Those of notes that the ledger calls `pending` wait until the notes are read.
        """

    def pending_count(self, model: ModelKey) -> int:
        """The number of different texts without a vector of the model."""

    def use_model(self, model: ModelKey | None, dimensions: int) -> None:
        """Search with this model's vectors from now on; None: with none.

        The writer's choice is stored, a reader's is its own.

        Raises:
            ModelError: vectors of the model are stored with another dimension.

        """

    def refresh(self) -> bool:
        """Serve what a writer elsewhere has committed since; returns whether there was anything."""

    def close(self) -> None:
        """Release everything. Calling it twice is no error."""


class Index(IndexReader, Protocol):
    """One vault's index as its one writer has it: all of `IndexReader`, and changes.

    One thread writes. Every change is one transaction and a new generation.
    """

    @property
    def writable(self) -> bool:
        """True if it was opened for writing; the other methods raise IndexFailure if not."""

    def apply(self, batch: Batch, *, between_notes: Callable[[], None] = lambda: None) -> Applied:
        """Commit a batch, all of it or nothing, and make it searchable.

        `between_notes` is called between two notes that become searchable.

        Raises:
            IndexFailure: the engine cannot store it; nothing has changed.

        """

    def store_vectors(self, model: ModelKey, puts: Sequence[VectorPut]) -> int:
        """Store vectors for good, by text hash, and search with them; returns the generation.

        Raises:
            ModelError: one has the wrong dimension or is not finite; none was stored.

        """

    def set_meta(self, key: str, value: str) -> None:
        """Store a value under a key of the caller's, for `meta`."""

    def save(self) -> None:
        """Write whatever makes the next start faster; no error where that fails."""


@runtime_checkable
class HoldsApproximations(Protocol):
    """An index that also searches with approximate vectors, where the model's are not there yet.

    They count as no vector of the model: their texts stay pending, no pack and no other index gets
    them, and the model's own vector takes their place as soon as it is stored.
    """

    def texts_by_hash(self, after: bytes, limit: int) -> tuple[PendingText, ...]:
        """Texts of passages, each once, by their hashes, which are at random: those above one."""

    def has_approximate(self) -> bool:
        """True if approximate vectors of any model are stored."""

    def store_approximate(self, model: ModelKey, puts: Sequence[VectorPut]) -> None:
        """Store approximate vectors by text hash, and search with them.

        Raises:
            ModelError: one has the wrong dimension or is not finite; none was stored.

        """

    def drop_approximate(self) -> None:
        """Delete those of every model, once the model has read everything."""
