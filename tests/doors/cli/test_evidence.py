"""`notewell evidence`: sentences that answer, and the notes that say the rest."""

from __future__ import annotations

from pathlib import Path

from tests.doors.cli.support import CommandLine, write_notes

NOTES = {
    "Bread.md": "Bread of rye, with caraway. See [[Oven]].\n",
    "Oven.md": f"The oven is in the kitchen, {'beside the window ' * 20}\n\x1b[31mand red.\n",
}


def test_a_note_that_says_the_rest_is_named_on_one_line(
    notewell: CommandLine, tmp_path: Path
) -> None:
    notewell("index", write_notes(tmp_path / "Notes", NOTES))
    printed = notewell("evidence", "is the rye bread with caraway made in the kitchen").stdout
    lines = printed.split("And, with it:\n")[1].splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("  Oven.md:1  The oven is in the kitchen, beside")
    assert lines[0].endswith("…")


def test_where_a_sentence_answers_no_other_note_is_named(
    notewell: CommandLine, tmp_path: Path
) -> None:
    notewell("index", write_notes(tmp_path / "Notes", NOTES))
    printed = notewell("evidence", "rye bread with caraway, and the kitchen").stdout
    assert "“Bread of rye, with caraway.”" in printed
    assert "And, with it" not in printed
    assert "\x1b" not in printed
