"""`notewell models`: the catalogue, and models that are installed or not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from huggingface_hub import constants

from notewell.models import catalogue
from tests.doors.cli.support import CommandLine, write_notes
from tests.models.loopback import Hub, nobody, serving
from tests.tiny_model import HIDDEN

DEFAULT = "all-MiniLM-L6-v2"


def test_the_catalogue_is_listed(notewell: CommandLine) -> None:
    listed = {model["name"]: model for model in notewell.json("models", "list")["models"]}

    assert listed[DEFAULT]["dimensions"] == 384
    assert listed[DEFAULT]["configured"]
    assert listed[DEFAULT]["path"] is None
    assert listed[DEFAULT]["time"] == 1
    assert listed["multilingual-e5-small-q4"]["quality"]["de"] > listed[DEFAULT]["quality"]["de"]
    shown = notewell("models", "list").stdout
    assert "384" in shown
    assert "2.2x" in shown
    assert "de 0.92" in shown


def test_the_rerankers_are_listed(notewell: CommandLine) -> None:
    (reranker,) = notewell.json("models", "list")["rerankers"]

    assert reranker["name"] in notewell("models", "list").stdout
    assert not reranker["configured"]


def test_an_unknown_model_is_exit_3(notewell: CommandLine) -> None:
    for command in ("get", "path"):
        assert DEFAULT in notewell("models", command, "nonsense", fails=3).stderr


def test_the_error_about_a_missing_model_says_how_to_get_it(notewell: CommandLine) -> None:
    result = notewell("models", "path", DEFAULT, fails=3)

    assert f"notewell models get {DEFAULT}" in result.stderr


def test_offline_a_model_cannot_be_downloaded(notewell: CommandLine) -> None:
    assert "offline" in notewell("models", "get", fails=1).stderr


def test_files_that_are_not_the_model_are_refused(notewell: CommandLine, tiny_model: Path) -> None:
    result = notewell("models", "get", DEFAULT, "--from", tiny_model, fails=1)

    assert str(tiny_model) in result.stderr


def test_files_from_a_folder_are_copied_and_kept(
    notewell: CommandLine, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    default = catalogue.CATALOGUE[0]
    unpinned = tuple(catalogue.PinnedFile(file.name) for file in default.files)
    monkeypatch.setattr(catalogue, "CATALOGUE", (replace(default, files=unpinned),))
    got = notewell("models", "get", "--from", tiny_model).stdout

    assert Path(got.strip()).is_relative_to(tmp_path / "models")
    assert notewell("models", "path").stdout == got
    assert notewell("models", "get").stdout == got


@pytest.fixture
def hub(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub that has the configured model, for programs that may download."""
    default = catalogue.CATALOGUE[0]
    unpinned = tuple(catalogue.PinnedFile(file.name) for file in default.files)
    here = replace(default, files=unpinned, dimensions=HIDDEN, wheel=None)
    monkeypatch.setattr(catalogue, "CATALOGUE", (here,))
    monkeypatch.setenv("NOTEWELL_OFFLINE", "false")
    monkeypatch.setenv("NOTEWELL_MODEL_QUANTISATION", "fp32")
    with serving(Hub(tiny_model)) as running:
        at_hub(running.url, monkeypatch)
        yield running


def at_hub(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As HF_ENDPOINT does for a new process."""
    template = url + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


def test_the_first_index_gets_its_model_from_the_hub(
    notewell: CommandLine, vault: Path, hub: Hub
) -> None:
    assert notewell.json("index", vault)["embedded"] == 3
    found = notewell.json("search", "music by the river", "--vault", vault, "--mode", "semantic")
    assert found["results"][0]["path"] == "City.md"
    (repo, revision) = (catalogue.CATALOGUE[0].repo, catalogue.CATALOGUE[0].revision)
    names = [file.name for file in catalogue.CATALOGUE[0].files]
    assert hub.asked == [f"/{repo}/resolve/{revision}/{name}" for name in names]

    notewell("index", vault)
    assert len(hub.asked) == len(names)


def test_without_the_hub_words_are_found_and_meaning_as_soon_as_it_is_back(
    notewell: CommandLine, vault: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_hub(nobody(), monkeypatch)
    assert notewell.json("index", vault)["embedded"] == 0
    assert notewell.json("search", "music", "--vault", vault)["results"][0]["path"] == "City.md"
    failed = notewell("models", "get", fails=1).stderr
    assert "the Hugging Face hub" in failed
    assert "model.folder" in failed

    at_hub(hub.url, monkeypatch)
    assert Path(notewell("models", "get").stdout.strip()).is_dir()
    assert notewell.json("index", vault)["embedded"] == 3


def test_a_model_is_suggested_for_notes_in_another_language(
    notewell: CommandLine, tmp_path: Path
) -> None:
    german = "Der Hund und die Katze sind nicht im Garten, weil es auf dem Weg zu nass ist."
    notes = {f"{n}.md": f"{german} Nummer {n}." for n in range(6)}
    vault = write_notes(tmp_path / "deutsch", {**notes, "en.md": "The cat and the dog is here."})
    notewell("index", vault)
    found = notewell.json("models", "suggest", "--vault", vault)

    assert [language["code"] for language in found["languages"]] == ["de", "en"]
    assert found["suggestion"]["name"] == "multilingual-e5-small-q4"
    shown = notewell("models", "suggest", "--vault", vault).stdout
    assert "86% of the notes are in German" in shown
    assert "91 MB to download, and about a minute" in shown
    assert "German texts with a quality of 0.92, all-MiniLM-L6-v2 with 0.71" in " ".join(
        shown.split()
    )
    assert "notewell index --model multilingual-e5-small-q4" in shown


def test_models_are_told_that_their_authors_measured_to_be_better(
    notewell: CommandLine, indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_MODEL_NAME", "all-MiniLM-L6-v2")
    (indexed / "English.md").write_text("The bees are not on the roof, and you have to wait.")
    notewell("index", indexed)
    found = notewell.json("models", "suggest", "--vault", indexed)
    names = {model["name"] for model in found["further_models"]}
    assert "bge-small-en-v1.5" in names
    assert not any(name.startswith("multilingual") for name in names)
    shown = notewell("models", "suggest", "--vault", indexed).stdout
    assert "Its authors state an nDCG@10 of 0.52 on BEIR, those of all-MiniLM-L6-v2 0.42" in shown


def test_nothing_is_suggested_for_notes_that_the_model_reads(
    notewell: CommandLine, indexed: Path
) -> None:
    assert notewell.json("models", "suggest", "--vault", indexed)["suggestion"] is None


def test_what_a_service_costs_is_told_before_its_host_is_allowed(
    notewell: CommandLine, indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_MODEL_PROVIDER", "openai")
    monkeypatch.setenv("NOTEWELL_MODEL_NAME", "text-embedding-3-small")
    shown = notewell("models", "suggest", "--vault", indexed).stdout
    assert "is sent to api.openai.com" in shown
    assert "price: $0.00 (prices of 2026-08)" in shown
    assert "notewell models allow api.openai.com" in shown
    assert "`offline` forbids to send" in notewell("status", "--vault", indexed).stdout

    assert "sent to api.openai.com" in notewell("models", "allow", "--yes").stdout
    assert notewell.json("models", "suggest", "--vault", indexed)["service"]["allowed"]
    notewell("models", "allow", "api.openai.com", "--forbid")
    assert not notewell.json("models", "suggest", "--vault", indexed)["service"]["allowed"]
