"""Both persistent engines give the same results for the same query."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import notewell.doors.sample
from notewell.base.types import ModelRules, VaultRecord
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.feature import engines
from notewell.features import FEATURES
from notewell.index.engines import delete_index
from notewell_postgres.engine import move_to_database
from tests.engine.same_ranking import alike, ranked
from tests.postgres_server import Server
from tests.tiny_model import write_tiny_model
from tests.vaults import settings_in

ADDED = engines(FEATURES)

QUERIES = (
    "slugs at night",
    "what to write about the day",
    "book review",
    '"the day"',
    "template -daily",
    "path:a note",
    "tag:garden water OR light",
    "notez links",
    "wri",
    "the of and",
    "how do i keep notes on people and places that i have seen",
)
MODES = ("hybrid", "keyword", "semantic")


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(params=["sample", "kepano"])
def notes(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "sample":
        source = Path(notewell.doors.sample.__file__).parent / "vault"
    else:
        source = request.getfixturevalue("shared_data")("kepano")
    shutil.copytree(source, tmp_path / "vault")
    return tmp_path / "vault"


@pytest.fixture
def engines(
    notes: Path, tmp_path: Path, weights: Path, postgres: Server
) -> Iterator[tuple[Engine, Engine]]:
    """The vault on the embedded engine, and on PostgreSQL."""
    rules = ModelRules(name="tiny", folder=str(weights), quantisation="fp32", threads=1)
    settings = settings_in(
        tmp_path,
        model=rules,
    )
    record = VaultRecord("v1", "vault", notes)
    first, second = tmp_path / "first", tmp_path / "second"
    with ExitStack() as stack:
        engine = Engine.open(record, first, settings, writable=True, features=FEATURES)
        engine.index_now()
        engine.close()
        shutil.copytree(first, second)
        move_to_database(second, postgres.url(), str(tmp_path), say=lambda _: None, keep=False)
        stack.callback(delete_index, second, added=ADDED)
        opened = []
        for folder in (first, second):
            engine = Engine.open(record, folder, settings, writable=True, features=FEATURES)
            stack.callback(engine.close)
            engine.wait_for_model()
            opened.append(engine)
        yield opened[0], opened[1]


def test_the_same_query_gives_the_same_ranking(engines: tuple[Engine, Engine]) -> None:
    """The best ten by path and score; equal scores may change places."""
    different = []
    asked = [(query, mode) for query in QUERIES for mode in MODES]
    asked += [(title, "hybrid") for title in _titles(engines[0])]
    for query, mode in asked:
        request = SearchRequest(query, mode=mode, weak=True, limit=10)
        one, other = (ranked(engine, request) for engine in engines)
        if not alike(one, other):
            different.append((query, mode, one, other))
    assert different == []


def _titles(engine: Engine) -> list[str]:
    """Some names of notes, of which people search most."""
    titles = sorted({Path(passage.path).stem for passage in engine.passages()})
    return titles[:: len(titles) // 4]
