"""The structures that searches read: keyword index, vectors, links, and the note of each chunk.

They are loaded from snapshots that match the database, else rebuilt from it, and updated after the
transaction of a batch. One whose update fails is rebuilt.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from notewell.base.errors import IndexFailure, on_error
from notewell.base.types import IdArray
from notewell.index.arrays import ascending, without
from notewell.index.batch import Changes
from notewell.index.embedded import approximate, reads, snapshots, vector_store
from notewell.index.embedded.balance import expunge
from notewell.index.embedded.keywords import Keywords
from notewell.index.embedded.postings import FOLDER, Postings, discard
from notewell.index.embedded.snapshots import Fingerprint
from notewell.index.embedded.store import Store
from notewell.index.embedded.vectors import Vectors
from notewell.index.lexical import FIRST_PLACEHOLDER, SearchText, placeholder_id
from notewell.index.link_graph import LinkGraph
from notewell.index.row_values import link_columns, strings

_GRAPH = "graph.snapshot"
_CHUNKS = "chunks.snapshot"
_OWNERS = "chunks and stand-ins"
_LINKS = "links in a table, by file names"
_GRACE_SECONDS = 0.2  # a writer in another process may be between its two commits

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChunkNotes:
    """The note of every chunk or placeholder: chunk ids, ascending, and their notes."""

    ids: IdArray
    notes: IdArray

    def of(self, chunk_ids: IdArray) -> IdArray:
        """The note of each chunk; -1 for one that is gone."""
        if not len(self.ids):
            return np.full(len(chunk_ids), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.ids, chunk_ids), len(self.ids) - 1)
        return np.where(self.ids[at] == chunk_ids, self.notes[at], -1)

    @property
    def count(self) -> int:
        """The number of chunks, without placeholders."""
        return int(np.searchsorted(self.ids, FIRST_PLACEHOLDER))

    def changed(self, changes: Changes) -> ChunkNotes:
        put_or_gone = [placeholder_id(note_id) for note_id in (*changes.gone, *changes.puts)]
        removed = ascending(np.array([*changes.chunks_removed, *put_or_gone], dtype=np.int64))
        bare = [
            (placeholder_id(note_id), note_id)
            for note_id, put in changes.puts.items()
            if not put.chunks
        ]
        new = np.array([*changes.chunks_added, *bare], dtype=np.int64).reshape(-1, 2)
        new = new[np.argsort(new[:, 0])]
        at = np.searchsorted(self.ids, removed)
        inside = at < len(self.ids)
        inside[inside] = self.ids[at[inside]] == removed[inside]
        gone, come = at[inside], np.searchsorted(self.ids, new[:, 0])
        return ChunkNotes(
            _splice(self.ids, gone, come, new[:, 0]), _splice(self.notes, gone, come, new[:, 1])
        )


def _splice(array: IdArray, gone: IdArray, come: IdArray, values: IdArray) -> IdArray:
    """The array without the places `gone`, and with a value before each of the places `come`.

    Both ascend. One copy in pieces takes a fifth of the time of `np.delete` and `np.insert`, as
    mostly a few of a million change.
    """
    starts = ascending(np.concatenate([[0], gone, gone + 1, come]))
    ends, lost = np.append(starts[1:], len(array)), np.isin(starts, gone)
    first, last = np.searchsorted(come, starts), np.searchsorted(come, starts, side="right")
    pieces: list[IdArray] = []
    for at, start in enumerate(starts.tolist()):
        pieces.append(values[first[at] : last[at]])
        pieces.append(array[start : start if lost[at] else ends[at]])
    return np.concatenate(pieces)


# --- keywords -----------------------------------------------------------------------------------


def open_keywords(store: Store) -> Postings:
    """The keyword index, up to date with the database."""
    path = store.directory / FOLDER
    return _writable_keywords(store, path) if store.writable else _readable_keywords(store, path)


def catch_up(store: Store, postings: Postings) -> None:
    """Index changes since the postings' last commit; all notes, if the database is another."""
    database, _, generation = reads.generations(store)
    known = postings.belongs_to()
    since = known[1] if known is not None and known[0] == database else -1
    if since == generation:
        return
    gone: list[int] = []
    if since < 0 or since > generation:
        since = -1
        postings.clear()
    else:
        stored = np.array(store.read("SELECT id FROM notes"), dtype=np.int64).ravel()
        gone = without(postings.note_ids(), stored).tolist()
    postings.update(
        _Texts(store, since),
        others=partial(reads.texts_of, store),
        gone=gone,
        database=database,
        generation=generation,
        since=since,
    )


