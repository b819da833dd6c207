"""The part of an index that a batch concerns: read from the database, changed, written back.

What a batch means is decided by the same code as in memory (`index/in_memory/batches.py`), on a
state that holds only the notes whose paths the batch names.
"""

# ruff: noqa: S608 (what is put into SQL are names and numbers of ours; values are bound)

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from notewell.base.types import Applied, Batch, LedgerEntry, Link, ModelKey
from notewell.features.postgres.connection import Session
from notewell.features.postgres.rows import (
    CHUNK_COLUMNS,
    CHUNKS,
    LEDGER,
    LEDGER_COLUMNS,
    LINK_COLUMNS,
    LINKS,
    NOTE_COLUMNS,
    NOTES,
    chunk_row,
    ledger_entry,
    ledger_row,
    link_row,
    model_key,
    note_row,
    paths_of,
    stored_chunk,
    stored_link,
    stored_note,
    upsert,
)
from notewell.index.in_memory import batches
from notewell.index.in_memory.state import ChunkRecord, NoteRecord, State

_IS_STORED = np.empty(0, np.float16)  # stands for a vector: whether there is one is all that counts


@dataclass(frozen=True, slots=True)
class Changed:
    """The effect of a batch; `gone` and `text` are ids of notes.

    `text` are the notes whose documents have to be written: they are new, or read otherwise.
    """

    applied: Applied
    text_generation: int
    gone: tuple[int, ...]
    text: tuple[int, ...]


def apply(session: Session, vault: int, batch: Batch, between_notes: Callable[[], None]) -> Changed:
    """Apply a batch inside a transaction. The vault's row is locked by it."""
    state = _load(session, vault, batch)
    before = state.copy()
    applied = batches.apply(state, batch, between_notes)
    gone = tuple(sorted(before.notes.keys() - state.notes.keys()))
    changed = [note for key, note in state.notes.items() if before.notes.get(key) != note]
    _save_notes(session, vault, gone, changed, before)
    _save_ledger(session, vault, before, state)
    session.execute(
        "UPDATE vaults SET generation = $2, text_generation = $3, next_note = $4, next_chunk = $5"
        " WHERE id = $1",
        vault, state.generation, state.text_generation, state.next_note, state.next_chunk,
    )  # fmt: skip
    text = [note.stored.id for note in changed if _reads_otherwise(before, note)]
    return Changed(applied, state.text_generation, gone, tuple(text))


def _reads_otherwise(before: State, note: NoteRecord) -> bool:
    old = before.notes.get(note.stored.id)
    return old is None or _text_of(old) != _text_of(note) or old.generation != note.generation


def _text_of(note: NoteRecord) -> object:
    own = note.stored
    chunks = [(each.stored.id, each.stored.headings, each.stored.text) for each in note.chunks]
    return (own.path, own.title, own.aliases, own.tags, own.properties, chunks)


# --- reading ------------------------------------------------------------------------------------


def _load(session: Session, vault: int, batch: Batch) -> State:
    ((identity, generation, text_generation, next_note, next_chunk, active, used),) = session.read(
        "SELECT identity, generation, text_generation, next_note, next_chunk, model_active,"
        " model_vectors FROM vaults WHERE id = $1",
        vault,
    )
    models = _models(session, vault)
    state = State(
        identity,
        generation=generation,
        text_generation=text_generation,
        next_note=next_note,
        next_chunk=next_chunk,
        model=models.get(active),
        chunk_model=models.get(used),
    )
    paths = paths_of(_paths(batch))
    _load_notes(session, vault, paths, state)
    for row in session.read(
        f"SELECT {LEDGER_COLUMNS} FROM ledger WHERE vault_id = $1 AND path = ANY($2)", vault, paths
    ):
        entry = ledger_entry(row)
        state.ledger[entry.path] = entry
    _load_vectors(session, vault, models, _hashes(batch, state), state)
    return state


def _paths(batch: Batch) -> set[str]:
    return {
        *(path for move in batch.moves for path in (move.old_path, move.new_path)),
        *batch.removes,
        *(put.note.path for put in batch.puts),
        *(touch.path for touch in batch.touches),
        *batch.forgets,
        *(entry.path for entry in batch.ledger),
    }


def _hashes(batch: Batch, state: State) -> list[bytes]:
    own = {chunk.text_hash for put in batch.puts for chunk in put.chunks}
    return list(own | {chunk.stored.text_hash for chunk in state.chunks()})


def _models(session: Session, vault: int) -> dict[int, ModelKey]:
    return {
        number: model_key(key)
        for number, *key in session.read(
            "SELECT m.id, m.name, m.weights_hash, m.quantisation FROM models m"
            " JOIN vault_models v ON v.model_id = m.id WHERE v.vault_id = $1",
            vault,
        )
    }


