"""The files for Umbrel, CasaOS and Home Assistant have the fields that these ask for.

The rules are those of Umbrel's app schema (umbreld, `modules/apps/schema.ts`), of the contributing
guide of CasaOS-AppStore, and of the schema of Home Assistant's add-on linter, as of November 2026.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "release" / "home-servers"
VERSION = json.loads((ROOT / "manifest.json").read_text("utf-8"))["version"]
IMAGE = f"ghcr.io/notewell/notewell:{VERSION}"
_UMBREL_CATEGORIES = {"files", "bitcoin", "media", "networking", "social", "automation", "finance",
                      "ai", "developer", "crypto"}  # fmt: skip
_ADD_ON_FIELDS = {"arch", "backup_exclude", "boot", "description", "environment", "map", "name",
                  "ports", "ports_description", "slug", "startup", "url", "version", "watchdog",
                  "webui"}  # fmt: skip


def load(name: str) -> dict[str, Any]:
    loaded = yaml.safe_load((FOLDER / name).read_text("utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_umbrel_gets_the_fields_of_its_schema() -> None:
    app = load("umbrel/umbrel-app.yml")
    assert app["manifestVersion"] in {1, 1.1, 1.2}
    assert re.fullmatch("[a-z]+(-[a-z]+)*", app["id"])
    assert app["category"] in _UMBREL_CATEGORIES
    assert app["version"] == VERSION
    assert 0 < len(app["name"]) <= 50
    assert 0 < len(app["tagline"]) <= 100
    assert not app["tagline"].endswith(".")
    assert 0 < len(app["description"]) <= 5000
    for field in ("website", "submission", "repo", "support"):
        assert urlsplit(app[field]).scheme == "https"
    assert app["dependencies"] == app["gallery"] == []
    services = load("umbrel/docker-compose.yml")["services"]
    proxy = services["app_proxy"]["environment"]
    assert proxy["APP_HOST"] == f"{app['id']}_server_1"
    assert proxy["APP_PORT"] == app["port"] == 8765


def test_casaos_gets_the_fields_of_its_store() -> None:
    compose = load("casaos/docker-compose.yml")
    store = compose["x-casaos"]
    service = compose["services"][store["main"]]
    for field in ("title", "tagline", "description"):
        assert store[field]["en_us"]
    assert set(store["architectures"]) == {"amd64", "arm64"}
    assert store["port_map"] == service["ports"][0]["published"] == "8765"
    told = {volume["container"] for volume in service["x-casaos"]["volumes"]}
    assert told == {volume["target"] for volume in service["volumes"]}


def test_home_assistant_gets_the_fields_of_its_linter() -> None:
    add_on = load("home-assistant/config.yaml")
    assert add_on.keys() <= _ADD_ON_FIELDS
    assert add_on.keys() >= {"arch", "description", "name", "slug", "version"}
    assert add_on["version"] == VERSION
    assert set(add_on["arch"]) <= {"aarch64", "amd64"}
    assert {mapped["type"]: mapped.get("read_only", False) for mapped in add_on["map"]} == {
        "share": True,
        "data": False,
    }
    dockerfile = (FOLDER / "home-assistant" / "Dockerfile").read_text("utf-8")
    assert f"FROM {IMAGE}\n" in dockerfile


def test_notes_are_only_read_and_the_image_is_that_of_this_version() -> None:
    for name, service in (
        ("umbrel/docker-compose.yml", "server"),
        ("casaos/docker-compose.yml", "notewell"),
    ):
        described = load(name)["services"][service]
        assert described["image"] == IMAGE
        assert described["read_only"] is True
        assert described["cap_drop"] == ["ALL"]
        (vault,) = (
            volume
            for volume in described["volumes"]
            if "/vault" in (volume if isinstance(volume, str) else volume["target"])
        )
        assert vault.endswith(":ro") if isinstance(vault, str) else vault["read_only"] is True
