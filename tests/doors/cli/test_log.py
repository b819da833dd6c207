"""The log and the verdicts from the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.cli.support import CommandLine


def test_searches_are_listed_with_their_client(notewell: CommandLine, indexed: Path) -> None:
    asked = notewell.json("search", "hives")
    notewell("search", "river cat", "--mode", "keyword")

    book = notewell.json("log")

    assert [(e["query"], e["door"]) for e in book["entries"]] == [
        ("river cat", "cli"),
        ("hives", "cli"),
    ]
    assert book["entries"][1]["query_id"] == asked["query_id"]
    table = notewell("log", "--limit", 1)
    assert "river cat" in table.stdout
    assert "hives" not in table.stdout
    assert "1 of 2 searches" in table.stderr


def test_since_leaves_out_what_is_older(notewell: CommandLine, indexed: Path) -> None:
    notewell("search", "hives")

    assert notewell.json("log", "--since", "2001-01-01")["total"] == 1
    assert notewell.json("log", "--since", "2999-01-01")["total"] == 0
    notewell("log", "--since", "yesterday", fails=2)


def test_never_hides_a_note_for_a_query_until_cleared(notewell: CommandLine, indexed: Path) -> None:
    assert notewell.json("search", "bees")["total"] == 2

    said = notewell("verdict", "bees", "Garden/Compost", "--never")
    assert "Garden/Compost.md: never" in said.stderr
    found = notewell.json("search", "bees")
    assert (found["total"], found["filtered"]) == (1, {"never_for_this": 1})
    assert "never" in notewell("log").stdout

    reply = notewell.json("verdict", "bees", "Garden/Compost.md", "--clear")
    assert reply == {"query": "bees", "path": "Garden/Compost.md", "verdict": None}
    assert notewell.json("search", "bees")["total"] == 2


def test_a_verdict_needs_an_option_and_an_existing_note(
    notewell: CommandLine, indexed: Path
) -> None:
    notewell("verdict", "bees", "City.md", fails=2)
    notewell("verdict", " ", "City.md", "--yes", fails=2)
    assert "Garden/Bees.md" in notewell("verdict", "b", "Garden/Bee.md", "--yes", fails=3).stderr


def test_clearing_reports_what_was_deleted(notewell: CommandLine, indexed: Path) -> None:
    notewell("search", "hives")
    notewell("verdict", "bees", "City.md", "--never")

    assert notewell.json("log", "clear", "--keep-verdicts") == {
        "queries": 1,
        "opened": 0,
        "verdicts": 0,
    }
    assert "0 verdicts" in notewell("log", "clear").stderr
    assert "1 verdicts" in notewell("log", "clear", "--verdicts").stderr
    assert notewell.json("log")["verdicts"] == []


def test_a_disabled_log_creates_no_file(
    notewell: CommandLine, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_LOG_QUERIES", "false")
    notewell("index", vault)

    assert "query_id" not in notewell.json("search", "hives")
    refused = notewell.json("verdict", "hives", "City.md", "--yes", fails=1)

    assert refused["error"] == "query_log_off"
    assert "the log is off" in notewell("log").stderr
    assert not list(tmp_path.rglob("queries.db*"))


def test_deleting_a_vault_deletes_its_log(
    notewell: CommandLine, indexed: Path, tmp_path: Path
) -> None:
    notewell("search", "hives")
    assert list(tmp_path.rglob("queries.db"))

    notewell("vaults", "remove", "Notes", "--delete-data")

    assert not list(tmp_path.rglob("queries.db*"))
    assert not list((tmp_path / "data" / "vaults").iterdir())


def test_the_golden_set_is_measured_and_exported(
    notewell: CommandLine, indexed: Path, tmp_path: Path
) -> None:
    assert "notewell verdict" in notewell("eval", "--golden", fails=2).stderr
    for query, note in (("hives", "Garden/Bees"), ("warm", "Garden/Compost"), ("cat", "City")):
        notewell("verdict", query, note, "--yes")

    report = notewell.json("eval", "--golden")
    assert (report["queries"], report["ndcg@10"]) == (3, 1.0)
    assert {s["name"] for s in report["systems"]} == {"keyword", "semantic", "rrf", "hybrid"}

    written = notewell.json("eval", "--golden", "--export", tmp_path / "set")
    assert (written["queries"], written["judgements"]) == (3, 3)
    lines = (tmp_path / "set" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["text"] for line in lines} == {"hives", "warm", "cat"}
    files = ("--queries", tmp_path / "set/queries.jsonl", "--qrels", tmp_path / "set/qrels.tsv")
    assert notewell.json("eval", "--vault", "Notes", *files, "--mode", "keyword")["queries"] == 3


def test_tuning_says_how_many_judgements_are_missing(
    notewell: CommandLine, indexed: Path, tmp_path: Path
) -> None:
    notewell("verdict", "hives", "Garden/Bees", "--yes")

    assert "1 judged queries; 29 more are needed" in notewell("tune", "--apply").stderr
    reply = notewell.json("tune")
    assert (reply["outcome"], reply["missing"], reply["gain"]) == ("too_few", 29, None)
    assert reply["weights"]["names"] == {"before": 1.0, "after": 1.0}
    assert not list(tmp_path.rglob("tuning.json"))
    assert "default weights" in notewell("tune", "--reset").stderr
    notewell("tune", "--reset", "--apply", fails=2)


def test_golden_excludes_files(notewell: CommandLine, indexed: Path, tmp_path: Path) -> None:
    notewell("eval", "--golden", "--corpus", indexed, fails=2)
    notewell("eval", "--export", tmp_path, fails=2)
    notewell("eval", "--vault", "Notes", fails=2)
