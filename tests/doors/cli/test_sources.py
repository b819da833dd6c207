"""`notewell sources`: exports as vaults that are only read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.cli.support import CommandLine
from tests.features.sources.fake_roam import TOKEN, FakeRoam, running

PAGES = [
    {
        "title": "Bees",
        "uid": "page-bees",
        "children": [{"string": "Bees dance to tell where nectar is", "uid": "block-001"}],
    },
    {"title": "Wasps", "uid": "page-wasps", "children": [{"string": "Wasps sting"}]},
]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    file = tmp_path / "graph.json"
    file.write_text(json.dumps(PAGES), encoding="utf-8")
    return file


def test_an_export_is_imported_searched_and_opened_at_its_source(
    notewell: CommandLine, export: Path
) -> None:
    notewell("sources", "import", export, "--name", "Roam", "--graph", "my graph")

    (source,) = notewell.json("sources", "list")["sources"]
    assert (source["name"], source["kind"], source["state"]) == ("Roam", "import", "ready")
    (vault,) = notewell.json("vaults", "list")["vaults"]
    assert (vault["source"], vault["id"]) == ("import", source["id"])
    found = notewell.json("search", "nectar", "--vault", "Roam")["results"][0]
    assert found["path"] == "Bees.md"
    assert found["uri"] == "https://roamresearch.com/#/app/my%20graph/page/block-001"


def test_a_newer_export_is_read_by_the_next_sync(notewell: CommandLine, export: Path) -> None:
    notewell("sources", "import", export, "--name", "Roam")
    changed = [{**PAGES[0], "children": [{"string": "Bees sleep in winter"}]}, PAGES[1]]
    export.write_text(json.dumps(changed), encoding="utf-8")

    done = notewell.json("sources", "sync", "roam")

    assert done["result"] == "done"
    assert (done["counts"]["read"], done["counts"]["changed"]) == (2, 1)
    assert notewell.json("search", "winter", "--vault", "Roam")["results"]


def test_its_notes_are_never_edited(notewell: CommandLine, export: Path) -> None:
    notewell("sources", "import", export, "--name", "Roam")
    refused = notewell("properties", "Bees.md", "--set", "a=b", "--vault", "Roam", fails=1)
    assert "read" in refused.stderr


def test_missing_pages_wait_for_a_person(notewell: CommandLine, export: Path) -> None:
    pages = [{"title": f"Page {n}", "uid": f"page-{n}"} for n in range(12)]
    export.write_text(json.dumps(pages), encoding="utf-8")
    notewell("sources", "import", export, "--name", "Roam")
    export.write_text(json.dumps(pages[:2]), encoding="utf-8")

    notewell("sources", "sync")
    (source,) = notewell.json("sources", "list")["sources"]
    assert (source["state"], source["held"]) == ("held", 10)
    assert "--remove-missing" in source["error"]

    notewell("sources", "sync", "--remove-missing")
    (source,) = notewell.json("sources", "list")["sources"]
    assert (source["state"], source["held"]) == ("ready", 0)


def test_what_cannot_be_read_leaves_nothing_behind(notewell: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text('{"no": "list"}', encoding="utf-8")
    assert "no JSON export" in notewell("sources", "import", tmp_path / "no.json", fails=1).stderr
    (tmp_path / "cut.json").write_text('[{"title": "Bees"', encoding="utf-8")
    cut = notewell.json("sources", "import", tmp_path / "cut.json", fails=1)
    assert "not exported or copied to its end" in cut["detail"]
    assert notewell.json("sources", "list")["sources"] == []
    assert notewell.json("vaults", "list")["vaults"] == []


def test_a_newer_export_imported_again_brings_the_same_vault_up_to_date(
    notewell: CommandLine, export: Path, tmp_path: Path
) -> None:
    notewell("sources", "import", export, "--name", "Roam")
    (before,) = notewell.json("sources", "list")["sources"]
    newer = tmp_path / "newer.json"
    changed = [{**PAGES[0], "children": [{"string": "Bees sleep in winter"}]}, PAGES[1]]
    newer.write_text(json.dumps(changed), encoding="utf-8")

    done = notewell.json("sources", "import", newer, "--name", "roam")

    assert (done["counts"]["read"], done["counts"]["changed"]) == (2, 1)
    (after,) = notewell.json("sources", "list")["sources"]
    assert (after["id"], after["place"]) == (before["id"], str(newer))
    assert notewell.json("search", "winter", "--vault", "Roam")["results"]

    newer.write_text("[", encoding="utf-8")
    notewell("sources", "import", newer, "--name", "Roam", fails=1)
    assert notewell.json("search", "winter", "--vault", "Roam")["results"]


def test_a_name_is_given_once(notewell: CommandLine, export: Path, tmp_path: Path) -> None:
    notewell("sources", "import", export, "--name", "Roam", "--later")
    graph = tmp_path / "graph"
    (graph / "pages").mkdir(parents=True)
    (graph / "logseq").mkdir()
    refused = notewell("sources", "add", "logseq", graph, "--name", "roam", fails=2)
    assert "already" in refused.stderr
    assert "Known: Roam" in notewell("sources", "sync", "Raom", fails=3).stderr


def test_its_notes_are_written_out_and_it_is_removed(
    notewell: CommandLine, export: Path, tmp_path: Path
) -> None:
    notewell("sources", "import", export, "--name", "Roam")
    notewell("sources", "export", "Roam", tmp_path / "out")
    assert (tmp_path / "out" / "Bees.md").read_text(encoding="utf-8").endswith("^block-001\n")
    assert "not empty" in notewell("sources", "export", "Roam", tmp_path / "out", fails=2).stderr

    notewell("sources", "remove", "Roam")
    assert notewell.json("sources", "list")["sources"] == []
    assert export.exists()
    assert not list((tmp_path / "data" / "mirrors").glob("*"))


def test_a_graph_at_roam_is_a_vault(notewell: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(FakeRoam()) as roam:
        roam.put("page-a", "Bees", "They dance to nectar", edited=10)
        monkeypatch.setenv("NOTEWELL_ROAM_TOKEN", TOKEN)
        notewell("sources", "add", "roam", "mine", "--address", roam.base)

        found = notewell.json("search", "nectar", "--vault", "mine")["results"][0]
        assert found["uri"] == "https://roamresearch.com/#/app/mine/page/page-a-0"
        monkeypatch.setenv("NOTEWELL_ROAM_TOKEN", "wrong")
        assert "refuses the token" in notewell("sources", "sync", fails=1).stderr
    (source,) = notewell.json("sources", "list")["sources"]
    assert (source["kind"], source["state"]) == ("roam", "failed")


def test_several_vaults_are_searched_as_one(
    notewell: CommandLine, indexed: Path, export: Path
) -> None:
    notewell("sources", "import", export, "--name", "Roam")

    found = notewell.json("search", "bees", "--vault", "all")

    assert {result["vault"] for result in found["results"]} == {"Notes", "Roam"}
    scores = [result["score"] for result in found["results"]]
    assert scores == sorted(scores, reverse=True)
    assert "Roam > Bees.md" in notewell("search", "bees", "--vault", "roam,notes").output
    assert "known" in notewell("search", "bees", "--vault", "roam,no", fails=3).stderr


def test_a_logseq_graph_is_a_vault(notewell: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "graph" / "pages").mkdir(parents=True)
    (tmp_path / "graph" / "pages" / "bees.md").write_text("- Bees dance", encoding="utf-8")

    notewell("sources", "add", "logseq", tmp_path / "graph")

    found = notewell.json("search", "dance", "--vault", "graph")["results"][0]
    assert found["uri"] == "logseq://graph/graph?page=bees"


def test_why_nothing_was_read_is_told_once(notewell: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"x": 1}', encoding="utf-8")
    ran = notewell("sources", "import", tmp_path / "bad.json", fails=1)
    assert ran.output.count("no JSON export of Roam") == 1
