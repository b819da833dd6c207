"""Searching whole notes by tokens: the part of a keyword index that is the same in every engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from notewell.base.types import IdArray, NoteFieldWeights
from notewell.index.analyze import stemmer
from notewell.index.lexical import QueryTerm
from notewell.index.note_fields import hash_of_token, hashed_terms
from notewell.index.note_postings import NoteMatches, NoteTable, TermFields


class NoteMatching(ABC):
    """Those methods of `search_ports.KeywordIndex` that only need the table of whole notes."""

    def __init__(self) -> None:
        """An engine's keyword index calls this first."""
        self._stemmer = stemmer()

    @property
    @abstractmethod
    def _note_table(self) -> NoteTable:
        """The table as it is now."""

    @property
    def note_count(self) -> int:
        """How many notes are indexed."""
        return self._note_table.note_count

    def note_frequency(self, token: str) -> int:
        """In how many notes the token's stem stands, in any field."""
        return self._note_table.frequency(hash_of_token(token, self._stemmer))

    def expect(self, tokens: Sequence[str]) -> None:  # noqa: B027 (most engines read nothing)
        """See the port; nothing, in engines that have their terms at hand."""

    def match_notes(
        self,
        terms: Sequence[QueryTerm],
        *,
        weights: NoteFieldWeights,
        notes: IdArray | None = None,
        unknown_idf: float = 0.0,
    ) -> NoteMatches:
        """The notes that hold any of the terms in any field; see the port."""
        stems = hashed_terms(terms, self._stemmer)
        return self._note_table.match(stems, weights=weights, notes=notes, unknown_idf=unknown_idf)

    def fields_of(self, terms: Sequence[QueryTerm], note_ids: IdArray) -> TermFields:
        """Where the terms stand in notes; see the port."""
        hashes = [hash_of_token(term.token, self._stemmer) for term in terms]
        return self._note_table.fields_of(hashes, note_ids)
