"""Keyword search and links: what searches need is held in memory, the postings are in the database.

The lengths of documents, the terms of notes and the links are read at first use, and then kept up
with what was committed, by whom ever: the rows that changed since the generation that is held are
read, and the notes that are gone. The writer does so after each of its changes, a reader when it
refreshes.

The postings of a query's words are read as they are, and scored here by the formula and with the
statistics of all engines, exactly: lengths, means and frequencies are those of the documents that
there are. Whole notes are scored by `NoteTable`, as in every engine.
"""

# ruff: noqa: S608 (what is put into SQL are names and numbers of ours; values are bound)

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import numpy.typing as npt

from notewell.base.types import ChunkHits, FloatArray, IdArray
from notewell.features.postgres.connection import Database, Row, Session
from notewell.features.postgres.documents import ANALYSIS, PLACES, DocumentTable
from notewell.index.arrays import ascending
from notewell.index.lexical import (
    EXACT_FIELDS,
    FIELDS,
    K1,
    PHRASE_FIELDS,
    STEMS,
    TEMPLATE,
    B,
    Clause,
    FieldWeights,
    Form,
    QueryTerm,
    field_factors,
    idf,
    no_hits,
    searched,
    summed,
    without_wholes,
)
from notewell.index.link_graph import LinkGraph
from notewell.index.link_table import LinkTable
from notewell.index.note_postings import NoteMatching, NoteTable
from notewell.index.note_segments import Segment
from notewell.index.port import ArrayCache, NamedArrays
from notewell.index.row_values import LINK_COLUMNS, strings

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
        postings = self._postings([each.form.text for each in clauses], notes)
        scores = np.zeros(self._documents.count, np.float64)
        for clause in clauses:
            self._add(scores, clause, postings.get(clause.form.text, _NONE))
        if notes is not None:
            scores[~np.isin(self._documents.notes, notes)] = 0.0
        found = np.flatnonzero(scores > 0.0)
        return _best(self._documents.ids[found], scores[found], limit)

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
        tokens = summed(terms)
        self._count(tokens)
        return searched(tokens, self._forms, self._weights, self._documents.counted)

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
        found = self._database.read(
            # One word after the other: so that nothing is sorted.
            "SELECT t.token, (SELECT string_agg(p.places, ''::bytea) FROM postings p"
            " WHERE p.vault_id = $1 AND p.token = t.token"
            f"{' AND p.note_id = ANY($3)' if narrow else ''})"
            " FROM unnest($2::text[]) t (token)",
            *values,
        )
        read = dict.fromkeys(missing, _NONE)
        read |= {token: self._placed(places) for token, places in found if places}
        if not narrow:
            self._hold(read)
        return known | read

    def _placed(self, packed: bytes) -> TokenPostings:
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
        found = self._database.read(
            f"SELECT token, {often} FROM terms WHERE vault_id = $1 AND token >= $2"
            f" AND token < $3 AND {often} > 0 ORDER BY 2 DESC, 1 LIMIT $4",
            self._vault, prefix, f"{prefix}\U0010ffff", limit,
        )  # fmt: skip
        return tuple((token, count) for token, count in found)

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
        forms = {*tokens, *(stem for each in tokens for stem in self._stemmer.analyze(each))}
        unknown = [form for form in forms if form not in self._counted]
        if not unknown:
            return
        if len(self._counted) > _CACHED_TOKENS:
            self._counted.clear()
            unknown = list(forms)
        found = self._database.read(
            f"SELECT token, {', '.join(FIELDS)} FROM terms"
            " WHERE vault_id = $1 AND token = ANY($2)",
            self._vault, unknown,
        )  # fmt: skip
        self._counted.update({form: {} for form in unknown})
        for token, *counts in found:
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
        found = [self._with_phrase(phrase) for phrase in phrases]
        return ascending(np.concatenate([_NOBODY, *found]))

    def _with_phrase(self, phrase: tuple[str, ...]) -> IdArray:
        chunks = self._chunks_with(phrase)
        if len(phrase) > 1 and len(chunks):
            found = self._database.read(
                "SELECT chunk_id FROM documents WHERE vault_id = $1 AND chunk_id = ANY($2)"
                " AND strpos(words, $3) > 0",
                self._vault, chunks.tolist(), f" {' '.join(phrase)} ",
            )  # fmt: skip
            chunks = np.array([row[0] for row in found], np.int64)
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


