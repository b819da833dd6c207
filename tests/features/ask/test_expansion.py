"""`expand=llm`: other wordings of a query, requested once and shown in the reply."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from notewell.base.types import AskRules
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.features.ask.expander import Expander
from notewell.models.chat.providers import Providers
from tests.features.ask.scripted import Says, Script

REQUEST = SearchRequest("apian", expand="llm", mode="keyword")
WORDINGS = Says(json.dumps({"queries": ["hive in spring", "Apian"], "terms": ["sun", "light"]}))


@pytest.fixture
def asked_of(script: Script, tmp_path: Path) -> Callable[..., Expander]:
    return lambda *turns, **rules: expander(tmp_path, script(*turns).url, **rules)


def test_an_expansion_by_a_slow_model_is_skipped(
    asked_of: Callable[..., Expander], engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("notewell.features.ask.expander.TIMEOUT_S", 0.1)
    hold = threading.Event()
    reply = asked_of(Says("x" * 50, hold=hold)).search(REQUEST, engine.search)
    hold.set()

    assert "took longer than 0.1 seconds" in reply.warnings[-1]


def expander(folder: Path, url: str, **rules: Any) -> Expander:
    given = {"provider": "openai", "base_url": url, "model": "test-model", **rules}
    providers = Providers(AskRules(**given), folder, {}, first_pause_s=0.01)
    return Expander(lambda: providers)


def test_other_wordings_find_further_notes(engine: Engine, script: Script, tmp_path: Path) -> None:
    model = script(WORDINGS)
    reply = expander(tmp_path, model.url).search(REQUEST, engine.search)

    assert {result.path for result in reply.results[:2]} == {"Hive.md", "Garden/Bees.md"}
    assert reply.expanded == ("hive in spring", "sun", "light")
    assert reply.fusion.method == "llm"
    assert reply.results[0].score == 1
    assert "apian" in str(model.asked[0]["messages"][-1])


def test_wordings_of_a_query_are_cached(engine: Engine, script: Script, tmp_path: Path) -> None:
    model = script(WORDINGS)
    first = expander(tmp_path, model.url)
    first.search(REQUEST, engine.search)
    first.search(SearchRequest("  APIAN ", expand="llm"), engine.search)
    expander(tmp_path, model.url).search(REQUEST, engine.search)

    assert len(model.asked) == 1


@pytest.mark.parametrize("said", ["no JSON", "{broken", '{"queries": 7, "terms": [1, ""]}', "[]"])
def test_an_invalid_reply_of_the_model_changes_nothing(
    engine: Engine, script: Script, tmp_path: Path, said: str
) -> None:
    plain = engine.search(SearchRequest("bees", mode="keyword"))
    reply = expander(tmp_path, script(Says(said)).url).search(
        SearchRequest("bees", expand="llm", mode="keyword"), engine.search
    )

    assert [result.path for result in reply.results] == [result.path for result in plain.results]
    assert reply.expanded == plain.expanded


@pytest.mark.parametrize(
    ("query", "provider", "why"),
    [
        ("bees", "none", "No language model"),
        ("bees path:Garden", "openai", "has conditions"),
        ("bees", "openai", "status 500"),
    ],
)
def test_a_failed_expansion_is_a_warning(
    asked_of: Callable[..., Expander], engine: Engine, query: str, provider: str, why: str
) -> None:
    widened = asked_of(*[Says(status=500)] * 4, provider=provider)
    reply = widened.search(SearchRequest(query, expand="llm"), engine.search)

    assert reply.results[0].path == "Garden/Bees.md"
    assert why in reply.warnings[-1]


def test_the_engine_supports_expansion(engine: Engine) -> None:
    reply = engine.search(SearchRequest("bees", expand="llm"))

    assert any("No language model" in warning for warning in reply.warnings)