def update_keywords(
    store: Store, postings: Postings, changes: Changes, between: Callable[[], None]
) -> None:
    """Index what a batch changed; more, where an earlier batch was not indexed.

    `between` is called before each note.

    Raises:
        IndexFailure: the folder is unusable.

    """
    database, _, generation = reads.generations(store)
    if postings.belongs_to() != (database, changes.text_before):
        catch_up(store, postings)
        return
    postings.update(
        _Texts(store, changes.text_before),
        others=partial(reads.texts_of, store),
        gone=changes.gone,
        database=database,
        generation=generation,
        between=between,
    )


@dataclass(frozen=True, slots=True)
class _Texts:
    """Texts of notes changed after a generation, read anew each time they are gone through."""

    store: Store
    since: int

    def __iter__(self) -> Iterator[SearchText]:
        return reads.texts(self.store, self.since)


def _writable_keywords(store: Store, path: Path) -> Postings:
    try:
        postings = Postings(path)
    except IndexFailure:
        discard(path)
        return _rebuild(store, path)
    try:
        catch_up(store, postings)
        postings.notes.check()
    except IndexFailure:
        postings.close()
        discard(path)
        return _rebuild(store, path)
    return postings


def _rebuild(store: Store, path: Path) -> Postings:
    """A new keyword index; in memory where the disk refuses, so that search goes on."""
    try:
        postings = Postings(path)
        catch_up(store, postings)
    except IndexFailure as error:
        logger.warning("%s It is kept in memory until the next start.", error.message)
        postings = Postings(None)
        catch_up(store, postings)
    return postings


def _readable_keywords(store: Store, path: Path) -> Postings:
    """The folder if it is up to date; else an updated copy or, failing that, one in memory."""
    try:
        postings = _fitting(store, path)
        if postings is not None:
            return postings
        updated = Postings.copy_of(path)
    except IndexFailure as error:
        logger.info("The keyword index %s does not open (%s); made in memory.", path, error)
        updated = Postings(None)
    try:
        catch_up(store, updated)
        updated.notes.check()
    except IndexFailure:
        updated.close()
        updated = Postings(None)
        catch_up(store, updated)
    return updated


def _fitting(store: Store, path: Path) -> Postings | None:
    if not path.is_dir():
        raise IndexFailure(f"There is no keyword index in {path}.")
    postings = Postings(path)
    deadline = time.monotonic() + _GRACE_SECONDS
    with on_error(postings.close):
        while True:
            database, _, generation = reads.generations(store)
            if postings.belongs_to() == (database, generation):
                postings.notes.check()
                return postings
            if time.monotonic() > deadline:
                postings.close()
                return None
            time.sleep(_GRACE_SECONDS / 10)
            postings.reload()


# --- chunks, graph ------------------------------------------------------------------------------


def _text_fingerprint(store: Store, content: str) -> Fingerprint:
    database, _, generation = reads.generations(store)
    return Fingerprint(database, generation, content)


def chunk_notes_saved(store: Store) -> bool:
    """True if their snapshot is up to date."""
    return snapshots.is_saved(store.directory / _CHUNKS, _text_fingerprint(store, _OWNERS))


def load_chunk_notes(store: Store) -> ChunkNotes:
    """The note of every chunk."""
    arrays = snapshots.load_snapshot(store.directory / _CHUNKS, _text_fingerprint(store, _OWNERS))
    if arrays is not None:
        return ChunkNotes(arrays["ids"], arrays["notes"])
    return ChunkNotes(*reads.chunk_notes(store))


def save_chunk_notes(store: Store, chunks: ChunkNotes) -> None:
    """Keep it for the next opening."""
    arrays = {"ids": chunks.ids, "notes": chunks.notes}
    snapshots.save_snapshot(store.directory / _CHUNKS, _text_fingerprint(store, _OWNERS), arrays)


