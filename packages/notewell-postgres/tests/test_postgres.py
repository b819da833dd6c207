"""What the PostgreSQL engine promises beyond the port: one writer, many readers, other vaults."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from notewell.base.errors import IndexInUseError, NotFoundError
from notewell.base.types import Batch, VectorPut
from notewell.index.analyze import tokens
from notewell.index.lexical import QueryTerm
from notewell.index.note_segments import Segment
from notewell.index.port import IndexReader
from notewell_postgres import used_model, vectors
from notewell_postgres.address import DatabaseAddress, parse
from notewell_postgres.connection import Database, DatabaseGoneError
from notewell_postgres.index import PostgresIndex
from notewell_postgres.lease import LostLeaseError
from notewell_postgres.opening import delete_at, open_at
from tests import postgres_server
from tests.index.conftest import Material
from tests.postgres_server import Server

Open = Callable[..., PostgresIndex]


@pytest.fixture
def address(postgres: Server, tmp_path: Path) -> DatabaseAddress:
    return replace(parse(postgres.url())[0], vault=str(tmp_path))


@pytest.fixture
def opened(postgres: Server, address: DatabaseAddress) -> Iterator[Open]:
    """Opens the vault of this test, as another server would; all are closed at the end."""
    indexes: list[PostgresIndex] = []

    def opener(*, writable: bool = True, at: DatabaseAddress = address) -> PostgresIndex:
        index = open_at(at, postgres.password, writable=writable)
        indexes.append(index)
        return index

    yield opener
    for index in indexes:
        index.close()
    delete_at(address, postgres.password)


def texts(index: IndexReader, query: str) -> list[str]:
    terms = [QueryTerm(token) for token in tokens(query)]
    hits = index.keywords.search(terms, limit=10)
    found = index.chunks(hits.chunk_ids.tolist())
    return [found[each].text for each in hits.chunk_ids.tolist()]


def put(index: PostgresIndex, make: Material, path: str, *passages: str) -> None:
    index.apply(Batch(puts=(make.note(path, *passages),), model=make.model))


def end_connections(server: Server, vault: str) -> None:
    """End the writer's connection, as a network does."""
    postgres_server.sql(
        server,
        "SELECT pg_terminate_backend(holder_pid, 5000) FROM notewell.vaults"
        f" WHERE name = '{vault}'",
    )


# --- one writer ---------------------------------------------------------------------------------


def test_one_server_writes_and_others_read_what_it_writes(
    postgres: Server, address: DatabaseAddress, opened: Open, make: Material
) -> None:
    writer = opened()
    put(writer, make, "A.md", "the kettle boils")
    reader = opened(writable=False)
    assert texts(reader, "kettle") == ["the kettle boils"]
    assert reader.graph.edge_count == 0

    with pytest.raises(IndexInUseError, match="writes the index"):
        open_at(address, postgres.password, writable=True)
    writer.apply(Batch(puts=(make.note("B.md", "a kettle", links=["C"]), make.note("C.md", "tea"))))
    writer.apply(Batch(removes=("A.md",)))

    assert reader.refresh()
    assert not reader.refresh()
    assert texts(reader, "kettle") == ["a kettle"]
    assert (reader.graph.edge_count, reader.keywords.document_count) == (1, 2)
    writer.close()
    put(opened(), make, "D.md", "another kettle")


def test_a_lost_connection_is_replaced_where_nobody_else_wrote(
    postgres: Server, address: DatabaseAddress, opened: Open, make: Material
) -> None:
    writer = opened()
    put(writer, make, "A.md", "apple")

    end_connections(postgres, address.vault)

    put(writer, make, "B.md", "birch")
    assert [note.path for note in writer.all_notes()] == ["A.md", "B.md"]


def test_a_writer_that_was_overtaken_never_writes(
    postgres: Server, address: DatabaseAddress, opened: Open, make: Material
) -> None:
    first = opened()
    put(first, make, "A.md", "apple")
    end_connections(postgres, address.vault)
    second = opened()
    put(second, make, "B.md", "birch")

    with pytest.raises(IndexInUseError):
        put(first, make, "C.md", "cedar")
    second.close()
    with pytest.raises(LostLeaseError):
        put(first, make, "C.md", "cedar")
    with pytest.raises(LostLeaseError):
        first.set_meta("colour", "green")

    assert [note.path for note in opened().all_notes()] == ["A.md", "B.md"]


