"""Which model's vectors a state searches with, and which texts still lack one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from notewell.index.in_memory.state import ChunkRecord, State
from notewell.index.vector_checks import as_float16, check_dimensions
from notewell.types import ModelKey, PendingText, VectorPut, embedded_text


def use_model(state: State, model: ModelKey | None, dimensions: int) -> bool:
    """Search with a model's vectors; returns whether anything changed.

    Raises:
        ModelError: its vectors are stored with another dimension.

    """
    if model is not None:
        _register(state, model, dimensions)
    if state.model == model and model in {None, state.chunk_model}:
        return False
    state.model = model
    if model is None:
        for note in state.notes.values():
            entry = state.ledger.get(note.stored.path)
            if note.chunks and entry is not None and entry.state == "indexed":
                state.ledger[entry.path] = replace(entry, state="keyword_only")
        return True
    state.chunk_model = model
    for note_id, note in list(state.notes.items()):
        state.set_chunks(note_id, tuple([_with_vector(state, chunk) for chunk in note.chunks]))
    awaiting = {note.stored.path for note in state.notes.values() if note.awaits_vectors}
    for entry in list(state.ledger.values()):
        if entry.state in {"indexed", "keyword_only"}:
            is_waiting = entry.path in awaiting
            state.ledger[entry.path] = replace(
                entry, state="keyword_only" if is_waiting else "indexed"
            )
    return True


def store_vectors(state: State, model: ModelKey, puts: Sequence[VectorPut]) -> None:
    """Store vectors by text hash; one that is there stays. Chunks with these texts take them.

    Raises:
        ModelError: a vector has the wrong dimension or is not finite.

    """
    dimensions = state.dimensions.get(model) or len(puts[0].vector)
    checked = [(put.text_hash, as_float16(put, dimensions, model)) for put in puts]
    _register(state, model, dimensions)
    for text_hash, vector in checked:
        state.vectors[model].setdefault(text_hash, vector)
    if state.chunk_model != model:
        return
    given = {text_hash for text_hash, _ in checked}
    for note_id, note in list(state.notes.items()):
        if not any(chunk.stored.text_hash in given for chunk in note.chunks):
            continue
        state.set_chunks(note_id, tuple([_with_vector(state, chunk) for chunk in note.chunks]))
        entry = state.ledger.get(note.stored.path)
        is_complete = state.model == model and not state.notes[note_id].awaits_vectors
        if is_complete and entry is not None and entry.state == "keyword_only":
            state.ledger[entry.path] = replace(entry, state="indexed")


def covered_chunks(state: State, model: ModelKey) -> int:
    """How many chunks dense search would reach with this model."""
    if model == state.chunk_model:
        return sum(chunk.vector_hash is not None for chunk in state.chunks())
    return own_vectors(state, model)


def own_vectors(state: State, model: ModelKey | None) -> int:
    """How many chunks have the model's vector of their own text."""
    return sum(state.has_vector(model, chunk.stored.text_hash) for chunk in state.chunks())


def pending_texts(
    state: State, model: ModelKey, skip: Collection[bytes] = frozenset()
) -> Iterator[PendingText]:
    """Texts without a vector of the model, newest notes first, each once, none of `skip`.

    Notes that are still to be read again wait: their passages may be others then.
    """
    newest = sorted(
        state.notes.values(),
        key=lambda note: (
            note.stored.modified is None,
            -(note.stored.modified or 0.0),
            -note.stored.id,
        ),
    )
    seen = set(skip)
    for note in newest:
        entry = state.ledger.get(note.stored.path)
        if entry is not None and entry.state == "pending":
            continue
        for chunk in note.chunks:
            text_hash = chunk.stored.text_hash
            if text_hash not in seen and not state.has_vector(model, text_hash):
                seen.add(text_hash)
                text = embedded_text(chunk.header, chunk.stored.text)
                yield PendingText(text_hash, text, note.stored.path)


def vectors_in_use(state: State, model: ModelKey) -> list[tuple[bytes, bytes]]:
    """(text hash, float16 bytes) for every text of a current chunk."""
    used = {chunk.stored.text_hash for chunk in state.chunks()}
    return [
        (text_hash, vector.tobytes())
        for text_hash, vector in state.vectors.get(model, {}).items()
        if text_hash in used
    ]


def _register(state: State, model: ModelKey, dimensions: int) -> None:
    known = state.dimensions.get(model)
    if known is not None:
        check_dimensions(model, known=known, given=dimensions)
    state.dimensions[model] = dimensions
    state.vectors.setdefault(model, {})


def _with_vector(state: State, chunk: ChunkRecord) -> ChunkRecord:
    """The chunk with the vector of its own text, or else the one it had, as far as stored."""
    for text_hash in (chunk.stored.text_hash, chunk.vector_hash):
        if state.has_vector(state.chunk_model, text_hash):
            return replace(chunk, vector_hash=text_hash)
    return replace(chunk, vector_hash=None)
