"""An index moves to PostgreSQL and back; what stands in the way is said, and changes nothing."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from notewell.base.errors import AccessError, ConfigError, IndexFailure, ModelError, NotewellError
from notewell.base.types import Batch, LedgerEntry
from notewell.engine.feature import engines
from notewell.features import FEATURES
from notewell.index.engines import delete_index, engine_of, open_index
from notewell.index.link_graph import LinkGraph
from notewell.index.note_segments import Segment
from notewell.index.port import IndexReader
from notewell_postgres import schema
from notewell_postgres.address import parse
from notewell_postgres.connection import Database
from notewell_postgres.engine import (
    database_address,
    move_to_database,
    move_to_folder,
    use_database,
)
from tests import postgres_server
from tests.index.conftest import Material
from tests.postgres_server import Server

ADDED = engines(FEATURES)


@pytest.fixture
def folder(tmp_path: Path, make: Material) -> Iterator[Path]:
    """The folder of an embedded index with notes, vectors of two models, and ledger entries."""
    directory = tmp_path / "index"
    with closing(open_index(directory, writable=True, added=ADDED)) as index:
        index.use_model(make.other_model, make.dimensions)
        first = make.note("A.md", "apple pie", "and cream", header="Kitchen", links=["B", "C"])
        index.apply(Batch(puts=(first,), model=make.other_model))
        make.embed(index, make.other_model)
        index.use_model(make.model, make.dimensions)
        notes = (
            replace(first, kept_title="Once"),
            make.note("B.md", "birch", aliases=["Tree"], tags=["wood"]),
            make.note("Empty.md"),
        )
        failed = LedgerEntry("D.pdf", "failed", reason="damaged", attempts=2)
        index.apply(Batch(puts=notes, ledger=(failed,), model=make.model))
        make.embed(index)
        index.apply(Batch(removes=("gone.md",), puts=(make.note("E.md", "new"),), model=make.model))
        index.set_meta("colour", "green")
    yield directory
    if engine_of(directory, ADDED) == "postgres":
        delete_index(directory, added=ADDED)


def content(index: IndexReader) -> object:
    """All that is to be the same after a move, without the numbers that an engine gives."""
    notes = [
        (replace(note, id=0), [replace(c, id=0, note_id=0) for c in index.chunks_of(note.id)])
        for note in index.all_notes()
    ]
    links = [[link for link, _ in index.graph.links_out(note.id)] for note in index.all_notes()]
    models = [(each.key, each.dimensions, each.answering) for each in index.stats().models]
    vectors = [sorted(chain.from_iterable(index.all_vectors(key, 2))) for key, _, _ in models]
    manifest = {path: replace(entry, note_id=0) for path, entry in index.manifest().items()}
    titles = {path: entry.kept_title for path, entry in index.manifest().items()}
    headers = list(index.passages())
    return (
        notes,
        links,
        models,
        vectors,
        manifest,
        titles,
        headers,
        index.ledger(),
        index.all_meta(),
    )


def read(directory: Path) -> object:
    with closing(open_index(directory, writable=False, added=ADDED)) as index:
        return content(index)


def nothing(_: str) -> None:
    """Say nothing."""


def test_an_index_moves_there_and_back_and_nothing_is_embedded(
    postgres: Server, folder: Path, make: Material
) -> None:
    before = read(folder)

    there = move_to_database(folder, postgres.url(), str(folder.parent), say=nothing, keep=False)

    assert (there.notes, there.chunks, there.vectors) == (4, 4, 5)
    assert database_address(folder) == postgres.url(more=f"&vault={folder.parent}")
    assert [file.name for file in folder.iterdir()] == ["postgres.json"]
    assert read(folder) == before
    with closing(open_index(folder, writable=True, added=ADDED)) as index:
        index.use_model(make.model, make.dimensions)
        assert [each.text for each in index.pending_texts(make.model, 9)] == ["new"]
        assert index.vectors.count == 3

    back = move_to_folder(folder, say=nothing, keep=False)

    assert back == there
    assert engine_of(folder, ADDED) == "embedded"
    assert read(folder) == before
    with pytest.raises(NotewellError, match="no index"):
        use_database(folder.parent / "other", postgres.url(), str(folder.parent))


def test_a_move_stores_what_searches_need_of_all_notes(
    postgres: Server, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    move_to_database(folder, postgres.url(), str(folder.parent), say=nothing, keep=False)
    for made_of_all_notes in (Segment, LinkGraph):
        monkeypatch.setattr(made_of_all_notes, "of", None)

    with closing(open_index(folder, writable=False, added=ADDED)) as index:
        assert len(index.keywords.notes_with_all(["apple"])) == 1
        assert index.graph.edge_count == 1


def test_tables_of_an_earlier_version_are_brought_up_to_date_and_deleted_whole(
    postgres: Server, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read(folder)
    place = f"earlier_{os.getpid()}"
    url = postgres.url(more=f"&schema={place}")
    with monkeypatch.context() as older:
        older.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        move_to_database(folder, url, str(folder.parent), say=nothing, keep=False)

    open_index(folder, writable=True, added=ADDED).close()

    assert read(folder) == before
    assert set(rows_left(postgres, place).values()) != {0}
    delete_index(folder, added=ADDED)
    assert set(rows_left(postgres, place).values()) == {0}


def rows_left(postgres: Server, place: str) -> dict[str, int]:
    """The number of rows in each table of a schema, which row-level security would hide."""
    address, _ = parse(postgres.url(user=postgres.administrator))
    with closing(Database(address, postgres.password)) as database:
        tables = database.read(
            "SELECT tablename FROM pg_tables WHERE schemaname = $1"
            " AND tablename NOT IN ('migrations', 'models')",
            place,
        )
        return {
            name: database.read(f'SELECT count(*) FROM "{place}"."{name}"')[0][0]
            for (name,) in tables
        }


def test_another_computer_uses_the_index_that_is_there(
    postgres: Server, folder: Path, tmp_path: Path
) -> None:
    vault = str(tmp_path)
    move_to_database(folder, postgres.url(), vault, say=nothing, keep=False)
    other = tmp_path / "other"

    use_database(other, postgres.url(), vault)

    assert read(other) == read(folder)
    elsewhere = tmp_path / "third"
    open_index(elsewhere, writable=True, added=ADDED).close()
    with pytest.raises(IndexFailure, match="already"):
        move_to_database(elsewhere, postgres.url(), vault, say=nothing, keep=False)


def test_a_move_that_is_stopped_changes_nothing_and_can_be_repeated(
    postgres: Server, folder: Path
) -> None:
    before = read(folder)

    def stop(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move_to_database(folder, postgres.url(), str(folder.parent), say=stop, keep=False)
    assert engine_of(folder, ADDED) == "embedded"
    assert read(folder) == before

    move_to_database(folder, postgres.url(), str(folder.parent), say=nothing, keep=False)
    with pytest.raises(KeyboardInterrupt):
        move_to_folder(folder, say=stop, keep=False)
    assert engine_of(folder, ADDED) == "postgres"
    assert read(folder) == before
    assert [file.name for file in folder.iterdir()] == ["postgres.json"]


def test_what_does_not_fit_is_said_and_the_index_stays(
    postgres: Server, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read(folder)
    postgres_server.sql(postgres, "CREATE DATABASE bare OWNER notewell", database="postgres")
    wrong = postgres.url().replace("notewell@", "notewell:not-the-one@")
    cases: list[tuple[str, type[NotewellError], str]] = [
        (wrong, AccessError, "refused the password"),
        (postgres.url(database="bare"), IndexFailure, "lacks pgvector"),
        (postgres.url(database="absent"), ConfigError, "no such database"),
        (postgres.url(more="&colour=red"), ConfigError, "not valid"),
        (postgres.url().replace(str(postgres.port), "1"), IndexFailure, "does not answer"),
    ]
    for url, error, message in cases:
        with pytest.raises(error, match=message) as raised:
            move_to_database(folder, url, "v", say=nothing, keep=False)
        assert "not-the-one" not in raised.value.message
    monkeypatch.setattr(schema, "LEAST_SERVER", 99)
    with pytest.raises(IndexFailure, match="needs 99 or newer"):
        move_to_database(folder, postgres.url(), "v", say=nothing, keep=False)

    assert engine_of(folder, ADDED) == "embedded"
    assert read(folder) == before


def test_too_many_dimensions_are_refused(postgres: Server, tmp_path: Path, make: Material) -> None:
    directory = tmp_path / "index"
    with closing(open_index(directory, writable=True, added=ADDED)) as index:
        index.use_model(make.model, 4_001)

    with pytest.raises(ModelError, match="4000 at most"):
        move_to_database(directory, postgres.url(), str(tmp_path), say=nothing, keep=False)

    assert engine_of(directory, ADDED) == "embedded"


def test_the_password_is_in_no_file_and_no_log(
    postgres: Server,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.delenv("NOTEWELL_POSTGRES_PASSWORD")
    url = postgres.url().replace("notewell@", f"notewell:{postgres.password}@")
    said: list[str] = []

    move_to_database(folder, url, str(folder.parent), say=said.append, keep=True)

    files = [file for file in folder.rglob("*") if file.is_file()]
    assert folder / "postgres.json" in files
    assert all(postgres.password.encode() not in file.read_bytes() for file in files)
    assert postgres.password not in caplog.text + "".join(said) + str(database_address(folder))
    monkeypatch.setenv("NOTEWELL_POSTGRES_PASSWORD", postgres.password)