def _load_notes(session: Session, vault: int, paths: Sequence[str], state: State) -> None:
    found = session.read(
        f"SELECT content_hash, kept_title, generation, {NOTE_COLUMNS} FROM notes"
        " WHERE vault_id = $1 AND path = ANY($2)",
        vault, paths,
    )  # fmt: skip
    ids = [row[3] for row in found]
    chunks = _chunks(session, vault, ids)
    links = _links(session, vault, ids)
    for content_hash, kept_title, generation, *columns in found:
        stored = stored_note(columns)
        state.note_ids[stored.path] = stored.id
        state.notes[stored.id] = NoteRecord(
            stored=stored,
            mtime_ns=stored.mtime_ns,
            content_hash=content_hash,
            links=tuple(links.get(stored.id, ())),
            chunks=tuple(chunks.get(stored.id, ())),
            generation=generation,
            kept_title=kept_title,
        )


def _chunks(session: Session, vault: int, notes: Sequence[int]) -> dict[int, list[ChunkRecord]]:
    found: dict[int, list[ChunkRecord]] = {}
    for header, vector_hash, *columns in session.read(
        f"SELECT c.header, c.vector_hash, {CHUNK_COLUMNS} FROM chunks c"
        " WHERE c.vault_id = $1 AND c.note_id = ANY($2) ORDER BY c.note_id, c.ordinal",
        vault, notes,
    ):  # fmt: skip
        stored = stored_chunk(columns)
        found.setdefault(stored.note_id, []).append(ChunkRecord(stored, header, vector_hash))
    return found


def _links(session: Session, vault: int, notes: Sequence[int]) -> dict[int, list[Link]]:
    found: dict[int, list[Link]] = {}
    for note_id, *columns in session.read(
        f"SELECT note_id, {LINK_COLUMNS} FROM links WHERE vault_id = $1 AND note_id = ANY($2)"
        " ORDER BY note_id, ordinal",
        vault, notes,
    ):  # fmt: skip
        found.setdefault(note_id, []).append(stored_link(columns))
    return found


def _load_vectors(
    session: Session,
    vault: int,
    models: dict[int, ModelKey],
    hashes: Collection[bytes],
    state: State,
) -> None:
    for number, text_hash in session.read(
        "SELECT model_id, text_hash FROM vectors WHERE vault_id = $1 AND text_hash = ANY($2)",
        vault, hashes,
    ):  # fmt: skip
        state.vectors.setdefault(models[number], {})[text_hash] = _IS_STORED


# --- writing ------------------------------------------------------------------------------------


def _save_notes(
    session: Session,
    vault: int,
    gone: Sequence[int],
    changed: Sequence[NoteRecord],
    before: State,
) -> None:
    ids = [note.stored.id for note in changed]
    kept = {chunk.stored.id for note in changed for chunk in note.chunks}
    chunks = [
        chunk.stored.id
        for note_id in (*gone, *ids)
        if note_id in before.notes
        for chunk in before.notes[note_id].chunks
        if chunk.stored.id not in kept
    ]
    session.execute("DELETE FROM chunks WHERE vault_id = $1 AND id = ANY($2)", vault, chunks)
    session.execute(
        "DELETE FROM links WHERE vault_id = $1 AND note_id = ANY($2)", vault, [*gone, *ids]
    )
    session.execute("DELETE FROM notes WHERE vault_id = $1 AND id = ANY($2)", vault, list(gone))
    session.execute(
        "INSERT INTO removed_notes SELECT $1, g.*, v.generation + 1 FROM unnest($2::bigint[]) g,"
        " vaults v WHERE v.id = $1",
        vault, list(gone),
    )  # fmt: skip
    upsert(session, "notes", vault, NOTES, [note_row(note) for note in changed], keys=("id",))
    rows = [chunk_row(chunk) for note in changed for chunk in note.chunks]
    upsert(session, "chunks", vault, CHUNKS, rows, keys=("id",))
    links = [
        link_row(note.stored.id, ordinal, link)
        for note in changed
        for ordinal, link in enumerate(note.links)
    ]
    upsert(session, "links", vault, LINKS, links)


def _save_ledger(session: Session, vault: int, before: State, after: State) -> None:
    gone = list(before.ledger.keys() - after.ledger.keys())
    changed: list[LedgerEntry] = [
        entry for path, entry in after.ledger.items() if before.ledger.get(path) != entry
    ]
    session.execute("DELETE FROM ledger WHERE vault_id = $1 AND path = ANY($2)", vault, gone)
    rows = [ledger_row(entry) for entry in changed]
    upsert(session, "ledger", vault, LEDGER, rows, keys=("path",))
