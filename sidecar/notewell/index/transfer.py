"""Copies a whole index into an empty one of any engine; nothing is embedded.

Notes get new ids, in the same order. Which vector stood for a passage that was changed and not
embedded again is not copied: until then, words alone find it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from notewell.base.errors import IndexFailure
from notewell.base.types import (
    Batch,
    Chunk,
    IndexCounts,
    Link,
    ManifestEntry,
    ModelKey,
    Note,
    NotePut,
    StoredChunk,
    StoredNote,
    VectorPut,
    embedded_text,
)
from notewell.index.port import Index, IndexReader

_NOTES_AT_ONCE, _VECTORS_AT_ONCE = 200, 2_000


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied; `vectors` of all models."""

    notes: int
    chunks: int
    vectors: int


def copy_all(
    source: IndexReader, target: Index, *, say: Callable[[str], None] = lambda _: None
) -> Copied:
    """Copy models, vectors, notes, the ledger and stored values; then compare both.

    Raises:
        IndexFailure: the copy is not what the source is.

    """
    vectors = _copy_vectors(source, target, say)
    model = source.current_model_key()
    if model is not None:
        target.use_model(model, _dimensions(source, model))
    total, done = len(source.all_notes()), 0
    for puts in _in_batches(source):
        target.apply(Batch(puts=puts, model=model))
        done += len(puts)
        say(f"{done:,} of {total:,} notes")
    target.apply(Batch(ledger=source.ledger(), model=model))
    for key, value in source.all_meta().items():
        target.set_meta(key, value)
    target.save()  # a database counts its tables then, without which comparing takes minutes
    _compare(source, target)
    found = target.counts()
    return Copied(found.notes, found.chunks, vectors)


def _copy_vectors(source: IndexReader, target: Index, say: Callable[[str], None]) -> int:
    copied = 0
    for model in source.stats().models:
        target.use_model(model.key, model.dimensions)
        for batch in source.all_vectors(model.key, _VECTORS_AT_ONCE):
            puts = [
                VectorPut(text_hash, np.frombuffer(packed, "<f2").astype(np.float32))
                for text_hash, packed in batch
            ]
            target.store_vectors(model.key, puts)
            copied += len(puts)
            say(f"{copied:,} vectors")
    return copied


def _dimensions(source: IndexReader, model: ModelKey) -> int:
    return next(each.dimensions for each in source.stats().models if each.key == model)


def _in_batches(source: IndexReader) -> Iterator[tuple[NotePut, ...]]:
    batch: list[NotePut] = []
    for put in _puts(source):
        batch.append(put)
        if len(batch) >= _NOTES_AT_ONCE:
            yield tuple(batch)
            batch = []
    if batch:
        yield tuple(batch)


def _puts(source: IndexReader) -> Iterator[NotePut]:
    """Every note as it was put, as far as it is stored."""
    manifest = source.manifest()
    passages = source.passages()
    for note in source.all_notes():
        own = source.chunks_of(note.id)
        chunks = [_chunk(stored, next(passages).text) for stored in own]
        if not chunks:
            next(passages)  # of a note without any, the title
        links = tuple(link for link, _ in source.graph.links_out(note.id))
        entry = manifest[note.path]
        yield _put(note, tuple(chunks), entry, links=links)


def _chunk(stored: StoredChunk, whole: str) -> Chunk:
    """A chunk as it was put; its header is what the embedded text has before its own."""
    header = whole[: len(whole) - len(stored.text)].removesuffix("\n")
    if embedded_text(header, stored.text) != whole:
        raise IndexFailure(
            "A passage of the index is not what was embedded. Index again, then move."
        )
    return Chunk(
        ordinal=stored.ordinal,
        headings=stored.headings,
        block=stored.block,
        parent=stored.parent,
        start=stored.start,
        end=stored.end,
        text=stored.text,
        lines=stored.lines,
        header=header,
        text_hash=stored.text_hash,
        marks=stored.marks,
    )


def _put(
    note: StoredNote, chunks: tuple[Chunk, ...], entry: ManifestEntry, *, links: tuple[Link, ...]
) -> NotePut:
    return NotePut(
        note=Note(
            path=note.path,
            title=note.title,
            aliases=note.aliases,
            tags=note.tags,
            properties=note.properties,
            description=note.description,
            created=note.created,
            modified=note.modified,
            headings=(),
            links=links,
            spans=(),
            warnings=note.warnings,
        ),
        chunks=chunks,
        size=entry.size,
        mtime_ns=entry.mtime_ns,
        content_hash=entry.content_hash,
        kept_title=entry.kept_title,
    )


def _compare(source: IndexReader, target: IndexReader) -> None:
    """Raises IndexFailure where the copy has other notes, passages, vectors or states."""
    same = (
        _without_ids(source) == _without_ids(target)
        and _totals(source) == _totals(target)
        and _vector_counts(source) == _vector_counts(target)
    )
    if not same:
        raise IndexFailure(
            "The copy of the index is not what the index is, and is not used. The index is as it"
            " was; run `notewell doctor`, then move again."
        )


def _without_ids(index: IndexReader) -> dict[str, ManifestEntry]:
    return {path: replace(entry, note_id=0) for path, entry in index.manifest().items()}


def _totals(index: IndexReader) -> IndexCounts:
    return replace(index.counts(), generation=0, vectors=0)


def _vector_counts(index: IndexReader) -> dict[ModelKey, int]:
    return {each.key: each.vectors for each in index.stats().models}
