"""`notewell memory`, with and without a running server."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.cli.support import CommandLine

RULE = "Bees dislike the smell of bananas."


@pytest.fixture
def remembering(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NOTEWELL_MEMORY_FOLDER", "Memory")
    return indexed


@pytest.mark.usefixtures("indexed")
def test_without_a_chosen_folder_nothing_is_written(notewell: CommandLine) -> None:
    refused = notewell.json("memory", "store", RULE, fails=1)

    assert refused["error"] == "read_only"
    assert "memory" in refused["detail"]
    assert "No folder" in notewell("memory", "list").stderr


def test_a_memory_is_stored_used_and_deleted(notewell: CommandLine, remembering: Path) -> None:
    stored = notewell.json("memory", "store", RULE, "--type", "preference", "--importance", 0.8)
    memory = stored["memory"]["id"]
    file = remembering / stored["memory"]["path"]

    assert RULE in file.read_text(encoding="utf-8")
    found = notewell.json("search", "bananas")["results"][0]
    assert found["path"] == stored["memory"]["path"]  # at once, without another `index`
    assert notewell.json("memory", "store", RULE)["existing"]
    assert RULE in notewell("memory", "recall", "smell of bananas", "--explain").stdout
    assert memory in notewell("memory", "context", "bananas").stdout
    notewell("memory", "apply", memory, "--comment", "opening a hive")
    assert "confidence 0.4" in notewell("memory", "outcome", memory, "--helped").stderr
    notewell("memory", "relate", memory, "Garden/Bees", "--kind", "caused_by", "--weight", 0.5)
    shown = notewell("memory", "inspect", memory).stdout
    assert "Garden/Bees.md (0.5)" in shown
    assert "opening a hive" in shown
    assert "0.3 -> 0.4" in notewell("memory", "history").stdout
    assert "preference" in notewell("memory", "list", "--order", "confidence").stdout
    assert "0 to look at" in notewell("memory", "health").stderr
    notewell("memory", "unrelate", memory, "Garden/Bees", "--kind", "caused_by")
    notewell("memory", "forget", memory)
    assert not file.exists()
    assert "memory forget" in notewell("undo", "--list").stdout
    notewell("undo")
    assert file.exists()


@pytest.mark.usefixtures("remembering")
def test_a_golden_rule_needs_force(notewell: CommandLine) -> None:
    memory = notewell.json("memory", "store", RULE)["memory"]["id"]
    for _ in range(6):
        last = notewell.json("memory", "outcome", memory, "--helped")

    assert last["memory"]["type"] == "golden_rule"
    assert notewell.json("memory", "forget", memory, fails=1)["error"] == "protected"
    assert notewell("memory", "context").stdout.startswith("## Golden rules")
    notewell("memory", "forget", memory, "--force")


@pytest.mark.usefixtures("remembering")
def test_a_missing_memory_is_exit_3(notewell: CommandLine) -> None:
    assert notewell.json("memory", "inspect", "mem-none", fails=3)["error"] == "memory_not_found"
    notewell("undo", 7, fails=3)
