"""What is asked of the database. Every function takes the store and may run in any thread."""

# ruff: noqa: S608 (what is put into SQL are names of columns and tables; values are bound)

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recollect.index import embeddings, rows, standins
from recollect.index.store import Store
from recollect.types import (
    IdArray,
    KeptModel,
    LedgerEntry,
    LedgerState,
    ManifestEntry,
    ModelKey,
    PendingText,
    PropertyValue,
    StoredChunk,
    StoredNote,
    embedded_text,
)

_PATHS_AT_ONCE = 200
# Vectors of one model, from a row on, that a chunk of today has use for.
_NEEDED = (
    "v.model_id = ? AND v.rowid > ?"
    " AND EXISTS (SELECT 1 FROM chunks c WHERE c.text_hash = v.text_hash)"
)
_BARE = "NOT EXISTS (SELECT 1 FROM chunks WHERE note_id = n.id)"
_MODEL = "SELECT id, dimensions FROM models WHERE (name, weights_hash, quantisation) = (?, ?, ?)"


@dataclass(frozen=True, slots=True)
class ChunkText:
    """What of a chunk becomes keywords."""

    chunk_id: int
    headings: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class NoteText:
    """What of a note becomes keywords."""

    note_id: int
    path: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    chunks: tuple[ChunkText, ...]  # what stands in for one, where there is none


@dataclass(frozen=True, slots=True)
class NoteBasics:
    """What of a note decides whether it is searched by default, and how recent it is."""

    id: int
    path: str
    properties: Mapping[str, PropertyValue]
    created: float | None
    modified: float | None


def meta(store: Store, key: str) -> str | None:
    """A value of the table `meta`."""
    found = store.read("SELECT value FROM meta WHERE key = ?", (key,))
    return str(found[0][0]) if found else None


def generations(store: Store) -> tuple[str, int, int]:
    """The database's identity, its generation, and the one its text last changed in."""
    known = dict(
        store.read("SELECT key, value FROM meta WHERE key IN ('id','generation','text_generation')")
    )
    return str(known["id"]), int(known["generation"]), int(known["text_generation"])


def manifest(store: Store, within: Sequence[str] = ()) -> dict[str, ManifestEntry]:
    """Indexed files by path: all, or those that `within` names or that lie in its folders."""
    found = _within(store, f"SELECT {rows.MANIFEST_COLUMNS} FROM notes", within)
    return {row[1]: rows.manifest_entry(row) for row in found}


def ledger_within(store: Store, within: Sequence[str]) -> tuple[LedgerEntry, ...]:
    """Entries of the paths that `within` names or that lie in its folders."""
    found = _within(store, f"SELECT {rows.LEDGER_COLUMNS} FROM ledger", within)
    return tuple(rows.ledger_entry(row) for row in found)