def graph_saved(store: Store) -> bool:
    """True if its snapshot is up to date."""
    return snapshots.is_saved(store.directory / _GRAPH, _text_fingerprint(store, _LINKS))


def load_graph(store: Store) -> LinkGraph:
    """The link graph."""
    arrays = snapshots.load_snapshot(store.directory / _GRAPH, _text_fingerprint(store, _LINKS))
    if arrays is not None:
        try:
            return LinkGraph.from_arrays(arrays)
        except ValueError as error:
            logger.warning("The graph's snapshot is damaged (%s) and is made again.", error)
    return build_graph(store)


def build_graph(store: Store) -> LinkGraph:
    """The link graph, from the rows of all notes and links."""
    links = reads.links(store)
    return LinkGraph.of(
        (note_id, path, strings(aliases), links.get(note_id, ()))
        for note_id, path, aliases in store.read("SELECT id, path, aliases FROM notes")
    )


def save_graph(store: Store, graph: LinkGraph) -> None:
    """Keep it for the next opening."""
    snapshots.save_snapshot(
        store.directory / _GRAPH, _text_fingerprint(store, _LINKS), graph.arrays()
    )


# --- vectors ------------------------------------------------------------------------------------


def _vector_snapshot(store: Store, number: int, generation: int) -> tuple[Path, Fingerprint]:
    """The file of all vectors of a model, and what it has to be made of."""
    content = f"vectors of model {number}"
    path = store.directory / f"vectors-{number}.snapshot"
    return path, Fingerprint(reads.generations(store)[0], generation, content)


def _vector_changes(store: Store, number: int) -> tuple[Path, Fingerprint]:
    """The file of what changed since that one was written."""
    database, generation, _ = reads.generations(store)
    content = f"changed vectors of model {number}"
    path = store.directory / f"vectors-{number}-changes.snapshot"
    return path, Fingerprint(database, generation, content)


def vectors_saved(store: Store, number: int) -> bool:
    """True if their snapshot is up to date."""
    whole = _vector_snapshot(store, number, reads.generations(store)[1])
    return snapshots.is_saved(*whole) or snapshots.is_saved(*_vector_changes(store, number))


def _load_vectors(store: Store, number: int, dimensions: int) -> Vectors | None:
    """The vectors of the snapshot; None if none fits."""
    changes = snapshots.load_snapshot(*_vector_changes(store, number))
    try:
        generation = reads.generations(store)[1] if changes is None else int(changes["snapshot"][0])
        arrays = snapshots.load_snapshot(*_vector_snapshot(store, number, generation))
        if arrays is None:
            return None
        model = vector_store.model_key(store, number)
        return Vectors.from_arrays(
            dimensions, arrays, model, generation=generation, changes=changes
        )
    except (KeyError, ValueError) as error:
        logger.warning("The vectors' snapshot does not fit (%s) and is made again.", error)
        return None


def load_vectors(store: Store, number: int, dimensions: int) -> Vectors:
    """The vectors that answer for a model."""
    vectors = _load_vectors(store, number, dimensions)
    if vectors is None:
        vectors = _read_vectors(store, number, dimensions)
    vectors.has_approximate = approximate.is_stored(store, number)
    return vectors


def _read_vectors(store: Store, number: int, dimensions: int) -> Vectors:
    model = vector_store.model_key(store, number)
    vectors = Vectors(dimensions, model)
    count = int(store.read("SELECT count(*) FROM chunks")[0][0])
    owners = np.empty((count, 2), np.int64)
    rows = np.empty((count, dimensions), np.float16)
    used = 0
    damaged: list[bytes] = []
    for chunk_id, note_id, vector in chain(
        vector_store.vectors_by_chunk(store, number, damaged),
        approximate.vectors_by_chunk(store, number),
    ):
        if used == count:  # a writer elsewhere added some between the two questions
            break
        owners[used] = chunk_id, note_id
        rows[used] = np.frombuffer(vector, np.float16)
        used += 1
    vectors.put(owners[:used, 0], owners[:used, 1], rows[:used])
    vector_store.discard_damaged(store, number, damaged)
    return vectors


