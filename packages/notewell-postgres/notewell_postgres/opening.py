"""Opens, makes and deletes the index of a vault in PostgreSQL, and moves it there and back.

A move's copy is made beside the index, under another name, and compared with it. The last step is
one file: with the address in the folder the index is in the database, without it in the folder.
A move that is stopped before leaves the index as it was, and the next one begins anew.

Nothing is embedded: models, vectors, notes, the ledger and stored values are copied. Notes get new
ids, in the same order. A vector that stood for a passage that was changed and not embedded again is
not copied: until then, words alone find it.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from notewell.api.errors import NotFoundError, on_error
from notewell.api.vault import IndexReader, Link, ModelKey, StoredChunk, StoredNote
from notewell.base.errors import IndexFailure
from notewell.base.types import (
    Batch,
    Chunk,
    IndexCounts,
    ManifestEntry,
    Note,
    NotePut,
    VectorPut,
    embedded_text,
)
from notewell.index import engines
from notewell.index.port import Index
from notewell.search.facts.names_cache import NamesCache
from notewell_postgres import schema
from notewell_postgres.address import ADDRESS_FILE, DatabaseAddress, read, write
from notewell_postgres.connection import Database
from notewell_postgres.documents import ANALYSIS
from notewell_postgres.index import PostgresIndex, write_postings
from notewell_postgres.lease import Lease

_UNFINISHED = ".moving"  # ends the name of a vault, and is a folder, until the copy is whole
_NOTES_AT_ONCE, _VECTORS_AT_ONCE = 200, 2_000

Say = Callable[[str], None]


def open_index(directory: Path, *, writable: bool) -> PostgresIndex:
    """Open the index whose address is in a folder; see `engines.open_index`."""
    address = read(directory)
    return open_at(address, address.password(), writable=writable)


def open_at(address: DatabaseAddress, password: str | None, *, writable: bool) -> PostgresIndex:
    """Open the index of a vault at an address; a writer makes it.

    Raises:
        NotFoundError: there is none, and it is opened for reading.
        IndexInUseError: another server writes it.
        NotewellError: the database cannot be reached, refuses, or lacks something.

    """
    with ExitStack() as undo:
        database = Database(address, password)
        undo.callback(database.close)
        schema.prepare(database, writable=writable)
        vault, identity = _vault(database, writable=writable)
        lease = None
        if writable:
            lease = Lease(database, vault)
            undo.callback(lease.close)
            _analyse_again(lease, vault)
        opened = PostgresIndex(database, vault, identity, lease)
        undo.pop_all()  # it is the index that closes them now
        return opened


def delete_index(directory: Path) -> None:
    """Delete the index whose address is in a folder, and the address."""
    if not (directory / ADDRESS_FILE).exists():
        return
    address = read(directory)
    delete_at(address, address.password())
    (directory / ADDRESS_FILE).unlink(missing_ok=True)


def delete_at(address: DatabaseAddress, password: str | None) -> None:
    """Delete the index of a vault at an address, which nobody writes.

    Raises:
        IndexInUseError: somebody does.
        NotewellError: the database cannot be reached, or refuses.

    """
    with closing(Database(address, password)) as database:
        schema.prepare(database, writable=True)
        for (vault,) in database.read("SELECT id FROM vaults WHERE name = $1", address.vault):
            with closing(Lease(database, vault)) as lease:
                schema.delete_vault(lease.session(), vault)


def check_free(address: DatabaseAddress, password: str | None) -> None:
    """Make the tables where there are none, and check that they have no index of this vault.

    Raises:
        IndexFailure: they have.
        NotewellError: the database cannot be reached, refuses, or lacks something.

    """
    with closing(Database(address, password)) as database:
        schema.prepare(database, writable=True)
        if database.read("SELECT id FROM vaults WHERE name = $1", address.vault):
            raise IndexFailure(
                f"{database.server} has an index of this vault already. `notewell engine use`"
                " serves that one; `notewell engine remove` deletes it.",
                code="index_exists",
            )


def rename(address: DatabaseAddress, name: str, password: str | None) -> None:
    """Give a vault that was copied the name by which others open it."""
    with closing(Database(address, password)) as database:
        schema.prepare(database, writable=False)
        with closing(database.session()) as session:
            session.execute("UPDATE vaults SET name = $2 WHERE name = $1", address.vault, name)


def _vault(database: Database, *, writable: bool) -> tuple[int, str]:
    """The number and the identity of the address's vault."""
    name = database.address.vault
    if writable:
        database.read(
            "INSERT INTO vaults (name, identity, analysis) VALUES ($1, $2, $3)"
            " ON CONFLICT (owner, name) DO NOTHING",
            name, uuid.uuid4().hex, ANALYSIS,
        )  # fmt: skip
    rows = database.read("SELECT id, identity FROM vaults WHERE name = $1", name)
    if not rows:
        raise NotFoundError(
            f"There is no index of this vault at {database.server} yet. Run `notewell index`."
        )
    return int(rows[0][0]), str(rows[0][1])


