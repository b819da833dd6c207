"""The product without each of its features: their routes, commands and tools are gone, all else works."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from aiohttp.test_utils import TestClient, TestServer

from notewell.base.errors import NotFoundError
from notewell.base.types import ServerRules, Settings, VaultRules
from notewell.contract.search import SearchRequest
from notewell.doors.cli.app import Root
from notewell.doors.mcp.server import prompts, tools
from notewell.doors.web.app import create_app
from notewell.engine.feature import Feature, load, requests, sections
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from tests.vaults import settings_in

# The others hold requests that the core answers.
OPTIONAL = [feature for feature in FEATURES if feature.answers or feature.commands]
TOKEN = "t" * 43


def without(feature: Feature) -> tuple[Feature, ...]:
    return tuple(one for one in FEATURES if one is not feature)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_in(
        tmp_path,
        vault=VaultRules(watch="off"),
    )


@pytest.mark.parametrize("feature", OPTIONAL, ids=lambda one: one.name)
async def test_a_server_without_a_feature_answers_all_else(
    feature: Feature, settings: Settings, tmp_path: Path
) -> None:
    rest = without(feature)
    (tmp_path / "Home").mkdir()
    (tmp_path / "Home" / "Bees.md").write_text("bees hum", encoding="utf-8")
    vaults = Vaults(settings, features=rest)
    record = vaults.add(tmp_path / "Home")
    vaults.open(record, writable=True).index_now()
    vaults.close()
    vaults.serve([record])
    app = create_app(vaults, token=TOKEN, server=ServerRules(), features=rest)
    async with TestClient(TestServer(app), headers={"Authorization": f"Bearer {TOKEN}"}) as client:
        found = await (await client.get("/api/search", params={"q": "bees"})).json()
        assert [result["path"] for result in found["results"]] == ["Bees.md"]
        assert (await client.get("/api/status")).status == 200
        described = (await (await client.get("/api/openapi.json")).json())["paths"]
        for request in requests((feature,)):
            endpoint = request.endpoint
            assert endpoint.method.lower() not in described.get(endpoint.path, {})


@pytest.mark.parametrize("feature", OPTIONAL, ids=lambda one: one.name)
def test_its_commands_tools_prompts_and_settings_are_gone_and_no_others(feature: Feature) -> None:
    rest = without(feature)
    every, root = Root(name="notewell"), Root(name="notewell", features=rest)
    context = click.Context(root)

    gone = set(every.list_commands(context)) - set(root.list_commands(context))

    assert gone == set(feature.command_names)
    assert all(root.get_command(context, name) is None for name in feature.command_names)
    mine = set(load(feature.tools)) if feature.tools else set()
    assert [tool for tool in tools(FEATURES) if tool not in mine] == list(tools(rest))
    assert [prompt for prompt in prompts(FEATURES) if prompt not in mine] == list(prompts(rest))
    assert len(sections(FEATURES)) - len(sections(rest)) == bool(feature.settings)


def test_names_and_requests_are_unique() -> None:
    every = requests(FEATURES)
    assert len(every) == len(set(every))
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)


@pytest.mark.parametrize("feature", OPTIONAL, ids=lambda one: one.name)
def test_all_that_a_row_names_exists(feature: Feature) -> None:
    named = (feature.answers, feature.handlers, feature.tools, feature.settings)
    commands = [place for names in feature.commands.values() for place in names.values()]
    for place in (*named, *commands, *feature.provides.values()):
        if place:
            assert load(place) is not None


def test_a_search_that_only_a_missing_feature_can_do_says_so(
    settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "Home").mkdir()
    vaults = Vaults(
        settings,
        features=[feature for feature in FEATURES if "llm" not in feature.provided("search")],
    )
    engine = vaults.open(vaults.add(tmp_path / "Home"), writable=True)
    with pytest.raises(NotFoundError) as refused:
        engine.search(SearchRequest("bees", expand="llm"))
    assert refused.value.code == "feature_missing"
    vaults.close()