def test_a_lease_that_ran_out_is_taken_over_though_its_connection_seems_alive(
    postgres: Server, address: DatabaseAddress, opened: Open, make: Material
) -> None:
    first = opened()
    past = f"UPDATE notewell.vaults SET lease_until = now() - interval '1 s' WHERE name = '{address.vault}'"
    postgres_server.sql(postgres, past)

    second = opened()

    put(second, make, "B.md", "birch")
    with pytest.raises(IndexInUseError):
        put(first, make, "A.md", "apple")
    assert [note.path for note in second.all_notes()] == ["B.md"]


def test_a_server_that_was_killed_comes_back_with_all_that_was_committed(
    postgres: Server, make: Material
) -> None:
    server = postgres_server.start(
        postgres.data.parent.with_name(f"{postgres.data.parent.name}-own"),
        {"synchronous_commit": "on"},
    )
    try:
        address = replace(parse(server.url())[0], vault="v")
        with closing(open_at(address, server.password, writable=True)) as index:
            put(index, make, "A.md", "the kettle boils")
            assert texts(index, "kettle") == ["the kettle boils"]

            postgres_server.kill(server)
            with pytest.raises(DatabaseGoneError, match="does not answer"):
                index.note_at("A.md")
            with pytest.raises(DatabaseGoneError, match="does not answer"):
                put(index, make, "B.md", "birch")
            postgres_server.resume(server)

            assert texts(index, "kettle") == ["the kettle boils"]
            put(index, make, "B.md", "birch")
            assert [note.path for note in index.all_notes()] == ["A.md", "B.md"]
    finally:
        postgres_server.stop(server)
        shutil.rmtree(server.data.parent, ignore_errors=True)


# --- other vaults, other roles ------------------------------------------------------------------


def test_roles_see_the_vaults_that_they_or_their_groups_made(
    postgres: Server, address: DatabaseAddress, opened: Open, make: Material
) -> None:
    put(opened(), make, "A.md", "secret kettle")
    postgres_server.sql(
        postgres,
        f"CREATE ROLE stranger LOGIN PASSWORD '{postgres.password}'",
        "GRANT USAGE ON SCHEMA notewell TO stranger",
        "GRANT SELECT ON ALL TABLES IN SCHEMA notewell TO stranger",
    )
    stranger = replace(address, user="stranger")
    with pytest.raises(NotFoundError):
        open_at(stranger, postgres.password, writable=False)

    postgres_server.sql(postgres, "GRANT notewell TO stranger")

    assert texts(opened(writable=False, at=stranger), "kettle") == ["secret kettle"]


def test_vaults_of_one_database_do_not_mix(
    postgres: Server, address: DatabaseAddress, opened: Open, make: Material
) -> None:
    put(opened(), make, "A.md", "first kettle")
    other = replace(address, vault=f"{address.vault}-other")
    index = opened(at=other)
    put(index, make, "A.md", "second kettle", "and more")

    assert texts(index, "kettle") == ["second kettle"]
    assert index.keywords.document_frequency("kettle") == 1
    index.close()
    delete_at(other, postgres.password)
    assert texts(opened(writable=False), "kettle") == ["first kettle"]


# --- starts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("changed", [2, 30])
def test_a_start_reads_what_was_stored_and_what_changed_since(
    postgres: Server,
    opened: Open,
    make: Material,
    monkeypatch: pytest.MonkeyPatch,
    changed: int,
) -> None:
    writer = opened()
    notes = [make.note(f"{n}.md", f"kettle word{n}", links=[str(n + 1)]) for n in range(40)]
    writer.apply(Batch(puts=tuple(notes), model=make.model))
    assert _state(writer)[0] == 40  # it is made by the first search, and stored
    writer.close()

    writer = opened()
    puts = tuple(make.note(f"{n}.md", f"pot word{n}", links=["7"]) for n in range(changed))
    writer.apply(Batch(puts=(*puts, make.note("New.md", "pot", links=["3"])), model=make.model))
    writer.apply(Batch(removes=("35.md",), model=make.model))
    writer.close()
    read: list[int] = []
    of = Segment.of
    monkeypatch.setattr(Segment, "of", lambda rows: read.append(len(rows)) or of(rows))

    once_more = _state(opened(writable=False))
    assert read == [3 if changed == 2 else 40]  # the notes that changed, or all
    postgres_server.sql(postgres, "DELETE FROM notewell.arrays")
    assert _state(opened(writable=False)) == once_more
    assert once_more[0] == 40


def _state(index: PostgresIndex) -> tuple[object, ...]:
    """What is held of an index: its passages, where words and links lead."""
    notes = {note.path: note.id for note in index.all_notes()}
    words = ("kettle", "pot", "word1", "word35")
    return (
        index.keywords.document_count,
        [texts(index, word) for word in words],
        [index.keywords.notes_with_all([word]).tolist() for word in words],
        [index.keywords.note_frequency(word) for word in words],
        {path: sorted(index.graph.backlinks(note)) for path, note in notes.items()},
        index.graph.edge_count,
    )


