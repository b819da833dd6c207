"""`notewell graph` and `notewell archaeology`."""

from __future__ import annotations

from pathlib import Path

import pytest

from notewell.features.archaeology.commands import chart
from notewell.features.archaeology.requests import Bucket
from tests.doors.cli.support import CommandLine, write_notes


@pytest.fixture
def linked(notewell: CommandLine, vault: Path) -> Path:
    notes = {
        "Hive.md": "[[Bees]] [[Nowhere]]",
        "Path.md": "---\ncreated: 2026-01-05\n---\n[[Hive]] zinnias",
        "Later.md": "---\ncreated: 2026-05-05\n---\nzinnias again",
    }
    write_notes(vault, notes)
    notewell("index", vault)
    return vault


@pytest.mark.usefixtures("linked")
def test_neighbors_paths_and_figures(notewell: CommandLine) -> None:
    near = notewell("graph", "neighbors", "Garden/Bees", "--hops", 2)
    assert "Hive.md" in near.stdout
    assert "2 notes near Garden/Bees.md" in near.stderr
    assert "<-" in notewell("graph", "path", "Bees", "Path").stdout
    assert "No links lead" in notewell("graph", "path", "Bees", "City").stderr
    assert "1 to none" in notewell("graph", "stats").stdout
    assert notewell.json("graph", "hubs", "--by", "pagerank")["total"] == 2


@pytest.mark.usefixtures("linked")
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("hubs", "Garden/Bees.md"),
        ("bridges", "Hive.md"),
        ("communities", "Garden/Bees.md"),
        ("orphans", "City.md"),
        ("dangling", "Nowhere"),
        ("missing", ""),
    ],
)
def test_each_graph_command_prints_text_and_json(
    notewell: CommandLine, command: str, shown: str
) -> None:
    assert shown in notewell("graph", command).stdout
    assert notewell.json("graph", command, "--no-daily")["vault"]


@pytest.mark.usefixtures("linked")
def test_an_unknown_note_is_exit_3(notewell: CommandLine) -> None:
    error = notewell.json("graph", "neighbors", "Garden/Beez.md", fails=3)

    assert "Garden/Bees.md" in error["detail"]


@pytest.mark.usefixtures("linked")
def test_archaeology_prints_a_timeline(notewell: CommandLine) -> None:
    result = notewell("archaeology", "zinnias", "--granularity", "month")

    assert result.stdout.splitlines()[0].startswith("2026-01")
    assert "(3 months without)" in result.stdout
    assert "2 notes from 2026-01-05 to 2026-05-05, in 2 times" in result.stderr
    assert notewell.json("archaeology", "zinnias")["granularity"] == "week"
    assert notewell("archaeology", "zeppelin").stdout == "Nothing found.\n"


def test_a_chart_fits_a_narrow_terminal() -> None:
    buckets = [
        Bucket("2026-01-05", "2026-01-11", 1200),
        Bucket("2026-01-12", "2026-01-18", 1),
        Bucket("2026-02-02", "2026-02-08", 600),
    ]

    lines = list(chart(buckets, "week", width=30))

    assert max(map(len, lines)) <= 30
    assert "(2 weeks without)" in lines[2]
    assert len(lines[0].split()[2]) == 2 * len(lines[3].split()[2])
