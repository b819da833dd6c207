"""The part of the engine port that a query searches: keywords, vectors and links.

`notewell.index.port` says what ids are, and gives access to these three.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from notewell.base.types import (
    ChunkHits,
    FloatArray,
    IdArray,
    Link,
    ModelKey,
    NoteFieldWeights,
    VectorHits,
)
from notewell.index.lexical import QueryTerm
from notewell.index.note_postings import NoteMatches, TermFields


class KeywordIndex(Protocol):
    """Lexical search over chunks: BM25 by `notewell.index.lexical`, exact phrases, terms.

    Tokens are those of `notewell.index.analyze`. A note without chunks is found by its placeholder
    (`notewell.index.lexical`).
    """

    @property
    def document_count(self) -> int:
        """How many documents are indexed: chunks, and notes that have none."""
        ...

    def search(
        self, terms: Sequence[QueryTerm], *, limit: int, notes: IdArray | None = None
    ) -> ChunkHits:
        """The best `limit` chunks that hold any of the terms, of `notes` alone where given.

        Scores are BM25, summed over terms and fields; equal scores are ordered by chunk id.
        """
        ...

    def expect(self, tokens: Sequence[str]) -> None:
        """Announce tokens whose frequencies are asked for next: an engine may read all at once."""
        ...

    @property
    def note_count(self) -> int:
        """How many notes are indexed."""
        ...

    def note_frequency(self, token: str) -> int:
        """How many notes hold the stem of a token in any field (`index.note_fields`)."""
        ...

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
        ...

    def fields_of(self, terms: Sequence[QueryTerm], note_ids: IdArray) -> TermFields:
        """Where each term's stem stands in notes: the arrays have a place for each of both."""
        ...

    def notes_with_phrase(self, tokens: Sequence[str]) -> IdArray:
        """Ids of notes where the tokens follow each other in one field, ascending."""
        ...

    def chunks_with(self, tokens: Sequence[str], *, adjacent: bool = False) -> IdArray:
        """Ids of chunks, placeholders included, that have all tokens, ascending.

        A chunk has those of its note's title, aliases, tags and path as well. `adjacent`: as
        `notes_with_phrase`.
        """
        ...

    def notes_with_all(self, tokens: Sequence[str]) -> IdArray:
        """Ids of notes of which one chunk, with its note's title, path and tags, has all tokens."""
        ...

    def document_frequency(self, token: str) -> int:
        """In how many documents a token or its stem is: in the field that has it most often."""
        ...

    @property
    def template_lines(self) -> Collection[int]:
        """The lines that the documents were written without, by hash (`index.template_lines`)."""
        ...

    def terms_with_prefix(self, prefix: str, limit: int) -> tuple[tuple[str, int], ...]:
        """Indexed tokens that begin with `prefix`, each with its frequency, commonest first."""
        ...


class VectorIndex(Protocol):
    """Dense search over the chunks' vectors of one model; empty where no model is in use."""

    @property
    def model(self) -> ModelKey | None:
        """The model whose query embeddings fit; None: no model is in use."""
        ...

    @property
    def count(self) -> int:
        """How many chunks have a vector."""
        ...

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
        ...

    def of_chunks(self, chunk_ids: IdArray) -> tuple[IdArray, FloatArray]:
        """Those of the chunks that have a vector, in the order given; and their vectors.

        Shapes (found,) and (found, dimensions).
        """
        ...

    def note_means(self) -> tuple[IdArray, FloatArray]:
        """The notes that have vectors, ascending; the unit mean of each: (notes, dimensions)."""
        ...


class LinkIndex(Protocol):
    """Links between notes, resolved: written target to note id."""

    @property
    def edge_count(self) -> int:
        """How many pairs of different notes are linked, by direction."""
        ...

    def links_out(self, note_id: int) -> tuple[tuple[Link, int | None], ...]:
        """A note's links in order, each with the note it leads to; None: to none."""
        ...

    def links_in(self, note_id: int) -> tuple[tuple[int, Link], ...]:
        """Links of other notes that lead to a note, as (note, link), by note id."""
        ...

    def neighbours(self, note_id: int) -> frozenset[int]:
        """The notes a note links to, itself left out."""
        ...

    def backlinks(self, note_id: int) -> frozenset[int]:
        """The notes that link to a note, itself left out."""
        ...

    def links_among(self, note_ids: IdArray, first: int) -> tuple[IdArray, IdArray]:
        """Links from the `first` of different notes to any of them: the places of both ends.

        By the first end, then the second; each pair once, none from a note to itself.
        """
        ...

    def backlink_counts(self, note_ids: IdArray) -> IdArray:
        """How many notes link to each note, itself left out."""
        ...

    def unresolved(self) -> tuple[tuple[int, Link], ...]:
        """Links that lead to no note, as (note, link), by note id."""
        ...

    def resolve(self, target: str, source_path: str) -> int | None:
        """The note that a link target written in the note at `source_path` leads to."""
        ...
