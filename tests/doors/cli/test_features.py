"""`notewell features`, and what a switched-off feature leaves: commands, routes and tools are gone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click
import pytest

from notewell.base.types import FeatureRules, ServerRules, VaultRules
from notewell.doors.cli import features as listing
from notewell.doors.cli.app import Root
from notewell.doors.mcp.server import tools
from notewell.doors.web.app import create_app
from notewell.engine.open_vaults import Vaults
from notewell.features import BUILT_IN, FEATURES
from tests.doors.cli.support import CommandLine
from tests.vaults import settings_in


def listed(notewell: CommandLine) -> dict[str, str]:
    reply = json.loads(notewell("features", "--json").stdout)
    return {line["name"]: line["state"] for line in reply["features"]}


def test_every_feature_is_listed_with_its_package_and_what_it_is(notewell: CommandLine) -> None:
    reply = json.loads(notewell("features", "--json").stdout)

    optional = {feature.name for feature in FEATURES if feature.is_optional}
    assert {line["name"] for line in reply["features"]} >= optional
    assert all(line["about"] and line["package"] for line in reply["features"])
    assert {line["state"] for line in reply["features"]} == {"on"}
    assert "gardener" in notewell("features").stdout


def test_a_feature_that_is_switched_off_says_so_and_how_to_switch_it_on(
    notewell: CommandLine, indexed: Path
) -> None:
    notewell("config", "set", "features.off", "gardener,backup,nonsense")

    states = listed(notewell)
    assert (states["gardener"], states["backup"], states["memory"]) == ("off", "off", "on")
    assert "nonsense" in notewell("features").stderr
    for command in (("garden", "show"), ("backup", "b.zip"), ("system", "backup", "b.zip")):
        refused = notewell(*command, fails=2)
        assert "is switched off" in refused.stderr
        assert "config set features.off" in refused.stderr
    assert "Bees" in notewell("search", "bees").stdout

    notewell("config", "set", "features.off")
    assert set(listed(notewell).values()) == {"on"}


def test_packages_of_ours_that_are_not_installed_are_named(
    notewell: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "INSTALLED", ())
    states = listed(notewell)
    assert (states["postgres"], states["compare"]) == ("not installed", "not installed")
    assert "pip install notewell-eval" in notewell("features").stdout

    root = Root(name="notewell", features=BUILT_IN)
    for arguments in (["engine", "show"], ["system", "engine", "show"]):
        with pytest.raises(click.UsageError, match="pip install notewell-postgres"):
            root.main(arguments, standalone_mode=False)


def test_what_a_package_of_ours_adds_to_a_command_is_refused_without_it(
    notewell: CommandLine, indexed: Path, tmp_path: Path
) -> None:
    notewell("config", "set", "features.off", "compare")
    files = []
    for name in ("queries.jsonl", "qrels.tsv"):
        (tmp_path / name).write_text("", encoding="utf-8")
        files += [f"--{name.partition('.')[0]}", str(tmp_path / name)]

    for more in (("--corpus", tmp_path), ("--vault", indexed, "--against", "rank-bm25")):
        refused = notewell("eval", *files, *more, fails=1)
        assert "pip install notewell-eval" in refused.stderr


def test_its_routes_and_tools_are_gone(tmp_path: Path) -> None:
    off = replace(
        settings_in(tmp_path, vault=VaultRules(watch="off")), features=FeatureRules(("gardener",))
    )
    vaults = Vaults(off, features=FEATURES)
    app = create_app(vaults, token="t" * 43, server=ServerRules(), features=vaults.features)

    paths = {route.resource.canonical for route in app.router.routes() if route.resource}
    names = {tool.name for tool in tools(vaults.features)}
    assert "/api/search" in paths
    assert not any(path.startswith("/api/garden") for path in paths)
    assert any(tool.name.startswith("garden") for tool in tools(FEATURES))
    assert not any(name.startswith("garden") for name in names)
    vaults.close()


@pytest.mark.parametrize("where", [".notewell.toml"])
def test_no_vault_switches_features_off(notewell: CommandLine, indexed: Path, where: str) -> None:
    (indexed / where).write_text('[features]\noff = ["memory"]\n', encoding="utf-8")

    refused = notewell("search", "bees", fails=2)

    assert "features.off" in refused.stderr