def save_vectors(store: Store, number: int, vectors: Vectors) -> bool:
    """Keep them for the next opening, and drop those of another model.

    Returns whether all were written, and not only what changed since they were.
    """
    changes, base = vectors.arrays_of_changes(), vectors.snapshot or 0
    if changes is not None and snapshots.is_saved(*_vector_snapshot(store, number, base)):
        snapshots.save_snapshot(*_vector_changes(store, number), changes)
        return False
    path, fingerprint = _vector_snapshot(store, number, reads.generations(store)[1])
    snapshots.save_snapshot(path, fingerprint, vectors.arrays())
    for other in store.directory.glob("vectors-*.snapshot"):
        if other != path:
            other.unlink(missing_ok=True)
    return True


class Structures:
    """The search structures of one index. One thread changes them; any number read."""

    def __init__(self, store: Store) -> None:
        """Open the keywords; the rest is loaded on first use."""
        self._store = store
        self._loading = threading.RLock()
        self._postings = open_keywords(store)
        self.keywords = Keywords(self._postings)
        self.vectors = Vectors(0)
        self.model: int | None = None  # whose vectors are loaded
        self._chunk_notes: ChunkNotes | None = None
        self._graph: LinkGraph | None = None

    def close(self) -> None:
        self._postings.close()

    @property
    def graph(self) -> LinkGraph:
        known = self._graph
        if known is not None:  # no search waits while a batch changes them
            return known
        with self._loading:
            if self._graph is None:
                self._graph = load_graph(self._store)
            return self._graph

    @property
    def chunk_notes(self) -> ChunkNotes:
        known = self._chunk_notes
        if known is not None:
            return known
        with self._loading:
            if self._chunk_notes is None:
                self._chunk_notes = load_chunk_notes(self._store)
            return self._chunk_notes

    def load_vectors(self, number: int | None, dimensions: int) -> None:
        """Search with the vectors of the model of this number; None: with none."""
        self.model = number
        if number is None:
            self.vectors = Vectors(0)
            return
        self.vectors = load_vectors(self._store, number, dimensions)

    def put_vectors(self, chunk_ids: Sequence[int]) -> None:
        """Take the vectors of these chunks from the database, as far as they have any."""
        if self.model is None or not chunk_ids:
            return
        read = vector_store.vectors_of(self._store, self.model, chunk_ids)
        if len(read) < len(chunk_ids):
            read += approximate.vectors_of(self._store, self.model, chunk_ids)
        if read:
            self.vectors.put(
                np.array([row[0] for row in read], dtype=np.int64),
                np.array([row[1] for row in read], dtype=np.int64),
                np.frombuffer(b"".join(row[2] for row in read), np.float16).reshape(len(read), -1),
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
            update_keywords(self._store, self._postings, changes, between)
        except IndexFailure as error:
            logger.warning("%s It is made again.", error.message)
            self._postings.close()
            self._postings = open_keywords(self._store)
            self.keywords = Keywords(self._postings)

    def refresh(self) -> None:
        """Load what a writer in another process has committed."""
        postings, old = open_keywords(self._store), self._postings
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
        if not chunk_notes_saved(self._store):
            save_chunk_notes(self._store, self.chunk_notes)
        if not graph_saved(self._store):
            save_graph(self._store, self.graph)
        if self.model is not None and not vectors_saved(self._store, self.model):
            whole = save_vectors(self._store, self.model, self.vectors)
            if whole and not closing:  # mapped from the file, they take no memory of the process
                self.load_vectors(self.model, self.vectors.dimensions)

    def _update_in_memory(self, changes: Changes) -> None:
        with self._loading:
            if self._chunk_notes is not None:
                self._chunk_notes = self._chunk_notes.changed(changes)
            if self._graph is not None:
                self._graph.update(
                    gone=changes.gone,
                    moved=[(note_id, move.new_path) for note_id, move in changes.moved.items()],
                    put=[
                        (note_id, note.path, note.aliases, list(map(link_columns, note.links)))
                        for note_id, note in changes.notes_put()
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
