"""`notewell engine`: the index moves to PostgreSQL and back, and searches go on as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.cli.support import CommandLine
from tests.postgres_server import Server


@pytest.mark.usefixtures("with_model")
def test_an_index_moves_and_is_searched_there(
    notewell: CommandLine, vault: Path, postgres: Server
) -> None:
    notewell("index", vault)
    assert notewell.json("engine", "show") == {
        "vault": "Notes",
        "engine": "embedded",
        "address": None,
    }
    before = notewell.json("search", "bees light")["results"]

    moved = notewell.json("engine", "move", postgres.url())

    assert moved["address"].startswith(f"{postgres.url()}&vault=")
    assert moved["vectors"] == moved["chunks"] > 0
    after = notewell.json("search", "bees light")["results"]
    assert [(each["path"], each["snippet"]) for each in after] == [
        (each["path"], each["snippet"]) for each in before
    ]
    (vault / "New.md").write_text("Wasps are no bees.\n", encoding="utf-8")
    assert notewell.json("index", vault)["embedded"] == 1
    assert notewell.json("search", "wasps")["results"][0]["path"] == "New.md"
    assert notewell.json("status")["semantic"] == "ready"

    notewell("engine", "move", "embedded")

    assert notewell.json("engine", "show")["engine"] == "embedded"
    assert notewell.json("index", vault)["embedded"] == 0
    assert notewell.json("search", "wasps")["results"][0]["path"] == "New.md"


def test_a_wrong_address_is_one_line_without_the_password(
    notewell: CommandLine, indexed: Path, postgres: Server
) -> None:
    wrong = postgres.url().replace("notewell@", "notewell:not-the-one@")
    refused = notewell.json("engine", "move", wrong, fails=1)
    assert refused["error"] == "database_refused"
    assert "not-the-one" not in refused["detail"]
    assert notewell.json("engine", "move", "mysql://u@h/d", fails=2)["error"] == "bad_config"
    assert notewell.json("engine", "show")["engine"] == "embedded"
