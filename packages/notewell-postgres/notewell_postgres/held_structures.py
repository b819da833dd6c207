"""The arrays that searches of a database hold in memory, brought up to date with each generation.

The lengths of documents, the terms of notes and the links are read at first use, and then kept up
with what was committed, by whom ever: the rows that changed since the generation that is held are
read, and the notes that are gone. The writer does so after each of its changes, a reader when it
refreshes.
"""

# ruff: noqa: S608 (what is put into SQL are names and numbers of ours; values are bound)

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from notewell.index.link_graph import LinkGraph
from notewell.index.link_table import LinkTable
from notewell.index.note_postings import NoteTable
from notewell.index.note_segments import Segment
from notewell.index.port import ArrayCache, NamedArrays
from notewell.index.row_values import LINK_COLUMNS, strings
from notewell_postgres.connection import Database, Row, Session
from notewell_postgres.documents import ANALYSIS, DocumentTable
from notewell_postgres.structures import PostgresKeywords

_TERMS, _LINKS, _GENERATION = "terms", "links", "generation"  # names of what is stored
# Other arrays, or arrays of other tokens, are not read; counted up where they mean another thing.
_FORMAT = f"1:{ANALYSIS}:{[field.name for field in (*fields(Segment), *fields(LinkTable))]}"
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
                    self._held = self._update(session, None)
            return self._held

    @property
    def graph(self) -> LinkGraph:
        known = self._graph
        if known is not None:
            return known
        with self._loading:
            if self._graph is None:
                with self._database.snapshot() as session:
                    self._graph = self._update_graph(session, None)
            return self._graph

    def catch_up(self) -> None:
        """Read what was committed since the last update."""
        with self._loading:
            if self._held is None and self._graph is None:
                return
            with self._database.snapshot() as session:
                if self._held is not None:
                    self._held = self._update(session, self._held)
                if self._graph is not None:
                    self._graph = self._update_graph(session, self._graph)

    # --- documents and terms ---

    def _build_of_all(self, session: Session) -> Generation:
        documents = session.read(
            "SELECT chunk_id, note_id, lengths FROM documents WHERE vault_id = $1", self._vault
        )
        terms = session.read(
            "SELECT note_id, terms FROM note_terms WHERE vault_id = $1", self._vault
        )
        rows = [(int(note_id), bytes(packed)) for note_id, packed in terms]
        table = DocumentTable.of(documents)
        notes = NoteTable.of_segment(Segment.of(rows)) if rows else NoteTable()
        built = self._make(self._generation(session), table, notes)
        if notes.first is not None:
            self._arrays.save(
                _TERMS,
                _FORMAT,
                {
                    **notes.first.arrays(),
                    "document_ids": table.ids,
                    "document_notes": table.notes,
                    "document_lengths": table.lengths,
                    _GENERATION: np.array(built.number),
                },
            )
        return built

    def _update(self, session: Session, held: Generation | None) -> Generation:
        """The table held, or else stored, with the changes since; else one made of all notes."""
        if (
            held is None
            and (stored := self._load_stored(session, _TERMS, "note_terms")) is not None
        ):
            notes = NoteTable.of_segment(Segment.from_arrays(stored))
            table = DocumentTable(
                ids=stored["document_ids"],
                notes=stored["document_notes"],
                lengths=stored["document_lengths"],
            )
            held = self._make(int(stored[_GENERATION]), table, notes)
        gone = None if held is None else self._gone(session, held.number)
        if held is None or gone is None:
            return self._build_of_all(session)
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
        return self._make(
            generation,
            held.documents.changed(documents, [*changed, *gone]),
            held.notes.updated(rows, gone=gone),
        )

    def _make(self, number: int, documents: DocumentTable, notes: NoteTable) -> Generation:
        keywords = PostgresKeywords(self._database, self._vault, documents, notes)
        return Generation(number, documents, notes, keywords)

    # --- links ---

    def _update_graph(self, session: Session, graph: LinkGraph | None) -> LinkGraph:
        """As `_update`, of the links."""
        if graph is None and (stored := self._load_stored(session, _LINKS, "notes")) is not None:
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

    def _load_stored(self, session: Session, name: str, table: str) -> NamedArrays | None:
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
        rows = session.read("SELECT generation FROM vaults WHERE id = $1", self._vault)
        return int(rows[0][0]) if rows else 0

    def _gone(self, session: Session, since: int) -> list[int] | None:
        """The notes removed after a generation; None: that is no longer remembered."""
        if self._generation(session) - since > KEPT_GENERATIONS:
            return None
        rows = session.read(
            "SELECT id FROM removed_notes WHERE vault_id = $1 AND generation > $2",
            self._vault, since,
        )  # fmt: skip
        return [int(row[0]) for row in rows]


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
