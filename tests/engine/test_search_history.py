"""The log of searches, and the effect of verdicts, on a real index."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.errors import NotFoundError, QueryLogOffError
from notewell.base.querylog import NAME
from notewell.base.types import LogRules, Settings, VaultRecord
from notewell.contract.search import SearchReply, SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from tests.vaults import settings_in

NOTES = {
    "Bees.md": "Bees find their way home by the sun.\n",
    "Wasps.md": "Wasps and bees do not share a home.\n",
    "Garden/Compost.md": "Compost is warm, bees like it.\n",
}
Open = Callable[..., Engine]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    for path, text in NOTES.items():
        file = tmp_path / "vault" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path / "vault"


@pytest.fixture
def open_engine(vault: Path, tmp_path: Path) -> Iterator[Open]:
    opened: list[Engine] = []

    def opener(
        *, queries: bool = True, writable: bool = True, data_dir: Path = tmp_path / "data"
    ) -> Engine:
        settings = Settings(
            data_dir=data_dir,
            model_dir=tmp_path / "models",
            state_dir=tmp_path / "state",
            offline=True,
            log=LogRules(queries=queries),
        )
        record = VaultRecord("v1", "vault", vault)
        index = tmp_path / "data" / "vaults" / "v1"
        opened.append(Engine.open(record, index, settings, writable=writable, features=FEATURES))
        if writable:
            opened[-1].index_now()
        return opened[-1]

    yield opener
    for engine in opened:
        engine.close()


def ask(engine: Engine, query: str, *, door: str | None = "http", limit: int = 10) -> SearchReply:
    return engine.search(SearchRequest(query, limit=limit, mode="keyword", door=door))


def paths(reply: SearchReply) -> list[str]:
    return [result.path for result in reply.results]


def test_a_search_is_logged_with_its_first_results(open_engine: Open) -> None:
    engine = open_engine()

    reply = ask(engine, "bees home")
    [entry] = engine.history.log(limit=10).entries

    assert entry.query_id == reply.query_id
    assert (entry.query, entry.door, entry.mode) == ("bees home", "http", "keyword")
    assert entry.generation == reply.generation
    assert [(result.path, result.score) for result in entry.results] == [
        (result.path, result.score) for result in reply.results
    ]


def test_blank_queries_and_searches_without_a_client_are_not_logged(open_engine: Open) -> None:
    engine = open_engine()

    assert ask(engine, "bees", door="none").query_id is None
    assert ask(engine, "  ").query_id is None
    assert engine.history.log(limit=10).total == 0


def test_a_disabled_log_writes_nothing(open_engine: Open, tmp_path: Path) -> None:
    engine = open_engine(queries=False)

    reply = ask(engine, "bees")
    opened = engine.history.opened(query_id=None, query="bees", path="Bees.md", rank=1)
    with pytest.raises(QueryLogOffError, match="query log is off"):
        engine.history.judge("bees", "Bees.md", "this_was_it")
    engine.history.judge("bees", "Bees.md", None)
    log = engine.history.log(limit=10)
    engine.close()

    assert paths(reply)
    assert reply.query_id is None
    assert not opened.recorded
    assert (log.enabled, log.total, log.verdicts) == (False, 0, ())
    assert not list(tmp_path.rglob(f"{NAME}*"))


def test_nothing_is_logged_into_the_vault(open_engine: Open, vault: Path) -> None:
    engine = open_engine(data_dir=vault / ".data")

    ask(engine, "bees")
    engine.close()

    assert not list(vault.rglob(f"{NAME}*"))


def test_a_log_without_an_index_does_not_block_indexing(tmp_path: Path, vault: Path) -> None:
    """An index kept elsewhere by a setting comes back beside its log when that is unset."""
    places = settings_in(tmp_path)
    away = Vaults(replace(places, index_dir=tmp_path / "elsewhere"), features=FEATURES)
    with closing(away):
        ask(away.open(record := away.add(vault), writable=True), "bees")
    assert (tmp_path / "data" / "vaults" / record.id / NAME).exists()

    with closing(Vaults(places, features=FEATURES)) as back:
        engine = back.open(record, writable=True)
        assert engine.index_now().notes == 3
        assert engine.history.log(limit=10).total == 1
        back.remove(record, delete_data=True)
    assert not list((tmp_path / "data" / "vaults").iterdir())


def test_an_engine_that_only_reads_logs_too(open_engine: Open) -> None:
    open_engine().close()

    reader = open_engine(writable=False)
    ask(reader, "bees")
    reader.close()

    [entry] = open_engine(writable=False).history.log(limit=10).entries
    assert entry.query == "bees"


def test_an_opened_result_is_matched_to_its_search_and_rank(open_engine: Open) -> None:
    engine = open_engine()
    reply = ask(engine, "bees")
    second = reply.results[1].path

    told = engine.history.opened(query_id=reply.query_id, query=None, path=second, rank=None)
    by_text = engine.history.opened(query_id=None, query="BEES", path="Bees.md", rank=7)

    assert told.recorded
    assert by_text.recorded
    [entry] = engine.history.log(limit=10).entries
    assert [(each.path, each.rank) for each in entry.opened] == [(second, 2), ("Bees.md", 7)]


def test_an_opened_result_of_an_unknown_search_is_reported(open_engine: Open) -> None:
    engine = open_engine()

    told = engine.history.opened(query_id="gone", query=None, path="Bees.md", rank=None)

    assert (told.recorded, "`q`" in (told.reason or "")) == (False, True)
    assert engine.history.opened(query_id="gone", query="sun", path="Bees.md", rank=None).recorded
    with pytest.raises(NotFoundError):
        engine.history.opened(query_id=None, query="sun", path="Nowhere.md", rank=None)


def test_never_for_this_hides_the_note_for_this_query_only(open_engine: Open) -> None:
    engine = open_engine()
    assert "Wasps.md" in paths(ask(engine, "bees"))

    engine.history.judge("Bees ", "Wasps", "never_for_this")
    reply = ask(engine, "bees")

    assert "Wasps.md" not in paths(reply)
    assert (reply.filtered, reply.total) == ({"never_for_this": 1}, 2)
    assert "Wasps.md" in paths(ask(engine, "bees wasps"))
    assert paths(ask(engine, "path:wasps bees")) == ["Wasps.md"]

    engine.history.judge("bees", "Wasps.md", None)
    assert "Wasps.md" in paths(ask(engine, "bees"))


def test_never_for_this_applies_to_filters_and_does_not_shorten_the_list(open_engine: Open) -> None:
    engine = open_engine()
    engine.history.judge("path:s", "Wasps.md", "never_for_this")
    engine.history.judge("bees", "Bees.md", "never_for_this")

    assert set(paths(ask(engine, "path:s"))) == {"Bees.md", "Garden/Compost.md"}
    assert len(paths(ask(engine, "bees", limit=1))) == 1


def test_a_verdict_follows_a_note_that_is_renamed(open_engine: Open, vault: Path) -> None:
    engine = open_engine()
    engine.history.judge("bees", "Wasps.md", "never_for_this")

    (vault / "Wasps.md").rename(vault / "Garden" / "Hornets.md")
    engine.index_now()

    assert not {"Wasps.md", "Garden/Hornets.md"} & set(paths(ask(engine, "bees")))
    [verdict] = engine.history.log(limit=1).verdicts
    assert verdict.path == "Garden/Hornets.md"
    engine.history.judge("bees", "Garden/Hornets.md", None)
    assert engine.history.log(limit=1).verdicts == ()


def test_an_unwritable_log_fails_no_search(
    open_engine: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "elsewhere").write_text("a file", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        engine = open_engine(data_dir=tmp_path / "elsewhere")
        assert paths(ask(engine, "bees"))
        told = engine.history.opened(query_id=None, query="bees", path="Bees.md", rank=1)

    assert not told.recorded
    assert "query log" in (told.reason or "")


def test_clearing_deletes_verdicts_unless_they_are_kept(open_engine: Open) -> None:
    engine = open_engine()
    ask(engine, "bees")
    engine.history.judge("bees", "Wasps.md", "never_for_this")

    assert engine.history.clear(keep_verdicts=True).verdicts == 0
    assert "Wasps.md" not in paths(ask(engine, "bees"))

    assert engine.history.clear(keep_verdicts=False).verdicts == 1
    assert "Wasps.md" in paths(ask(engine, "bees"))
