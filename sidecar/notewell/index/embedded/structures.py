"""The structures that searches read: keyword index, vectors, links, and the note of each chunk.

They are updated after the transaction of a batch. A structure whose update fails is rebuilt from
the database.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

import numpy as np

from notewell.base.errors import IndexFailure
from notewell.index.embedded import structure_files, vector_store
from notewell.index.embedded.expunge import expunge
from notewell.index.embedded.keywords import Keywords
from notewell.index.embedded.store import Store
from notewell.index.embedded.vectors import Vectors
from notewell.index.embedded.writes import Changes
from notewell.index.link_graph import LinkGraph
from notewell.index.link_rows import link_columns

logger = logging.getLogger(__name__)


class Structures:
    """The search structures of one index. One thread changes them; any number read."""

    def __init__(self, store: Store) -> None:
        """Open the keywords; the rest is loaded on first use."""
        self._store = store
        self._loading = threading.RLock()
        self._postings = structure_files.open_keywords(store)
        self.keywords = Keywords(self._postings)
        self.vectors = Vectors(0)
        self.model: int | None = None  # whose vectors are loaded
        self._chunk_notes: structure_files.ChunkNotes | None = None
        self._graph: LinkGraph | None = None

    def close(self) -> None:
        """Close the keywords."""
        self._postings.close()

    @property
    def graph(self) -> LinkGraph:
        """The links."""
        known = self._graph
        if known is not None:  # no search waits while a batch changes them
            return known
        with self._loading:
            if self._graph is None:
                self._graph = structure_files.load_graph(self._store)
            return self._graph

    @property
    def chunk_notes(self) -> structure_files.ChunkNotes:
        """Which note every chunk belongs to."""
        known = self._chunk_notes
        if known is not None:
            return known
        with self._loading:
            if self._chunk_notes is None:
                self._chunk_notes = structure_files.load_chunk_notes(self._store)
            return self._chunk_notes

    def load_vectors(self, number: int | None, dimensions: int) -> None:
        """Search with the vectors of the model of this number; None: with none."""
        self.model = number
        if number is None:
            self.vectors = Vectors(0)
            return
        self.vectors = structure_files.load_vectors(self._store, number, dimensions)

    def put_vectors(self, chunk_ids: Sequence[int]) -> None:
        """Take the vectors of these chunks from the database, as far as they have any."""
        if self.model is None or not chunk_ids:
            return
        found = vector_store.vectors_of(self._store, self.model, chunk_ids)
        if found:
            self.vectors.put(
                np.array([row[0] for row in found], dtype=np.int64),
                np.array([row[1] for row in found], dtype=np.int64),
                np.frombuffer(b"".join(row[2] for row in found), np.float16).reshape(
                    len(found), -1
                ),
            )

    def update(self, changes: Changes, between: Callable[[], None]) -> None:
        """Apply a committed batch. A structure whose update fails is rebuilt.

        `between` is called between two notes. The notes of chunks come first: a
        hit whose chunk has no note is dropped.
        """
        try:
            self._update_in_memory(changes)
        except Exception:  # the batch is committed, so all can be reloaded
            logger.exception("The index in memory is loaded again.")
            self._reload()
        try:
            structure_files.update_keywords(self._store, self._postings, changes, between)
        except IndexFailure as error:
            logger.warning("%s It is made again.", error.message)
            self._postings.close()
            self._postings = structure_files.open_keywords(self._store)
            self.keywords = Keywords(self._postings)

    def refresh(self) -> None:
        """Load what a writer in another process has committed."""
        postings, old = structure_files.open_keywords(self._store), self._postings
        self._postings, self.keywords = postings, Keywords(postings)
        self._reload()
        old.close()

    def save(self, *, closing: bool = False) -> None:
        """Write the snapshots that are out of date; use them from now on, unless it is `closing`.

        Raises:
            OSError: the disk refuses.
            IndexFailure: so it does for the keyword index.

        """
        expunge(self._store, self._postings)
        self._postings.notes.save()
        self._postings.lines.save()
        if not structure_files.chunk_notes_saved(self._store):
            structure_files.save_chunk_notes(self._store, self.chunk_notes)
        if not structure_files.graph_saved(self._store):
            structure_files.save_graph(self._store, self.graph)
        if self.model is not None and not structure_files.vectors_saved(self._store, self.model):
            whole = structure_files.save_vectors(self._store, self.model, self.vectors)
            if whole and not closing:  # mapped from the file, they take no memory of the process
                self.load_vectors(self.model, self.vectors.dimensions)

    def _update_in_memory(self, changes: Changes) -> None:
        with self._loading:
            if self._chunk_notes is not None:
                self._chunk_notes = self._chunk_notes.changed(changes)
            if self._graph is not None:
                self._graph.update(
                    gone=changes.gone,
                    moved=changes.moved.items(),
                    put=[
                        (note_id, path, aliases, [link_columns(link) for link in links])
                        for note_id, (path, aliases, links) in changes.put.items()
                    ],
                )
        self.vectors.remove(np.array(changes.chunks_removed, dtype=np.int64))
        self.put_vectors([chunk_id for chunk_id, _ in changes.chunks_added])

    def _reload(self) -> None:
        """Discard what was loaded; vectors are reloaded at once, the rest on first use."""
        with self._loading:
            self._chunk_notes = self._graph = None
        if self.model is not None:
            self.load_vectors(self.model, self.vectors.dimensions)
