"""Keyword search by the postings of a database.

The postings of a query's words are read as they are, and scored here by the formula and with the
statistics of all engines, exactly: lengths, means and frequencies are those of the documents that
there are. Whole notes are scored by `NoteTable`, as in every engine.
"""

# ruff: noqa: S608 (what is put into SQL are names and numbers of ours; values are bound)

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from notewell.api.types import FloatArray
from notewell.base.types import ChunkHits, IdArray
from notewell.index.arrays import ascending
from notewell.index.clauses import FIELDS, Clause, Form, build_clauses, field_factors, sum_weights
from notewell.index.lexical import (
    EXACT_FIELDS,
    K1,
    PHRASE_FIELDS,
    STEMS,
    TEMPLATE,
    B,
    FieldWeights,
    QueryTerm,
    idf,
    no_hits,
    without_wholes,
)
from notewell.index.note_postings import NoteMatching, NoteTable
from notewell_postgres.connection import Database
from notewell_postgres.documents import PLACES, DocumentTable

_CACHED_TOKENS = 20_000
_MOST_HELD = 3_000_000  # documents of postings in memory: 33 MB
_MOST_TOKENS = 5_000
_FEW_NOTES = 500  # a filter of more is applied to the postings after they were read


@dataclass(frozen=True, slots=True, eq=False)
class TokenPostings:
    """The documents of a token: `rows` (n,) of the table, and `counts` (n, fields) in each."""

    rows: npt.NDArray[np.int32]
    counts: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.rows)


_NONE = TokenPostings(np.empty(0, np.int32), np.empty((0, len(FIELDS)), np.uint8))