def _within(store: Store, select: str, within: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    if not within:
        yield from store.read(select)
        return
    # In parts: SQLite bounds how deep one expression may be.
    for at in range(0, len(within), _PATHS_AT_ONCE):
        part = within[at : at + _PATHS_AT_ONCE]
        where = " OR ".join(["path = ? OR (path >= ? AND path < ?)"] * len(part))
        # "0" follows "/", so the range holds just what lies in the folder.
        bounds = [bound for path in part for bound in (path, f"{path}/", f"{path}0")]
        yield from store.read(f"{select} WHERE {where}", bounds)


def ledger(store: Store, state: LedgerState | None, path: str | None) -> tuple[LedgerEntry, ...]:
    """Entries by path, narrowed to a state or a path."""
    if path is not None and not rows.is_storable(path):
        return ()
    wanted = [("state", state), ("path", path)]
    given = [(column, value) for column, value in wanted if value is not None]
    where = " AND ".join(f"{column} = ?" for column, _ in given) or "1"
    found = store.read(
        f"SELECT {rows.LEDGER_COLUMNS} FROM ledger WHERE {where} ORDER BY path",
        [value for _, value in given],
    )
    return tuple(rows.ledger_entry(row) for row in found)


def ledger_counts(store: Store) -> dict[LedgerState, int]:
    """How many files are in each state."""
    states: tuple[LedgerState, ...] = ("indexed", "pending", "failed", "excluded", "keyword_only")
    found = dict(store.read("SELECT state, count(*) FROM ledger GROUP BY state"))
    return {state: found.get(state, 0) for state in states}


def notes(store: Store, ids: Sequence[int]) -> dict[int, StoredNote]:
    """The notes that are there."""
    found = store.read_in(f"SELECT {rows.NOTE_COLUMNS} FROM notes WHERE id IN (?)", ids)
    return {row[0]: rows.stored_note(row) for row in found}


def note_at(store: Store, path: str) -> StoredNote | None:
    """The note of a file."""
    if not rows.is_storable(path):
        return None
    found = store.read(f"SELECT {rows.NOTE_COLUMNS} FROM notes WHERE path = ?", (path,))
    return rows.stored_note(found[0]) if found else None


def all_notes(store: Store) -> tuple[StoredNote, ...]:
    """All notes in order of id."""
    found = store.stream(f"SELECT {rows.NOTE_COLUMNS} FROM notes ORDER BY id")
    return tuple([rows.stored_note(row) for row in found])


def basics(store: Store, since: int) -> tuple[IdArray, tuple[NoteBasics, ...]]:
    """Ids of all notes, ascending; and the basics of those changed after generation `since`.

    Properties are read where one may be called `type` or `status`; of other notes none are told.
    """
    ids = np.array(store.read("SELECT id FROM notes ORDER BY id"), dtype=np.int64).ravel()
    found = store.stream(
        "SELECT id, path, CASE WHEN properties LIKE '%status%'"
        " OR properties LIKE '%type%' THEN properties END, created, modified"
        " FROM notes WHERE generation > ?",
        (since,),
    )
    return ids, tuple(
        [
            NoteBasics(id_, path, rows.properties(packed) if packed else {}, *times)
            for id_, path, packed, *times in found
        ]
    )


def chunks(store: Store, ids: Sequence[int]) -> dict[int, StoredChunk]:
    """The chunks that are there, and stand-ins for the notes that have none."""
    own = [chunk_id for chunk_id in ids if chunk_id < standins.FIRST]
    found = store.read_in(f"SELECT {rows.CHUNK_COLUMNS} FROM chunks WHERE id IN (?)", own)
    known = {row[0]: rows.stored_chunk(row) for row in found}
    bare = [chunk_id - standins.FIRST for chunk_id in ids if chunk_id >= standins.FIRST]
    for (note_id,) in store.read_in(f"SELECT id FROM notes n WHERE {_BARE} AND id IN (?)", bare):
        known[standins.chunk_id(note_id)] = standins.stand_in(note_id)
    return known


def chunks_of(store: Store, note_id: int) -> tuple[StoredChunk, ...]:
    """A note's chunks in order."""
    found = store.read(
        f"SELECT {rows.CHUNK_COLUMNS} FROM chunks WHERE note_id = ? ORDER BY ordinal", (note_id,)
    )
    return tuple(rows.stored_chunk(row) for row in found)


def chunk_notes(store: Store) -> tuple[IdArray, IdArray]:
    """All chunk ids, stand-ins included, ascending, and the note of each. Reads no texts."""
    found = np.array(
        store.read(
            "SELECT id, note_id FROM chunks"
            f" UNION ALL SELECT n.id + {standins.FIRST}, n.id FROM notes n WHERE {_BARE}"
        ),
        dtype=np.int64,
    ).reshape(-1, 2)
    order = np.argsort(found[:, 0])
    return found[order, 0], found[order, 1]


def texts(store: Store, since: int = -1) -> Iterator[NoteText]:
    """What becomes keywords, of the notes changed after generation `since`, in order of id."""
    held: rows.Row | None = None
    parts: list[ChunkText] = []
    for row in store.stream(
        "SELECT n.id, n.path, n.title, n.aliases, n.tags, n.properties, c.id, c.headings, c.text"
        " FROM notes n LEFT JOIN chunks c ON c.note_id = n.id"
        " WHERE n.generation > ? ORDER BY n.id, c.id",
        (since,),
    ):
        if held is not None and held[0] != row[0]:
            yield _note_text(held, parts)
            parts = []
        held = row[:6]
        if row[6] is not None:
            parts.append(ChunkText(row[6], rows.strings(row[7]), row[8]))
    if held is not None:
        yield _note_text(held, parts)


def _note_text(columns: rows.Row, parts: list[ChunkText]) -> NoteText:
    note_id, path, title, aliases, tags, packed = columns
    if not parts:
        named = standins.values(rows.properties(packed))
        body = "\n".join(word for words in named.values() for word in words)
        parts = [ChunkText(standins.chunk_id(note_id), (), body)]
    return NoteText(note_id, path, title, rows.strings(aliases), rows.strings(tags), tuple(parts))


def links(store: Store) -> Iterator[tuple[Any, ...]]:
    """(note id, LINK_COLUMNS…) of all links, in order of note and place."""
    return store.stream(f"SELECT note_id, {rows.LINK_COLUMNS} FROM links ORDER BY note_id, ordinal")


# --- models and vectors -------------------------------------------------------------------------


def model_id(store: Store, model: ModelKey, dimensions: int | None = None) -> int | None:
    """The number a model has in the database; None: no vector of it was ever kept.

    Raises:
        ModelError: its vectors have other dimensions than those given.

    """
    found = store.read(_MODEL, rows.model_columns(model))
    if found and dimensions is not None:
        embeddings.agree(model, known=found[0][1], given=dimensions)
    return int(found[0][0]) if found else None


def dimensions_of(store: Store, model: ModelKey) -> int | None:
    """How many dimensions a model's vectors have; None: none was ever kept."""
    found = store.read(_MODEL, rows.model_columns(model))
    return int(found[0][1]) if found else None


def model_key(store: Store, number: int) -> ModelKey | None:
    """The model of a number."""
    found = store.read("SELECT name, weights_hash, quantisation FROM models WHERE id=?", (number,))
    return ModelKey(*found[0]) if found else None


def answering_key(store: Store) -> ModelKey | None:
    """The model whose vectors the chunks speak of."""
    number = vector_model(store)
    return None if number is None else model_key(store, number)


def vector_model(store: Store) -> int | None:
    """The model that the chunks' `vector_hash` speaks of."""
    value = meta(store, "model_vectors")
    return int(value) if value else None


def answering(store: Store, number: int) -> Iterator[tuple[int, int, bytes]]:
    """(chunk id, note id, vector) of every chunk that has a vector of the model.

    Vectors come in the order they lie on disk: following each chunk to its vector would read
    the whole table in random order.
    """
    column = "vector_hash" if number == vector_model(store) else "text_hash"
    holders: dict[bytes, list[tuple[int, int]]] = {}
    for text_hash, chunk_id, note_id in store.stream(
        f"SELECT {column}, id, note_id FROM chunks WHERE {column} IS NOT NULL"
    ):
        holders.setdefault(text_hash, []).append((chunk_id, note_id))
    for text_hash, vector in store.stream(
        "SELECT text_hash, vector FROM vectors WHERE model_id = ?", (number,)
    ):
        for chunk_id, note_id in holders.get(text_hash, ()):
            yield chunk_id, note_id, vector


def vectors_of(store: Store, number: int, chunk_ids: Sequence[int]) -> list[tuple[int, int, bytes]]:
    """(chunk id, note id, vector) of those of the chunks that have one."""
    return store.read_in(
        "SELECT c.id, c.note_id, v.vector FROM chunks c JOIN vectors v"
        f" ON v.model_id = {int(number)} AND v.text_hash = c.vector_hash WHERE c.id IN (?)",
        chunk_ids,
    )


def answering_model(store: Store) -> KeptModel | None:
    """The model whose vectors the chunks speak of, and how many of its vectors chunks need now."""
    number = vector_model(store)
    found = store.read(
        "SELECT name, weights_hash, quantisation, dimensions FROM models WHERE id IS ?", (number,)
    )
    if not found:
        return None
    *key, dimensions = found[0]
    ((needed,),) = store.read(f"SELECT count(*) FROM vectors v WHERE {_NEEDED}", (number, 0))
    return KeptModel(ModelKey(*key), dimensions, needed)


def kept_count(store: Store, model: ModelKey) -> int:
    """How many vectors of a model are kept, whatever texts they belong to."""
    found = store.read(
        "SELECT count(*) FROM vectors WHERE model_id IS ?", (model_id(store, model),)
    )
    return int(found[0][0])


def needed_vectors(
    store: Store, model: ModelKey, at_once: int
) -> Iterator[list[tuple[bytes, bytes]]]:
    """(text hash, float16 bytes) of a model for the texts that chunks hold now, in batches.

    Asked batch by batch, so that nothing stays open while the caller writes.
    """
    number = model_id(store, model)
    after = 0
    while rows_read := store.read(
        f"SELECT v.rowid, v.text_hash, v.vector FROM vectors v NOT INDEXED WHERE {_NEEDED}"
        f" ORDER BY v.rowid LIMIT {int(at_once)}",
        (number, after),
    ):
        after = rows_read[-1][0]
        yield [(text_hash, vector) for _, text_hash, vector in rows_read]


def own_vectors(store: Store, number: int | None) -> int:
    """How many chunks have the vector of their own text."""
    if number is None:
        return 0
    if number == vector_model(store):
        found = store.read("SELECT count(*) FROM chunks WHERE vector_hash = text_hash")
    else:
        found = store.read(
            "SELECT count(*) FROM chunks c JOIN vectors v"
            " ON v.model_id = ? AND v.text_hash = c.text_hash",
            (number,),
        )
    return int(found[0][0])


def covered(store: Store, model: ModelKey) -> int:
    """How many chunks a model would answer for: by their own text or by what they inherited."""
    number = model_id(store, model)
    if number is None or number != vector_model(store):
        return own_vectors(store, number)
    found = store.read("SELECT count(*) FROM chunks WHERE vector_hash IS NOT NULL")
    return int(found[0][0])


def pending_count(store: Store, model: ModelKey) -> int:
    """How many different texts have no vector of the model."""
    where, values = _lacking(store, model)
    found = store.read(f"SELECT count(DISTINCT c.text_hash) FROM chunks c WHERE {where}", values)
    return int(found[0][0])


def pending_texts(
    store: Store, model: ModelKey, limit: int, skip: Collection[bytes]
) -> tuple[PendingText, ...]:
    """Texts without a vector of the model, newest notes first, each once, none of `skip`."""
    where, values = _lacking(store, model)
    awaiting = "n.awaiting = 1 AND " if where.startswith("c.vector_hash") else ""
    found: dict[bytes, PendingText] = {}
    for text_hash, header, text, path in store.stream(
        "SELECT c.text_hash, c.header, c.text, n.path FROM notes n"
        " CROSS JOIN chunks c ON c.note_id = n.id"
        f" WHERE {awaiting}{where} ORDER BY n.modified DESC, n.id DESC, c.ordinal",
        values,
    ):
        if len(found) >= limit:
            break
        if text_hash not in found and text_hash not in skip:
            found[text_hash] = PendingText(text_hash, embedded_text(header, text), path)
    return tuple(found.values())


def _lacking(store: Store, model: ModelKey) -> tuple[str, tuple[int, ...]]:
    """The condition on a chunk `c` that its own text has no vector of the model.

    A note that is still to be read anew does not count: its passages may be others then.
    """
    number = model_id(store, model)
    if number is None:
        return _READ, ()
    if number == vector_model(store):
        return f"c.vector_hash IS NOT c.text_hash AND {_READ}", ()
    lacking = "SELECT 1 FROM vectors v WHERE v.model_id = ? AND v.text_hash = c.text_hash"
    return f"NOT EXISTS ({lacking}) AND {_READ}", (number,)


_READ = "c.note_id NOT IN (SELECT id FROM notes JOIN ledger USING (path) WHERE state = 'pending')"
