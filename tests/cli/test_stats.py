"""`notewell stats`, from an index and from a running server's document alike."""

from __future__ import annotations

from pathlib import Path

from tests.cli.support import CommandLine, write_notes


def test_a_vault_is_shown_in_figures(notewell: CommandLine, tmp_path: Path) -> None:
    notes = {"A.md": "---\ntype: person\n---\n[[B]] #garden/hive", "Deep/B.md": "words"}
    notewell("index", write_notes(tmp_path / "Home", notes))

    shown = notewell("stats").stdout
    document = notewell.json("stats")

    assert document["notes"] == 2
    assert document["types"] == [{"name": None, "notes": 1}, {"name": "person", "notes": 1}]
    for word in ("person", "Deep", "garden/hive", "(none)", "1 between notes", "created"):
        assert word in shown