class PostgresKeywords(NoteMatching):
    """Implements the port's `KeywordIndex` for one generation of text; never changed."""

    def __init__(
        self, database: Database, vault: int, documents: DocumentTable, notes: NoteTable
    ) -> None:
        """Search the vault of this number, whose documents and notes are these."""
        self._database = database
        self._vault = vault
        self._documents = documents
        self._notes = notes
        super().__init__()
        self._weights = field_factors(FieldWeights())
        self._held: dict[str, TokenPostings] = {}  # postings that were read, the oldest first
        self._counted: dict[str, dict[str, int]] = {}  # of each token: its frequency by field

    # --- passages ---

    @property
    def document_count(self) -> int:
        return self._documents.count

    def search(
        self, terms: Sequence[QueryTerm], *, limit: int, notes: IdArray | None = None
    ) -> ChunkHits:
        clauses = self._clauses(terms)
        if not clauses or limit < 1 or (notes is not None and not len(notes)):
            return no_hits()
        postings = self._postings([clause.form.text for clause in clauses], notes)
        scores = np.zeros(self._documents.count, np.float64)
        for clause in clauses:
            self._add(scores, clause, postings.get(clause.form.text, _NONE))
        if notes is not None:
            scores[~np.isin(self._documents.notes, notes)] = 0.0
        places = np.flatnonzero(scores > 0.0)
        return _best(self._documents.ids[places], scores[places], limit)

    def _add(
        self, scores: npt.NDArray[np.float64], clause: Clause, postings: TokenPostings
    ) -> None:
        """Add the BM25 of one form to the scores of all documents."""
        field = FIELDS.index(clause.form.field)
        inside = np.flatnonzero(postings.counts[:, field])
        rows, often = postings.rows[inside], postings.counts[inside, field].astype(np.float64)
        lengths = self._documents.lengths[rows, field]
        mean = self._documents.mean_length(field)
        weight = clause.weight * idf(clause.form.count, self._documents.counted) * (K1 + 1)
        scores[rows] += weight * often / (often + K1 * (1 - B + B * lengths / mean))

    def _clauses(self, terms: Sequence[QueryTerm]) -> list[Clause]:
        tokens = sum_weights(terms)
        self._count(tokens)
        return build_clauses(tokens, self._forms, self._weights, self._documents.counted)

    def _postings(self, tokens: Sequence[str], notes: IdArray | None) -> dict[str, TokenPostings]:
        """The postings of tokens, joined; a narrow filter is applied by the database."""
        wanted, held = set(tokens), self._held
        known = {token: held[token] for token in wanted if token in held}
        missing = sorted(wanted - known.keys())
        if not missing:
            return known
        narrow = notes is not None and len(notes) <= _FEW_NOTES
        values: list[object] = [self._vault, missing]
        if narrow and notes is not None:
            values.append(notes.tolist())
        rows = self._database.read(
            # One word after the other: so that nothing is sorted.
            "SELECT t.token, (SELECT string_agg(p.places, ''::bytea) FROM postings p"
            " WHERE p.vault_id = $1 AND p.token = t.token"
            f"{' AND p.note_id = ANY($3)' if narrow else ''})"
            " FROM unnest($2::text[]) t (token)",
            *values,
        )
        read = dict.fromkeys(missing, _NONE)
        read |= {token: self._read_places(places) for token, places in rows if places}
        if not narrow:
            self._hold(read)
        return known | read

    def _read_places(self, packed: bytes) -> TokenPostings:
        """Stored postings, of the documents that there are in this generation."""
        places = np.frombuffer(packed, PLACES)
        rows, known = self._documents.rows(places["chunk"].astype(np.int64))
        return TokenPostings(rows[known].astype(np.int32), places["counts"][known])

    def _hold(self, read: dict[str, TokenPostings]) -> None:
        """Keep what was read: people type letter by letter, and common words come in every query.

        Threads that read at the same time may each replace what the other keeps, which costs a
        query.
        """
        held = self._held | read
        while len(held) > _MOST_TOKENS or sum(map(len, held.values())) > _MOST_HELD:
            held.pop(next(iter(held)))
        self._held = held

    # --- frequencies ---

    def expect(self, tokens: Sequence[str]) -> None:
        self._count(tokens)

    def document_frequency(self, token: str) -> int:
        self._count([token])
        return max(form.count for form in self._forms(token))

    @cached_property
    def template_lines(self) -> Collection[int]:
        ask = "SELECT template FROM vaults WHERE id = $1"
        ((packed,),) = self._database.read(ask, self._vault)
        return frozenset(np.frombuffer(packed, "<u4").tolist())

    def terms_with_prefix(self, prefix: str, limit: int) -> tuple[tuple[str, int], ...]:
        often = f"greatest({', '.join(EXACT_FIELDS)})"
        rows = self._database.read(
            f"SELECT token, {often} FROM terms WHERE vault_id = $1 AND token >= $2"
            f" AND token < $3 AND {often} > 0 ORDER BY 2 DESC, 1 LIMIT $4",
            self._vault, prefix, f"{prefix}\U0010ffff", limit,
        )  # fmt: skip
        return tuple((token, count) for token, count in rows)

    def _forms(self, token: str) -> list[Form]:
        """The terms to look for in each field; template lines, if it stands nowhere else."""
        places = [(field, token) for field in EXACT_FIELDS]
        places += [(STEMS, stem) for stem in self._stemmer.analyze(token)]
        forms = [Form(*place, self._frequency(*place)) for place in places]
        if not any(form.count for form in forms):
            forms.append(Form(TEMPLATE, token, self._frequency(TEMPLATE, token)))
        return forms

    def _frequency(self, field: str, text: str) -> int:
        return self._counted.get(text, {}).get(field, 0)

    def _count(self, tokens: Sequence[str] | dict[str, float]) -> None:
        """Read the frequencies of tokens and their stems, as far as they are not known."""
        forms = {*tokens, *(stem for token in tokens for stem in self._stemmer.analyze(token))}
        unknown = [form for form in forms if form not in self._counted]
        if not unknown:
            return
        if len(self._counted) > _CACHED_TOKENS:
            self._counted.clear()
            unknown = list(forms)
        rows = self._database.read(
            f"SELECT token, {', '.join(FIELDS)} FROM terms"
            " WHERE vault_id = $1 AND token = ANY($2)",
            self._vault, unknown,
        )  # fmt: skip
        self._counted.update({form: {} for form in unknown})
        for token, *counts in rows:
            self._counted[token] = dict(zip(FIELDS, counts, strict=True))

    # --- phrases and conditions ---

    def notes_with_phrase(self, tokens: Sequence[str]) -> IdArray:
        return self._documents.notes_of(self.chunks_with(tokens, adjacent=True))

    def notes_with_all(self, tokens: Sequence[str]) -> IdArray:
        return self._documents.notes_of(self.chunks_with(tokens))

    def notes_with_each(self, groups: Sequence[Sequence[str]], notes: IdArray) -> IdArray:
        common: IdArray | None = None
        for group in groups:
            terms = [QueryTerm(token, 1.0) for token in group]
            chunks = self.search(terms, limit=self.document_count, notes=notes).chunk_ids
            common = chunks if common is None else np.intersect1d(common, chunks)
        return _NOBODY if common is None else self._documents.notes_of(common)

    def chunks_with(self, tokens: Sequence[str], *, adjacent: bool = False) -> IdArray:
        if not adjacent:
            return self._chunks_with(tokens)
        phrases = {tuple(tokens), tuple(without_wholes(tokens))} - {()}
        chunks = [self._with_phrase(phrase) for phrase in phrases]
        return ascending(np.concatenate([_NOBODY, *chunks]))

    def _with_phrase(self, phrase: tuple[str, ...]) -> IdArray:
        chunks = self._chunks_with(phrase)
        if len(phrase) > 1 and len(chunks):
            rows = self._database.read(
                "SELECT chunk_id FROM documents WHERE vault_id = $1 AND chunk_id = ANY($2)"
                " AND strpos(words, $3) > 0",
                self._vault, chunks.tolist(), f" {' '.join(phrase)} ",
            )  # fmt: skip
            chunks = np.array([row[0] for row in rows], np.int64)
        return chunks

    def _chunks_with(self, tokens: Sequence[str]) -> IdArray:
        """The documents that have every token in some field other than that of stems."""
        postings = self._postings(tokens, None)
        exact = [FIELDS.index(name) for name in PHRASE_FIELDS]
        chunks: IdArray | None = None
        for token in tokens:
            of_token = postings.get(token, _NONE)
            rows = of_token.rows[of_token.counts[:, exact].any(axis=1)]
            having = ascending(self._documents.ids[rows])
            chunks = (
                having if chunks is None else np.intersect1d(chunks, having, assume_unique=True)
            )
        return _NOBODY if chunks is None else chunks

    # --- whole notes ---

    @property
    def _note_table(self) -> NoteTable:
        return self._notes


_NOBODY: IdArray = np.empty(0, np.int64)


def _best(chunk_ids: IdArray, scores: npt.NDArray[np.float64], limit: int) -> ChunkHits:
    """The best of all, in order; those far below are left out before sorting."""
    rounded: FloatArray = scores.astype(np.float32)
    if len(rounded) > limit:
        least = np.partition(rounded, len(rounded) - limit)[len(rounded) - limit]
        kept = rounded >= least
        chunk_ids, rounded = chunk_ids[kept], rounded[kept]
    order = np.lexsort((chunk_ids, -rounded))[:limit]
    return ChunkHits(chunk_ids[order], rounded[order])