# --- postings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("other_vaults", [False, True])
def test_what_is_written_at_once_is_what_was_written_note_by_note(
    postgres: Server, address: DatabaseAddress, opened: Open, make: Material, other_vaults: bool
) -> None:
    at = replace(address, schema="ordered")
    other = replace(at, vault=f"{at.vault}-other")
    if other_vaults:
        opened(at=other).close()
    index = opened(at=at)
    for number in range(15):
        text = f"note {number} of kettles\n\nPart of the big handbook"
        put(index, make, f"{number}.md", text, "more\n\nPart of the big handbook")
    index.apply(Batch(removes=("3.md",), model=make.model))
    before = _written(postgres, at)

    with index.filling():
        pass

    assert _written(postgres, at) == before
    assert len(before[-1][0][0]) > 0  # a line is one of a template
    assert len(index.keywords.chunks_with(["kettles"])) == 14
    index.close()
    for each in (at, other):
        delete_at(each, postgres.password)


def _written(server: Server, at: DatabaseAddress) -> list[list[tuple[object, ...]]]:
    """What words find, as the tables have it; and the names of their indexes."""
    tables = (
        "SELECT token, note_id, places FROM postings WHERE vault_id = $1 ORDER BY 1, 2",
        "SELECT * FROM terms WHERE vault_id = $1 ORDER BY token",
        "SELECT chunk_id, note_id, lengths, words FROM documents WHERE vault_id = $1 ORDER BY 1",
        "SELECT note_id, terms, lines FROM note_terms WHERE vault_id = $1 ORDER BY 1",
        (
            "SELECT indexrelid::regclass::text FROM pg_index"
            " WHERE indrelid = 'postings'::regclass AND $1::int > 0 ORDER BY 1"
        ),
        "SELECT template FROM vaults WHERE id = $1",
    )
    with closing(Database(at, server.password)) as database:
        ((vault,),) = database.read("SELECT id FROM vaults WHERE name = $1", at.vault)
        return [[tuple(row) for row in database.read(ask, vault)] for ask in tables]


# --- text and vectors ---------------------------------------------------------------------------


def test_what_text_of_the_database_cannot_hold_is_replaced(opened: Open, make: Material) -> None:
    index = opened()

    put(index, make, "A.md", "null \x00 byte and \ud800 half a character")
    put(index, make, "\ud800.md", "no such file")

    [note] = index.all_notes()
    assert index.chunks_of(note.id)[0].text == "null \ufffd byte and ? half a character"
    assert texts(index, "null byte") == ["null \ufffd byte and ? half a character"]
    assert index.note_at("\ud800.md") is None


def test_the_approximate_index_finds_what_an_exact_search_does(
    opened: Open, make: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (vectors, used_model):
        monkeypatch.setattr(module, "EXACT_LIMIT", 100)
    index = opened()
    index.use_model(make.model, make.dimensions)
    names = [f"{number}.md" for number in range(400)]
    index.apply(Batch(puts=tuple(make.note(name, name) for name in names), model=make.model))
    pending = index.pending_texts(make.model, 1000)
    puts = [VectorPut(each.text_hash, make.vector(each.text_hash)) for each in pending]
    index.store_vectors(make.model, puts)
    queries = [make.vector(bytes([number]) * 16) for number in range(20)]
    exact = [index.vectors.search(query, limit=10) for query in queries]
    assert not index.vectors.is_approximate

    index.save()
    index.refresh()
    put(index, make, "more.md", "more")

    assert index.vectors.is_approximate
    found = [index.vectors.search(query, limit=10) for query in queries]
    same = [np.isin(a.chunk_ids, b.chunk_ids).mean() for a, b in zip(exact, found, strict=True)]
    assert np.mean(same) >= 0.99
    assert found[0].scores == pytest.approx(exact[0].scores, abs=1e-6)
    assert found[0].mean == pytest.approx(exact[0].mean, abs=0.01)
    few = np.array([note.id for note in index.all_notes()[5:300:40]], np.int64)
    narrowed = index.vectors.search(queries[0], limit=10, notes=few)
    assert len(narrowed.chunk_ids) == len(few) == narrowed.searched
    also = index.vectors.search(queries[0], limit=3, also=few)
    assert set(narrowed.chunk_ids.tolist()) <= set(also.chunk_ids.tolist())
