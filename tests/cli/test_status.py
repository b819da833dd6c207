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


@pytest.mark.parametrize(
    "decided",
    [
        ("City.md", "keyword_only", None, ""),
        ("binary.md", "excluded", "binary", "NUL"),
        (".trash/Old.md", "excluded", "hidden", ".trash"),
        ("photo.png", "excluded", "file_type", "Markdown"),
        ("Garden", "excluded", "folder", "folder"),
        ("Drafts/Idea.md", "excluded", "exclude", "Drafts/ of the setting vault.exclude"),
        ("Citi.md", "excluded", "missing", "did you mean City.md?"),
        ("Since.md", "pending", None, "new"),
    ],
)
def test_for_any_path_the_rule_that_decides_is_named(
    recollect: CommandLine, troubled: Path, decided: tuple[str, str, str | None, str]
) -> None:
    path, state, rule, reason = decided
    (troubled / ".recollect.toml").write_text('[vault]\nexclude = ["*.tmp.md", "Drafts/"]\n')
    recollect("index", troubled)
    (troubled / "Since.md").write_text("written since", encoding="utf-8")

    (entry,) = recollect.json("ledger", path)["entries"]

    assert (entry["path"], entry["state"], entry["rule"]) == (path, state, rule)
    assert reason in (entry["reason"] or "")
    assert recollect.json("ledger", "--path", path)["entries"] == [entry]
    assert state.replace("_", " ") in recollect("ledger", path).stdout


def test_a_path_outside_the_vault_is_refused(recollect: CommandLine, indexed: Path) -> None:
    recollect("ledger", "../City.md", fails=2)
    recollect("ledger", "City.md", "--path", "City.md", fails=2)
