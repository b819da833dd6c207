"""Memories on the terminal, with and without a server's help."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.support import CommandLine

RULE = "Bees dislike the smell of bananas."


@pytest.fixture
def remembering(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RECOLLECT_MEMORY_FOLDER", "Memory")
    return indexed


@pytest.mark.usefixtures("indexed")
def test_without_a_chosen_folder_nothing_is_written(recollect: CommandLine) -> None:
    refused = recollect.json("memory", "store", RULE, fails=1)

    assert refused["error"] == "read_only"
    assert "memory" in refused["detail"]
    assert "No folder" in recollect("memory", "list").stderr


def test_a_memory_from_first_to_last(recollect: CommandLine, remembering: Path) -> None:
    stored = recollect.json("memory", "store", RULE, "--type", "preference", "--importance", 0.8)
    memory = stored["memory"]["id"]
    file = remembering / stored["memory"]["path"]

    assert RULE in file.read_text(encoding="utf-8")
    assert recollect.json("memory", "store", RULE)["existing"]
    assert RULE in recollect("memory", "recall", "smell of bananas", "--explain").stdout
    assert memory in recollect("memory", "context", "bananas").stdout
    recollect("memory", "apply", memory, "--comment", "opening a hive")
    assert "confidence 0.4" in recollect("memory", "outcome", memory, "--helped").stderr
    recollect("memory", "relate", memory, "Garden/Bees", "--kind", "caused_by", "--weight", 0.5)
    shown = recollect("memory", "inspect", memory).stdout
    assert "Garden/Bees.md (0.5)" in shown
    assert "opening a hive" in shown
    assert "0.3 -> 0.4" in recollect("memory", "history").stdout
    assert "preference" in recollect("memory", "list", "--order", "confidence").stdout
    assert "0 to look at" in recollect("memory", "health").stderr
    recollect("memory", "unrelate", memory, "Garden/Bees", "--kind", "caused_by")
    recollect("memory", "forget", memory)
    assert not file.exists()
    assert "memory forget" in recollect("undo", "--list").stdout
    recollect("undo")
    assert file.exists()


@pytest.mark.usefixtures("remembering")
def test_a_golden_rule_needs_force(recollect: CommandLine) -> None:
    memory = recollect.json("memory", "store", RULE)["memory"]["id"]
    for _ in range(6):
        last = recollect.json("memory", "outcome", memory, "--helped")

    assert last["memory"]["type"] == "golden_rule"
    assert recollect.json("memory", "forget", memory, fails=1)["error"] == "protected"
    assert recollect("memory", "context").stdout.startswith("## Golden rules")
    recollect("memory", "forget", memory, "--force")


@pytest.mark.usefixtures("remembering")
def test_what_is_not_there_is_exit_3(recollect: CommandLine) -> None:
    assert recollect.json("memory", "inspect", "mem-none", fails=3)["error"] == "memory_not_found"
    recollect("undo", 7, fails=3)
