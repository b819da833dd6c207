"""Searching from the terminal: by keyword alone, with a model, as text, JSON and context."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from notewell.base.types import VaultRecord
from notewell.doors.cli.backends import note_path
from tests.doors.cli.support import CommandLine, write_notes
from tests.vault.pdf_files import pdf


def test_a_search_prints_notes_with_their_places(notewell: CommandLine, indexed: Path) -> None:
    result = notewell("search", "hives")

    assert "Garden/Bees.md:" in result.stdout
    assert "Bees find their way home" in result.stdout
    assert "1 note" in result.stderr


def test_json_prints_the_reply_of_the_route(notewell: CommandLine, indexed: Path) -> None:
    reply = notewell.json("search", "hives")

    assert [result["path"] for result in reply["results"]] == ["Garden/Bees.md"]
    assert reply["query"] == "hives"
    assert "explain" not in reply
    assert notewell.json("search", "hives", "--explain")["explain"]["stages"]


def test_files_of_all_kinds_are_found_with_the_place_where_they_open(
    notewell: CommandLine, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_VAULT_TYPES", ".md, .pdf, .canvas, .py, .txt")
    (vault / "Paper.pdf").write_bytes(pdf([["Clover."], ["Quince trees blossom."]]))
    card = {
        "id": "n1",
        "type": "text",
        "text": "A medlar.",
        "x": 0,
        "y": 0,
        "width": 9,
        "height": 9,
    }
    (vault / "Board.canvas").write_text(json.dumps({"nodes": [card], "edges": []}))
    (vault / "trees.py").write_text("import sys\n\n\ndef plant_damson():\n    return 'damson'\n")
    (vault / "Plan.txt").write_text("Spring\n\nGraft the cherry.\n")
    notewell("index", vault)

    def first(query: str) -> dict[str, object]:
        result: dict[str, object] = notewell.json("search", query, "--vault", vault)["results"][0]
        assert str(result["id"]).startswith(f"{result['path']}#")
        assert result["hash"]
        assert result["mtime"]
        return result

    paper, board = first("quince blossom"), first("medlar")
    assert (paper["path"], paper["page"]) == ("Paper.pdf", 2)
    assert str(paper["uri"]).endswith("Paper.pdf%23page%3D2")
    assert (board["path"], board["node"]) == ("Board.canvas", "n1")
    code, plan = first("damson"), first("cherry")
    assert (code["path"], code["line"]) == ("trees.py", 4)
    assert (plan["path"], plan["line"], plan["lines"]) == ("Plan.txt", 3, [1, 3])


def test_results_are_short_unless_long_ones_are_asked_for(
    notewell: CommandLine, indexed: Path
) -> None:
    assert len(notewell("search", "hives").stdout.splitlines()) == 2
    assert "    Garden/Bees.md:" in notewell("search", "hives", "--long").stdout


def test_explain_shows_the_stages(notewell: CommandLine, indexed: Path) -> None:
    assert "stage" in notewell("search", "hives", "--explain").stdout


def test_the_limit_is_applied(notewell: CommandLine, indexed: Path) -> None:
    reply = notewell.json("search", "bees", "--limit", 1)

    assert (len(reply["results"]), reply["total"]) == (1, 2)
    assert "1 of 2 notes" in notewell("search", "bees", "--limit", 1).stderr


def test_operators_are_applied_except_with_plain(notewell: CommandLine, indexed: Path) -> None:
    assert notewell.json("search", "bees -compost")["total"] == 1
    assert notewell.json("search", "bees -compost", "--plain")["total"] == 2


def test_the_query_is_the_rest_of_the_line(notewell: CommandLine, indexed: Path) -> None:
    reply = notewell.json("search", "warm", "spring", "-river", "--limit", 3, "bees")

    assert reply["query"] == "warm spring -river bees"
    assert reply["results"][0]["path"] == "Garden/Compost.md"


def test_words_to_exclude_may_begin_with_the_letters_of_options(
    notewell: CommandLine, indexed: Path
) -> None:
    assert notewell.json("search", "bees", "-quiet", "-q")["query"] == "bees -quiet"
    assert notewell.json("search", "bees", "-old version")["query"] == 'bees -"old version"'
    assert notewell.json("context", "what", "do", "bees", "-compost")["sources"]


def test_a_misspelled_option_is_no_word_of_the_query(notewell: CommandLine, indexed: Path) -> None:
    assert "--limit" in notewell("search", "bees", "--limti", 3, fails=2).stderr


def test_a_misspelled_command_or_vault_is_told_the_nearest(
    notewell: CommandLine, indexed: Path
) -> None:
    assert "Did you mean 'search'?" in notewell("serach", "bees", fails=2).stderr
    assert "Did you mean 'list'?" in notewell("vaults", "lsit", fails=2).stderr
    assert "did you mean 'Notes'?" in notewell("search", "x", "--vault", "Ntoes", fails=3).stderr


def test_an_empty_result_is_not_a_failure(notewell: CommandLine, indexed: Path) -> None:
    assert notewell("search", "zeppelin").stdout.startswith("Nothing found.\nTry:\n")
    assert notewell.json("search", "")["results"] == []


def test_a_typing_mistake_is_corrected_and_says_so(notewell: CommandLine, indexed: Path) -> None:
    corrected = notewell("search", "compots")
    exact = notewell("search", "compots", "--ignore", "spelling")

    assert "Showing results for compost (searched: compots;" in corrected.stderr
    assert "Garden/Compost.md" in corrected.stdout
    assert "Showing results" not in exact.stderr
    assert "Garden/Compost.md" not in exact.stdout


def test_weak_matches_are_left_out_unless_asked_for(notewell: CommandLine, indexed: Path) -> None:
    query = "bees airship zeppelin submarine"
    usual = notewell("search", query)

    assert "Nothing matches well." in usual.stdout
    assert "--weak" in usual.stdout
    assert "Nothing matches well." not in usual.stderr
    assert "weak match" in notewell("search", query, "--weak").stdout


def test_semantic_search_without_a_model_says_how_to_get_one(
    notewell: CommandLine, indexed: Path
) -> None:
    assert "models get" in notewell("search", "bees", "--mode", "semantic").stderr


@pytest.mark.usefixtures("with_model")
def test_with_a_model_notes_are_found_by_meaning(notewell: CommandLine, vault: Path) -> None:
    notewell("index", vault)
    reply = notewell.json("search", "light of the sun", "--mode", "semantic")

    assert reply["results"][0]["path"] == "Garden/Bees.md"
    assert notewell.json("status")["semantic"] == "ready"


@pytest.mark.usefixtures("with_model")
def test_similar_lists_notes_similar_to_a_note(notewell: CommandLine, vault: Path) -> None:
    notewell("index", vault)
    paths = [result["path"] for result in notewell.json("similar", "Garden/Bees")["results"]]

    assert "Garden/Bees.md" not in paths
    assert set(paths) <= {"Garden/Compost.md", "City.md"}
    assert paths


def test_a_missing_note_is_exit_3(notewell: CommandLine, indexed: Path) -> None:
    error = notewell.json("similar", "Garden/Beees.md", fails=3)

    assert "Garden/Bees.md" in error["detail"]


def test_a_note_may_be_named_as_a_link_names_it(notewell: CommandLine, indexed: Path) -> None:
    named = notewell.json("similar", "Bees", "--weak")
    assert named["results"] == notewell.json("similar", "Garden/Bees.md", "--weak")["results"]

    # One with an ending is that file alone; it may have been deleted.
    gone = notewell("similar", "Bees.md", fails=3).stderr
    assert "did you mean Garden/Bees.md?" in gone
    assert "did you mean Garden/Compost.md?" in notewell("similar", "Compots", fails=3).stderr


def test_a_vault_without_an_index_is_exit_3(notewell: CommandLine, vault: Path) -> None:
    notewell("vaults", "add", vault)

    for command in (("search", "x"), ("status",), ("ledger",), ("similar", "City.md")):
        assert "notewell index" in notewell(*command, fails=3).stderr


def test_without_any_vault_it_is_exit_3(notewell: CommandLine) -> None:
    assert "notewell index" in notewell("search", "x", fails=3).stderr


def test_a_limit_out_of_range_is_wrong_usage(notewell: CommandLine, indexed: Path) -> None:
    for limit in (0, 1001, "many"):
        notewell("search", "x", "--limit", limit, fails=2)


def test_a_query_too_long_is_wrong_usage(notewell: CommandLine, indexed: Path) -> None:
    assert notewell.json("search", "x" * 5000, fails=2)["error"] == "query_too_long"


def test_a_note_is_named_relative_to_the_vault_or_the_current_folder(
    vault: Path, tmp_path: Path
) -> None:
    record = VaultRecord("v", "Notes", vault)
    garden = vault / "Garden"

    assert note_path("Garden/Bees", record, cwd=tmp_path) == "Garden/Bees.md"
    assert note_path("Bees.md", record, cwd=garden) == "Garden/Bees.md"
    assert note_path(str(garden / "Bees.md"), record, cwd=tmp_path) == "Garden/Bees.md"
    assert note_path("../City", record, cwd=garden) == "City.md"
    assert note_path("gone.md", record, cwd=garden) == "gone.md"


def test_a_note_outside_the_vault_is_refused(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("x", encoding="utf-8")

    record = VaultRecord("v", "Notes", vault)
    assert note_path("../secret.md", record, cwd=vault) == "../secret.md"


@pytest.mark.usefixtures("indexed")
def test_a_context_is_printed_with_its_sources(notewell: CommandLine) -> None:
    ran = notewell("context", "bees", "--budget", "500", "--fill")
    assert ran.exit_code == 0
    assert '<retrieved_document n="1"' in ran.stdout
    assert "Sources:\n[1] " in ran.stdout
    assert "of 500 tokens (estimate)" in ran.stderr


@pytest.mark.usefixtures("indexed")
def test_a_context_as_json_is_the_reply_of_the_route(notewell: CommandLine) -> None:
    document = notewell.json("context", "bees")
    assert document["tokens"] <= document["budget_tokens"] == 4000
    assert document["sources"][0]["n"] == 1


@pytest.mark.usefixtures("indexed")
def test_an_empty_context_prints_nothing(notewell: CommandLine) -> None:
    ran = notewell("context", '"no such phrase anywhere"')
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert "0 notes" in ran.stderr


@pytest.mark.usefixtures("indexed")
def test_a_context_budget_that_is_too_small_is_refused(notewell: CommandLine) -> None:
    assert notewell("context", "bees", "--budget", "10", fails=2).stdout == ""


@pytest.mark.usefixtures("with_model")
def test_that_nothing_matches_is_said_once_for_all_vaults(
    notewell: CommandLine, vault: Path, tmp_path: Path
) -> None:
    notewell("index", vault)
    notewell("index", write_notes(tmp_path / "Other", {"Sea.md": "Salt and wind.\n"}))
    ran = notewell("search", "zzqqx", "--vault", "all")
    assert ran.output.count("Nothing matches well") <= 1
    assert "hardly match;" not in ran.stderr
