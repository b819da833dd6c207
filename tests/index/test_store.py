"""The database: locks, readers, damage, migrations, and rescued vectors."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from notewell.base.errors import IndexDamagedError, IndexFailure, IndexInUseError, NotFoundError
from notewell.base.types import Batch
from notewell.index.embedded import EmbeddedIndex, tables
from notewell.index.embedded.store import DATABASE, Store
from tests.index.inside import connection_of, store_of

Search = Callable[..., list[str]]


@pytest.fixture
def closed(tmp_path: Path, make: Any) -> Path:
    """A folder with a closed index of 60 embedded notes."""
    directory = tmp_path / "closed"
    index = EmbeddedIndex.open(directory, writable=True)
    index.use_model(make.model, make.dimensions)
    puts = tuple(make.note(f"{n}.md", f"note {n} " + "word " * 200) for n in range(60))
    index.apply(Batch(puts=puts, model=make.model))
    make.embed(index)
    index.close()
    return directory


def test_reading_needs_an_index(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="notewell index"):
        EmbeddedIndex.open(tmp_path / "none", writable=False)
    assert not (tmp_path / "none").exists()


def test_one_writer_at_a_time(index: EmbeddedIndex) -> None:
    directory = store_of(index).directory
    with pytest.raises(IndexInUseError):
        EmbeddedIndex.open(directory, writable=True)
    index.close()
    EmbeddedIndex.open(directory, writable=True).close()


def test_a_reader_writes_nothing(closed: Path, make: Any) -> None:
    before = {path: path.stat().st_mtime_ns for path in closed.rglob("*")}
    reader = EmbeddedIndex.open(closed, writable=False)
    reader.use_model(make.model, make.dimensions)
    assert reader.vectors.count == 60
    with pytest.raises(IndexFailure, match="reading only"):
        reader.apply(Batch(removes=("1.md",)))
    reader.close()
    after = {path: path.stat().st_mtime_ns for path in closed.rglob("*")}
    grown = {path.name for path in after if before.get(path) != after[path]}
    shared = {f"{name}.db-{kind}" for name in ("index", "notes") for kind in ("wal", "shm")}
    assert grown <= {*shared, "keywords", "closed", ".tantivy-meta.lock"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_folder_is_an_error(closed: Path, search: Search) -> None:
    closed.chmod(0o555)
    try:
        with pytest.raises(IndexFailure, match="permissions"):
            EmbeddedIndex.open(closed, writable=True)
        reader = EmbeddedIndex.open(closed, writable=False)
        assert search(reader, "7")
        reader.close()
    finally:
        closed.chmod(0o755)


def test_a_database_that_does_not_open_is_an_error_with_its_place(tmp_path: Path) -> None:
    (tmp_path / DATABASE).mkdir()  # as root no permission is missing, so no file but a folder
    with pytest.raises(IndexFailure, match=f"{tmp_path} cannot be opened"):
        EmbeddedIndex.open(tmp_path, writable=True)


def test_a_full_disk_changes_nothing(index: EmbeddedIndex, make: Any, search: Search) -> None:
    index.apply(Batch(puts=(make.note("a.md", "roses"),), model=make.model))
    writer = connection_of(index)
    assert writer is not None
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count={pages}")
    before = (index.generation, index.manifest(), index.ledger())
    big = make.note("b.md", *(f"tulips {n} " * 50 for n in range(300)))
    with pytest.raises(IndexFailure, match="full"):
        index.apply(Batch(puts=(big,), removes=("a.md",), model=make.model))
    assert (index.generation, index.manifest(), index.ledger()) == before
    assert search(index, "roses tulips") == ["roses"]
    writer.execute("PRAGMA max_page_count=1000000")
    index.apply(Batch(puts=(big,), model=make.model))
    assert len(search(index, "tulips")) == 10


def test_a_database_of_a_newer_version_is_not_changed(closed: Path) -> None:
    with closing(sqlite3.connect(closed / DATABASE)) as database:
        database.execute(f"PRAGMA user_version = {tables.SCHEMA_VERSION + 1}")
    for writable in (True, False):
        with pytest.raises(IndexFailure, match="newer version"):
            EmbeddedIndex.open(closed, writable=writable)
    assert (closed / DATABASE).exists()


def _overwrite(path: Path, at: int, length: int) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(os.urandom(length))


@pytest.mark.parametrize("harm", ["not a database", "truncated", "pages"])
def test_a_damaged_database_is_moved_aside_and_its_vectors_kept(
    closed: Path, make: Any, harm: str, caplog: pytest.LogCaptureFixture, search: Search
) -> None:
    path = closed / DATABASE
    if harm == "not a database":
        path.write_bytes(b"something else " * 1000)
    elif harm == "truncated":
        os.truncate(path, path.stat().st_size // 2)
    else:
        _overwrite(path, 100, 300)  # the schema's own page
    with pytest.raises(IndexDamagedError, match="notewell index"):
        EmbeddedIndex.open(closed, writable=False)
    with caplog.at_level(logging.WARNING):
        index = EmbeddedIndex.open(closed, writable=True)
    assert "moved to index.db.damaged-" in caplog.text
    index.use_model(make.model, make.dimensions)
    assert index.counts().notes == 0
    assert search(index, "note") == []
    assert index.vectors.count == 0
    puts = tuple(make.note(f"{n}.md", f"note {n} " + "word " * 200) for n in range(60))
    index.apply(Batch(puts=puts, model=make.model))
    assert len(search(index, "note")) == 10
    index.close()
    assert list(closed.glob("index.db.damaged-*"))


def test_readable_vectors_are_rescued(closed: Path, make: Any) -> None:
    """Pages of the notes are gone; what was embedded is not embedded again."""
    path = closed / DATABASE
    with closing(sqlite3.connect(path)) as database:
        (root,) = database.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'chunks'"
        ).fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    _overwrite(path, (root - 1) * size, size)
    index = EmbeddedIndex.open(closed, writable=True)
    index.use_model(None, 0)
    with pytest.raises(IndexDamagedError):
        index.chunks(list(range(1, 61)))
    index.close()
    again = EmbeddedIndex.open(closed, writable=True)
    again.use_model(make.model, make.dimensions)
    puts = tuple(make.note(f"{n}.md", f"note {n} " + "word " * 200) for n in range(60))
    assert again.apply(Batch(puts=puts, model=make.model)).reused == 60
    assert again.pending_count(make.model) == 0
    assert again.vectors.count == 60
    again.close()


def test_migrations_never_discard_vectors(closed: Path, make: Any) -> None:
    def step(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE notes ADD COLUMN mood TEXT")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "MIGRATIONS", (*tables.MIGRATIONS, step))
        patch.setattr(tables, "SCHEMA_VERSION", tables.SCHEMA_VERSION + 1)
        index = EmbeddedIndex.open(closed, writable=True)
        index.use_model(make.model, make.dimensions)
        assert index.vectors.count == 60
        assert index.pending_count(make.model) == 0
        index.close()


def test_a_failed_migration_leaves_the_schema_before_it(closed: Path) -> None:
    def step(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE notes ADD COLUMN mood TEXT")
        connection.execute("ALTER TABLE nothing ADD COLUMN mood TEXT")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "MIGRATIONS", (*tables.MIGRATIONS, step))
        patch.setattr(tables, "SCHEMA_VERSION", tables.SCHEMA_VERSION + 1)
        with pytest.raises(IndexFailure):
            EmbeddedIndex.open(closed, writable=True)
    index = EmbeddedIndex.open(closed, writable=True)
    assert index.counts().notes == 60
    index.close()


def test_threads_read_beside_the_writer(index: EmbeddedIndex, make: Any) -> None:
    index.apply(Batch(puts=(make.note("a.md", "one", "two"),), model=make.model))
    problems: list[object] = []

    def read() -> None:
        for _ in range(50):
            note = index.note_at("a.md")
            if note is None:
                problems.append("gone")
            else:
                chunks = index.chunks_of(note.id)
                if len({chunk.text.split()[-1] for chunk in chunks}) != 1 and len(chunks) != 2:
                    problems.append(chunks)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for turn in range(15):
        texts = [f"text {turn}" for _ in range(1 + turn % 3)]
        index.apply(Batch(puts=(make.note("a.md", *texts),), model=make.model))
    for thread in threads:
        thread.join()
    assert problems == []


def test_lone_surrogates_are_stored_as_question_marks(index: EmbeddedIndex, make: Any) -> None:
    index.apply(Batch(puts=(make.note("a.md", "text \ud800", title="t\udfff", tags=("x\ud801",)),)))
    note = index.note_at("a.md")
    assert note is not None
    assert (note.title, note.tags) == ("t?", ("x?",))
    assert index.chunks_of(note.id)[0].text == "text ?"


def test_a_path_that_is_no_unicode_fails_its_own_note_only(index: EmbeddedIndex, make: Any) -> None:
    index.apply(Batch(puts=(make.note("a.md", "one"), make.note("b\udcff.md", "two"))))
    assert list(index.manifest()) == ["a.md"]
    assert index.note_at("b\udcff.md") is None
    assert index.ledger(path="b\udcff.md") == ()


def test_properties_are_read_back_unchanged(index: EmbeddedIndex, make: Any) -> None:
    index.apply(Batch(puts=(make.note("a.md", "x"),)))
    note = index.note_at("a.md")
    assert note is not None
    assert note.properties == {"status": "draft", "nested": {"list": (1, 2.5, None, True)}}


def test_line_numbers_of_chunks_are_read_back(index: EmbeddedIndex, make: Any) -> None:
    index.apply(Batch(puts=(make.note("a.md", "x", "y"),)))
    (first, second) = index.chunks_of(1)
    assert (first.lines, second.lines) == ((1,), (2,))
    assert np.array_equal(index.note_ids_of(np.array([first.id, 999])), [1, -1])


def test_a_row_stream_closed_after_the_database_raises_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path, writable=True)
    rows = store.stream("SELECT key FROM meta")
    assert next(rows)
    store.close()

    rows.close()


def test_an_empty_database_is_not_an_index(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / DATABASE)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")

    with pytest.raises(NotFoundError, match="no index"):
        Store(tmp_path, writable=False)


_OLD_SCHEMA = 2  # the last without checksums of vectors


def _without_checksums(directory: Path) -> None:
    """Make the database what the version before checksums wrote."""
    with closing(sqlite3.connect(directory / DATABASE)) as database, database:
        database.execute("ALTER TABLE vectors DROP COLUMN checksum")
        for column in ("kept_title", "checksum", "passages_sum", "links_sum"):
            database.execute(f"ALTER TABLE notes DROP COLUMN {column}")
        for column in ("checksum", "shown"):
            database.execute(f"ALTER TABLE chunks DROP COLUMN {column}")
        database.execute(f"PRAGMA user_version = {_OLD_SCHEMA}")


def _change_vectors(directory: Path, changed: Callable[[bytes], bytes], count: int) -> None:
    """Change the first vectors of a closed index, as a failing disk does: without a trace."""
    with closing(sqlite3.connect(directory / DATABASE)) as database, database:
        for rowid, vector in database.execute(
            "SELECT rowid, vector FROM vectors ORDER BY rowid LIMIT ?", (count,)
        ).fetchall():
            database.execute(
                "UPDATE vectors SET vector = ? WHERE rowid = ?", (changed(vector), rowid)
            )


def _one_bit(vector: bytes) -> bytes:
    """The lowest bit of an exponent flipped: still finite, still of about the right length."""
    return vector[:1] + bytes([vector[1] ^ 0x04]) + vector[2:]


def _damage_the_schema(directory: Path) -> None:
    with closing(sqlite3.connect(directory / DATABASE)) as database:
        (root,) = database.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'chunks'"
        ).fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    _overwrite(directory / DATABASE, (root - 1) * size, size)
    (directory / "damaged").touch()  # as left by the process that noticed it


def _indexed_again(directory: Path, make: Any) -> EmbeddedIndex:
    index = EmbeddedIndex.open(directory, writable=True)
    index.use_model(make.model, make.dimensions)
    puts = tuple(make.note(f"{n}.md", f"note {n} " + "word " * 200) for n in range(60))
    index.apply(Batch(puts=puts, model=make.model))
    return index


def test_a_vector_with_a_flipped_bit_is_not_rescued(closed: Path, make: Any) -> None:
    _change_vectors(closed, _one_bit, 5)
    _damage_the_schema(closed)
    index = _indexed_again(closed, make)
    assert index.vectors.count == 55
    assert index.pending_count(make.model) == 5
    make.embed(index)
    vectors = index.vectors_in_use(make.model, 100)
    for text_hash, vector in (pair for batch in vectors for pair in batch):
        assert vector == make.vector(text_hash).astype(np.float16).tobytes()
    index.close()


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 3.0])
def test_without_checksums_invalid_vectors_are_not_rescued(
    closed: Path, make: Any, wrong: float
) -> None:
    _without_checksums(closed)
    _change_vectors(closed, lambda v: np.float16(wrong).tobytes() + v[2:], 5)
    _damage_the_schema(closed)
    index = _indexed_again(closed, make)
    assert (index.vectors.count, index.pending_count(make.model)) == (55, 5)
    index.close()


def test_a_database_without_checksums_gets_them_and_keeps_its_vectors(
    closed: Path, make: Any, search: Search
) -> None:
    _without_checksums(closed)
    _change_vectors(closed, lambda v: np.float16(np.nan).tobytes() + v[2:], 1)
    for snapshot in closed.glob("vectors-*.snapshot"):
        snapshot.unlink()
    reader = EmbeddedIndex.open(closed, writable=False)  # also a reader brings it up to date
    reader.use_model(make.model, make.dimensions)
    assert reader.vectors.count == 59
    reader.close()
    index = EmbeddedIndex.open(closed, writable=True)
    index.use_model(make.model, make.dimensions)
    assert index.counts().ledger["keyword_only"] == 1
    assert make.embed(index) == 1
    assert index.vectors.count == 60
    assert index.counts().ledger["indexed"] == 60
    index.close()


def test_a_vector_damaged_on_disk_is_embedded_again(closed: Path, make: Any) -> None:
    _change_vectors(closed, _one_bit, 3)
    for snapshot in closed.glob("vectors-*.snapshot"):
        snapshot.unlink()
    index = EmbeddedIndex.open(closed, writable=True)
    index.use_model(make.model, make.dimensions)
    assert index.vectors.count == 57
    assert index.pending_count(make.model) == 3
    assert index.generation == index.counts().generation
    assert make.embed(index) == 3
    assert index.vectors.count == 60
    index.close()


def test_a_damaged_vector_is_not_reused_for_a_new_note(closed: Path, make: Any) -> None:
    index = EmbeddedIndex.open(closed, writable=True)
    index.use_model(make.model, make.dimensions)
    index.apply(Batch(removes=tuple(f"{n}.md" for n in range(60)), model=make.model))
    _change_vectors(closed, _one_bit, 2)
    puts = tuple(make.note(f"{n}.md", f"note {n} " + "word " * 200) for n in range(60))
    assert index.apply(Batch(puts=puts, model=make.model)).reused == 58
    assert make.embed(index) == 2
    index.close()


def _picture(directory: Path, make: Any, search: Search) -> tuple[object, ...]:
    """What searches of an index answer, with all scores."""
    index = EmbeddedIndex.open(directory, writable=False)
    index.use_model(make.model, make.dimensions)
    near = index.vectors.search(make.vector(b"anything"), limit=60)
    found = search(index, "note 7")
    index.close()
    return near.chunk_ids.tolist(), near.scores.tolist(), found


@pytest.mark.parametrize("damage", ["some bits", "a page", "the end", "everything"])
def test_damaged_snapshots_change_no_answer(
    closed: Path, make: Any, search: Search, damage: str
) -> None:
    expected = _picture(closed, make, search)
    files = sorted(closed.glob("*.snapshot"))
    assert len(files) >= 3
    for file in files:
        whole = file.read_bytes()
        flipped = bytearray(whole)
        for at in range(len(whole) // 2, len(whole), 61):
            flipped[at] ^= 4
        changed = {
            "some bits": bytes(flipped),
            "a page": whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2),
            "the end": whole[:-1],
            "everything": bytes(len(whole)),
        }
        file.write_bytes(changed[damage])
    assert _picture(closed, make, search) == expected
    EmbeddedIndex.open(closed, writable=True).close()
    assert _picture(closed, make, search) == expected
