"""An index of a format before this one: brought up to date, or left as it was.

`formats/schema-2.tar.gz` was written by the program of commit 5becc33 (schema 2, keyword index 5),
`schema-4.tar.gz` by that of 643ac42, `schema-5.tar.gz` by that of 330381a, and `schema-6.tar.gz` by
that of de6475d: three notes, indexed with the tiny model. A new format gets a file of its own.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from notewell.base.errors import IndexDamagedError, IndexFailure
from notewell.base.types import ModelRules, Settings, VaultRecord
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.index import engines
from notewell.index.embedded import EmbeddedIndex, tables
from notewell.index.embedded.store import DATABASE
from notewell.index.stored_text import pack_shown
from notewell.models.loading import load_embedder
from tests.doors.cli.support import NOTES, write_notes
from tests.tiny_model import write_tiny_model
from tests.unpacking import unpack
from tests.vaults import settings_in

FORMATS = Path(__file__).parent / "formats"
BEFORE = (2, 4, 5, 6)
VAULT_ID = "40a78f33a5f1"
QUERIES = ("bees", "warm compost", "music")

Opened = Callable[[Path], Engine]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    weights = write_tiny_model(tmp_path / "weights")
    return settings_in(
        tmp_path,
        model=ModelRules(name="tiny", folder=str(weights), quantisation="fp32", threads=1),
    )


@pytest.fixture(params=BEFORE)
def schema(request: pytest.FixtureRequest) -> int:
    """A schema before this one."""
    return int(request.param)


@pytest.fixture
def before(tmp_path: Path, settings: Settings, schema: int) -> Path:
    """An index of a format before, of the model that this test has."""
    folder = tmp_path / "before"
    unpack(FORMATS / f"schema-{schema}.tar.gz", folder)
    embedder = load_embedder(
        settings.model,
        model_dir=settings.model_dir,
        offline=True,
        fetch_missing=False,
        say=lambda _: None,
    )
    with closing(sqlite3.connect(folder / DATABASE)) as database, database:
        assert database.execute("PRAGMA user_version").fetchone() == (schema,)
        database.execute("UPDATE models SET weights_hash = ?", (embedder.key.weights_hash,))
    embedder.close()
    return folder


@pytest.fixture
def opened(tmp_path: Path, settings: Settings) -> Iterator[Opened]:
    record = VaultRecord(VAULT_ID, "Notes", write_notes(tmp_path / "Notes", NOTES))
    engines: list[Engine] = []

    def open_engine(directory: Path) -> Engine:
        engines.append(Engine.open(record, directory, settings, writable=True, features=FEATURES))
        return engines[-1]

    yield open_engine
    for engine in engines:
        engine.close()


def found(engine: Engine) -> dict[str, list[tuple[str, float]]]:
    requests = {query: SearchRequest(query, limit=10, weak=True) for query in QUERIES}
    return {
        query: [(each.path, round(each.score, 5)) for each in engine.search(request).results]
        for query, request in requests.items()
    }


def test_an_upgrade_keeps_every_vector(before: Path, tmp_path: Path, opened: Opened) -> None:
    engine = opened(before)
    report = engine.index_now()

    assert (report.notes, report.embedded, report.failed) == (3, 0, 0)
    assert engine.status().semantic == "ready"
    fresh = opened(tmp_path / "fresh")
    assert fresh.index_now().embedded == 3
    assert found(engine) == found(fresh)
    with closing(sqlite3.connect(before / DATABASE)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (tables.SCHEMA_VERSION,)


def test_an_upgrade_works_out_what_passages_show(before: Path) -> None:
    with closing(EmbeddedIndex.open(before, writable=True)) as index:
        for note in index.all_notes():
            for passage in index.chunks_of(note.id):
                names = (note.title, *passage.headings[-1:])
                assert passage.shown == pack_shown(passage.text, names, passage.lines)


def test_an_upgrade_of_a_passage_without_its_note_says_that_it_is_damaged(before: Path) -> None:
    with closing(sqlite3.connect(before / DATABASE)) as database, database:
        database.execute("UPDATE chunks SET note_id = 99 WHERE note_id = 1")
    with pytest.raises(IndexDamagedError):
        EmbeddedIndex.open(before, writable=False)


def test_a_reader_upgrades_it_too(before: Path, opened: Opened) -> None:
    with closing(EmbeddedIndex.open(before, writable=False)) as index:
        assert {note.path for note in index.all_notes()} == set(NOTES)
    assert opened(before).index_now().embedded == 0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ("UPDATE notes SET title = 'Cite' WHERE title = 'City'", "a note"),
        ("""UPDATE chunks SET headings = '["Lives"]' WHERE headings = '["Hives"]'""", "a passage"),
        ("DELETE FROM chunks WHERE note_id = 1", "a note"),
    ],
)
def test_an_upgrade_gives_every_row_its_checksum(before: Path, changed: str, said: str) -> None:
    EmbeddedIndex.open(before, writable=True).close()
    engines.check_notes(before)
    with closing(sqlite3.connect(before / DATABASE)) as database, database:
        assert database.execute(changed).rowcount == 1
    with pytest.raises(IndexDamagedError, match=said):
        engines.check_notes(before)


@pytest.mark.parametrize("writable", [True, False])
def test_a_downgrade_says_so_and_loses_nothing(
    before: Path, opened: Opened, schema: int, monkeypatch: pytest.MonkeyPatch, writable: bool
) -> None:
    engine = opened(before)
    engine.index_now()
    results = found(engine)
    engine.close()
    content = hashlib.sha256((before / DATABASE).read_bytes()).digest()
    with monkeypatch.context() as older:
        older.setattr(tables, "SCHEMA_VERSION", schema)
        older.setattr(tables, "MIGRATIONS", tables.MIGRATIONS[:schema])
        with pytest.raises(IndexFailure, match="newer version of Notewell") as error:
            EmbeddedIndex.open(before, writable=writable)
        assert error.value.code == "index_too_new"

    assert hashlib.sha256((before / DATABASE).read_bytes()).digest() == content
    again = opened(before)
    assert again.index_now().embedded == 0
    assert found(again) == results
