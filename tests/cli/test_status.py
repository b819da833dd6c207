"""Status and ledger from the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.support import CommandLine


@pytest.fixture
def troubled(vault: Path) -> Path:
    (vault / "binary.md").write_bytes(b"\x7fELF\x00\x00\x00\x01\xff\xfe\xfd" * 50)
    (vault / "broken.md").write_text("---\na: [1\n---\ntext\n", encoding="utf-8")
    return vault


def test_status_says_where_the_index_stands(recollect: CommandLine, indexed: Path) -> None:
    text = recollect("status").stdout

    assert "ready" in text
    assert "3 keyword only" in text
    assert str(indexed) in text
    assert recollect.json("status")["notes"] == 3


def test_the_ledger_sums_to_the_files(recollect: CommandLine, troubled: Path) -> None:
    recollect("index", troubled)
    ledger = recollect.json("ledger")

    assert sum(ledger["counts"].values()) == len(ledger["entries"]) == 5


def test_a_person_sees_what_is_remarkable(recollect: CommandLine, troubled: Path) -> None:
    recollect("index", troubled)
    result = recollect("ledger")

    assert "binary.md" in result.stdout
    assert "broken.md" in result.stdout
    assert "City.md" not in result.stdout
    assert "5 files" in result.stderr
    assert "City.md" in recollect("ledger", "--state", "keyword_only").stdout


def test_one_state_or_one_path_can_be_asked_for(recollect: CommandLine, troubled: Path) -> None:
    recollect("index", troubled)

    excluded = recollect.json("ledger", "--state", "excluded")["entries"]
    assert [entry["path"] for entry in excluded] == ["binary.md"]
    (city,) = recollect.json("ledger", "--path", "City.md")["entries"]
    assert city["state"] == "keyword_only"


def test_a_state_that_does_not_exist_is_wrong_usage(recollect: CommandLine, indexed: Path) -> None:
    recollect("ledger", "--state", "lost", fails=2)
