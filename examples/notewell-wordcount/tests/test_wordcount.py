"""The example in the Notewell that is installed: its command, route, tool and line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.doors.mcp.server import tools
from notewell.features import FEATURES

NOTES = {"Recipes/Bread.md": "flour water salt", "Recipes/Tea.md": "hot water", "Diary.md": "rain"}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A home with a vault of three notes, indexed without a model."""
    for path, text in NOTES.items():
        (tmp_path / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "vault" / path).write_text(text, encoding="utf-8")
    home = {"NOTEWELL_DATA_DIR": str(tmp_path / "data"), "NOTEWELL_MODEL_DIR": str(tmp_path / "m")}
    environment = {**os.environ, **home, "NOTEWELL_OFFLINE": "true"}
    notewell(environment, "index", str(tmp_path / "vault"))
    return environment


def notewell(environment: dict[str, str], *arguments: str) -> str:
    """The output of a command, which has to succeed."""
    command = [sys.executable, "-P", "-m", "notewell", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def server(environment: dict[str, str], tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The address of a running server, and its token."""
    command = [sys.executable, "-P", "-m", "notewell", "serve", str(tmp_path / "vault")]
    with subprocess.Popen(
        [*command, "--port", "0", "--handshake"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        yield f"http://127.0.0.1:{told['port']}", told["token"]
        process.communicate()


def test_the_feature_is_listed(environment: dict[str, str]) -> None:
    listed = json.loads(notewell(environment, "features", "--json"))["features"]
    (mine,) = [line for line in listed if line["name"] == "wordcount"]
    assert (mine["package"], mine["state"]) == ("notewell-wordcount", "on")


def test_the_command_counts(environment: dict[str, str]) -> None:
    assert notewell(environment, "words").splitlines() == [
        "6 words in 3 notes",
        "longest: Recipes/Bread.md",
    ]
    reply = json.loads(notewell(environment, "words", "--folder", "Recipes", "--json"))
    assert (reply["words"], reply["notes"]) == (5, 2)


def test_route_schema_and_line_of_a_note(server: tuple[str, str]) -> None:
    url, token = server

    def get(path: str) -> dict[str, object]:
        request = urllib.request.Request(url + path, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request) as reply:
            return dict(json.load(reply))

    assert get("/api/words?folder=Recipes")["words"] == 5
    assert "/api/words" in get("/api/openapi.json")["paths"]  # type: ignore[operator]
    assert get("/api/note?path=Recipes/Tea.md")["lines"] == ["2 words"]


def test_assistants_have_the_tool() -> None:
    assert "words" in {tool.name for tool in tools(FEATURES)}


def test_switched_off_it_is_gone(environment: dict[str, str]) -> None:
    off = environment | {"NOTEWELL_FEATURES_OFF": "wordcount"}
    listed = json.loads(notewell(off, "features", "--json"))["features"]
    assert {line["state"] for line in listed if line["name"] == "wordcount"} == {"off"}
