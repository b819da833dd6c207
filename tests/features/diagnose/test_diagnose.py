"""Why a note is missing from results: each step of a search that can lose one, and the mend."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.base.errors import NotFoundError
from notewell.base.types import ModelRules, SearchRules, VaultRules
from notewell.contract.log import VerdictRequest
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.features.diagnose.requests import DiagnoseRequest, Diagnosis
from tests.vaults import indexed, write_notes

NOTES = {
    "Bees.md": "Bees dance to tell where flowers are.",
    "Garden/Flowers.md": "Tulips and roses, with flowers all year.",
    "Old/Hive.md": "---\nstatus: inactive\n---\nThe hive of last year, and its bees.",
    "Copy.md": "Bees dance to tell where flowers are, they do.",
    "Trams.md": "A city has trams.",
    "Sourdough.md": "Bread that takes two days.",
    **{f"Log {n}.md": f"Bees, bees and again bees: day {n} at the apiary." for n in range(14)},
    "Last.md": "A long list of things, among them one word about bees. " + "More of it. " * 200,
    "Private/Diary.md": "Secret bees.",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("diagnose")
    (write_notes(folder / "vault", NOTES) / "picture.png").write_bytes(b"\x89PNG")
    with indexed(
        folder,
        name="Notes",
        model=ModelRules(name="none"),
        vault=VaultRules(exclude=("Private",)),
        search=SearchRules(collapse=True),
    ) as opened:
        yield opened


def asked(engine: Engine, query: str, path: str) -> Diagnosis:
    return engine.answer(DiagnoseRequest(query, path))


def test_a_note_among_the_first_ten_is_found(engine: Engine) -> None:
    found = asked(engine, "tulips", "Garden/Flowers.md")
    assert (found.found, found.rank, found.layer, found.mend) == (True, 1, None, "")


@pytest.mark.parametrize(
    ("query", "path", "layer", "action", "said"),
    [
        ("bees", "Private/Diary.md", "excluded", "settings", "Private"),
        ("bees", "picture.png", "excluded", "settings", "Markdown"),
        ("tulips tag:garden", "Garden/Flowers.md", "filter", "query", "tag:garden"),
        ("tulips -roses", "Garden/Flowers.md", "filter", "query", "-roses"),
        ("hive year", "Old/Hive.md", "hidden", "everything", "shelved"),
        ("trams", "Sourdough.md", "no_candidate", None, "“trams”"),
        ("bees", "Last.md", "ranked_low", "query", "result 1"),
    ],
)
def test_the_layer_that_loses_a_note_and_its_mend(
    engine: Engine, query: str, path: str, *, layer: str, action: str | None, said: str
) -> None:
    found = asked(engine, query, path)

    assert (found.found, found.layer, found.action) == (False, layer, action)
    assert said in found.why
    assert found.mend.endswith(".")


@pytest.mark.parametrize(
    ("query", "path", "wanted"),
    [("tulips tag:garden", "Garden/Flowers.md", True), ("hive year", "Old/Hive.md", True)],
)
def test_the_mend_finds_the_note(engine: Engine, query: str, path: str, wanted: bool) -> None:
    found = asked(engine, query, path)
    again = SearchRequest(found.suggested or query, everything=found.action == "everything")
    assert (path in [result.path for result in engine.search(again).results]) is wanted


def test_a_file_that_was_not_read_yet_is_told_apart(engine: Engine, tmp_path: Path) -> None:
    (engine.vault.record.path / "New.md").write_text("Just written.", encoding="utf-8")
    found = asked(engine, "written", "New.md")
    assert (found.layer, found.action) == ("not_read", "reindex")


def test_a_verdict_of_the_user_is_named(engine: Engine) -> None:
    engine.answer(VerdictRequest("tulips roses", "Garden/Flowers.md", "never_for_this"))
    found = asked(engine, "Tulips  roses", "Garden/Flowers.md")
    assert (found.layer, found.action) == ("verdict", "log")


def test_a_note_that_does_not_exist_is_an_error_with_similar_names(engine: Engine) -> None:
    with pytest.raises(NotFoundError, match=r"did you mean Trams\.md"):
        asked(engine, "city", "Tram.md")