def _analyse_again(lease: Lease, vault: int) -> None:
    """Write the postings anew where another version of the program analysed text otherwise."""
    ((analysis,),) = lease.session().read("SELECT analysis FROM vaults WHERE id = $1", vault)
    if analysis != ANALYSIS:
        write_postings(lease, vault)


# --- moves --------------------------------------------------------------------------------------


def to_postgres(
    directory: Path, address: DatabaseAddress, password: str | None, *, say: Say, keep: bool = False
) -> Copied:
    """Move the index in a folder to a database; `keep` leaves the files of the old one.

    Raises:
        NotFoundError: there is no index.
        IndexInUseError: somebody writes it.
        IndexFailure: the database holds an index of this vault already, or does not fit.
        NotewellError: the database cannot be reached, or refuses.

    """
    unfinished = replace(address, vault=f"{address.vault}{_UNFINISHED}")
    with closing(engines.open_index(directory, writable=True, engine=engines.DEFAULT)) as source:
        check_free(address, password)
        delete_at(unfinished, password)
        with closing(open_at(unfinished, password, writable=True)) as target:
            copied = copy_all(source, target, say=say, filling=target.filling())
            _prepare(target, say)
        rename(unfinished, address.vault, password)
        write(directory, address)
    if not keep:
        engines.delete_index(directory, engine=engines.DEFAULT)
    return copied


def _prepare(index: PostgresIndex, say: Say) -> None:
    """Make what searches need of all notes, which is stored with the index: words, links, names."""
    say("Preparing searches")
    _ = index.keywords, index.graph
    NamesCache().current(index)


def to_folder(directory: Path, password: str | None, *, say: Say, keep: bool = False) -> Copied:
    """Move the index of a folder back from its database; `keep` leaves it there as well.

    Raises as `to_postgres` does.
    """
    address = read(directory)
    beside = directory / _UNFINISHED
    shutil.rmtree(beside, ignore_errors=True)
    with closing(open_at(address, password, writable=True)) as source:
        with on_error(lambda: shutil.rmtree(beside, ignore_errors=True)):
            with closing(
                engines.open_index(beside, writable=True, engine=engines.DEFAULT)
            ) as target:
                copied = copy_all(source, target, say=say)
            engines.delete_index(directory, engine=engines.DEFAULT)
            for file in beside.iterdir():
                file.replace(directory / file.name)
        (directory / ADDRESS_FILE).unlink()
    beside.rmdir()
    if not keep:
        delete_at(address, password)
    return copied


def attach(directory: Path, address: DatabaseAddress, password: str | None) -> None:
    """Use an index that is in a database already, for a folder that has none.

    Raises:
        NotFoundError: the database has no index of this vault.
        IndexFailure: the folder has an index of its own.

    """
    if (directory / engines.DATABASE).exists():
        raise IndexFailure(
            f"{directory} has an index of its own. Move that one with `notewell engine move`, or"
            " remove it first."
        )
    open_at(address, password, writable=False).close()
    write(directory, address)


# --- copies -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Copied:
    """The numbers of what was copied; `vectors` of all models."""

    notes: int
    chunks: int
    vectors: int


def copy_all(
    source: IndexReader,
    target: Index,
    *,
    say: Callable[[str], None] = lambda _: None,
    filling: AbstractContextManager[None] | None = None,
) -> Copied:
    """Copy models, vectors, notes, the ledger and stored values; then compare both.

    The notes are put inside `filling`.

    Raises:
        IndexFailure: the copy is not what the source is.

    """
    vectors = _copy_vectors(source, target, say)
    model = source.current_model_key()
    if model is not None:
        target.use_model(
            model,
            next(stored.dimensions for stored in source.stats().models if stored.key == model),
        )
    total, done = len(source.all_notes()), 0
    with filling or nullcontext():
        for puts in _in_batches(source):
            target.apply(Batch(puts=puts, model=model))
            done += len(puts)
            say(f"{done:,} of {total:,} notes")
    target.apply(Batch(ledger=source.ledger(), model=model))
    for key, value in source.all_meta().items():
        target.set_meta(key, value)
    target.save()  # a database counts its tables then, without which comparing takes minutes
    _compare(source, target)
    counts = target.counts()
    return Copied(counts.notes, counts.chunks, vectors)


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
        inner=stored.inner,
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
    return {model.key: model.vectors for model in index.stats().models}
