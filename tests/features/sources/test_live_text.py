"""Results of a graph at Roam show what their blocks say there now, or of when they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.config import ENV_ROAM_TOKEN
from notewell.base.types import ModelRules, Settings, VaultRecord
from notewell.contract.fields import Door
from notewell.contract.search import UNLOGGED, Grouping, Result, SearchReply, SearchRequest
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.features.sources import known
from notewell.features.sources.feeds import RoamGraph
from notewell.features.sources.known import SourceState
from notewell.features.sources.page_store import PageStore
from notewell.features.sources.roam_api import Pace, RateLimiter, RoamDesktop, RoamServers
from notewell.features.sources.spec import SourceSpec
from notewell.features.sources.sync import sync
from tests.features.sources.fake_roam import DESKTOP_TOKEN, TOKEN, FakeRoam, running
from tests.features.sources.test_sync import Counting
from tests.waiting import until

SYNCED = 1_760_000_000.0
SYNCED_DAY = "2025-10-09"


@pytest.fixture
def roam() -> Iterator[FakeRoam]:
    fake = FakeRoam()
    fake.put("page-a", "Bees", "They dance in the hive", "They sleep", edited=10)
    fake.put("page-b", "Wasps", "These dance never", edited=10)
    with running(fake) as served:
        yield served


@pytest.fixture
def record(tmp_path: Path) -> VaultRecord:
    return VaultRecord("v1", "mine", tmp_path / "sources" / "v1" / "notes", source="roam")


@pytest.fixture
def engine(
    roam: FakeRoam, record: VaultRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Engine]:
    """The graph as it was synced, with a token for it."""
    monkeypatch.setenv(ENV_ROAM_TOKEN, TOKEN)
    folder = known.folder_of(record)
    graph = RoamGraph(RoamServers("mine", TOKEN, Pace(lambda _: None), roam.base))
    with closing(PageStore(folder, record.path, "roam")) as store:
        sync(store, graph, Counting())
    spec = SourceSpec("roam", roam.base, "mine")
    known.save(folder, SourceState(spec, "ready", SYNCED))
    roam.pulled.clear()
    settings = Settings(
        data_dir=tmp_path,
        model_dir=tmp_path / "models",
        state_dir=tmp_path / "state",
        offline=True,
        model=ModelRules(),
    )
    with closing(
        Engine.open(record, tmp_path / "index", settings, writable=True, features=FEATURES)
    ) as opened:
        opened.index_now()
        yield opened


def asked(engine: Engine, *, door: Door = "http", group: Grouping = "note") -> SearchReply:
    request = SearchRequest("dance", mode="keyword", weak=True, door=door, group=group)
    return engine.search(request)


def of(reply: SearchReply, path: str) -> Result:
    return next(result for result in reply.results if result.path == path)


def test_results_show_the_text_of_now_with_its_words_highlighted(
    roam: FakeRoam, engine: Engine
) -> None:
    roam.put("page-a", "Bees", "All bees dance [[Wasps]] away", "They sleep", edited=20)

    for reply in (asked(engine), asked(engine, group="block")):
        bees, wasps = of(reply, "Bees.md"), of(reply, "Wasps.md")
        assert bees.snippet in "All bees dance [[Wasps]] away · They sleep"
        assert [bees.snippet[a:b] for a, b in bees.highlights] == ["dance"]
        assert wasps.snippet == "These dance never"
        assert [(each.current, each.as_of) for each in (bees, wasps)] == [(True, None)] * 2
    assert sorted(roam.pulled) == ["page-a-0", "page-b-0"]  # in one request, and once


def test_a_late_answer_marks_the_results_and_serves_the_next_search(
    roam: FakeRoam, engine: Engine
) -> None:
    roam.put("page-a", "Bees", "All bees dance", edited=20)
    roam.answering.clear()

    first, second = asked(engine), asked(engine)  # the second does not wait for the same answer
    roam.answering.set()

    for reply in (first, second):
        bees = of(reply, "Bees.md")
        assert bees.snippet == "They dance in the hive · They sleep"
        assert (bees.current, (bees.as_of or "")[:10]) == (False, SYNCED_DAY)
    until(lambda: of(asked(engine), "Bees.md").current is True)
    assert of(asked(engine), "Bees.md").snippet == "All bees dance · They sleep"
    assert sorted(roam.pulled) == ["page-a-0", "page-b-0"]


def test_a_source_that_is_not_ready_is_left_alone_for_a_while(
    roam: FakeRoam, engine: Engine
) -> None:
    roam.faults.append((503, "the graph is not ready"))
    assert of(asked(engine), "Bees.md").current is False
    assert of(asked(engine), "Bees.md").current is False
    assert roam.pulled == []


def test_a_block_that_is_gone_is_shown_as_it_was(roam: FakeRoam, engine: Engine) -> None:
    del roam.pages["page-a"]
    bees = of(asked(engine), "Bees.md")
    assert bees.snippet == "They dance in the hive · They sleep"
    assert bees.current is False


def test_the_limit_of_requests_leaves_some_to_a_sync(
    roam: FakeRoam, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    limiter = RateLimiter()  # of the vault, which is opened by its first search
    monkeypatch.setattr("notewell.features.sources.sync.RateLimiter", lambda: limiter)
    for _ in range(40):
        assert limiter.wait_s() == 0.0
    assert of(asked(engine), "Bees.md").current is False
    assert roam.pulled == roam.refused == []


def test_nothing_is_asked_without_a_token_for_measurements_or_of_an_export(
    roam: FakeRoam, engine: Engine, record: VaultRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert of(asked(engine, door=UNLOGGED), "Bees.md").current is None
    folder = known.folder_of(record)
    live = known.load(folder)
    export = SourceSpec("roam-export", "/graph.json", "mine")
    known.save(folder, SourceState(export, "ready", SYNCED))
    assert of(asked(engine), "Bees.md").current is None
    known.save(folder, live)
    monkeypatch.delenv(ENV_ROAM_TOKEN)
    assert of(asked(engine), "Bees.md").current is False
    assert roam.pulled == []


def test_the_desktop_program_tells_texts_in_one_question(roam: FakeRoam) -> None:
    port = int(roam.peer.rpartition(":")[2])
    found = RoamDesktop("mine", DESKTOP_TOKEN, port).texts(["page-a-1", "page-b-0", "none"])
    assert found == {"page-a-1": "They sleep", "page-b-0": "These dance never"}


def test_too_many_requests_end_them_for_a_minute(roam: FakeRoam) -> None:
    time = [0.0]
    limiter = RateLimiter(2, lambda: time[0])
    assert [limiter.wait_s(), limiter.wait_s()] == [0.0, 0.0]
    time[0] = 20.0
    assert (limiter.left(), limiter.wait_s()) == (0, 40.0)
    time[0] = 61.0
    assert limiter.left() == 2
    limiter.exhaust()
    assert (limiter.left(), limiter.wait_s()) == (0, 60.0)


def test_a_change_of_settings_reaches_the_texts_at_once(roam: FakeRoam, engine: Engine) -> None:
    roam.put("page-a", "Bees", "They dance. " + "So many words follow here. " * 30, edited=20)
    whole = of(asked(engine), "Bees.md")

    settings = engine.vault.settings()
    engine.use_settings(replace(settings, search=replace(settings.search, snippet_chars=80)))

    shorter = of(asked(engine), "Bees.md")
    assert whole.current
    assert shorter.current
    assert len(shorter.snippet) < 120 < len(whole.snippet)