_TERMS, _LINKS, _GENERATION = "terms", "links", "generation"  # names of what is stored
# Other arrays, or arrays of other tokens, are not read; counted up where they mean another thing.
_FORMAT = f"1:{ANALYSIS}:{[each.name for each in (*fields(Segment), *fields(LinkTable))]}"
_MOST_CHANGED = 0.1  # of the notes since something was stored: else it is made and stored again
KEPT_GENERATIONS = 10_000  # for which it is remembered which notes are gone


@dataclass(frozen=True, slots=True)
class Generation:
    """The structures that are held of the text of one generation."""

    number: int
    documents: DocumentTable
    notes: NoteTable
    keywords: PostgresKeywords


class HeldStructures:
    """The search structures of one vault. One thread changes them; any number read.

    What a writer made of all notes is stored with the vault. A later start reads that, and the
    notes that changed since.
    """

    def __init__(self, database: Database, vault: int, arrays: ArrayCache) -> None:
        self._database = database
        self._vault = vault
        self._arrays = arrays
        self._loading = threading.RLock()
        self._held: Generation | None = None
        self._graph: LinkGraph | None = None
        self._graph_of = 0

    @property
    def held(self) -> Generation:
        """Documents, terms and keywords as of the last update."""
        known = self._held
        if known is not None:  # no search waits while an update is read
            return known
        with self._loading:
            if self._held is None:
                with self._database.snapshot() as session:
                    self._held = self._updated(session, None)
            return self._held

    @property
    def graph(self) -> LinkGraph:
        known = self._graph
        if known is not None:
            return known
        with self._loading:
            if self._graph is None:
                with self._database.snapshot() as session:
                    self._graph = self._updated_graph(session, None)
            return self._graph

    def catch_up(self) -> None:
        """Read what was committed since the last update."""
        with self._loading:
            if self._held is None and self._graph is None:
                return
            with self._database.snapshot() as session:
                if self._held is not None:
                    self._held = self._updated(session, self._held)
                if self._graph is not None:
                    self._graph = self._updated_graph(session, self._graph)

    # --- documents and terms ---

    def _made_of_all(self, session: Session) -> Generation:
        documents = session.read(
            "SELECT chunk_id, note_id, lengths FROM documents WHERE vault_id = $1", self._vault
        )
        terms = session.read(
            "SELECT note_id, terms FROM note_terms WHERE vault_id = $1", self._vault
        )
        rows = [(int(note_id), bytes(packed)) for note_id, packed in terms]
        table = DocumentTable.of(documents)
        notes = NoteTable.of_segment(Segment.of(rows)) if rows else NoteTable()
        made = self._made(self._generation(session), table, notes)
        if notes.first is not None:
            self._arrays.save(
                _TERMS,
                _FORMAT,
                {
                    **notes.first.arrays(),
                    "document_ids": table.ids,
                    "document_notes": table.notes,
                    "document_lengths": table.lengths,
                    _GENERATION: np.array(made.number),
                },
            )
        return made

    def _updated(self, session: Session, held: Generation | None) -> Generation:
        """The table held, or else stored, with the changes since; else one made of all notes."""
        if held is None and (stored := self._stored(session, _TERMS, "note_terms")) is not None:
            notes = NoteTable.of_segment(Segment.from_arrays(stored))
            table = DocumentTable(
                ids=stored["document_ids"],
                notes=stored["document_notes"],
                lengths=stored["document_lengths"],
            )
            held = self._made(int(stored[_GENERATION]), table, notes)
        gone = None if held is None else self._gone(session, held.number)
        if held is None or gone is None:
            return self._made_of_all(session)
        generation = self._generation(session)
        terms = session.read(
            "SELECT note_id, terms FROM note_terms WHERE vault_id = $1 AND generation > $2",
            self._vault, held.number,
        )  # fmt: skip
        if not terms and not gone:
            return Generation(generation, held.documents, held.notes, held.keywords)
        changed = [int(row[0]) for row in terms]
        documents = session.read(
            "SELECT chunk_id, note_id, lengths FROM documents"
            " WHERE vault_id = $1 AND note_id = ANY($2)",
            self._vault, changed,
        )  # fmt: skip
        rows = [(int(note_id), bytes(packed)) for note_id, packed in terms]
        return self._made(
            generation,
            held.documents.changed(documents, [*changed, *gone]),
            held.notes.updated(rows, gone=gone),
        )

    def _made(self, number: int, documents: DocumentTable, notes: NoteTable) -> Generation:
        keywords = PostgresKeywords(self._database, self._vault, documents, notes)
        return Generation(number, documents, notes, keywords)

    # --- links ---

    def _updated_graph(self, session: Session, graph: LinkGraph | None) -> LinkGraph:
        """As `_updated`, of the links."""
        if graph is None and (stored := self._stored(session, _LINKS, "notes")) is not None:
            self._graph_of, graph = int(stored[_GENERATION]), LinkGraph.from_arrays(stored)
        gone = None if graph is None else self._gone(session, self._graph_of)
        put = _with_links(*self._links(session, -1 if gone is None else self._graph_of))
        self._graph_of = self._generation(session)
        if graph is not None and gone is not None:
            graph.update(gone=gone, put=put)
            return graph
        graph = LinkGraph.of(put)
        self._arrays.save(
            _LINKS, _FORMAT, {**graph.arrays(), _GENERATION: np.array(self._graph_of)}
        )
        return graph

    def _links(self, session: Session, since: int) -> tuple[list[Row], list[Row]]:
        notes = session.read(
            "SELECT id, path, aliases FROM notes WHERE vault_id = $1 AND generation > $2"
            " ORDER BY id",
            self._vault, since,
        )  # fmt: skip
        links = session.read(
            f"SELECT l.note_id, {LINK_COLUMNS} FROM links l"
            " WHERE l.vault_id = $1 AND EXISTS (SELECT FROM notes n WHERE n.vault_id = $1"
            " AND n.id = l.note_id AND n.generation > $2) ORDER BY l.note_id, l.ordinal",
            self._vault, since,
        )  # fmt: skip
        return notes, links

    # --- both ---

    def _stored(self, session: Session, name: str, table: str) -> NamedArrays | None:
        """Arrays of an earlier generation; None: there are none, or much has changed since."""
        stored = self._arrays.load(name, _FORMAT)
        if stored is None:
            return None
        ((changed, notes),) = session.read(
            f"SELECT count(*) FILTER (WHERE generation > $2), count(*) FROM {table}"
            " WHERE vault_id = $1",
            self._vault, int(stored[_GENERATION]),
        )  # fmt: skip
        return stored if changed <= notes * _MOST_CHANGED else None

    def _generation(self, session: Session) -> int:
        found = session.read("SELECT generation FROM vaults WHERE id = $1", self._vault)
        return int(found[0][0]) if found else 0

    def _gone(self, session: Session, since: int) -> list[int] | None:
        """The notes removed after a generation; None: that is no longer remembered."""
        if self._generation(session) - since > KEPT_GENERATIONS:
            return None
        found = session.read(
            "SELECT id FROM removed_notes WHERE vault_id = $1 AND generation > $2",
            self._vault, since,
        )  # fmt: skip
        return [int(row[0]) for row in found]


def _with_links(
    notes: Sequence[Row], links: Sequence[Row]
) -> list[tuple[int, str, tuple[str, ...], list[tuple[object, ...]]]]:
    of_note: dict[int, list[tuple[object, ...]]] = {}
    for note_id, *columns in links:
        of_note.setdefault(note_id, []).append(tuple(columns))
    return [
        (note_id, path, strings(aliases), of_note.get(note_id, []))
        for note_id, path, aliases in notes
    ]
