"""Status, ledger and figures from the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.cli.support import CommandLine, write_notes


@pytest.fixture
def troubled(vault: Path) -> Path:
    (vault / "binary.md").write_bytes(b"\x7fELF\x00\x00\x00\x01\xff\xfe\xfd" * 50)
    (vault / "broken.md").write_text("---\na: [1\n---\ntext\n", encoding="utf-8")
    return vault


def test_status_shows_the_state_of_the_index(notewell: CommandLine, indexed: Path) -> None:
    text = notewell("status").stdout

    assert "ready" in text
    assert "3 keyword only" in text
    assert str(indexed) in text
    assert notewell.json("status")["notes"] == 3


@pytest.mark.usefixtures("with_model")
def test_status_tells_of_notes_that_meaning_knows_by_an_earlier_title(
    notewell: CommandLine, vault: Path
) -> None:
    notewell("index", vault)
    assert "former_titles" not in notewell.json("status")

    note = next(vault.glob("*.md"))
    note.rename(note.with_name("Another name.md"))
    assert notewell.json("index", vault)["embedded"] == 0
    assert notewell.json("status")["former_titles"] == 1
    assert "1 note is searched by meaning with the earlier title" in notewell("status").stdout
    assert "`notewell index --full`" in notewell("status").stdout

    assert notewell.json("index", vault, "--full")["embedded"] > 0
    assert "former_titles" not in notewell.json("status")
    assert "earlier title" not in notewell("status").stdout


def test_the_ledger_sums_to_the_files(notewell: CommandLine, troubled: Path) -> None:
    notewell("index", troubled)
    ledger = notewell.json("ledger")

    assert sum(ledger["counts"].values()) == len(ledger["entries"]) == 5


def test_indexed_files_without_warnings_are_only_counted(
    notewell: CommandLine, troubled: Path
) -> None:
    notewell("index", troubled)
    result = notewell("ledger")

    assert "binary.md" in result.stdout
    assert "broken.md" in result.stdout
    assert "City.md" not in result.stdout
    assert "5 files" in result.stderr
    assert "City.md" in notewell("ledger", "--state", "keyword_only").stdout


def test_the_ledger_can_be_limited_to_a_state_or_a_path(
    notewell: CommandLine, troubled: Path
) -> None:
    notewell("index", troubled)

    excluded = notewell.json("ledger", "--state", "excluded")["entries"]
    assert [entry["path"] for entry in excluded] == ["binary.md"]
    (city,) = notewell.json("ledger", "--path", "City.md")["entries"]
    assert city["state"] == "keyword_only"


def test_a_state_that_does_not_exist_is_wrong_usage(notewell: CommandLine, indexed: Path) -> None:
    notewell("ledger", "--state", "lost", fails=2)


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
        ("Citi", "excluded", "missing", "did you mean City.md?"),
        ("No such thing", "excluded", "missing", "no note of that name"),
        ("Since.md", "pending", None, "new"),
    ],
)
def test_the_deciding_rule_is_named_for_any_path(
    notewell: CommandLine, troubled: Path, decided: tuple[str, str, str | None, str]
) -> None:
    path, state, rule, reason = decided
    (troubled / ".notewell.toml").write_text('[vault]\nexclude = ["*.tmp.md", "Drafts/"]\n')
    notewell("index", troubled)
    (troubled / "Since.md").write_text("written since", encoding="utf-8")

    (entry,) = notewell.json("ledger", path)["entries"]

    assert (entry["path"], entry["state"], entry["rule"]) == (path, state, rule)
    assert reason in (entry["reason"] or "")
    assert notewell.json("ledger", "--path", path)["entries"] == [entry]
    assert notewell.json("ledger", f"./{path}")["entries"] == [entry]
    shown = notewell("ledger", path, fails=3 if rule == "missing" else 0)
    told = (reason, shown.stderr) if rule == "missing" else (state.replace("_", " "), shown.stdout)
    assert told[0] in told[1]


@pytest.mark.parametrize("named", ["City", "city", "Garden/Compost", "[[Compost]]", "the town"])
def test_a_note_is_meant_by_its_name_or_alias(
    notewell: CommandLine, vault: Path, named: str
) -> None:
    (vault / "City.md").write_text("---\naliases: [the town]\n---\nstreets", encoding="utf-8")
    notewell("index", vault)

    (entry,) = notewell.json("ledger", named)["entries"]

    assert entry["path"] in {"City.md", "Garden/Compost.md"}
    assert (entry["state"], entry["rule"]) == ("keyword_only", None)


def test_a_path_outside_the_vault_is_refused(notewell: CommandLine, indexed: Path) -> None:
    notewell("ledger", "../City.md", fails=2)
    notewell("ledger", "City.md", "--path", "City.md", fails=2)


def test_stats_shows_the_figures_of_a_vault(notewell: CommandLine, tmp_path: Path) -> None:
    notes = {"A.md": "---\ntype: person\n---\n[[B]] #garden/hive", "Deep/B.md": "words"}
    notewell("index", write_notes(tmp_path / "Home", notes))

    shown = notewell("stats").stdout
    document = notewell.json("stats")

    assert document["notes"] == 2
    assert document["types"] == [{"name": None, "notes": 1}, {"name": "person", "notes": 1}]
    for word in ("person", "Deep", "garden/hive", "(none)", "1 between notes", "created"):
        assert word in shown
