"""What directories of assistants read: server.json and the skill, by the rules of their formats."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml

from notewell import __version__
from notewell.doors.cli.app import cli
from notewell.doors.mcp.server import tools
from notewell.features import FEATURES

ROOT = Path(__file__).resolve().parents[3]
SKILL = ROOT / "skills" / "notewell" / "SKILL.md"
# https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json
NAME = re.compile(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+")
MOST_DESCRIBED = 100
# https://agentskills.io/specification
SKILL_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
SKILL_KEYS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
MOST_LINES = 500


def test_the_registry_entry_keeps_to_the_schema_and_is_of_this_version() -> None:
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))

    assert NAME.fullmatch(entry["name"])
    assert 1 <= len(entry["description"]) <= MOST_DESCRIBED
    (package,) = entry["packages"]
    assert (package["registryType"], package["identifier"]) == ("pypi", "notewell")
    assert entry["version"] == package["version"] == __version__
    assert package["transport"] == {"type": "stdio"}
    command, *options = package["packageArguments"]
    assert (command["type"], command["value"]) == ("positional", "mcp")
    known = {name for option in cli.get_command(None, "mcp").params for name in option.opts}  # type: ignore[arg-type, union-attr]
    assert {option["name"] for option in options} <= known
    # The registry looks for this line in the description of the package.
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_skill_keeps_to_its_format() -> None:
    _, head, body = SKILL.read_text(encoding="utf-8").split("---\n", 2)
    properties = yaml.safe_load(head)

    assert set(properties) <= SKILL_KEYS
    assert SKILL_NAME.fullmatch(properties["name"])
    assert properties["name"] == SKILL.parent.name
    assert len(properties["name"]) <= 64
    assert 1 <= len(properties["description"]) <= 1024
    assert len(properties["compatibility"]) <= 500
    assert len(body.splitlines()) <= MOST_LINES


def test_the_skill_names_tools_and_commands_that_there_are() -> None:
    text = SKILL.read_text(encoding="utf-8")
    names = {tool.name for tool in tools(FEATURES)}

    for name in re.findall(r"`([a-z]+(?:_[a-z]+)*)`", text):
        assert name in names or name == "notewell", name
    for command in re.findall(r"`notewell ([a-z]+)", text):
        assert cli.get_command(None, command) is not None, command  # type: ignore[arg-type]
